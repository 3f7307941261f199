"""Neighbours as one line each, with the share of each direction at its ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from orderspn.plot.colours import mixed_with_white, opacity_of
from orderspn.plot.drawing import ABOVE_SHAFTS, FONT_SIZE, HALO, THICKEST, ArrowStyle, fading
from orderspn.plot.drawn_edges import DrawnEdges, edges_to_draw
from orderspn.plot.marks import free_place
from orderspn.queries.edges import Edge

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WRITTEN_UP_TO = 30
"""Most neighbours whose shares are written as numbers."""

SMALL = 0.05
"""Directions with a smaller share have no arrow head."""

LINE_WIDTH = 0.6
"""Width of a line, as a share of that of an arrow: heads have to be wider than the line, at both ends."""

PLACES = (0.6, 0.54, 0.66, 0.5, 0.7)
"""Positions of numbers along a line, the best first."""

NUMBER_SIZE = FONT_SIZE - 3.0


class Neighbours(NamedTuple):
    """A pair of neighbours in the more probable direction: the probability of the pair, and that direction's share."""

    edge: Edge
    probability: float
    share: float


def neighbours_to_draw(
    names: Sequence[str], values: np.ndarray, min_probability: float | None
) -> tuple[list[Neighbours], DrawnEdges]:
    """Return the probable pairs of neighbours, most probable first, and the same as edges.

    Examples
    --------
    >>> found, _ = neighbours_to_draw(["A", "B"], np.array([[0.0, 0.2], [0.6, 0.0]]), None)
    >>> found[0].edge, round(found[0].probability, 9), round(found[0].share, 9)
    (('B', 'A'), 0.8, 0.75)
    """
    place = {name: v for v, name in enumerate(names)}
    forward = values > values.T
    forward |= np.triu(values == values.T, 1)
    joined = np.where(forward, np.minimum(values + values.T, 1.0), 0.0)
    drawn = edges_to_draw(names, joined, min_probability, ())
    found = []
    for (a, b), probability in drawn.probabilities.items():
        p, q = float(values[place[a], place[b]]), float(values[place[b], place[a]])
        found.append(Neighbours((a, b), probability, p / (p + q)))
    return found, drawn


def draw_shares(
    ax: Axes, found: Sequence[Neighbours], routes: Mapping[Edge, np.ndarray], colour: str, style: ArrowStyle
) -> None:
    """Draw each pair as a line, as thick as it is probable, with heads as large as the shares of directions."""
    for pair in reversed(found):
        _draw_pair(ax, pair, routes[pair.edge], colour, style)
    if len(found) <= WRITTEN_UP_TO:
        taken: list[np.ndarray] = []
        for pair in found:
            taken.append(free_place(routes[pair.edge], taken, PLACES))
            _write_share(ax, pair.share, taken[-1], style.scale)


def _draw_pair(ax: Axes, pair: Neighbours, points: np.ndarray, colour: str, style: ArrowStyle) -> None:
    from matplotlib.patheffects import Normal, Stroke

    a, b = pair.edge
    opacity = opacity_of(pair.probability) * (1.0 - fading(points))
    ink = mixed_with_white(colour, opacity)
    width = style.width(LINE_WIDTH * pair.probability)
    first, last = 0, len(points)
    for name, share, along in (
        (f"{a} -> {b}", pair.share, points),
        (f"{b} -> {a}", 1.0 - pair.share, points[::-1]),
    ):
        if share < SMALL:
            continue
        corners, base = _head(along, share, pair.probability, style)
        (head,) = ax.fill(*corners.T, color=ink, linewidth=0, zorder=ABOVE_SHAFTS + 0.4 * opacity)
        head.set_gid(name)
        if along is points:
            last = base + 1
        else:
            first = len(points) - base - 1
    shaft = points[first:last]
    ax.plot(
        shaft[:, 0],
        shaft[:, 1],
        color=ink,
        linewidth=width,
        solid_capstyle="butt",
        label=f"_{a} -- {b}",
        path_effects=[Stroke(linewidth=width + 2 * HALO * style.scale, foreground="white"), Normal()],
        snap=False,
        zorder=1.0 + opacity,
    )


def _head(points: np.ndarray, share: float, probability: float, style: ArrowStyle) -> tuple[np.ndarray, int]:
    """Return the corners of a head at the end of a curve, and the place on the curve where it begins."""
    slender = (style.thickest / THICKEST) ** 0.5
    size = share**0.5 * (0.55 + 0.45 * probability)  # the area grows with the share
    length, half_width = 0.26 * size * slender, 0.12 * size * slender
    tip = points[-1]
    from_tip = np.linalg.norm(points - tip, axis=1)
    base = int(np.flatnonzero(from_tip >= min(length, from_tip.max())).max())
    backward = (points[base] - tip) / max(float(np.linalg.norm(points[base] - tip)), 1e-9)
    across = np.array([-backward[1], backward[0]]) * half_width
    middle = tip + length * backward
    return np.vstack([tip, middle + across, middle - across]), base


def _write_share(ax: Axes, share: float, at: np.ndarray, scale: float) -> None:
    """Write the share of the more probable direction, in the half of the line that its head is on."""
    ax.text(
        at[0],
        at[1],
        f"{100 * share:.0f}%",
        ha="center",
        va="center",
        fontsize=NUMBER_SIZE * scale,
        color="#101820",
        zorder=3.5,
        bbox={"boxstyle": "round,pad=0.12", "facecolor": "white", "edgecolor": "none", "alpha": 0.85},
    )
