"""The order of variables along the sides of a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import networkx as nx
import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue, Unavailable, unknown_name
from orderspn.plot.layers import acyclic_graph

SEQUENCES = ("causal", "clustered", "data")


def sequence_of(order: Any, names: Sequence[str], probabilities: np.ndarray, posterior: Any | None) -> list[int]:
    """Return the indices of the variables in the requested order: one of `SEQUENCES`, or a list of names."""
    if not isinstance(order, str):
        return _named(order, names)
    if order == "causal":
        return _causal(names, probabilities, posterior)
    if order == "clustered":
        return clustered(probabilities + probabilities.T)
    if order == "data":
        return list(range(len(names)))
    listed = ", ".join(repr(choice) for choice in SEQUENCES)
    raise InvalidValue(f"order must be one of {listed}, or a list of all variables; got {order!r}.")


def _named(order: Any, names: Sequence[str]) -> list[int]:
    if not isinstance(order, Sequence | np.ndarray) or np.ndim(order) == 0:
        raise InvalidType(f"order must be a string or a list of all variables; got {order!r}.")
    for name in order:
        if name not in names:
            raise unknown_name(str(name), names)
    missing = [name for name in names if name not in order]
    if missing or len(order) != len(names):
        problem = f"{missing[0]!r} is missing" if missing else "some are named twice"
        raise InvalidValue(f"order must name each of the {len(names)} variables once; {problem}.")
    place = {name: k for k, name in enumerate(names)}
    return [place[name] for name in order]


def _causal(names: Sequence[str], probabilities: np.ndarray, posterior: Any | None) -> list[int]:
    """By the expected number of predecessors; along probable edges if the posterior has no orders."""
    try:
        before = None if posterior is None else posterior.precedence().to_numpy()
    except Unavailable:
        before = None
    if before is None:
        return along_edges(names, probabilities)
    expected = before.sum(axis=0)
    return sorted(range(len(names)), key=lambda v: (round(float(expected[v]), 9), v))


def along_edges(names: Sequence[str], probabilities: np.ndarray) -> list[int]:
    """Causes before effects, as far as the most probable edges allow; ties as in the data."""
    pairs = np.argwhere(probabilities > 0.0)
    pairs = pairs[np.argsort(-probabilities[tuple(pairs.T)], kind="stable")]
    graph = acyclic_graph(names, [(names[c], names[e]) for c, e in pairs])
    place = {name: k for k, name in enumerate(names)}
    return [place[name] for name in nx.lexicographical_topological_sort(graph, key=lambda name: place[name])]


def clustered(nearness: np.ndarray) -> list[int]:
    """Order of average-linkage clustering: the nearest groups are joined, with their nearer ends together.

    Parameters
    ----------
    nearness : numpy.ndarray
        Symmetric, shape (d, d).

    Returns
    -------
    list of int
        All d indices.
    """
    groups = [[v] for v in range(len(nearness))]
    mean = nearness.astype(np.float64)  # (groups, groups)
    while len(groups) > 1:
        np.fill_diagonal(mean, -np.inf)
        one, other = sorted(divmod(int(mean.argmax()), len(groups)))
        size, added = len(groups[one]), len(groups[other])
        mean[one] = (size * mean[one] + added * mean[other]) / (size + added)
        mean[:, one] = mean[one]
        mean = np.delete(np.delete(mean, other, axis=0), other, axis=1)
        groups[one] = _joined(groups[one], groups[other], nearness)
        del groups[other]
    return groups[0]


def _joined(one: list[int], other: list[int], nearness: np.ndarray) -> list[int]:
    """Two groups as one, each reversed if that brings the nearest ends together."""
    ways = [(left, right) for left in (one, one[::-1]) for right in (other, other[::-1])]
    left, right = max(ways, key=lambda way: nearness[way[0][-1], way[1][0]])
    return left + right
