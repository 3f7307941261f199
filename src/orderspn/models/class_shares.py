"""The most probable Markov equivalence classes of a model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from orderspn.core.equivalence import essential_graphs
from orderspn.core.equivalent_dags import equivalent_dags
from orderspn.core.errors import UserError
from orderspn.models.capabilities import GRAPH_SCORES
from orderspn.models.graph_probabilities import log_probabilities_of
from orderspn.models.graph_shares import GraphShares
from orderspn.models.protocol import GraphModel
from orderspn.queries.edges import Edges
from orderspn.queries.equivalence_classes import EquivalenceClass, EquivalenceClasses, named_graph
from orderspn.queries.sampling import distinct_graphs

COUNTED_UP_TO = 2_000
"""Largest number of members of a class that are listed."""

LISTED_TOGETHER = 5_000
"""Number of members of all classes from which on no further classes are summed."""

SCREENED = 200
"""Most further classes whose exact probabilities are compared with those of the classes asked for."""


class ClassShares:
    """Classes of graphs with weights: the CPDAG of each, its share, and its most frequent graph."""

    def __init__(self, shares: GraphShares, context: Sequence[int]) -> None:
        graphs, which = distinct_graphs(shares.graphs)
        weights = np.bincount(which, shares.weights)
        cpdags, kind = distinct_graphs(essential_graphs(graphs, context))
        self._shares = shares
        self._kinds = kind[which]  # (n,): class of each graph
        self.cpdags = cpdags  # (classes, d, d)
        self.probabilities = shares.shares(self._kinds, len(cpdags))
        heaviest_last = np.argsort(weights, kind="stable")
        first = np.empty(len(cpdags), dtype=np.int64)
        first[kind[heaviest_last]] = heaviest_last
        self.representatives = graphs[first]  # (classes, d, d)

    def error_of(self, one: int) -> float:
        """Return the Monte Carlo standard error of the share of a class."""
        return self._shares.error_of(self._kinds == one)


def most_probable_classes(
    model: GraphModel, evidence: Edges, shares: GraphShares, top: int, context: Sequence[int], *, summed: bool
) -> EquivalenceClasses:
    """Return the `top` most probable classes.

    Parameters
    ----------
    model : GraphModel
        Conditioned on `evidence` already.
    shares : GraphShares
        Graphs of the model.
    context : sequence of int
        Variables that are only ever causes.
    summed : bool
        Whether draws only find the classes, and their probabilities are summed over their members, if these are few.
    """
    found = ClassShares(shares, context)
    best_first = np.argsort(-found.probabilities, kind="stable").tolist()
    members = dict.fromkeys(best_first[:top]) | _members(found, best_first[:top], context)
    exact: dict[int, float] = {}
    if summed and shares.basis == "sampled graphs":
        further = _members(found, best_first[top : top + SCREENED], context)
        exact = _summed(model, evidence, members, further)
        members |= further
    probability = exact or {one: float(found.probabilities[one]) for one in best_first[:top]}
    classes = []
    for one in sorted(probability, key=lambda one: -probability[one])[:top]:
        listed = members[one]
        classes.append(
            EquivalenceClass(
                named_graph(found.cpdags[one], model.variables),
                named_graph(found.representatives[one], model.variables),
                probability[one],
                0.0 if exact else found.error_of(one),
                None if listed is None else len(listed),
            )
        )
    return EquivalenceClasses(tuple(classes), "sampled, then exact" if exact else shares.basis)


def _members(found: ClassShares, classes: Sequence[int], context: Sequence[int]) -> dict[int, np.ndarray | None]:
    """Return the members of classes, None for large ones; the last classes are left out if there are too many."""
    members: dict[int, np.ndarray | None] = {}
    total = 0
    for one in classes:
        if total >= LISTED_TOGETHER:
            break
        graphs, complete = equivalent_dags(found.representatives[one], COUNTED_UP_TO, context)
        listed = graphs if complete else None
        members[one] = listed
        total += COUNTED_UP_TO if listed is None else len(listed)
    return members


def _summed(
    model: GraphModel,
    evidence: Edges,
    asked: dict[int, np.ndarray | None],
    further: dict[int, np.ndarray | None],
) -> dict[int, float]:
    """Return the probability of each class by the sum over its members; none if that of one asked for is unknown."""
    listed = {one: graphs for one, graphs in (asked | further).items() if graphs is not None}
    if not GRAPH_SCORES.of(model) or any(one not in listed for one in asked):
        return {}
    try:
        log_probabilities = log_probabilities_of(
            model, evidence, np.concatenate(list(listed.values())), "the probability of a class"
        )
    except UserError:  # the orders of a graph cannot be counted: too many variables, or too many sets of them
        return {}
    ends = np.cumsum([len(graphs) for graphs in listed.values()])[:-1]
    sums = [float(np.exp(part).sum()) for part in np.split(log_probabilities, ends)]
    return {one: min(total, 1.0) for one, total in zip(listed, sums, strict=True)}
