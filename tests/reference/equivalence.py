"""Markov equivalence by its definition: the same skeleton and the same colliders whose parents are not joined."""

import itertools
from collections import defaultdict

import numpy as np

from reference.enumeration import all_pairs


def all_dags(d):
    """Every DAG of d variables once, (n, d, d), [cause, effect]."""
    masks = np.unique(all_pairs(d)[1], axis=0)
    return (masks[:, None, :] >> np.arange(d)[None, :, None] & 1).astype(bool)


def colliders(dag):
    d = len(dag)
    return {
        (a, b, child)
        for child in range(d)
        for a, b in itertools.combinations(range(d), 2)
        if dag[a, child] and dag[b, child] and not dag[a, b] and not dag[b, a]
    }


def equivalence_class(dag):
    """A key that equivalent DAGs share."""
    return (dag | dag.T).tobytes(), frozenset(colliders(dag))


def cpdags_by_class(dags):
    """For each of a complete list of DAGs, the union of all that are equivalent to it, (n, d, d)."""
    members = defaultdict(list)
    for place, dag in enumerate(dags):
        members[equivalence_class(dag)].append(place)
    unions = np.empty_like(dags)
    for places in members.values():
        unions[places] = dags[places].any(axis=0)
    return unions


def cpdag_by_meek(dag):
    """Skeleton, then colliders, then the rules of Meek (1995) until none applies."""
    d = len(dag)
    joined = dag | dag.T
    graph = joined.copy()  # both directions: undirected
    for a, b, child in colliders(dag):
        graph[child, a] = graph[child, b] = False
    changed = True
    while changed:
        changed = False
        for a, b in itertools.permutations(range(d), 2):
            if graph[a, b] and graph[b, a] and _is_forced(graph, joined, a, b):
                graph[b, a] = False
                changed = True
    return graph


def _is_forced(graph, joined, a, b):
    """Whether the undirected edge a - b must be a -> b."""
    arrow, line = graph & ~graph.T, graph & graph.T
    others = [c for c in range(len(graph)) if c not in (a, b)]
    away_from_collider = any(arrow[c, a] and not joined[c, b] for c in others)
    away_from_cycle = any(arrow[a, c] and arrow[c, b] for c in others)
    double_triangle = any(
        line[a, c] and line[a, e] and arrow[c, b] and arrow[e, b] and not joined[c, e]
        for c, e in itertools.combinations(others, 2)
    )
    return away_from_collider or away_from_cycle or double_triangle


def covered_edges(dag):
    """Edges x -> y with the same other parents at both ends: reversing one gives an equivalent DAG."""
    return [
        (x, y)
        for x, y in zip(*np.nonzero(dag), strict=True)
        if (np.delete(dag[:, x], [x, y]) == np.delete(dag[:, y], [x, y])).all()
    ]
