"""The Markov equivalence class of a graph: its probability, and how far out it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from orderspn.core.matrices import Matrices
from orderspn.display.text import counted
from orderspn.judging.draws import PosteriorDraws
from orderspn.judging.members import equivalent_graphs
from orderspn.judging.standing import Standing
from orderspn.judging.tail import Tail, tail_of
from orderspn.metrics.equivalence import cpdags_of
from orderspn.queries.sampling import distinct_graphs

MOST_MEMBERS = 2000
"""Most graphs of a class whose probabilities are added up."""

ALL_MEMBERS, FEWEST_MEMBERS = 10_000, 8
"""Most graphs of all classes that were drawn, together, and fewest of each."""


@dataclass(frozen=True, eq=False, repr=False)
class EquivalenceClass:
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
            f"<EquivalenceClass: {size}, log probability {self.log_probability:.3f}, "
            f"tail probability {self.tail.probability:.3g}>"
        )


def judge_class(graph: np.ndarray, standing: Standing, draws: PosteriorDraws, by_scores: bool) -> EquivalenceClass:
    """Compare the class of a graph (d, d) with those of draws."""
    essential = cpdags_of(Matrices(graph[None], None), "graph")[0]
    members, complete = equivalent_graphs(graph, MOST_MEMBERS)
    distinct, which = distinct_graphs(draws.graphs)
    drawn = cpdags_of(Matrices(distinct, None), "graphs")
    if complete and standing.is_exact:
        log_probability, error = float(np.logaddexp.reduce(standing.of(members))), np.nan if standing.is_noisy else 0.0
    else:
        share, error = draws.share((drawn == essential).all(axis=(1, 2))[which])
        log_probability = float(np.log(share)) if share > 0.0 else -np.inf
    values = _values(
        np.concatenate([graph[None], distinct]), np.concatenate([essential[None], drawn]), standing, by_scores
    )
    tail = tail_of(float(values[0]), values[1:][which], draws)
    return EquivalenceClass(min(0.0, log_probability), error, len(members) if complete else None, essential, tail)


def _values(graphs: np.ndarray, cpdags: np.ndarray, standing: Standing, by_scores: bool) -> np.ndarray:
    """Return the summed values of the members of the class of each graph (n, d, d), shape (n,).

    Of large classes it is the sum over the graphs that are nearest to each graph: no longer the same for all graphs of
    a class, but a rank by it is calibrated as any.
    """
    _, which = distinct_graphs(cpdags)
    n_classes = int(which.max()) + 1
    most = max(FEWEST_MEMBERS, ALL_MEMBERS // n_classes)
    groups: list[np.ndarray] = []
    of_class: dict[int, int] = {}
    group_of = np.empty(len(graphs), dtype=np.int64)
    for place, graph in enumerate(graphs):
        known = of_class.get(int(which[place]))
        if known is None:
            members, complete = equivalent_graphs(graph, most)
            known = len(groups)
            groups.append(members)
            if complete:
                of_class[int(which[place])] = known
        group_of[place] = known
    every = np.concatenate(groups)
    values = standing.by_scores(every) if by_scores else standing.ranks(every)
    ends = np.cumsum([len(members) for members in groups])
    summed = np.array([np.logaddexp.reduce(part) for part in np.split(values, ends[:-1])])
    return summed[group_of]
