"""The Markov equivalence class of a graph: its probability, and how far out it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from orderspn.core.equivalence import essential_graphs
from orderspn.core.equivalent_dags import equivalent_dags
from orderspn.display.text import counted
from orderspn.judging.draws import PosteriorDraws
from orderspn.judging.standing import Standing
from orderspn.judging.tail import Tail, tail_of
from orderspn.queries.sampling import distinct_graphs

MOST_MEMBERS = 2000
"""Most graphs of a class whose probabilities are added up."""

ALL_MEMBERS, FEWEST_MEMBERS = 10_000, 8
"""Most graphs of all classes that were drawn, together, and fewest of each."""

BATCH_BYTES = 2**26
"""Bytes of graphs whose values are computed at once, about."""


@dataclass(frozen=True, eq=False, repr=False)
class JudgedClass:
    """The graphs that observations cannot tell from one graph.

    Attributes
    ----------
    log_probability : float
        Log of the summed probability of its graphs; of a share of draws where there are too many of them.
    standard_error : float
        Monte Carlo standard error of the probability: 0 if it was summed up, NaN if it is not known.
    n_graphs : int or None
        Number of its graphs; None if there are more than 2000.
    cpdag : numpy.ndarray
        Shape (d, d), bool, [cause, effect]; an undirected edge has both directions.
    tail : Tail
        The posterior probability of all classes that are at most as probable.
    """

    log_probability: float
    standard_error: float
    n_graphs: int | None
    cpdag: np.ndarray
    tail: Tail

    def __repr__(self) -> str:
        size = f"more than {MOST_MEMBERS:,} graphs" if self.n_graphs is None else counted(self.n_graphs, "graph")
        return (
            f"<JudgedClass: {size}, log probability {self.log_probability:.3f}, "
            f"tail probability {self.tail.probability:.3g}>"
        )


def judge_class(
    graph: np.ndarray, standing: Standing, draws: PosteriorDraws, by_scores: bool, context: Sequence[int]
) -> JudgedClass:
    """Compare the class of a graph (d, d) with those of draws; `context` are the variables that are only causes."""
    essential = essential_graphs(graph[None], context)[0]
    members, complete = equivalent_dags(graph, MOST_MEMBERS, context)
    distinct, which = distinct_graphs(draws.graphs)
    drawn = essential_graphs(distinct, context)
    if complete and standing.is_exact:
        log_probability, error = float(np.logaddexp.reduce(standing.of(members))), np.nan if standing.is_noisy else 0.0
    else:
        share, error = draws.share((drawn == essential).all(axis=(1, 2))[which])
        log_probability = float(np.log(share)) if share > 0.0 else -np.inf
    values = _values(
        np.concatenate([graph[None], distinct]), np.concatenate([essential[None], drawn]), standing, by_scores, context
    )
    tail = tail_of(float(values[0]), values[1:][which], draws)
    return JudgedClass(min(0.0, log_probability), error, len(members) if complete else None, essential, tail)


def _values(
    graphs: np.ndarray, cpdags: np.ndarray, standing: Standing, by_scores: bool, context: Sequence[int]
) -> np.ndarray:
    """Return the summed values of the members of the class of each graph (n, d, d), shape (n,).

    Of large classes it is the sum over the graphs that are nearest to each graph: no longer the same for all graphs of
    a class, but a rank by it is calibrated as any.
    """
    _, which = distinct_graphs(cpdags)
    n_classes = int(which.max()) + 1
    most = max(FEWEST_MEMBERS, ALL_MEMBERS // n_classes)
    values_of = standing.by_scores if by_scores else standing.ranks
    batch = max(1, BATCH_BYTES // graphs[0].size)
    waiting: list[np.ndarray] = []  # groups of members whose values are not known yet
    summed: list[float] = []
    n_groups = n_waiting = 0
    of_class: dict[int, int] = {}
    group_of = np.empty(len(graphs), dtype=np.int64)
    for place, graph in enumerate(graphs):
        known = of_class.get(int(which[place]))
        if known is None:
            members, complete = equivalent_dags(graph, most, context)
            known, n_groups = n_groups, n_groups + 1
            waiting.append(members)
            n_waiting += len(members)
            if n_waiting > batch:
                summed += _summed(waiting, values_of)
                waiting, n_waiting = [], 0
            if complete:
                of_class[int(which[place])] = known
        group_of[place] = known
    return np.array(summed + _summed(waiting, values_of))[group_of]


def _summed(groups: list[np.ndarray], values_of: Callable[[np.ndarray], np.ndarray]) -> list[float]:
    """Return the summed values of the graphs (n, d, d) of each group."""
    if not groups:
        return []
    ends = np.cumsum([len(members) for members in groups])
    return [float(np.logaddexp.reduce(part)) for part in np.split(values_of(np.concatenate(groups)), ends[:-1])]
