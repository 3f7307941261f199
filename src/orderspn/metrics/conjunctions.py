"""Whether a posterior leaves room for several true edges at once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from orderspn.core.arguments import check_integer
from orderspn.core.errors import InvalidValue
from orderspn.core.matrices import Matrices, read_graph
from orderspn.core.randomness import RandomState, spawn_generators
from orderspn.metrics.arguments import is_posterior, read_sampled
from orderspn.queries.edges import Edges


def conjunction_coverage(
    graphs: Any, truth: Any, n_edges: int, *, n_selections: int = 50, rng: RandomState = 0
) -> float:
    """Share of selections of true edges that a posterior does not rule out: their conjunction has some probability.

    A few sampled graphs seldom have many given edges all at once; a posterior over all graphs always has some graph
    that does. Selections depend on `truth`, `n_edges` and `rng` alone, so that with the same seed all posteriors are
    asked for the same.

    Parameters
    ----------
    graphs : Posterior, or sampled graphs (GraphSamples, array of shape (n, d, d), list of networkx.DiGraph)
        A posterior is asked for the probability, of which only exactly 0 counts as ruled out. Sampled graphs cover a
        selection if one of them has all its edges.
    truth : networkx.DiGraph, DataFrame, array, or a simulated network
        The true graph. Variables are matched by name if both have names.
    n_edges : int
        True edges in each selection, all different.
    n_selections : int, default 50
        Selections, each drawn anew.
    rng : int, SeedSequence, Generator or None
        For these draws. A Generator moves on with every call, so that the next posterior would be asked for others.

    Returns
    -------
    float

    Examples
    --------
    >>> import networkx as nx, orderspn as osp
    >>> truth = nx.DiGraph(["AB", "BC"])
    >>> sampled = [nx.DiGraph(["AB", "AC"]), nx.DiGraph(["AC", "BC"])]
    >>> osp.metrics.conjunction_coverage(sampled, truth, 1), osp.metrics.conjunction_coverage(sampled, truth, 2)
    (1.0, 0.0)
    """
    size = check_integer("n_edges", n_edges, 1)
    count = check_integer("n_selections", n_selections, 1)
    true = read_graph("truth", truth)
    edges = _edges_in_order(true)
    if len(edges) < size:
        raise InvalidValue(f"n_edges must be at most the number of true edges, {len(edges)}; got {size}.")
    generator = spawn_generators(rng, 1)[0]
    selections = [edges[generator.choice(len(edges), size=size, replace=False)] for _ in range(count)]
    covered = _covered_by_posterior if is_posterior(graphs) else _covered_by_sample
    return float(np.mean(covered(graphs, true, selections)))


def _edges_in_order(truth: Matrices) -> np.ndarray:
    """Edges [cause, effect] (n, 2), by names if there are any: however the graph is written, the same come first."""
    edges = np.argwhere(truth.values)
    if truth.variables is None:
        return edges
    names = truth.variables
    return np.array(sorted(edges.tolist(), key=lambda edge: (names[edge[0]], names[edge[1]]))).reshape(-1, 2)


def _covered_by_posterior(posterior: Any, truth: Matrices, selections: list[np.ndarray]) -> list[bool]:
    names = tuple(posterior.variables)
    own = Matrices(np.zeros((len(names), len(names)), dtype=bool), names)
    truth.in_order_of(own, "truth", "graphs")  # raises where variables differ
    labels = names if truth.variables is None else truth.variables
    events = [Edges(present=[(labels[cause], labels[effect]) for cause, effect in edges]) for edges in selections]
    # Logarithms: a tiny probability is still one.
    return [posterior.log_probability(event) > -math.inf for event in events]


def _covered_by_sample(graphs: Any, truth: Matrices, selections: list[np.ndarray]) -> list[bool]:
    sampled, weights = read_sampled("graphs", graphs, 1, None)
    alike = Matrices(sampled.in_order_of(truth, "graphs", "truth"), truth.variables)
    counted = alike.values[weights > 0.0]
    return [bool(counted[:, edges[:, 0], edges[:, 1]].all(axis=1).any()) for edges in selections]
