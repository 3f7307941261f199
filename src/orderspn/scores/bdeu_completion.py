"""Draw missing categories given a graph, under BDeu: first the tables of every family, then cell after cell.

Given the tables a cell is drawn from its distribution given all other cells of its row: the entry of its own table
times those of the tables of its children. Tables of variables that were intervened on in a row do not count there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from orderspn.scores.protocol import TableLikelihood

SWEEPS = 3
"""Times that every missing cell is drawn given the same tables."""


def draw_tables(
    fitted: TableLikelihood, graph: np.ndarray, rng: np.random.Generator
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Draw, for each variable of a graph (d, d), its parents and the logs of its table (r_1, ..., r_p, r_child)."""
    tables = []
    for child in range(len(graph)):
        parents = np.flatnonzero(graph[:, child])
        strengths = fitted.strengths_given(child, parents)
        # The log of a gamma variable of small shape a: that of shape a + 1, and log(u) / a. It does not underflow.
        logs = np.log(rng.gamma(strengths + 1.0)) + np.log1p(-rng.random(strengths.shape)) / strengths
        top = logs.max(axis=-1, keepdims=True)
        tables.append((parents, logs - top - np.log(np.exp(logs - top).sum(axis=-1, keepdims=True))))
    return tables


def draw_codes(
    codes: np.ndarray,
    missing: np.ndarray,
    intervened: np.ndarray | None,
    tables: Sequence[tuple[np.ndarray, np.ndarray]],
    rng: np.random.Generator,
) -> np.ndarray:
    """Draw the missing codes (N, d) in turn, several times; return the completed rows."""
    completed = codes.astype(np.int64)
    counted = np.ones(codes.shape, dtype=bool) if intervened is None else ~intervened
    incomplete = np.flatnonzero(missing.any(axis=0))
    for _ in range(SWEEPS):
        for variable in rng.permutation(incomplete).tolist():
            rows = np.flatnonzero(missing[:, variable])
            logs = _conditional(completed[rows], counted[rows], variable, tables)
            completed[rows, variable] = np.argmax(logs + rng.gumbel(size=logs.shape), axis=1)
    return completed


def _conditional(
    codes: np.ndarray, counted: np.ndarray, variable: int, tables: Sequence[tuple[np.ndarray, np.ndarray]]
) -> np.ndarray:
    """Return the log probability of each level of a variable given the other cells, up to a constant, (rows, r)."""
    n_levels = tables[variable][1].shape[-1]
    logs = np.zeros((len(codes), n_levels))
    for child, (parents, table) in enumerate(tables):
        members = [*parents.tolist(), child]
        if variable in members:
            place = tuple(np.arange(n_levels) if v == variable else codes[:, [v]] for v in members)
            logs += np.where(counted[:, [child]], table[place], 0.0)
    return logs
