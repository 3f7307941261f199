"""The value of experiments with very many rows, in closed form from drawn graphs.

Many rows with some variables set tell the distribution under this intervention, so the Markov equivalence class of the
graph without the edges into these variables. Within such a class the likelihood of the new rows is the same for all
graphs, and the posterior is the present one restricted to the class. So an experiment is worth what knowing the class
of the graph is worth: for the whole graph the entropy of the class. Rows of observations tell the class of the graph.

Classes are counted among draws. Where most draws are alone in their classes, as with many variables, the other members
of each class are listed instead, weighted by the prior alone; edges into variables that are set keep the probabilities
that they have now among variables that do not descend from these. The uncertainty of the graph is then a sum over
pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from orderspn.core.equivalence import essential_graphs
from orderspn.core.equivalent_dags import equivalent_dags
from orderspn.design.questions import Graph, Question
from orderspn.design.simulation import Plan, Values
from orderspn.queries.closure import reachability

DRAWS = 10_000
"""Number of drawn graphs whose classes are counted."""

SEEN = 0.9
"""Smallest share of draws that are not alone in their class, for counts to be used."""

LISTED_DRAWS = 100
"""Number of drawn graphs whose classes are listed, where counts are of no use."""

LISTED_MEMBERS = 64
"""Largest number of members of a class that are listed."""

COPIES = 2
"""Number of times that causes of a variable that is set are drawn for each member."""


class Limit(NamedTuple):
    """Values of plans with very many rows, and how they were computed."""

    values: Values
    now: float
    listed: bool
    """Whether classes were listed, not counted."""


def limit_values(model: Any, question: Question, plans: Sequence[Plan], graphs: np.ndarray) -> Limit:
    """Return the expected reductions by each plan, from graphs (n, d, d) drawn from the posterior."""
    context = model.score.context.tolist()
    labels = [class_labels(graphs, plan, context) for plan in plans]
    alone = max(float((np.bincount(own)[own] == 1).mean()) for own in labels)
    if alone <= 1.0 - SEEN:
        return _by_counts(model, question, labels, graphs)
    return _by_lists(model, question, plans, graphs[:LISTED_DRAWS], context)


def class_labels(graphs: np.ndarray, plan: Plan, context: Sequence[int]) -> np.ndarray:
    """Number the classes of graphs (n, d, d) that a plan tells apart, shape (n,)."""
    label = np.zeros(len(graphs), dtype=np.int64)
    for targets in {experiment.targets for experiment in plan}:
        seen = essential_graphs(without_edges_into(graphs, targets), sorted({*context, *targets}))
        packed = np.packbits(seen.reshape(len(graphs), -1), axis=1)
        both = np.column_stack([packed, label[:, None].view(np.uint8).reshape(len(graphs), -1)])
        label = np.unique(both, axis=0, return_inverse=True)[1].ravel()
    return label


def without_edges_into(graphs: np.ndarray, targets: Sequence[int]) -> np.ndarray:
    """Return graphs without the edges into variables that are set."""
    cut = graphs.copy()
    cut[:, :, list(targets)] = False
    return cut


def _by_counts(model: Any, question: Question, labels: Sequence[np.ndarray], graphs: np.ndarray) -> Limit:
    if isinstance(question, Graph):
        found = [_entropy_of_counts(label) for label in labels]
        now = float(model.entropy()) if hasattr(model, "entropy") else _entropy_of_counts(_distinct(graphs))[0]
    else:
        statistics = question.of_graphs(graphs, model)
        now = question.uncertainty(statistics.mean(axis=0))
        found = [_reduction_by_class(question, statistics, label, now) for label in labels]
    return Limit(_as_values(found, len(graphs)), now, listed=False)


def _distinct(graphs: np.ndarray) -> np.ndarray:
    return np.unique(np.packbits(graphs.reshape(len(graphs), -1), axis=1), axis=0, return_inverse=True)[1].ravel()


def _entropy_of_counts(label: np.ndarray) -> tuple[float, float]:
    """Return the entropy of classes from counts, corrected for its bias (Miller and Madow), and its standard error."""
    counts = np.bincount(label)
    surprise = -np.log(counts / label.size)[label]
    return float(surprise.mean() + (counts.size - 1) / (2 * label.size)), float(surprise.std() / np.sqrt(label.size))


def _reduction_by_class(
    question: Question, statistics: np.ndarray, label: np.ndarray, now: float
) -> tuple[float, float]:
    counts = np.bincount(label)
    sums = np.zeros((counts.size, statistics.shape[1]))
    np.add.at(sums, label, statistics)
    left = np.array([question.uncertainty(own) for own in sums / counts[:, None]])[label]
    return now - float(left.mean()), float(left.std() / np.sqrt(label.size))


def _by_lists(
    model: Any, question: Question, plans: Sequence[Plan], graphs: np.ndarray, context: Sequence[int]
) -> Limit:
    into = _edges_among_others(graphs)
    now = question.uncertainty(question.of_graphs(graphs, model).mean(axis=0))
    found = []
    for plan in plans:
        left = np.array([_left_in_class(model, question, plan, graph, into, context) for graph in graphs])
        found.append((now - float(left.mean()), float(left.std() / np.sqrt(len(graphs)))))
    return Limit(_as_values(found, len(graphs)), now, listed=True)


def _edges_among_others(graphs: np.ndarray) -> np.ndarray:
    """Return the share of graphs with an edge k -> i among those in which k does not descend from i, (d, d)."""
    others = ~reachability(graphs).transpose(0, 2, 1)
    return np.asarray(graphs.sum(axis=0) / np.maximum((others | graphs).sum(axis=0), 1))


def _left_in_class(
    model: Any, question: Question, plan: Plan, graph: np.ndarray, into: np.ndarray, context: Sequence[int]
) -> float:
    """Return the uncertainty that is left if the classes of one graph under a plan are known."""
    members = _shared_members(plan, graph, context)
    sets = [set(experiment.targets) for experiment in plan]
    never_seen = sorted(set.intersection(*sets))  # variables whose causes no experiment tells
    members = np.repeat(members, COPIES, axis=0) if never_seen else members
    descends, rng = reachability(graph[None])[0], np.random.default_rng(0)
    for v in never_seen:
        members[:, :, v] = rng.random(members.shape[:2]) < np.where(descends[v], 0.0, into[:, v])
    return question.uncertainty(question.of_graphs(members, model).mean(axis=0))


def _shared_members(plan: Plan, graph: np.ndarray, context: Sequence[int]) -> np.ndarray:
    """List graphs that no experiment of a plan tells apart from one: those of its smallest class."""
    smallest: np.ndarray | None = None
    for targets in sorted({experiment.targets for experiment in plan}):
        cut = without_edges_into(graph[None], targets)[0]
        members, _ = equivalent_dags(cut, LISTED_MEMBERS, sorted({*context, *targets}))
        members[:, :, list(targets)] = graph[:, list(targets)]
        if smallest is None or len(members) < len(smallest):
            smallest = members
    assert smallest is not None
    return smallest


def _as_values(found: Sequence[tuple[float, float]], draws: int) -> Values:
    return Values(
        np.array([value for value, _ in found]),
        np.array([error for _, error in found]),
        np.full(len(found), draws, dtype=np.int64),
    )
