"""Marks of edges that are known: squares on required ones, crosses on forbidden ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.plot.colours import CONTEXT_EDGE, CONTEXT_FILL, FORBIDDEN, KNOWN
from orderspn.queries.edges import Edge

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from orderspn.plot.inputs import KnownEdges

SQUARE = 7.0
CROSS = 6.5
THIN = 1.2
PLACES = (0.5, 0.42, 0.58, 0.34, 0.66)
"""Positions of a mark along an arrow, as shares of its length, the best first."""

APART = 0.25
"""Smallest distance between two marks, in inches."""

MOST_FORBIDDEN = 60
"""Most forbidden edges that are drawn: more would hide the graph."""

DASHED = (0, (4, 2.5))
ABOVE_ARROWS, ABOVE_MARKS = 2.5, 2.6


def square_style(scale: float) -> dict[str, Any]:
    """The mark of a required edge."""
    size: dict[str, Any] = {"markersize": SQUARE * scale, "markeredgewidth": 1.4 * scale}
    return {"marker": "s", "markerfacecolor": "white", "markeredgecolor": KNOWN, **size}


def cross_style(scale: float) -> dict[str, Any]:
    """The mark of a forbidden edge."""
    size: dict[str, Any] = {"markersize": CROSS * scale, "markeredgewidth": 1.8 * scale}
    return {"marker": "x", "markeredgecolor": FORBIDDEN, **size}


def draw_forbidden(ax: Axes, routes: Mapping[Edge, np.ndarray], scale: float) -> list[np.ndarray]:
    """Draw forbidden edges as thin dashed arrows with a cross; returns the positions of the crosses."""
    taken: list[np.ndarray] = []
    for edge, points in routes.items():
        name = " !-> ".join(edge)
        ax.plot(*points.T, color=FORBIDDEN, linewidth=THIN * scale, linestyle=DASHED, label=f"_{name}", zorder=1.0)
        draw_barbs(ax, points, FORBIDDEN, THIN * scale, f"_tip of {name}")
        taken.append(free_place(points, taken))
        ax.plot(*taken[-1][:, None], **cross_style(scale), linestyle="", label=f"_cross on {name}", zorder=ABOVE_ARROWS)
    return taken


def draw_required(ax: Axes, routes: Mapping[Edge, np.ndarray], taken: list[np.ndarray], scale: float) -> None:
    """Draw a square on each required edge, away from the marks already drawn."""
    taken = list(taken)
    for edge, points in routes.items():
        taken.append(free_place(points, taken))
        name = f"_square on {' -> '.join(edge)}"
        ax.plot(*taken[-1][:, None], **square_style(scale), linestyle="", label=name, zorder=ABOVE_MARKS)


def too_many(known: KnownEdges) -> bool:
    """Whether there are too many forbidden edges to draw."""
    return len(known.forbidden) > MOST_FORBIDDEN


def mark_keys(known: KnownEdges, scale: float) -> list[Line2D]:
    """Legend entries for the marks that occur."""
    from matplotlib.lines import Line2D

    keys = []
    if known.required:
        line: dict[str, Any] = {"color": KNOWN, "linewidth": 3.0 * scale}
        keys.append(Line2D([], [], **line, **square_style(scale), label="required edge"))
    if too_many(known):
        keys.append(Line2D([], [], linestyle="", label=f"{len(known.forbidden)} forbidden edges not drawn"))
    elif known.forbidden:
        line = {"color": FORBIDDEN, "linewidth": THIN * scale, "linestyle": DASHED}
        keys.append(Line2D([], [], **line, **cross_style(scale), label="forbidden edge"))
    return keys


def context_keys(n_drawn: int, n_context: int, scale: float) -> list[Line2D]:
    """Legend entry for context variables, and how many of them are not drawn because they have no drawn edge."""
    from matplotlib.lines import Line2D

    if not n_context:
        return []
    size: dict[str, Any] = {"markersize": 9.0 * scale, "markeredgewidth": 1.0 * scale}
    colours: dict[str, Any] = {"markerfacecolor": CONTEXT_FILL, "markeredgecolor": CONTEXT_EDGE}
    left_out = n_context - n_drawn
    label = "context variable" + (f" ({left_out} without edges left out)" if left_out else "")
    return [Line2D([], [], linestyle="", marker="s", **colours, **size, label=label)]


def free_place(
    points: np.ndarray, taken: list[np.ndarray], shares: Sequence[float] = PLACES, apart: float = APART
) -> np.ndarray:
    """The first position along a curve that is clear of all marks, or else the one furthest from them."""
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    places = [np.array([np.interp(share * length[-1], length, points[:, k]) for k in (0, 1)]) for share in shares]
    room = [min((float(np.linalg.norm(place - mark)) for mark in taken), default=apart) for place in places]
    return places[int(np.argmax(np.minimum(room, apart)))]


def draw_barbs(ax: Axes, points: np.ndarray, colour: str, width: float, label: str) -> None:
    """Draw the open head of an arrow along a curve."""
    ax.plot(*_barbs(points).T, color=colour, linewidth=width, label=label, zorder=1.0)


def _barbs(points: np.ndarray) -> np.ndarray:
    """The open head of a thin arrow: two short lines that meet at the tip."""
    tip = points[-1]
    behind = points[max(0, len(points) - 12)] - tip
    backward = behind / max(float(np.linalg.norm(behind)), 1e-9)
    across = np.array([-backward[1], backward[0]])
    return np.stack([tip + 0.11 * backward + 0.05 * across, tip, tip + 0.11 * backward - 0.05 * across])
