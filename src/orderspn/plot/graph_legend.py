"""The legend of a drawn graph: thickness and colour of arrows, marks, and which edges are left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from orderspn.plot.colours import IN_REFERENCE, NOT_IN_REFERENCE, PLAIN, Colour, shade
from orderspn.plot.drawing import ArrowStyle, Extent
from orderspn.plot.labels import room_for
from orderspn.plot.marks import mark_keys

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from orderspn.plot.inputs import KnownEdges

LEGEND_SIZE = 9.5
KEYS, COLOURS, BORDER = 4.2, 2.2, 0.2
"""Inches across: the keys of thickness, those of colours, and what a legend leaves free on each side."""

KEY = 0.55
"""Inches of one key without its label."""

MARKS_ABOVE = 0.47
"""Inches from the bottom of the picture to the legend of the marks."""

LEGEND_PROBABILITIES = (0.1, 0.25, 0.5, 0.75, 1.0)
Corner = Literal["lower left", "lower center", "lower right"]


def legend_width(title: str, highlighted: bool) -> float:
    """Width in inches that the keys of thickness and their title need, beside those of colours if there are any."""
    return max(KEYS, room_for([title], LEGEND_SIZE) + 2 * BORDER) + (COLOURS if highlighted else 0.0)


def keys_width(labels: Sequence[str]) -> float:
    """Width in inches that keys with these labels need side by side."""
    return sum(room_for([label], LEGEND_SIZE) + KEY for label in labels) + 2 * BORDER


def draw_legend(
    ax: Axes,
    extent: Extent,
    title: str,
    least: float,
    highlighted: bool,
    known: KnownEdges,
    style: ArrowStyle,
    further: Sequence[Line2D] = (),
) -> None:
    """Explain at the bottom of the picture thickness (`title`), and marks, `further` keys and colours if any."""
    left, right, bottom, _ = extent
    marks = [*mark_keys(known, style.scale), *further]
    if marks:
        _add_legend(ax, marks, None, "lower center", ((left + right) / 2, bottom + MARKS_ABOVE), style.scale)
    colour = "#333333" if highlighted else PLAIN
    thickness = [_key(shade(colour, p), p, f"{p:g}", style) for p in _legend_probabilities(least)]
    if not highlighted:
        _add_legend(ax, thickness, title, "lower center", ((left + right) / 2, bottom), style.scale)
        return
    colours = [
        _key(shade(IN_REFERENCE, 0.8), 0.6, "in it", style),
        _key(shade(NOT_IN_REFERENCE, 0.8), 0.6, "not in it", style),
    ]
    _add_legend(ax, thickness, title, "lower left", (left + 0.1, bottom), style.scale)
    _add_legend(ax, colours, "reference network", "lower right", (right - 0.1, bottom), style.scale)


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


def _key(colour: Colour, probability: float, label: str, style: ArrowStyle) -> Line2D:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, linewidth=style.width(probability), label=label, solid_capstyle="butt")
