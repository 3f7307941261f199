"""Coverage of the true graph by a posterior: conjunctions of true edges, and true parents among the candidates."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from orderspn.core.arguments import check_integer
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.matrices import Matrices
from orderspn.core.randomness import RNGLike, spawn_generators
from orderspn.metrics.arguments import read_sampled
from orderspn.metrics.reference import read_truth
from orderspn.models.protocol import is_posterior
from orderspn.queries.edges import Edges


def conjunction_coverage(graphs: Any, truth: Any, n_edges: int, *, n_selections: int = 50, rng: RNGLike = 0) -> float:
    """Compute the share of random selections of true edges whose conjunction has a probability above 0.

    A few sampled graphs seldom contain many given edges at once, while a posterior over all graphs always has a graph
    that does. The selections depend only on `truth`, `n_edges` and `rng`, so with the same seed all posteriors are
    compared on the same selections.

    Parameters
    ----------
    graphs : Posterior, or sampled graphs (GraphSamples, array of shape (n, d, d), list of networkx.DiGraph)
        A posterior covers a selection unless its probability is exactly 0. Sampled graphs cover it if one of them has
        all its edges.
    truth : networkx.DiGraph, DataFrame, array, pairs (cause, effect), or a simulated network
        The true graph. Variables are matched by name if both have names.
    n_edges : int
        Number of true edges in each selection, all different.
    n_selections : int, default 50
        Number of selections, drawn independently.
    rng : int, SeedSequence, Generator or None
        For these draws. A Generator changes with every call, so the next posterior would get other selections.

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
    true = read_truth("truth", truth, "graphs", graphs)
    edges = _edges_in_order(true)
    if len(edges) < size:
        raise InvalidValue(f"n_edges must be at most the number of true edges, {len(edges)}; got {size}.")
    generator = spawn_generators(rng, 1)[0]
    selections = [edges[generator.choice(len(edges), size=size, replace=False)] for _ in range(count)]
    covered = _covered_by_posterior if is_posterior(graphs) else _covered_by_sample
    return float(np.mean(covered(graphs, true, selections)))


def _edges_in_order(truth: Matrices) -> np.ndarray:
    """Return edges [cause, effect] (n, 2), sorted by names if there are any: the order of columns must not matter."""
    edges = np.argwhere(truth.values)
    if truth.variables is None:
        return edges
    names = truth.variables
    return np.array(sorted(edges.tolist(), key=lambda edge: (names[edge[0]], names[edge[1]]))).reshape(-1, 2)


def _covered_by_posterior(posterior: Any, truth: Matrices, selections: list[np.ndarray]) -> list[bool]:
    names = tuple(posterior.variables)
    own = Matrices(np.zeros((len(names), len(names)), dtype=bool), names)
    truth.in_order_of(own, "truth", "graphs")  # raises if the variables differ
    labels = names if truth.variables is None else truth.variables
    events = [Edges(present=[(labels[cause], labels[effect]) for cause, effect in edges]) for edges in selections]
    # Logarithms: a tiny probability must not underflow to 0.
    return [posterior.log_probability(event) > -math.inf for event in events]


def _covered_by_sample(graphs: Any, truth: Matrices, selections: list[np.ndarray]) -> list[bool]:
    sampled, weights = read_sampled("graphs", graphs, 1, None)
    alike = Matrices(sampled.in_order_of(truth, "graphs", "truth"), truth.variables)
    counted = alike.values[weights > 0.0]
    return [bool(counted[:, edges[:, 0], edges[:, 1]].all(axis=1).any()) for edges in selections]


def parents_kept(candidates: Any, truth: Any) -> float:
    """Compute the share of the true parents that are among the candidate parents.

    Parameters
    ----------
    candidates : Posterior or mapping
        A posterior, or a mapping from each variable to its candidate causes.
    truth : graph
        A graph with names: pairs (cause, effect), a DataFrame, a networkx.DiGraph, a network or a simulation.

    Returns
    -------
    float

    Examples
    --------
    >>> import networkx as nx
    >>> import orderspn as osp
    >>> osp.metrics.parents_kept({"A": [], "B": ["A"], "C": ["A"]}, nx.DiGraph(["AB", "BC"]))
    0.5
    """
    if not isinstance(candidates, Mapping):
        candidates = getattr(candidates, "candidates", None)
    if not isinstance(candidates, Mapping):
        raise InvalidType("candidates must be a posterior, or a mapping {variable: [causes]}.")
    graph = read_truth("truth", truth, "candidates", candidates)
    if graph.variables is None:
        raise InvalidType("truth must have names of variables: pass a DataFrame, a networkx.DiGraph or a network.")
    names = graph.variables
    unknown = [name for name in names if name not in candidates]
    if unknown:
        raise InvalidValue(
            f"candidates must name the causes of every variable of the truth; {unknown[0]!r} is missing."
        )
    kept = [names[cause] in candidates[names[effect]] for cause, effect in zip(*graph.values.nonzero(), strict=True)]
    if not kept:
        raise InvalidValue("truth must have at least one edge.")
    return sum(kept) / len(kept)
