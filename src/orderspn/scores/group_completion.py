"""Draw missing cells of variables with several columns, cell after cell on a grid of values or on the levels.

Given a graph and the parameters of all columns, the log density of a row is a quadratic function of its whitened
columns. For one variable with columns f and all others known it is `f (h - K_o x_o) - f K f / 2`, which is evaluated
for every candidate value of the cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from orderspn.data.mixed import MixedVariable
from orderspn.scores.bge_completion import Parameters

if TYPE_CHECKING:
    from orderspn.scores.basis import Basis

GRID_POINTS = 161
"""Candidate values of a missing number."""

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
    changed = np.repeat(part.values[rows][:, None, :], candidates.size, axis=1)  # (rows, grid, columns)
    changed[:, :, column] = candidates
    features = basis.applied(changed.reshape(-1, changed.shape[2])).reshape(len(rows), candidates.size, -1)
    energy = 0.5 * np.einsum("rgi,ij,rgj->rg", features, precision, features)
    logs = np.einsum("rgi,ri->rg", features, information) - energy
    chosen = candidates[np.argmax(logs + rng.gumbel(size=logs.shape), axis=1)]
    if part.kind == "category":
        return chosen
    width = candidates[1] - candidates[0]
    return np.asarray(chosen + width * (rng.random(len(rows)) - 0.5))


def conditional(
    parameters: Parameters, counted: np.ndarray, own: slice, columns: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return `h - K_o x_o` (rows, w) and K (w, w) of the columns of one variable, given all columns of some rows."""
    precision, information = parameters.precision(counted)
    inner = precision[own, own]
    return information[own] - columns @ precision[:, own] + columns[:, own] @ inner, inner
