"""Scores of graphs given rows: the distinct graphs, the score of their posterior, and sums over families."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from orderspn.core.dag import check_acyclic
from orderspn.core.errors import InvalidValue
from orderspn.core.matrices import Matrices
from orderspn.core.randomness import RNGLike
from orderspn.data.dataset import Dataset
from orderspn.data.mixed import Table
from orderspn.metrics.arguments import WeightedGraphs, read_sampled
from orderspn.queries.sampling import distinct_graphs
from orderspn.scores.choosing import fit_score
from orderspn.scores.mixed_variables import GroupVariable
from orderspn.scores.protocol import NO_VARIABLES, MarginalLikelihood, Score, ValueOfFamily
from orderspn.scores.registry import DEFAULT_SCORES


def fitted_score(graphs: Any) -> Any:
    """Return the score of a posterior, fitted to the rows it was learned from; None for anything else."""
    local = getattr(getattr(graphs, "model", None), "score", None)
    return getattr(local, "likelihood", None)


def learned_levels(graphs: Any) -> tuple[tuple[str, ...], ...] | None:
    """Return the levels that a posterior of categories was learned with; None for anything else."""
    return getattr(fitted_score(graphs), "levels", None)


def learned_variables(graphs: Any) -> Sequence[GroupVariable] | None:
    """Return the variables of several columns that a posterior was learned with; None for anything else."""
    return getattr(fitted_score(graphs), "mixed_variables", None)


def intervention_counts(graphs: Any) -> np.ndarray | None:
    """Return the number of rows with an intervention on each variable, shape (d,); None if that is not known."""
    return getattr(fitted_score(graphs), "n_interventions", None)


def read_distinct(graphs: Any, n_samples: int, rng: RNGLike) -> WeightedGraphs:
    """Return distinct sampled DAGs, each with the total weight of its copies."""
    sampled, weights = read_sampled("graphs", graphs, n_samples, rng)
    check_acyclic("graphs", sampled.values, sampled.variables)
    used = weights > 0.0
    distinct, which = distinct_graphs(sampled.values[used])
    return WeightedGraphs(Matrices(distinct, sampled.variables), np.bincount(which, weights[used]))


def score_of(graphs: Any, score: str | Score | None) -> str | Score:
    """Return the given score, or that of the posterior, or for sampled graphs the default score of numbers."""
    if score is not None:
        return score
    fitted = fitted_score(graphs)
    if fitted is None:
        return DEFAULT_SCORES["numbers"]
    again: Score | None = getattr(fitted, "unfitted", None)
    if again is None:
        raise InvalidValue(
            f"the posterior was learned with the score {fitted.settings()['name']!r}, which has no attribute unfitted "
            "to fit it to other rows. Pass the score as score=."
        )
    return again


def table_of(values: np.ndarray, intervened: np.ndarray | None, graphs: Matrices) -> Dataset:
    """Return values (N, d) with the names of the graphs' variables."""
    names = graphs.variables or tuple(f"X{v + 1}" for v in range(graphs.n_variables))
    return Dataset(names, values, intervened=intervened)


def fit_quietly(score: str | Score, table: Table) -> MarginalLikelihood:
    """Fit a score without its warnings."""
    with warnings.catch_warnings():
        # Warnings about scales and means are advice for learning; a few rows need not vary much.
        warnings.simplefilter("ignore", UserWarning)
        return fit_score(score, table)


def context_of(graphs: Any) -> np.ndarray:
    """Return the indices of the context variables of a posterior, which are not explained; none of anything else."""
    local = getattr(getattr(graphs, "model", None), "score", None)
    return getattr(local, "context", NO_VARIABLES)


def sum_over_families(
    graphs: np.ndarray, value: ValueOfFamily, width: int, context: np.ndarray = NO_VARIABLES
) -> np.ndarray:
    """Sum `value(child, parents)` over the families of each graph (n, d, d) but those of context, shape (n, width)."""
    totals = np.zeros((len(graphs), width))
    for child in np.setdiff1d(np.arange(graphs.shape[1]), context).tolist():
        sets, which = np.unique(graphs[:, :, child], axis=0, return_inverse=True)
        values = np.empty((len(sets), width))
        for place, parents in enumerate(sets):
            values[place] = value(child, np.flatnonzero(parents))
        totals += values[which.ravel()]
    return totals
