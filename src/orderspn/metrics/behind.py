"""What a posterior still knows of the rows that it was learned from: its fitted score, and what that was fitted to."""

from __future__ import annotations

from typing import Any

import numpy as np

from orderspn.scores.bdeu import FittedBDeu
from orderspn.scores.bge import FittedBGe


def fitted_behind(graphs: Any) -> Any:
    """The fitted score of a posterior; None of anything else."""
    local = getattr(getattr(graphs, "_model", None), "score", None)
    return getattr(local, "likelihood", None)


def levels_behind(graphs: Any) -> tuple[tuple[str, ...], ...] | None:
    """The levels that a posterior of categories was learned with; None of anything else."""
    fitted = fitted_behind(graphs)
    return fitted.levels if isinstance(fitted, FittedBDeu) else None


def times_set(graphs: Any) -> np.ndarray | None:
    """In how many rows each variable was set from outside, shape (d,); None where that is not known."""
    fitted = fitted_behind(graphs)
    if isinstance(fitted, FittedBGe):
        left = fitted.rows_left
    elif isinstance(fitted, FittedBDeu):
        left = fitted.counts.sum(axis=1)
    else:
        return None
    times: np.ndarray = fitted.n_rows - left[fitted.group]
    return times


def was_standardized(graphs: Any) -> bool:
    """Whether a posterior was learned from columns that were centred and divided by their standard deviations."""
    return bool(getattr(graphs, "settings", {}).get("standardized", False))
