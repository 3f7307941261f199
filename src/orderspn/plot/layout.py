"""Layered layout of a graph: variables on lines, causes above effects, few crossings. Positions are in inches."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
GAP_ACROSS = 0.42
GAP_BEND = 0.14
GAP_DOWN = 0.80
GAP_PARTS = 0.55
BEND_WIDTH = 0.10
DEFAULT_SHAPE = 2.0
"""Width over height to aim at by default."""


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


@dataclass(frozen=True)
class Box:
    """The rectangle of a label."""

    x: float
    y: float
    width: float
    height: float

    def contains(self, points: np.ndarray, margin: float = 0.0) -> np.ndarray:
        """Which points (n, 2) lie inside the box, extended by a margin."""
        across = np.abs(points[:, 0] - self.x) < self.width / 2 + margin
        down = np.abs(points[:, 1] - self.y) < self.height / 2 + margin
        return across & down

    def moved(self, dx: float, dy: float) -> Box:
        """The same box elsewhere."""
        return Box(self.x + dx, self.y + dy, self.width, self.height)


Boxes = dict[Hashable, Box]


@dataclass(frozen=True)
class Layout:
    """Positions of the labels of variables, and for long edges the points where they pass between labels.

    `bends` maps (upper end, lower end) of an edge to points (n, 2) from top to bottom.
    """

    labels: dict[str, Box]
    bends: dict[Edge, np.ndarray]


def place(sizes: Mapping[str, tuple[float, float]], edges: Sequence[Edge], shape: float = DEFAULT_SHAPE) -> Layout:
    """Give each variable a position.

    Parameters
    ----------
    sizes : mapping of name to (width, height)
    edges : sequence of (cause, effect)
        Most important first. Edges point downward unless they would close a cycle with earlier ones.
    shape : float
        Width over height to aim at.

    Returns
    -------
    Layout
    """
    graph = acyclic_graph(sizes, edges)
    parts = []
    for members in nx.weakly_connected_components(graph):
        names = [name for name in sizes if name in members]
        inner = [edge for edge in edges if edge[0] in members]
        parts.append(_place_part({name: sizes[name] for name in names}, graph.subgraph(names), inner))
    parts.sort(key=lambda part: (-len(part), -_height(part)))
    boxes = _packed(parts, shape)
    labels = {name: boxes[name] for name in sizes}
    bends: dict[Edge, list[tuple[float, float]]] = {}
    for node, box in sorted(((n, b) for n, b in boxes.items() if isinstance(n, tuple)), key=lambda item: -item[1].y):
        bends.setdefault((node[0], node[1]), []).append((box.x, box.y))
    return Layout(labels, {edge: np.array(points) for edge, points in bends.items()})


def _place_part(sizes: Mapping[str, tuple[float, float]], graph: nx.DiGraph[str], edges: Sequence[Edge]) -> Boxes:
    """Layout of one connected part; its upper left corner is (0, 0), and y grows upward."""
    layers, neighbours = arranged(list(sizes), levels(graph), edges)
    bend = (BEND_WIDTH, 0.0)
    extents = {node: sizes[node] if isinstance(node, str) else bend for layer in layers for node in layer}
    across = _columns(layers, [np.array([extents[node][0] for node in layer]) for layer in layers], neighbours)
    step = GAP_DOWN + max(height for _, height in sizes.values())
    boxes = {node: Box(across[node], -step * k, *extents[node]) for k, layer in enumerate(layers) for node in layer}
    left = min(box.x - box.width / 2 for box in boxes.values())
    top = max(box.y + box.height / 2 for box in boxes.values())
    return {node: box.moved(-left, -top) for node, box in boxes.items()}


def _columns(
    layers: Sequence[Sequence[Hashable]],
    widths: Sequence[np.ndarray],
    neighbours: Mapping[Hashable, list[Hashable]],
) -> dict[Hashable, float]:
    """Horizontal positions: near the neighbours, in the given order, without overlaps."""
    offsets = [
        np.concatenate([[0.0], np.cumsum((w[:-1] + w[1:]) / 2 + _gaps(layer))])
        for layer, w in zip(layers, widths, strict=True)
    ]
    x = {
        node: float(place)
        for layer, offset in zip(layers, offsets, strict=True)
        for node, place in zip(layer, offset - offset[-1] / 2, strict=True)
    }
    for round_trip in range(30):
        down = round_trip % 2 == 0
        for layer, offset in list(zip(layers, offsets, strict=True))[:: 1 if down else -1]:
            wanted = [np.mean([x[n] for n in neighbours.get(node, [node])]) for node in layer]
            spread = nondecreasing(np.array(wanted) - offset) + offset
            x.update(zip(layer, map(float, spread), strict=True))
    return x


def _gaps(layer: Sequence[Hashable]) -> np.ndarray:
    """Gaps between neighbours on a line: an edge that passes needs less room than a label."""
    labels = np.array([isinstance(node, str) for node in layer])
    return np.where(labels[:-1] & labels[1:], GAP_ACROSS, GAP_BEND)


def nondecreasing(values: np.ndarray) -> np.ndarray:
    """The nondecreasing sequence nearest to `values` in least squares (pool adjacent violators)."""
    blocks: list[tuple[float, int]] = []
    for value in values:
        mean, count = float(value), 1
        while blocks and blocks[-1][0] > mean:
            earlier, size = blocks.pop()
            mean = (mean * count + earlier * size) / (count + size)
            count += size
        blocks.append((mean, count))
    return np.repeat([mean for mean, _ in blocks], [count for _, count in blocks])


def _packed(parts: Sequence[Boxes], shape: float) -> Boxes:
    """Set the parts in as many rows as bring the picture nearest to the shape."""
    lengths = np.cumsum([_width(part) + GAP_PARTS for part in parts])
    tries = [_in_rows(parts, float(limit)) for limit in lengths]
    return min(tries, key=lambda boxes: abs(math.log(_width(boxes) / _height(boxes) / shape)))


def _in_rows(parts: Sequence[Boxes], limit: float) -> Boxes:
    rows: list[list[Boxes]] = [[]]
    used = 0.0
    for part in parts:
        if rows[-1] and used + _width(part) > limit:
            rows.append([])
            used = 0.0
        rows[-1].append(part)
        used += _width(part) + GAP_PARTS
    longest = max(_row_width(row) for row in rows)
    placed: Boxes = {}
    top = 0.0
    for row in rows:
        left = (longest - _row_width(row)) / 2
        for part in row:
            placed.update({name: box.moved(left, top) for name, box in part.items()})
            left += _width(part) + GAP_PARTS
        top -= max(_height(part) for part in row) + GAP_PARTS
    return placed


def _row_width(row: Sequence[Boxes]) -> float:
    return sum(_width(part) for part in row) + GAP_PARTS * (len(row) - 1)


def _width(boxes: Boxes) -> float:
    return max(b.x + b.width / 2 for b in boxes.values()) - min(b.x - b.width / 2 for b in boxes.values())


def _height(boxes: Boxes) -> float:
    return max(b.y + b.height / 2 for b in boxes.values()) - min(b.y - b.height / 2 for b in boxes.values())
