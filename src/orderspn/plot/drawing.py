"""The parts of a drawn graph on matplotlib axes: labels, arrows, marks and the legend. One unit is one inch."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from orderspn.plot.canvas import FORBIDDEN, IN_REFERENCE, KNOWN, NOT_IN_REFERENCE, PLAIN, Colour, shade
from orderspn.plot.labels import broken, widest
from orderspn.plot.layout import Box
from orderspn.queries.edges import Edge

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from orderspn.plot.inputs import KnownEdges

FONT_SIZE = 11.0
LEGEND_SIZE = 9.5
LABEL_PADDING = (0.26, 0.18)
LINE_HEIGHT = FONT_SIZE * 1.2 / 72
LONGEST_LINE = 18
MOST_CHARACTERS = 54
"""Most characters of a label, if it then differs from all others."""

CHARACTERS_PER_INCH = 12
ABOVE_SHAFTS = 2.0
HALO = 0.9
"""Points of white on each side of an arrow."""

MARKS_ABOVE = 0.47
"""Inches from the bottom of the picture to the legend of the marks."""

LEGEND_PROBABILITIES = (0.1, 0.25, 0.5, 0.75, 1.0)
Corner = Literal["lower left", "lower center", "lower right"]
Extent = tuple[float, float, float, float]
"""Left, right, bottom and top of the visible part."""

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


def label_lines(label: str) -> list[str]:
    """A label broken into lines."""
    return broken(label, LONGEST_LINE)


def label_size(label: str) -> tuple[float, float]:
    """Width and height of a label's box, in inches."""
    lines = label_lines(label)
    return max(widest(lines, FONT_SIZE) + LABEL_PADDING[0], 0.62), len(lines) * LINE_HEIGHT + LABEL_PADDING[1]


def line_width(probability: float) -> float:
    """Thickness in points: proportional to the probability, but never invisible."""
    return max(0.6, 5.0 * probability)


def draw_labels(ax: Axes, boxes: Mapping[str, Box], labels: Mapping[str, str], scale: float) -> None:
    """Write the label of every variable in its box."""
    from matplotlib.patches import FancyBboxPatch

    for name, box in boxes.items():
        corner = (box.x - box.width / 2, box.y - box.height / 2)
        frame = FancyBboxPatch(
            corner,
            box.width,
            box.height,
            boxstyle="round,pad=0,rounding_size=0.12",
            facecolor="#eef2f7",
            edgecolor="#4a5a70",
            linewidth=1.0 * scale,
            zorder=3,
        )
        ax.add_patch(frame)
        ax.text(
            box.x,
            box.y,
            "\n".join(label_lines(labels[name])),
            ha="center",
            va="center_baseline",
            fontsize=FONT_SIZE * scale,
            linespacing=1.1,
            color="#101820",
            parse_math=False,
            zorder=4,
        )


def draw_arrow(ax: Axes, points: np.ndarray, probability: float, colour: str, scale: float, label: str) -> None:
    """Draw a curve with an arrow head; both parts carry `label`, so that they can be found in the figure."""
    from matplotlib.patheffects import Normal, Stroke

    length = 0.13 + 0.11 * probability
    half_width = 0.05 + 0.055 * probability
    tip = points[-1]
    from_tip = np.linalg.norm(points - tip, axis=1)
    base_index = int(np.flatnonzero(from_tip >= min(length, from_tip.max())).max())
    backward = points[base_index] - tip
    backward = backward / max(float(np.linalg.norm(backward)), 1e-9)
    base, across = tip + length * backward, np.array([-backward[1], backward[0]]) * half_width
    shaft = np.vstack([points[: base_index + 1], base - 0.2 * length * backward])
    ink = shade(colour, probability)
    depth = 1.0 + probability  # more probable edges are drawn above others
    wide = (line_width(probability) + 2 * HALO) * scale  # where arrows cross, one visibly passes over the other
    ax.plot(
        shaft[:, 0],
        shaft[:, 1],
        color=ink,
        linewidth=line_width(probability) * scale,
        solid_capstyle="butt",
        label=f"_{label}",
        path_effects=[Stroke(linewidth=wide, foreground="white"), Normal()],
        zorder=depth,
    )
    corners = np.vstack([tip, base + across, base - across])
    (head,) = ax.fill(*corners.T, color=ink, linewidth=0, zorder=ABOVE_SHAFTS + 0.4 * probability)
    head.set_gid(label)


