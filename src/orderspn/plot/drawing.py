"""Ink: labels, arrows and the legend on matplotlib axes, one unit of which is one inch at full size."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import numpy as np

from orderspn.plot.layout import Box
from orderspn.plot.marks import mark_keys
from orderspn.plot.names import broken, widest
from orderspn.plot.palette import IN_REFERENCE, NOT_IN_REFERENCE, PLAIN, Colour, shade

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from orderspn.plot.known_edges import KnownEdges

FONT_SIZE = 11.0
LEGEND_SIZE = 9.5
LABEL_PADDING = (0.26, 0.18)
LINE_HEIGHT = FONT_SIZE * 1.2 / 72
LONGEST_LINE = 18
MOST_CHARACTERS = 54
"""Of a label, if that tells it from all others."""

CHARACTERS_PER_INCH = 12
ABOVE_SHAFTS = 2.0
HALO = 0.9
"""Points of white on each side of an arrow."""

MARKS_ABOVE = 0.47
"""Inches from the bottom of the picture to the line that says what marks mean."""

LEGEND_PROBABILITIES = (0.1, 0.25, 0.5, 0.75, 1.0)

Corner = Literal["lower left", "lower center", "lower right"]
Extent = tuple[float, float, float, float]
"""Left, right, bottom, top of what is to be seen."""


def label_lines(label: str) -> list[str]:
    """A label as lines that are not too long for its box."""
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
    """Draw a curve with a head at its end; `label` names both parts for those who look for them."""
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
    depth = 1.0 + probability  # the more probable, the nearer to the eye
    wide = (line_width(probability) + 2 * HALO) * scale  # where arrows cross, one is seen to pass over the other
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
    """Write a title at the top of the picture, shortened to its width."""
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
    """Say at the bottom of the picture what thickness means, and marks and colours where there are any."""
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
