"""Held-out rows in the units that a posterior was learned in, and their densities in the units of the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from orderspn.core.errors import InvalidValue
from orderspn.data.dataset import Dataset
from orderspn.data.units import Units
from orderspn.metrics.graph_scoring import context_of


def in_learned_units(name: str, table: Any, values: np.ndarray, graphs: Any) -> np.ndarray:
    """Return the values (N, d) of a table in the units of a posterior; sampled graphs take any units."""
    learned, own = _learned_units(graphs), _own_units(table)
    if own is None:
        return values if learned is None else learned.applied(values)
    if not hasattr(graphs, "settings") or (learned is not None and own.same_as(learned)):
        return values
    raise InvalidValue(
        f"{name} must be in the original units of the data; got a Dataset that was standardized by the means and "
        "standard deviations of its own rows. Pass a table without standardize=True: if the posterior was learned with "
        "it, rows are standardized here."
    )


def check_same_units(train: Any, test: Any) -> None:
    """Raise an error for rows to predict that are not in the units of the rows to learn from."""
    known, rows = _own_units(train), _own_units(test)
    if (known is None) != (rows is None) or (known is not None and rows is not None and not known.same_as(rows)):
        raise InvalidValue(
            "train and test must be in the same units; got a Dataset that was standardized by the means and standard "
            "deviations of its own rows. Pass both tables without standardize=True."
        )


def log_unit_change(graphs: Any, n_rows: int, intervened: np.ndarray | None) -> float:
    """Return the log density of rows in the units of the data minus that in the units of the posterior.

    A variable counts in the rows in which it was not intervened on, and a context variable in none.
    """
    units = _learned_units(graphs)
    if units is None:
        return 0.0
    counted = np.full(units.log_deviation.shape, n_rows) - (0 if intervened is None else intervened.sum(axis=0))
    counted[context_of(graphs)] = 0
    return -float((counted * units.log_deviation).sum())


def log_unit_changes(graphs: Any, n_rows: int, intervened: np.ndarray | None) -> np.ndarray:
    """Return the same for each row, shape (n,)."""
    units = _learned_units(graphs)
    if units is None:
        return np.zeros(n_rows)
    explained = units.log_deviation.copy()
    explained[context_of(graphs)] = 0.0
    if intervened is None:
        return np.full(n_rows, -float(explained.sum()))
    changes: np.ndarray = -(~intervened @ explained)
    return changes


def _learned_units(graphs: Any) -> Units | None:
    return getattr(graphs, "units", None)


def _own_units(table: Any) -> Units | None:
    return table.units if isinstance(table, Dataset) else None