def draw_title(ax: Axes, extent: Extent, title: str, scale: float) -> None:
    """Write a title at the top of the picture, shortened to fit."""
    left, right, _, top = extent
    ax.annotate(
        textwrap.shorten(title, int(CHARACTERS_PER_INCH * (right - left)), placeholder=" ..."),
        ((left + right) / 2, top),
        xytext=(0, -8 * scale),
        textcoords="offset points",
        ha="center",
        va="top",
        fontsize=FONT_SIZE * scale,
        parse_math=False,
    )


def draw_legend(
    ax: Axes, extent: Extent, min_probability: float, highlighted: bool, known: KnownEdges, scale: float
) -> None:
    """Explain at the bottom of the picture the thickness of arrows, and marks and colours if there are any."""
    left, right, bottom, _ = extent
    marks = mark_keys(known, scale)
    if marks:
        _add_legend(ax, marks, None, "lower center", ((left + right) / 2, bottom + MARKS_ABOVE), scale)
    colour = "#333333" if highlighted else PLAIN
    thickness = [_key(shade(colour, p), p, f"{p:g}", scale) for p in _legend_probabilities(min_probability)]
    if not highlighted:
        _add_legend(ax, thickness, "probability of the edge", "lower center", ((left + right) / 2, bottom), scale)
        return
    colours = [
        _key(shade(IN_REFERENCE, 0.8), 0.6, "in it", scale),
        _key(shade(NOT_IN_REFERENCE, 0.8), 0.6, "not in it", scale),
    ]
    _add_legend(ax, thickness, "probability of the edge", "lower left", (left + 0.1, bottom), scale)
    _add_legend(ax, colours, "reference network", "lower right", (right - 0.1, bottom), scale)


def _add_legend(
    ax: Axes, handles: list[Line2D], title: str | None, corner: Corner, at: tuple[float, float], scale: float
) -> None:
    from matplotlib.legend import Legend

    legend = Legend(
        ax,
        handles,
        [str(handle.get_label()) for handle in handles],
        title=title,
        loc=corner,
        bbox_to_anchor=at,
        bbox_transform=ax.transData,
        ncols=len(handles),
        frameon=False,
        fontsize=LEGEND_SIZE * scale,
        title_fontsize=LEGEND_SIZE * scale,
        handlelength=1.8,
        columnspacing=1.3,
        borderaxespad=0.4,
    )
    ax.add_artist(legend)


def _legend_probabilities(min_probability: float) -> list[float]:
    shown = [p for p in LEGEND_PROBABILITIES if p >= min_probability]
    return shown if len(shown) > 1 else sorted({min_probability, 1.0})


def _key(colour: Colour, probability: float, label: str, scale: float) -> Line2D:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, linewidth=line_width(probability) * scale, label=label, solid_capstyle="butt")


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
        ax.plot(*_barbs(points).T, color=FORBIDDEN, linewidth=THIN * scale, label=f"_tip of {name}", zorder=1.0)
        taken.append(_free_place(points, taken))
        ax.plot(*taken[-1][:, None], **cross_style(scale), linestyle="", label=f"_cross on {name}", zorder=ABOVE_ARROWS)
    return taken


def draw_required(ax: Axes, routes: Mapping[Edge, np.ndarray], taken: list[np.ndarray], scale: float) -> None:
    """Draw a square on each required edge, away from the marks already drawn."""
    taken = list(taken)
    for edge, points in routes.items():
        taken.append(_free_place(points, taken))
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


def _free_place(points: np.ndarray, taken: list[np.ndarray]) -> np.ndarray:
    """The first position along a curve that is clear of all marks, or else the one furthest from them."""
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    places = [np.array([np.interp(share * length[-1], length, points[:, k]) for k in (0, 1)]) for share in PLACES]
    room = [min((float(np.linalg.norm(place - mark)) for mark in taken), default=APART) for place in places]
    return places[int(np.argmax(np.minimum(room, APART)))]


def _barbs(points: np.ndarray) -> np.ndarray:
    """The open head of a thin arrow: two short lines that meet at the tip."""
    tip = points[-1]
    behind = points[max(0, len(points) - 12)] - tip
    backward = behind / max(float(np.linalg.norm(behind)), 1e-9)
    across = np.array([-backward[1], backward[0]])
    return np.stack([tip + 0.11 * backward + 0.05 * across, tip, tip + 0.11 * backward - 0.05 * across])
