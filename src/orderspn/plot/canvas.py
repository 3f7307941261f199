"""What all pictures share: matplotlib if it is installed, figures that need no screen, and colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from orderspn.core.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

PLAIN = "#26456e"
IN_REFERENCE = "#1763ab"
NOT_IN_REFERENCE = "#c8571b"
KNOWN = "#101820"
FORBIDDEN = "#b3122a"
GUIDE = "#8a94a3"
GRID = "#dfe4ea"
NOTHING = "#c9cfd8"
SERIES = (PLAIN, "#d55e00", "#56b4e9", "#009e73", "#cc79a7", "#e69f00", "#222222", "#999999")
MARKERS = "osD^vPX*"
DASHES = ("-", "--", "-.", ":")
"""Each line of a picture gets a colour, a marker and a dash: colours alone would be lost in grey print."""

Colour = tuple[float, float, float]


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
    """Axes of a given size in inches, with margins, in a new figure (no pyplot, no global state)."""
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
    """Width and height of axes in inches."""
    box = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
    return float(box.width), float(box.height)


def shade(colour: str, probability: float) -> Colour:
    """A colour on white with an opacity that grows with the probability.

    Mixed with white rather than transparent, because the shaft and the head of an arrow overlap.
    """
    from matplotlib.colors import to_rgb

    opacity = 0.3 + 0.7 * probability
    red, green, blue = (1.0 - opacity * (1.0 - part) for part in to_rgb(colour))
    return red, green, blue


def probability_colours() -> Colormap:
    """Colour map from white for 0 to dark for 1, monotone in lightness; grey where there is no probability."""
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("probability", ["#ffffff", "#9db6d3", "#44699b", "#14294a"])
    return colours.with_extremes(bad=NOTHING)
