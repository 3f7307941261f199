"""Evidence on families: which parent sets a conjunction of edges leaves, and why it may leave none."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx
import numpy as np

from orderspn.core.errors import unknown_name
from orderspn.leaves.family import Family
from orderspn.queries.edges import Edge, Edges


def check_names(edges: Edges, variables: Sequence[str]) -> None:
    """Raise an error for a name that is no variable, with near names."""
    known = set(variables)
    for edge in (*edges.present, *edges.absent):
        for name in edge:
            if name not in known:
                raise unknown_name(name, variables)


def find_conflict(edges: Edges, families: Sequence[Family], variables: Sequence[str]) -> str | None:
    """Say why no graph satisfies the edges, where that can be told without a computation."""
    absent = set(edges.absent)
    both = [edge for edge in edges.present if edge in absent]
    if both:
        return f"the edge {_arrow(both[0])} is said to be present and absent"
    graph = nx.DiGraph(list(edges.present))
    if not nx.is_directed_acyclic_graph(graph):
        cycle = [cause for cause, _ in nx.find_cycle(graph)]
        return "the present edges form a cycle, " + " -> ".join([*cycle, cycle[0]])
    index = {name: i for i, name in enumerate(variables)}
    for cause, effect in edges.present:
        if not families[index[effect]].may_have(index[cause]):
            return (
                f"{cause!r} is not among the candidate causes of {effect!r}, so the model gives that edge "
                "probability 0; learn again with larger candidates=, or with a mapping that includes it"
            )
        family = families[index[effect]]
        causes = np.array([index[c] for c, e in edges.present if e == effect])
        if not family.restricted(causes, np.empty(0, dtype=np.int64)).possible:
            return (
                f"no parent set of {effect!r} has all of the causes given for it: too many of them are not among its "
                "candidates, or they are more than the largest number of parents; learn again with outsiders=2, larger "
                "candidates=, or with a mapping that includes them"
            )
    return None


def restrict(families: Sequence[Family], edges: Edges, variables: Sequence[str]) -> list[Family]:
    """Families under evidence; those that it does not touch stay the same objects, with all they keep."""
    index = {name: i for i, name in enumerate(variables)}
    required = _by_effect(edges.present, index)
    forbidden = _by_effect(edges.absent, index)
    restricted = list(families)
    for child in required.keys() | forbidden.keys():
        restricted[child] = families[child].restricted(required.get(child, _NOBODY), forbidden.get(child, _NOBODY))
    return restricted


_NOBODY = np.empty(0, dtype=np.int64)


def _by_effect(edges: Sequence[Edge], index: dict[str, int]) -> dict[int, np.ndarray]:
    causes: dict[int, list[int]] = {}
    for cause, effect in edges:
        causes.setdefault(index[effect], []).append(index[cause])
    return {effect: np.array(indices) for effect, indices in causes.items()}


def _arrow(edge: Edge) -> str:
    return f"{edge[0]} -> {edge[1]}"
