"""Figures: of the right size and resolution, and shown where pictures are shown."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Literal, NamedTuple

from orderspn.core.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DOTS_PER_INCH = 150
"""Resolution of new figures, in files and in notebooks."""


def require_matplotlib() -> None:
    """Raise an error that names the extra if matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError as problem:
        raise MissingExtra('plots need matplotlib; install it with: pip install "orderspn[plot]"') from problem


class Margins(NamedTuple):
    """Margins around the axes for labels, in inches."""

    left: float = 0.0
    right: float = 0.0
    bottom: float = 0.0
    top: float = 0.0


def new_axes(width: float, height: float, margins: Margins | None = None) -> Axes:
    """Axes of a given size in inches, with margins, in a new figure."""
    left, right, bottom, top = Margins() if margins is None else margins
    whole_width, whole_height = left + width + right, bottom + height + top
    return new_figure(whole_width, whole_height).add_axes(
        (left / whole_width, bottom / whole_height, width / whole_width, height / whole_height),
    )


def new_figure(width: float, height: float, layout: Literal["constrained"] | None = None) -> Figure:
    """A figure of pyplot where it is in use, so that it is shown; otherwise one that leaves nothing behind."""
    from matplotlib import rcParams
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    size, dpi = (width, height), max(DOTS_PER_INCH, rcParams["figure.dpi"])
    if pyplot_in_use():
        from matplotlib import pyplot

        return pyplot.figure(figsize=size, dpi=dpi, layout=layout)
    figure = Figure(figsize=size, dpi=dpi, layout=layout)
    FigureCanvasAgg(figure)
    return figure


def pyplot_in_use() -> bool:
    """Whether people expect figures from pyplot: it was imported, or they work in a notebook or at a prompt.

    Only in the main thread, because pyplot is not made for others.
    """
    interactive = hasattr(sys, "ps1")  # the prompt; notebooks have one, too
    return threading.current_thread() is threading.main_thread() and (interactive or "matplotlib.pyplot" in sys.modules)


def close(figure: Figure) -> None:
    """Have pyplot forget a figure, if it knows it."""
    if "matplotlib.pyplot" in sys.modules:
        from matplotlib import pyplot

        pyplot.close(figure)


def inches(ax: Axes) -> tuple[float, float]:
    """Width and height of axes in inches."""
    box = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
    return float(box.width), float(box.height)
