"""Colours of all pictures: told apart by people who do not see all colours, and on grey paper by their darkness."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
"""One of each for every line of a picture: colour alone would be lost on grey paper."""

Colour = tuple[float, float, float]


def shade(colour: str, probability: float) -> Colour:
    """A colour on white paper with an opacity that grows with the probability.

    Mixed rather than transparent: the shaft and the head of an arrow overlap.
    """
    from matplotlib.colors import to_rgb

    opacity = 0.3 + 0.7 * probability
    red, green, blue = (1.0 - opacity * (1.0 - part) for part in to_rgb(colour))
    return red, green, blue


def probability_colours() -> Colormap:
    """From white for 0 to the darkest for 1, each darker than the one before; grey where there is no probability."""
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("probability", ["#ffffff", "#9db6d3", "#44699b", "#14294a"])
    return colours.with_extremes(bad=NOTHING)
