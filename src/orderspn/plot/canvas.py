"""Figures that need no screen, their parts measured in inches: no pyplot, no global state."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Margins(NamedTuple):
    """Room around the axes for labels, in inches."""

    left: float = 0.0
    right: float = 0.0
    bottom: float = 0.0
    top: float = 0.0


def new_axes(width: float, height: float, margins: Margins | None = None) -> Axes:
    """Axes of a size in inches in a figure of their own, with room around them."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    left, right, bottom, top = Margins() if margins is None else margins
    whole_width, whole_height = left + width + right, bottom + height + top
    figure = Figure(figsize=(whole_width, whole_height))
    FigureCanvasAgg(figure)
    return figure.add_axes(
        (left / whole_width, bottom / whole_height, width / whole_width, height / whole_height),
    )


def inches(ax: Axes) -> tuple[float, float]:
    """Width and height of axes."""
    box = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
    return float(box.width), float(box.height)
