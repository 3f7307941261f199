"""Draw missing cells of variables with several columns, cell after cell on a grid of values or on the levels.

Given a graph and the parameters of all columns, the log density of a row is a quadratic function of its whitened
columns. For one variable with columns f and all others known it is `f (h - K_o x_o) - f K f / 2`, which is evaluated
for every candidate value of the cell. A number that the others nearly determine has a narrow distribution, so its grid
is laid a second time, over the values that the first one leaves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from orderspn.data.mixed import MixedVariable
from orderspn.scores.bge_completion import Parameters

if TYPE_CHECKING:
    from orderspn.scores.basis import Basis

GRID_POINTS = 101
"""Candidate values of a missing number, first over its whole range and then over those that have some probability."""

NEGLIGIBLE = 40.0
"""A log density that is lower than the highest by this much does not count."""

GRID_REACH = 4.0
"""How many standard deviations the grid goes to both sides of the mean."""

SWEEPS = 2
"""Times that every missing cell is drawn given the same parameters."""


def column_graph(graph: np.ndarray, owner: np.ndarray) -> np.ndarray:
    """Return the graph of columns: those of a child have the columns of its parents and its own earlier ones."""
    earlier = (owner[:, None] == owner) & np.triu(np.ones((owner.size, owner.size), dtype=bool), k=1)
    return graph[np.ix_(owner, owner)] | earlier


def candidate_values(part: MixedVariable, column: int, basis: Basis) -> np.ndarray:
    """Return the values that a missing cell may get: the levels, or a grid around the mean of the column."""
    if part.kind == "category":
        return np.arange(len(part.levels), dtype=np.float64)
    steps = np.linspace(-GRID_REACH, GRID_REACH, GRID_POINTS)
    return np.asarray(basis.centre[column] + basis.scale[column] * steps)


def draw_column(
    part: MixedVariable,
    column: int,
    rows: np.ndarray,
    candidates: np.ndarray,
    basis: Basis,
    information: np.ndarray,
    precision: np.ndarray,
    rng: np.random.Generator,
) -> np.ndarray:
    """Draw the cells of one column in some rows, given `h - K_o x_o` (rows, w) and K (w, w) of the variable."""
    others = part.values[rows]

    def log_densities(values: np.ndarray) -> np.ndarray:
        """Return those of candidate values of each row, (rows, grid)."""
        changed = np.repeat(others[:, None, :], values.shape[1], axis=1)  # (rows, grid, columns)
        changed[:, :, column] = values
        features = basis.applied(changed.reshape(-1, changed.shape[2])).reshape(*values.shape, -1)
        energy = 0.5 * np.einsum("rgi,ij,rgj->rg", features, precision, features)
        log_density: np.ndarray = np.einsum("rgi,ri->rg", features, information) - energy
        return log_density

    values = np.repeat(candidates[None], len(rows), axis=0)
    logs = log_densities(values)
    if part.kind != "category":
        values = _finer(values, logs)
        logs = log_densities(values)
    chosen = np.argmax(logs + rng.gumbel(size=logs.shape), axis=1)[:, None]
    drawn = np.take_along_axis(values, chosen, axis=1)[:, 0]
    if part.kind == "category":
        return drawn
    return np.asarray(drawn + (values[:, 1] - values[:, 0]) * (rng.random(len(rows)) - 0.5))


def _finer(values: np.ndarray, logs: np.ndarray) -> np.ndarray:
    """Return grids (rows, grid) over the part of each row's grid that has some probability, and one step beyond."""
    likely = logs > logs.max(axis=1, keepdims=True) - NEGLIGIBLE
    n_points = values.shape[1]
    first = np.maximum(likely.argmax(axis=1) - 1, 0)
    last = np.minimum(n_points - likely[:, ::-1].argmax(axis=1), n_points - 1)
    low, high = (np.take_along_axis(values, place[:, None], axis=1) for place in (first, last))
    return np.asarray(low + (high - low) * np.linspace(0.0, 1.0, n_points))


def conditional(
    parameters: Parameters, counted: np.ndarray, own: slice, columns: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return `h - K_o x_o` (rows, w) and K (w, w) of the columns of one variable, given all columns of some rows."""
    precision, information = parameters.precision(counted)
    inner = precision[own, own]
    return information[own] - columns @ precision[:, own] + columns[:, own] @ inner, inner
