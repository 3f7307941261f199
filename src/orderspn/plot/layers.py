"""Layers: which variables stand on one line, so that arrows mostly point downward, and in which sequence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise

import networkx as nx

Edge = tuple[str, str]
Bend = tuple[str, str, int]
"""Where an edge passes a line between its two ends: upper end, lower end, number of the line."""

Layers = list[list[Hashable]]
"""What stands on each line, left to right: variables and bends."""

SWEEPS = 12


def acyclic_part(variables: Iterable[str], edges: Iterable[Edge]) -> nx.DiGraph[str]:
    """Keep edges, the first ones first, unless they would close a cycle."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(variables)
    for cause, effect in edges:
        if not nx.has_path(graph, effect, cause):
            graph.add_edge(cause, effect)
    return graph


def levels(graph: nx.DiGraph[str]) -> dict[str, int]:
    """The line of each variable: below all its causes, and a variable without causes close to its effects."""
    level: dict[str, int] = {}
    order = list(nx.topological_sort(graph))
    for node in order:
        level[node] = max((level[cause] + 1 for cause in graph.predecessors(node)), default=0)
    for node in order:
        if graph.in_degree(node) == 0 and graph.out_degree(node) > 0:
            level[node] = min(level[effect] for effect in graph.successors(node)) - 1
    return level


def arranged(
    variables: Sequence[str], level: dict[str, int], pairs: Iterable[Edge]
) -> tuple[Layers, dict[Hashable, list[Hashable]]]:
    """Sequence each line so that few edges cross; returns the lines and who is joined with whom."""
    layers: Layers = [[] for _ in range(max(level.values()) + 1)]
    for name in variables:
        layers[level[name]].append(name)
    neighbours: dict[Hashable, list[Hashable]] = defaultdict(list)
    for pair in sorted({tuple(sorted(pair, key=lambda name: level[name])) for pair in pairs}):
        chain = _chain(pair[0], pair[1], level)
        for upper, lower in pairwise(chain):
            neighbours[upper].append(lower)
            neighbours[lower].append(upper)
        for place, bend in enumerate(chain[1:-1], start=level[pair[0]] + 1):
            layers[place].append(bend)
    best, fewest = layers, crossings(layers, neighbours)
    for sweep in range(SWEEPS):
        layers = _swept(layers, neighbours, downward=sweep % 2 == 0)
        count = crossings(layers, neighbours)
        if count < fewest:
            best, fewest = layers, count
    return best, neighbours


def crossings(layers: Layers, neighbours: dict[Hashable, list[Hashable]]) -> int:
    """How many pairs of edges between neighbouring lines cross."""
    total = 0
    for upper, lower in pairwise(layers):
        place = {node: k for k, node in enumerate(lower)}
        ends = [sorted(place[n] for n in neighbours[node] if n in place) for node in upper]
        flat = [end for group in ends for end in group]
        total += sum(flat[i] > flat[j] for i in range(len(flat)) for j in range(i + 1, len(flat)))
    return total


def _chain(upper: str, lower: str, level: dict[str, int]) -> list[Hashable]:
    """An edge as a path from line to line, with a bend on each line that it passes."""
    return [upper, *((upper, lower, k) for k in range(level[upper] + 1, level[lower])), lower]


def _swept(layers: Layers, neighbours: dict[Hashable, list[Hashable]], *, downward: bool) -> Layers:
    """Move everything on each line to the mean place of its neighbours on the line before."""
    swept = [list(layer) for layer in layers]
    sequence = range(1, len(layers)) if downward else range(len(layers) - 2, -1, -1)
    for k in sequence:
        before = swept[k - 1 if downward else k + 1]
        place = {node: position / max(1, len(before) - 1) for position, node in enumerate(before)}
        own = {node: position / max(1, len(swept[k]) - 1) for position, node in enumerate(swept[k])}
        wanted = {}
        for node in swept[k]:
            near = [place[n] for n in neighbours[node] if n in place]
            wanted[node] = sum(near) / len(near) if near else own[node]
        swept[k].sort(key=lambda node: wanted[node])
    return swept
