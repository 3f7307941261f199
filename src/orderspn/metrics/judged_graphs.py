"""Graphs to judge by rows, the score to judge them by, and sums over their families."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from orderspn.core.errors import InvalidValue
from orderspn.core.matrices import Matrices
from orderspn.core.randomness import RandomState
from orderspn.data.dataset import Dataset
from orderspn.metrics.acyclic import check_acyclic
from orderspn.metrics.arguments import WeightedGraphs, read_sampled
from orderspn.queries.sampling import distinct_graphs
from orderspn.scores.bdeu import BDeu
from orderspn.scores.bge import BGe
from orderspn.scores.choosing import Table, fit_score
from orderspn.scores.protocol import MarginalLikelihood, Score

ValueOfFamily = Callable[[int, np.ndarray], np.ndarray]
"""From a child and its parents to numbers, shape (width,)."""


def read_distinct(graphs: Any, n_samples: int, rng: RandomState) -> WeightedGraphs:
    """Sampled graphs without cycles, each of them once, with the weight of all that are the same."""
    sampled, weights = read_sampled("graphs", graphs, n_samples, rng)
    check_acyclic("graphs", sampled)
    used = weights > 0.0
    distinct, which = distinct_graphs(sampled.values[used])
    return WeightedGraphs(Matrices(distinct, sampled.variables), np.bincount(which, weights[used]))


def score_of(graphs: Any, score: str | Score | None) -> str | Score:
    """The score asked for, or else that of the posterior."""
    if score is not None:
        return score
    learned_with = getattr(graphs, "settings", {}).get("score")
    if learned_with is None:
        return BGe()
    if learned_with.get("name") == "bdeu":
        return BDeu(learned_with["equivalent_sample_size"])
    if learned_with.get("name") != "bge":
        raise InvalidValue(
            f"the posterior was learned with the score {learned_with.get('name')!r}, which cannot be made again from "
            "its settings: pass it as score=."
        )
    return BGe(learned_with["alpha_mu"], learned_with["alpha_w"], learned_with["t"])


def table_of(values: np.ndarray, intervened: np.ndarray | None, graphs: Matrices) -> Dataset:
    """Values (N, d) with the names of the graphs' variables."""
    names = graphs.variables or tuple(f"X{v + 1}" for v in range(graphs.n_variables))
    return Dataset(names, values, intervened=intervened)


def fit_quietly(score: str | Score, table: Table) -> MarginalLikelihood:
    """Fit a score without its advice."""
    with warnings.catch_warnings():
        # What a score says of scales and means is advice for learning, and a few rows need not vary much.
        warnings.simplefilter("ignore", UserWarning)
        return fit_score(score, table)


def sum_over_families(graphs: np.ndarray, value: ValueOfFamily, width: int) -> np.ndarray:
    """Sum of `value(child, parents)` over the families of each graph (n, d, d), each asked once, shape (n, width)."""
    totals = np.zeros((len(graphs), width))
    for child in range(graphs.shape[1]):
        sets, which = np.unique(graphs[:, :, child], axis=0, return_inverse=True)
        values = np.empty((len(sets), width))
        for place, parents in enumerate(sets):
            values[place] = value(child, np.flatnonzero(parents))
        totals += values[which.ravel()]
    return totals
