"""Positions of the labels of a graph in layers, and of the bends of long edges between them. In inches."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np

from orderspn.plot.layers import acyclic_graph, arranged, levels
from orderspn.queries.edges import Edge

GAP_ACROSS = 0.42
GAP_BEND = 0.14
GAP_DOWN = 0.80
GAP_PARTS = 0.55
BEND_WIDTH = 0.10
BEND_WEIGHT = 6.0
DEFAULT_SHAPE = 2.0
"""Width over height to aim at by default."""


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
            spread = nondecreasing(np.array(wanted) - offset, _weights(layer)) + offset
            x.update(zip(layer, map(float, spread), strict=True))
    return x


def _weights(layer: Sequence[Hashable]) -> np.ndarray:
    """Weights of positions on a line: bends stay in place, so that long edges wind less."""
    return np.array([1.0 if isinstance(node, str) else BEND_WEIGHT for node in layer])


def _gaps(layer: Sequence[Hashable]) -> np.ndarray:
    """Gaps between neighbours on a line: an edge that passes needs less room than a label."""
    labels = np.array([isinstance(node, str) for node in layer])
    return np.where(labels[:-1] & labels[1:], GAP_ACROSS, GAP_BEND)


def nondecreasing(values: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """The nondecreasing sequence nearest to `values` in weighted least squares (pool adjacent violators)."""
    blocks: list[tuple[float, float, int]] = []  # mean, weight and length
    for value, own in zip(values, np.ones(len(values)) if weights is None else weights, strict=True):
        mean, weight, length = float(value), float(own), 1
        while blocks and blocks[-1][0] > mean:
            earlier, heavy, size = blocks.pop()
            mean = (mean * weight + earlier * heavy) / (weight + heavy)
            weight, length = weight + heavy, length + size
        blocks.append((mean, weight, length))
    return np.repeat([mean for mean, _, _ in blocks], [length for _, _, length in blocks])


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
