"""Routes of arrows from label to label that pass under no other label: arcs, or winding curves if no arc is free."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from orderspn.plot.layout import Box, Layout
from orderspn.queries.edges import Edge

SINGLE = (0.0, 0.1, -0.1, 0.2, -0.2, 0.32, -0.32, 0.45, -0.45, 0.6, -0.6)
PAIRED = (0.12, 0.2, 0.32, 0.45, 0.6, 0.8, 1.0, -0.45, -0.6, -0.8)
"""Bends to try, in units of the distance. Positive is to the left, so that the two arrows of a pair separate."""

ASIDE = 0.07
"""How far to the left the arrows of a pair begin and end, in inches."""

ROUNDABOUT = ((0.4, 0.0), (0.5, 0.7), (0.6, 1.4), (0.7, 2.0))
"""Winding curves: their cost, in the same unit, and how far they run vertically, in heights of a label."""

NO_BENDS = np.empty((0, 2))
CORNER_CUTS = 4
CLEARANCE = 0.07
GAP = 0.03
POINTS = 160

Routes = dict[Edge, np.ndarray]
"""For each edge the points (n, 2) of its curve, from the border of the cause to that of the effect."""


def route(layout: Layout, edges: Sequence[Edge]) -> Routes:
    """Choose for each edge in turn the straightest curve that is clear of labels and of earlier arrows."""
    both = set(edges)
    routes: Routes = {}
    for edge in edges:
        ways = _ways(layout, edge, paired=edge[::-1] in both)
        others = [box for name, box in layout.labels.items() if name not in edge]
        routes[edge] = _cheapest(ways, others, routes)
    return routes


def _cheapest(ways: Sequence[tuple[float, np.ndarray]], others: Sequence[Box], routes: Routes) -> np.ndarray:
    """The curve of lowest cost; one that is already too costly is not examined further."""
    best, least = ways[0][1], np.inf
    for cost, way in ways:
        if cost < least:
            cost += _under_labels(way, others)
        if cost < least:
            cost += _along_others(way, routes)
        if cost < least:
            best, least = way, cost
    return best


def _ways(layout: Layout, edge: Edge, *, paired: bool) -> list[tuple[float, np.ndarray]]:
    """Curves for an edge with their costs: arcs, and the way between labels that the layout left free."""
    start, end = (layout.labels[name] for name in edge)
    aside = ASIDE if paired else 0.0
    ways = [(abs(bend), arc(start, end, bend, aside)) for bend in (PAIRED if paired else SINGLE)]
    downward = start.y > end.y
    bends = layout.bends.get(edge if downward else edge[::-1], NO_BENDS)[:: 1 if downward else -1]
    to_the_left = aside if downward else -aside
    return ways + [(cost, curve(start, end, bends, upright, to_the_left)) for cost, upright in ROUNDABOUT]


def arc(start: Box, end: Box, bend: float, aside: float = 0.0) -> np.ndarray:
    """A quadratic curve from label to label."""
    first, last = _port(start, end), _port(end, start)
    along = last - first
    left = np.array([-along[1], along[0]])
    step_aside = np.copysign(aside, bend) * left / max(float(np.linalg.norm(left)), 1e-9)
    first, last = first + step_aside, last + step_aside
    middle = (first + last) / 2 + bend * left
    t = np.linspace(0.0, 1.0, POINTS)[:, None]
    return _between((1 - t) ** 2 * first + 2 * t * (1 - t) * middle + t**2 * last, start, end)


def curve(start: Box, end: Box, bends: np.ndarray, upright: float, shift: float = 0.0) -> np.ndarray:
    """A smooth curve from label to label through each bend; the more upright, the further from labels."""
    first, last = np.array([start.x, start.y]), np.array([end.x, end.y])
    passed = bends
    if upright:
        half = np.array([0.0, np.copysign(upright * max(start.height, end.height) / 2, end.y - start.y)])
        passed = np.stack([bends - half, bends + half], axis=1).reshape(-1, 2)
        passed = np.vstack([first + half, passed, last - half])
    points = np.vstack([first, passed, last]) + np.array([shift, 0.0])
    for _ in range(CORNER_CUTS):
        cut = np.stack([0.75 * points[:-1] + 0.25 * points[1:], 0.25 * points[:-1] + 0.75 * points[1:]], axis=1)
        points = np.vstack([points[0], cut.reshape(-1, 2), points[-1]])
    return _between(_evenly(points), start, end)


def _evenly(points: np.ndarray) -> np.ndarray:
    """The same curve with points at equal distances."""
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    at = np.linspace(0.0, length[-1], POINTS)
    return np.column_stack([np.interp(at, length, points[:, k]) for k in (0, 1)])


def _between(points: np.ndarray, start: Box, end: Box) -> np.ndarray:
    """The part of a curve that lies outside both its labels."""
    begin = int(np.flatnonzero(start.contains(points, GAP)).max(initial=0))
    stop = int(np.flatnonzero(end.contains(points, GAP)).min(initial=POINTS - 1))
    return points[begin + 1 : stop] if stop - begin > 3 else points


def _port(box: Box, other: Box) -> np.ndarray:
    """Where in a label an arrow starts or ends: off the centre, toward the other label."""
    most = 0.3 * box.width
    return np.array([box.x + np.clip(0.2 * (other.x - box.x), -most, most), box.y])


def _under_labels(points: np.ndarray, others: Sequence[Box]) -> float:
    """Cost of passing under labels: high for each label, and higher the longer the curve is hidden."""
    boxes = np.array([(box.x, box.y, box.width / 2, box.height / 2) for box in others]).reshape(-1, 4)
    inside = (np.abs(points[:, None] - boxes[:, :2]) < boxes[:, 2:] + CLEARANCE).all(axis=2)  # (points, boxes)
    hidden = inside.mean(axis=0)
    return float(10.0 * (hidden > 0).sum() + 20.0 * hidden.sum())


def _along_others(points: np.ndarray, routes: Routes) -> float:
    """Share of a curve that runs close to earlier ones: a crossing costs little, a shared way much."""
    if not routes:
        return 0.0
    own = points[::6]
    earlier = np.concatenate([other[::6] for other in routes.values()])
    distances = np.linalg.norm(own[:, None] - earlier[None], axis=2)
    return float((distances.min(axis=1) < CLEARANCE).mean())
