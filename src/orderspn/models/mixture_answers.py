"""Questions that a mixture can answer if all of its components can, each with how their answers are combined.

A table instead of methods: a mixture has a capability (`models/capabilities.py`) if its components do, and which these
are is known only once they are mixed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from orderspn.models.capabilities import GRAPH_LIST, ORDERS
from orderspn.models.component import Component

Share = tuple[float, Component]
"""A component with its weight."""


class AnsweredByAll(NamedTuple):
    """Which components can answer a question, and how a mixture of such components does."""

    possible: Callable[[Component], bool]
    combine: Callable[..., Any]


def weighted_sum(weighted: Iterable[tuple[float, np.ndarray]]) -> np.ndarray:
    """Return the sum of arrays times weights."""
    return np.asarray(sum(weight * value for weight, value in weighted))


def precedence(shares: Sequence[Share]) -> np.ndarray:
    """Return the probability that one variable comes before another (d, d): the weighted mean."""
    return np.minimum(weighted_sum((share, part.precedence()) for share, part in shares), 1.0)


def log_weights_of(shares: Sequence[Share], graphs: np.ndarray) -> np.ndarray:
    """Return the log probability of each DAG (n, d, d), shape (n,): the log of the weighted mean."""
    parts = [np.log(share) + component.log_probabilities_of(graphs) for share, component in shares]
    log_probabilities: np.ndarray = np.logaddexp.reduce(parts, axis=0)
    return log_probabilities


def weighted_graphs(shares: Sequence[Share]) -> tuple[np.ndarray, np.ndarray]:
    """Return the lists of all components one after the other, and their weights times those of the components."""
    graphs, weights = zip(*(component.weighted_graphs() for _, component in shares), strict=True)
    scaled = [share * own for (share, _), own in zip(shares, weights, strict=True)]
    return np.concatenate(graphs), np.concatenate(scaled)


ANSWERED_BY_ALL: Mapping[str, AnsweredByAll] = {
    "precedence": AnsweredByAll(lambda component: ORDERS.of(component.model), precedence),
    "log_weights_of": AnsweredByAll(lambda component: component.has_graph_probabilities, log_weights_of),
    "weighted_graphs": AnsweredByAll(lambda component: GRAPH_LIST.of(component.model), weighted_graphs),
}
"""By the name of the method."""
