"""Random directed graphs without cycles, their variables in random order."""

from __future__ import annotations

import numpy as np

from orderspn.core.arguments import check_choice, check_integer, check_positive
from orderspn.core.memory import check_answer
from orderspn.core.randomness import RandomState, spawn_generators

BYTES_PER_PAIR = 16
"""Of variables while a graph is drawn: a random number, and graphs in and out of order."""


def erdos_renyi(d: int, expected_degree: float = 4.0, rng: RandomState = None) -> np.ndarray:
    """Draw a DAG in which each pair of variables is joined independently of the others.

    Edges point along a uniformly random order of the variables.

    Parameters
    ----------
    d : int
        Number of variables, at least 2.
    expected_degree : float, default 4
        Expected number of edges at each variable, in and out together; the expected number of edges is
        `d * expected_degree / 2`, so 2d by default. With `d - 1` and more every pair is joined.
    rng : int, SeedSequence, Generator or None

    Returns
    -------
    numpy.ndarray
        Shape (d, d), bool, [cause, effect].

    Examples
    --------
    >>> import orderspn as osp
    >>> graph = osp.simulate.erdos_renyi(100, rng=0)
    >>> graph.shape, 150 < int(graph.sum()) < 250
    ((100, 100), True)
    """
    d = _checked_size(d)
    p = min(1.0, check_positive("expected_degree", expected_degree) / (d - 1))
    generator = spawn_generators(rng, 1)[0]
    return _shuffled(np.triu(generator.random((d, d)) < p, k=1), generator)


def scale_free(d: int, edges_per_variable: int = 2, *, hubs: str = "effects", rng: RandomState = None) -> np.ndarray:
    """Draw a DAG with a few variables of many edges (Barabasi and Albert, Science 1999).

    Variables come one by one. Each is joined to different earlier ones, drawn with probabilities proportional to one
    plus the number of later variables joined to them already.

    Parameters
    ----------
    d : int
        Number of variables, at least 2.
    edges_per_variable : int, default 2
        Earlier variables that each is joined to, or all of them while there are fewer.
    hubs : {"effects", "causes"}
        Whether the earlier variable of a pair, which may become a hub, is the effect (the convention of most
        simulation studies) or the cause.
    rng : int, SeedSequence, Generator or None

    Returns
    -------
    numpy.ndarray
        Shape (d, d), bool, [cause, effect].

    Examples
    --------
    >>> import orderspn as osp
    >>> graph = osp.simulate.scale_free(100, hubs="causes", rng=0)
    >>> int(graph.sum()), bool(graph.sum(axis=1).max() > 10), int(graph.sum(axis=0).max())
    (197, True, 2)
    """
    d = _checked_size(d)
    m = check_integer("edges_per_variable", edges_per_variable, 1)
    check_choice("hubs", hubs, ("effects", "causes"))
    generator = spawn_generators(rng, 1)[0]
    later_first = np.zeros((d, d), dtype=bool)  # [later, earlier]
    joined = np.ones(d)
    for v in range(1, d):
        earlier = generator.choice(v, size=min(m, v), replace=False, p=joined[:v] / joined[:v].sum())
        later_first[v, earlier] = True
        joined[earlier] += 1.0
    return _shuffled(later_first if hubs == "effects" else later_first.T, generator)


def _checked_size(d: int) -> int:
    d = check_integer("d", d, 2)
    check_answer(BYTES_PER_PAIR * d * d, f"graphs of {d:,} variables", "Ask for fewer, d=.")
    return d


def _shuffled(adjacency: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    order = generator.permutation(len(adjacency))
    return np.ascontiguousarray(adjacency[order][:, order])
