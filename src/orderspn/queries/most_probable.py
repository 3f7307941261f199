"""The most probable graph, and the most probable completion of a partial one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np

from orderspn.leaves.family import Family
from orderspn.queries.edges import Edges
from orderspn.queries.order_model import OrderModel


@dataclass(frozen=True, eq=False)
class MostProbableGraph:
    """The best (order, graph) pair of a posterior.

    Attributes
    ----------
    graph : networkx.DiGraph
        The graph with the highest score of all that satisfy the evidence.
    order : list of str
        An order that it follows, first to last.
    log_probability : float
        Log posterior probability of this order and graph together. For the graph alone, whatever its order,
        ask `posterior.log_probability(result.edges)`.
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


def most_probable(orders: OrderModel, families: Sequence[Family], variables: Sequence[str]) -> MostProbableGraph:
    """Find the best order, then the best parents of each variable among its predecessors."""
    # Ranks by name make the choice among equally good graphs independent of the order of columns.
    ranks = np.argsort(np.argsort(np.array(variables, dtype=object))).astype(np.int64)
    order, log_excess = orders.best_order(ranks)
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(variables)
    log_score, log_scale = 0.0, 0.0
    for place, child in enumerate(order):
        family = families[child]
        parents = family.best_parents(family.mask_of(order[:place]), ranks)
        log_score += float(family.log_score[parents])
        log_scale += family.log_scale
        graph.add_edges_from(
            (variables[v], variables[child]) for b, v in enumerate(family.candidates) if parents >> b & 1
        )
    absent = [(c, e) for c in variables for e in variables if c != e and not graph.has_edge(c, e)]
    return MostProbableGraph(
        graph,
        [variables[v] for v in order],
        log_score - log_excess,
        log_score + log_scale,
        Edges(graph.edges, absent),
    )
