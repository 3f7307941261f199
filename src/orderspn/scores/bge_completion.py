"""Draw missing numbers given a graph, under BGe: first the parameters of every family, then the cells of every row.

The parameters of a child j given its parents P are independent of those of other families: the residual variance is the
residual of R divided by a chi-square variable, the coefficients are normal around their location, and the intercept is
normal around `m_j - b m_P`, with the mean m of the prior after the rows that count for j.

Given the parameters a row is normal. Its log density is a sum over families, `-(x_j - a_j - b_j x_P)^2 / (2 s_j)`. This
makes a precision matrix K and a vector h; missing cells are normal with precision `K_mm` and mean
`K_mm^-1 (h_m - K_mo x_o)`. Rows with the same missing cells and the same interventions share the algebra. The family of
a variable that was intervened on in a row does not count there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

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
    n_rows, d = values.shape
    left = RowsLeft.of(intervened, n_rows, d)
    means = np.array([values[own].sum(axis=0) / (own.sum() + fitted.alpha_mu) for own in left.kept])
    intercepts, weights, variances = np.zeros(d), np.zeros((d, d)), np.zeros(d)
    for child in range(d):
        parents = np.flatnonzero(graph[:, child])
        location, inverse, residual, freedom = fitted.regression_of(child, parents)
        variance = residual / rng.chisquare(freedom)
        spectrum, vectors = np.linalg.eigh(inverse) if parents.size else (np.empty(0), np.empty((0, 0)))
        root = vectors * np.sqrt(np.maximum(spectrum, 0.0) * variance)
        own = location + root @ rng.normal(size=parents.size)
        mean, strength = means[left.group[child]], fitted.rows_of(child) + fitted.alpha_mu
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
    for rows, cells, counted in patterns(missing, intervened):
        precision, information = parameters.precision(counted)
        known = ~cells
        triangle = np.linalg.cholesky(precision[np.ix_(cells, cells)])
        right = information[cells] - values[np.ix_(rows, known)] @ precision[np.ix_(known, cells)]
        noise = rng.normal(size=(len(rows), int(cells.sum())))
        half = np.linalg.solve(triangle, right.T) + noise.T  # the mean and the noise are turned back by the same matrix
        completed[np.ix_(rows, cells)] = np.linalg.solve(triangle.T, half).T
    return completed


def patterns(missing: np.ndarray, intervened: np.ndarray | None) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Go through rows with the same missing cells and interventions: rows, missing cells (d,), families that count."""
    incomplete = np.flatnonzero(missing.any(axis=1))
    counts = np.ones_like(missing) if intervened is None else ~intervened
    keys = np.packbits(np.concatenate([missing, counts], axis=1)[incomplete], axis=1)
    _, which = np.unique(keys, axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    for own in np.split(order, np.flatnonzero(np.diff(which.ravel()[order])) + 1):
        if own.size:
            rows = incomplete[own]
            yield rows, missing[rows[0]], counts[rows[0]]
