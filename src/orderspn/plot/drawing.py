"""The parts of a drawn graph on matplotlib axes: labels, arrows and the title. One unit is one inch."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from orderspn.plot.colours import CONTEXT_EDGE, CONTEXT_FILL, LABEL_EDGE, LABEL_FILL, mixed_with_white, opacity_of
from orderspn.plot.labels import broken, widest
from orderspn.plot.layout import Box

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FONT_SIZE = 11.0
LABEL_PADDING = (0.26, 0.18)
LINE_HEIGHT = FONT_SIZE * 1.2 / 72
LONGEST_LINE = 18
MOST_CHARACTERS = 54
"""Most characters of a label, if it then differs from all others."""

CHARACTERS_PER_INCH = 12
ABOVE_SHAFTS = 2.0
HALO = 0.9
"""Points of white on each side of an arrow."""

THICKEST, LEAST_THICK, FEW = 5.0, 0.4, 40
"""Thickness of the arrow of a certain edge in points; it shrinks, to this share at most, if there are more edges."""

LONG, LONGEST, MOST_FADING = 3.5, 9.0, 0.6
"""Lengths in inches from which on and up to which arrows become fainter, and by how much at most."""

Extent = tuple[float, float, float, float]
"""Left, right, bottom and top of the visible part."""


def label_lines(label: str) -> list[str]:
    """A label broken into lines."""
    return broken(label, LONGEST_LINE)


def label_size(label: str) -> tuple[float, float]:
    """Width and height of a label's box, in inches."""
    lines = label_lines(label)
    return max(widest(lines, FONT_SIZE) + LABEL_PADDING[0], 0.62), len(lines) * LINE_HEIGHT + LABEL_PADDING[1]


class ArrowStyle(NamedTuple):
    """How arrows are drawn: the scale of the picture, and how thick the arrow of a certain edge is, in points."""

    scale: float = 1.0
    thickest: float = THICKEST

    def width(self, probability: float) -> float:
        """Thickness in points: proportional to the probability, but never invisible."""
        return max(0.6, self.thickest * probability) * self.scale


def arrow_style(n_edges: int, scale: float) -> ArrowStyle:
    """Thinner arrows if there are many."""
    return ArrowStyle(scale, THICKEST * max(LEAST_THICK, min(1.0, (FEW / max(n_edges, 1)) ** 0.5)))


def fading(points: np.ndarray) -> float:
    """How much fainter an arrow is because it is long, from 0 to `MOST_FADING`: short ones stand out."""
    length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    return MOST_FADING * min(max(length - LONG, 0.0) / (LONGEST - LONG), 1.0)


def draw_labels(
    ax: Axes, boxes: Mapping[str, Box], labels: Mapping[str, str], scale: float, context: Collection[str] = ()
) -> None:
    """Write the label of every variable in its box; boxes of context variables have another colour and corners."""
    from matplotlib.patches import FancyBboxPatch

    for name, box in boxes.items():
        given = name in context
        corner = (box.x - box.width / 2, box.y - box.height / 2)
        frame = FancyBboxPatch(
            corner,
            box.width,
            box.height,
            boxstyle="square,pad=0" if given else "round,pad=0,rounding_size=0.12",
            facecolor=CONTEXT_FILL if given else LABEL_FILL,
            edgecolor=CONTEXT_EDGE if given else LABEL_EDGE,
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


def draw_arrow(ax: Axes, points: np.ndarray, probability: float, colour: str, style: ArrowStyle, label: str) -> None:
    """Draw a curve with an arrow head; both parts carry `label`, so that they can be found in the figure."""
    from matplotlib.patheffects import Normal, Stroke

    slender = (style.thickest / THICKEST) ** 0.5  # heads of thin arrows are smaller, but not by as much
    length = (0.13 + 0.11 * probability) * slender
    half_width = (0.05 + 0.055 * probability) * slender
    tip = points[-1]
    from_tip = np.linalg.norm(points - tip, axis=1)
    base_index = int(np.flatnonzero(from_tip >= min(length, from_tip.max())).max())
    backward = points[base_index] - tip
    backward = backward / max(float(np.linalg.norm(backward)), 1e-9)
    base, across = tip + length * backward, np.array([-backward[1], backward[0]]) * half_width
    shaft = np.vstack([points[: base_index + 1], base - 0.2 * length * backward])
    opacity = opacity_of(probability) * (1.0 - fading(points))
    ink = mixed_with_white(colour, opacity)
    wide = style.width(probability) + 2 * HALO * style.scale  # where arrows cross, one visibly passes over the other
    ax.plot(
        shaft[:, 0],
        shaft[:, 1],
        color=ink,
        linewidth=style.width(probability),
        solid_capstyle="butt",
        label=f"_{label}",
        path_effects=[Stroke(linewidth=wide, foreground="white"), Normal()],
        snap=False,  # curves that are exactly horizontal would be jagged
        zorder=1.0 + opacity,  # darker ones above fainter ones
    )
    corners = np.vstack([tip, base + across, base - across])
    (head,) = ax.fill(*corners.T, color=ink, linewidth=0, zorder=ABOVE_SHAFTS + 0.4 * opacity)
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
