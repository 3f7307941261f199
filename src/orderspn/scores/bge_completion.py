"""Draw missing numbers given a graph, under BGe: first the parameters of every family, then the cells of every row.

The parameters of a child j given its parents P are independent of those of other families: the residual variance is the
residual of R divided by a chi-square variable, the coefficients are normal around their location, and the intercept is
normal around `m_j - b m_P`, with the mean m of the prior after the rows that count for j.

Given the parameters a row is normal. Its log density is a sum over families, `-(x_j - a_j - b_j x_P)^2 / (2 s_j)`. This
makes a precision matrix K and a vector h; missing cells are normal with precision `K_mm` and mean
`K_mm^-1 (h_m - K_mo x_o)`. Rows with as many missing cells and the same interventions are drawn together. The family of
a variable that was intervened on in a row does not count there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from orderspn.core.matrix_root import root_of
from orderspn.scores.intervention_groups import RowsLeft

if TYPE_CHECKING:
    from orderspn.scores.bge import FittedBGe


@dataclass(frozen=True, eq=False)
class Parameters:
    """One draw of the parameters of every family of a graph."""

    intercepts: np.ndarray  # (d,)
    weights: np.ndarray  # (d, d) [cause, effect]
    variances: np.ndarray  # (d,)

    def precision(self, counted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return K (d, d) and h (d,) of rows in which some families count (d,)."""
        residual = (np.eye(len(self.weights)) - self.weights)[:, counted]  # coefficients of x in each residual
        shares = residual / self.variances[counted]
        return shares @ residual.T, shares @ self.intercepts[counted]


def draw_parameters(
    fitted: FittedBGe,
    values: np.ndarray,
    intervened: np.ndarray | None,
    graph: np.ndarray,
    rng: np.random.Generator,
) -> Parameters:
    """Draw the parameters of a graph (d, d) from their posterior, given the rows that the score was fitted to."""
    left = RowsLeft.of(intervened, *values.shape)
    means = np.array([values[own].sum(axis=0) / (own.sum() + fitted.alpha_mu) for own in left.kept])
    return drawn_given_means(fitted, means[left.group], graph, rng)


def drawn_given_means(fitted: FittedBGe, means: np.ndarray, graph: np.ndarray, rng: np.random.Generator) -> Parameters:
    """Draw the parameters of a graph given the posterior means of all variables by the rows of each child (d, d)."""
    d = len(graph)
    intercepts, weights, variances = np.zeros(d), np.zeros((d, d)), np.zeros(d)
    for child in range(d):
        parents = np.flatnonzero(graph[:, child])
        location, inverse, residual, freedom = fitted.regression_of(child, parents)
        variance = residual / rng.chisquare(freedom)
        own = location + np.sqrt(variance) * (root_of(inverse) @ rng.normal(size=parents.size))
        mean, strength = means[child], fitted.rows_of(child) + fitted.alpha_mu
        intercepts[child] = mean[child] - own @ mean[parents] + np.sqrt(variance / strength) * rng.normal()
        weights[parents, child], variances[child] = own, variance
    return Parameters(intercepts, weights, variances)


def draw_cells(
    values: np.ndarray,
    missing: np.ndarray,
    intervened: np.ndarray | None,
    parameters: Parameters,
    rng: np.random.Generator,
) -> np.ndarray:
    """Draw the missing cells (N, d) of every row given its other cells; return the completed rows."""
    completed = values.copy()
    known = np.where(missing, 0.0, values)
    for rows, counted in rows_alike(missing, intervened):
        precision, information = parameters.precision(counted)
        size = int(missing[rows[0]].sum())
        cells = np.argsort(~missing[rows], axis=1, kind="stable")[:, :size]  # (rows, missing cells)
        right = np.take_along_axis(information - known[rows] @ precision, cells, axis=1)[:, :, None]
        triangle = np.linalg.cholesky(precision[cells[:, :, None], cells[:, None, :]])
        half = np.linalg.solve(triangle, right) + rng.normal(size=right.shape)  # noise is turned like the mean
        drawn = np.linalg.solve(triangle.transpose(0, 2, 1), half)[:, :, 0]
        completed[rows[:, None], cells] = drawn
    return completed


def rows_alike(missing: np.ndarray, intervened: np.ndarray | None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Go through rows with as many missing cells and the same interventions: rows, and families that count (d,)."""
    incomplete = np.flatnonzero(missing.any(axis=1))
    counts = np.ones_like(missing) if intervened is None else ~intervened
    keys = np.column_stack([missing[incomplete].sum(axis=1), np.packbits(counts[incomplete], axis=1)])
    _, which = np.unique(keys, axis=0, return_inverse=True)
    for group in range(which.max(initial=-1) + 1):
        rows = incomplete[which.ravel() == group]
        yield rows, counts[rows[0]]
