"""The most probable graph, and the most probable completion of a partial one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np

from orderspn.climbing.iterated import Climb, climb_all
from orderspn.core.deadline import Deadline
from orderspn.core.randomness import RNGLike, generator_of, seed_sequence
from orderspn.core.workers import Workers
from orderspn.display.graphs import graph_html, graph_text
from orderspn.leaves.context import context_first
from orderspn.leaves.family import Family
from orderspn.queries.edges import Edges
from orderspn.queries.order_model import OrderModel
from orderspn.scores.local import LocalScore
from orderspn.search.best_graph import Found, best_within, find_best_graph
from orderspn.search.climbed import RESTARTS
from orderspn.search.ensemble import Effort

BETTER = 1e-6
"""A graph of a climb is better than that of families only if its log score is higher by more: both are rounded."""


@dataclass(frozen=True, eq=False)
class MostProbableGraph:
    """The best (order, graph) pair of a posterior.

    Attributes
    ----------
    graph : networkx.DiGraph
        The graph with the highest score among those that satisfy the evidence.
    order : list of str
        A topological order of the graph, first to last.
    log_probability : float
        Log posterior probability of this order and graph together; of the graph alone if every graph counts once. For
        the graph with any order, use `posterior.log_probability(result.edges)`.
    log_score : float
        Log of prior times marginal likelihood of the graph.
    edges : Edges
        The whole graph as an event: all its edges present, all others absent.
    """

    graph: nx.DiGraph[str]
    order: list[str]
    log_probability: float
    log_score: float
    edges: Edges

    def __repr__(self) -> str:
        return graph_text("MostProbableGraph", len(self.order), self.graph.edges, self._facts())

    def _repr_html_(self) -> str:
        return graph_html("Most probable graph", len(self.order), self.graph.edges, self._facts())

    def _facts(self) -> list[str]:
        return [f"log probability {self.log_probability:.3f}", f"log score {self.log_score:.3f}"]


@dataclass(frozen=True, eq=False)
class BestGraph:
    """The best graph that a search found.

    Attributes
    ----------
    graph : networkx.DiGraph
    order : list of str
        A topological order of the graph, first to last.
    log_score : float
        Log of prior times marginal likelihood of the graph.
    edges : Edges
        The whole graph as an event: all its edges present, all others absent.
    """

    graph: nx.DiGraph[str]
    order: list[str]
    log_score: float
    edges: Edges

    def __repr__(self) -> str:
        return graph_text("BestGraph", len(self.order), self.graph.edges, [f"log score {self.log_score:.3f}"])

    def _repr_html_(self) -> str:
        return graph_html("Best graph", len(self.order), self.graph.edges, [f"log score {self.log_score:.3f}"])


def most_probable(orders: OrderModel, families: Sequence[Family], variables: Sequence[str]) -> MostProbableGraph:
    """Find the best order, then the best parents of each variable among its predecessors."""
    ranks = ranks_by_name(variables)
    own, log_excess = orders.best_order(ranks)
    order = context_first(own[None], len(families))[0]
    found = best_within(order, families, ranks)
    graph, edges, log_score = _graph_of(found, families, variables)
    names = [variables[v] for v in order]
    return MostProbableGraph(graph, names, found.log_score - log_excess, log_score, edges)


def search_best(
    orders: OrderModel | None,
    families: Sequence[Family],
    variables: Sequence[str],
    effort: Effort,
    rng: RNGLike,
    workers: Workers,
    local: LocalScore | None = None,
) -> BestGraph:
    """Search for the graph with the highest score.

    The search starts from orders drawn from a model. Its result is never worse than the best graph of that model.
    Without a model it starts from any possible orders. With a local score, orders of graphs that climbs find are
    searched as well; and if the families were limited to save memory, the best of these graphs is the result where it
    is better than all that they hold.
    """
    seeds = seed_sequence(rng).spawn(3)
    ranks = ranks_by_name(variables)
    starts = known = None
    if orders is not None:
        drawn = orders.sample(effort.runs * effort.temperatures, generator_of(seeds[0]))
        starts = drawn.reshape(effort.runs, effort.temperatures, -1)
        known = orders.best_order(ranks)[0][None]
    climbs = [] if local is None else climb_all(local, effort.runs, RESTARTS, seeds[2], workers, Deadline())
    if climbs and known is not None:
        known = np.concatenate([known, [own.order for own in climbs]])
    found = find_best_graph(families, starts, effort, ranks, seeds[1], workers, known)
    graph, edges, log_score = _graph_of(found, families, variables)
    if climbs and any(family.n_rows > 1 for family in families):
        beyond = max(climbs, key=lambda own: own.log_score)
        if beyond.log_score > log_score + BETTER:
            return _best_of_climb(beyond, variables)
    return BestGraph(graph, [variables[v] for v in found.order], log_score, edges)


def _best_of_climb(found: Climb, variables: Sequence[str]) -> BestGraph:
    edges = adjacency_as_event(found.graph, variables)
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(variables)
    graph.add_edges_from(edges.present)
    order = context_first(found.order[None], len(variables))[0]
    return BestGraph(graph, [variables[v] for v in order], found.log_score, edges)


def ranks_by_name(variables: Sequence[str]) -> np.ndarray:
    """Return ranks by name, which make the choice among equally good graphs independent of the order of columns."""
    return np.argsort(np.argsort(np.array(variables, dtype=object))).astype(np.int64)


def _graph_of(
    found: Found, families: Sequence[Family], variables: Sequence[str]
) -> tuple[nx.DiGraph[str], Edges, float]:
    """Return a graph with names, the same graph as an event, and its log score, including `log_scale` of families."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(variables)
    for family, parents in zip(families, found.parent_sets, strict=True):
        graph.add_edges_from((variables[v], variables[family.child]) for v in family.members(parents))
    log_score = found.log_score + sum(family.log_scale for family in families)
    return graph, graph_as_event(graph, variables), log_score


def graph_as_event(graph: nx.DiGraph[str], variables: Sequence[str]) -> Edges:
    """Return a graph as an event: its edges are present, all others absent."""
    absent = [(c, e) for c in variables for e in variables if c != e and not graph.has_edge(c, e)]
    return Edges(graph.edges, absent)


def adjacency_as_event(graph: np.ndarray, variables: Sequence[str]) -> Edges:
    """Return a graph (d, d), [cause, effect], as the same event."""
    pairs = [(c, e) for c in range(len(variables)) for e in range(len(variables)) if c != e]
    return Edges(
        [(variables[c], variables[e]) for c, e in pairs if graph[c, e]],
        [(variables[c], variables[e]) for c, e in pairs if not graph[c, e]],
    )
