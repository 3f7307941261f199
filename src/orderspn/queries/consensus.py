"""One graph for a whole posterior: that with the smallest expected loss."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import networkx as nx
import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.display.html import note, table, titled
from orderspn.display.text import counted, listed
from orderspn.queries.best_order import ROUNDING, best_order

NAMED_LOSSES = ("shd", "shd-cpdag")


class PairLoss(NamedTuple):
    """Losses for a pair of variables: an edge that is not in the true graph, one that is missing, a reversed one."""

    extra: float = 1.0
    missing: float = 1.0
    reversed: float = 1.0


Loss = str | Mapping[str, float]
"""A name of `NAMED_LOSSES`, or the fields of a `PairLoss`."""


@dataclass(frozen=True, eq=False)
class ConsensusGraph:
    """The graph with the smallest expected loss under a posterior, as far as it is known.

    Attributes
    ----------
    graph : networkx.DiGraph
        A DAG; for the loss "shd-cpdag" a CPDAG, with both directions of undirected edges. Edges have the attribute
        `probability`.
    loss : str
        What was minimised.
    expected_loss : float
        Its mean under the posterior.
    standard_error : float
        Monte Carlo standard error of that mean: 0 if it is exact, NaN if it is unknown.
    lower_bound : float
        No graph has a smaller expected loss: the sum over pairs of variables of the smallest one, cycles or not.
    optimal : bool
        Whether it is known that no other graph has a smaller expected loss, for the same probabilities.
    """

    graph: nx.DiGraph[str]
    loss: str
    expected_loss: float
    standard_error: float
    lower_bound: float
    optimal: bool

    @property
    def edges(self) -> list[str]:
        """All edges as texts: "A -> B", and "A -- B" for undirected ones."""
        place = {name: v for v, name in enumerate(self.graph.nodes)}
        both = {(a, b) for a, b in self.graph.edges if self.graph.has_edge(b, a)}
        return [f"{a} -> {b}" for a, b in self.graph.edges if (a, b) not in both] + [
            f"{a} -- {b}" for a, b in self.graph.edges if (a, b) in both and place[a] < place[b]
        ]

    def __repr__(self) -> str:
        return f"<ConsensusGraph: {self._about()}\n {listed(self.edges) or 'no edges'}>"

    def _repr_html_(self) -> str:
        rows = [(edge,) for edge in self.edges]
        known = "no graph has a smaller one" if self.optimal else f"no graph is below {self.lower_bound:.4g}"
        return titled("Consensus graph", table(["edge"], rows) if rows else "", note(f"{self._about()}; {known}"))

    def _about(self) -> str:
        n = self.graph.number_of_nodes()
        edges = f"{counted(len(self.edges), 'edge')} among {counted(n, 'variable')}"
        return f"{edges}, expected loss ({self.loss}) {self.expected_loss:.4g}"


def read_loss(loss: object) -> PairLoss:
    """Read a loss for pairs of variables; errors say what there is.

    Examples
    --------
    >>> read_loss({"missing": 2})
    PairLoss(extra=1.0, missing=2.0, reversed=1.0)
    """
    if isinstance(loss, str) and loss in NAMED_LOSSES:
        return PairLoss()
    known = ", ".join(map(repr, PairLoss._fields))
    if isinstance(loss, str):
        raise InvalidValue(f"loss must be 'shd', 'shd-cpdag', or a mapping with {known}; got {loss!r}.")
    if not isinstance(loss, Mapping):
        raise InvalidType(
            f"loss must be 'shd', 'shd-cpdag', or a mapping with {known}; got {loss!r} of type {type(loss).__name__}."
        )
    for name, value in loss.items():
        if name not in PairLoss._fields:
            raise InvalidValue(f"loss must be a mapping with {known}; got {name!r}.")
        if isinstance(value, bool) or not isinstance(value, numbers.Real) or not 0.0 <= float(value) < float("inf"):
            raise InvalidValue(f"loss must have finite numbers of at least 0; got {value!r} for {name!r}.")
    return PairLoss(**{name: float(value) for name, value in loss.items()})


def describe_loss(loss: Loss) -> str:
    """Return a loss in words."""
    if isinstance(loss, str):
        return loss
    return ", ".join(f"{name} {value:g}" for name, value in read_loss(loss)._asdict().items())


class ChosenGraph(NamedTuple):
    """A graph (d, d), its expected loss, a lower bound of that of any, and whether it is known to be the best."""

    adjacency: np.ndarray
    expected_loss: float
    lower_bound: float
    optimal: bool


def least_loss_dag(probabilities: np.ndarray, loss: PairLoss, variables: Sequence[str]) -> ChosenGraph:
    """Return the DAG with the smallest expected loss, which is a sum over pairs, given edge probabilities (d, d).

    Given an order, each pair is settled by itself: no edge, or an edge along the order. So the best DAG follows from
    the order that gains most over no edges at all. Of equal ones the first by names.
    """
    by_name = sorted(range(len(variables)), key=lambda v: variables[v])
    p = probabilities[np.ix_(by_name, by_name)]
    unjoined = np.maximum(1.0 - p - p.T, 0.0)
    without = loss.missing * (p + p.T)
    with_edge = loss.extra * unjoined + loss.reversed * p.T  # (d, d): the loss of an edge i -> j
    gains = np.maximum(without - with_edge, 0.0)
    gains[gains <= ROUNDING] = 0.0  # of equal losses, no edge
    np.fill_diagonal(gains, 0.0)
    order, optimal = best_order(gains)
    place = np.argsort(order)
    chosen = (gains > 0.0) & (place[:, None] < place[None, :])
    nothing = float(np.triu(without, 1).sum())
    expected = nothing - float(gains[chosen].sum())
    bound = nothing - float(np.triu(np.maximum(gains, gains.T), 1).sum())
    back = np.argsort(by_name)
    return ChosenGraph(
        chosen[np.ix_(back, back)], expected, min(bound, expected), optimal or expected <= bound + ROUNDING
    )
