"""Layers of a graph: variables on lines, causes above effects, in an order with few crossings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise

import networkx as nx
import numpy as np

from orderspn.core.dag import acyclic_part
from orderspn.queries.edges import Edge

Layers = list[list[Hashable]]
"""The variables and bends on each line, from left to right.

A bend is where an edge crosses a line between its ends: (upper end, lower end, number of the line).
"""

Neighbours = dict[Hashable, list[Hashable]]
"""The neighbours of each variable or bend on the lines above and below."""

SWEEPS = 12
STARTS = 8


def acyclic_graph(variables: Iterable[str], edges: Iterable[Edge]) -> nx.DiGraph[str]:
    """The graph of all edges but those that would close a cycle with earlier ones."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(variables)
    graph.add_edges_from(acyclic_part(edges))
    return graph


def levels(graph: nx.DiGraph[str]) -> dict[str, int]:
    """The line of each variable: below all its causes, with edges that are as short as possible."""
    level: dict[str, int] = {}
    for node in nx.topological_sort(graph):
        level[node] = max((level[cause] + 1 for cause in graph.predecessors(node)), default=0)
    backward = graph.reverse(copy=False)
    lowest = max(level.values(), default=0)
    moved = 1
    while moved:  # ends, because each move shortens the total length of edges
        moved = sum(_moved(level, graph, node, 1, lowest) or _moved(level, backward, node, -1, 0) for node in graph)
    return level


def _moved(level: dict[str, int], graph: nx.DiGraph[str], node: str, step: int, last: int) -> bool:
    """Move a variable by one line along its edges, with all that is in its way, if edges then become shorter."""
    moving = _pushed(level, graph, node, step)
    ahead = sum(effect not in moving for member in moving for effect in graph.successors(member))
    behind = sum(cause not in moving for member in moving for cause in graph.predecessors(member))
    if ahead <= behind or any(level[member] == last for member in moving):
        return False
    for member in moving:
        level[member] += step
    return True


def _pushed(level: dict[str, int], graph: nx.DiGraph[str], node: str, step: int) -> set[str]:
    """A variable, and all on the next lines that must move along with it."""
    moving, waiting = {node}, [node]
    while waiting:
        member = waiting.pop()
        for effect in graph.successors(member):
            if effect not in moving and level[effect] == level[member] + step:
                moving.add(effect)
                waiting.append(effect)
    return moving


def arranged(variables: Sequence[str], level: dict[str, int], pairs: Iterable[Edge]) -> tuple[Layers, Neighbours]:
    """Order the variables on each line so that few edges cross; returns the lines and the neighbours."""
    layers: Layers = [[] for _ in range(max(level.values()) + 1)]
    for name in variables:
        layers[level[name]].append(name)
    neighbours: Neighbours = defaultdict(list)
    for pair in sorted({tuple(sorted(pair, key=lambda name: level[name])) for pair in pairs}):
        chain = _chain(pair[0], pair[1], level)
        for upper, lower in pairwise(chain):
            neighbours[upper].append(lower)
            neighbours[lower].append(upper)
        for place, bend in enumerate(chain[1:-1], start=level[pair[0]] + 1):
            layers[place].append(bend)
    best, fewest = layers, crossings(layers, neighbours)
    for sequence in _sequences(layers, neighbours):
        if fewest == 0:
            break
        count = crossings(sequence, neighbours)
        if count < fewest:
            best, fewest = sequence, count
    return best, neighbours


def _sequences(layers: Layers, neighbours: Neighbours) -> Iterator[Layers]:
    """Lines after each sweep, from several starts: as given, then shuffled with a fixed seed."""
    rng = np.random.default_rng(0)
    for start in range(STARTS):
        swept = layers if start == 0 else [[layer[k] for k in rng.permutation(len(layer))] for layer in layers]
        for sweep in range(SWEEPS):
            swept = _uncrossed(_swept(swept, neighbours, downward=sweep % 2 == 0), neighbours)
            yield swept


def crossings(layers: Layers, neighbours: Neighbours) -> int:
    """Number of pairs of edges between neighbouring lines that cross."""
    total = 0
    for upper, lower in pairwise(layers):
        place = {node: k for k, node in enumerate(lower)}
        ends = [sorted(place[n] for n in neighbours[node] if n in place) for node in upper]
        flat = [end for group in ends for end in group]
        total += sum(flat[i] > flat[j] for i in range(len(flat)) for j in range(i + 1, len(flat)))
    return total


def _chain(upper: str, lower: str, level: dict[str, int]) -> list[Hashable]:
    """An edge as a path from line to line, with a bend on each line that it crosses."""
    return [upper, *((upper, lower, k) for k in range(level[upper] + 1, level[lower])), lower]


def _swept(layers: Layers, neighbours: Neighbours, *, downward: bool) -> Layers:
    """Sort each line by the mean position of the neighbours on the line before."""
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


def _uncrossed(layers: Layers, neighbours: Neighbours) -> Layers:
    """Swap neighbours on a line as long as their edges then cross less."""
    done = [list(layer) for layer in layers]
    place = {node: position for layer in done for position, node in enumerate(layer)}
    line = {node: k for k, layer in enumerate(done) for node in layer}
    gained = True
    while gained:
        gained = False
        for layer in done:
            for left in range(len(layer) - 1):
                one, other = layer[left], layer[left + 1]
                if _gain(one, other, neighbours, place, line) > 0:
                    layer[left], layer[left + 1] = other, one
                    place[one], place[other] = left + 1, left
                    gained = True
    return done


def _gain(
    one: Hashable, other: Hashable, neighbours: Neighbours, place: dict[Hashable, int], line: dict[Hashable, int]
) -> int:
    """How many crossings are saved if two neighbours on a line are swapped."""
    total = 0
    for a in neighbours[one]:
        for b in neighbours[other]:
            if line[a] == line[b]:
                total += (place[a] > place[b]) - (place[a] < place[b])
    return total
