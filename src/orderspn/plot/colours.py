"""Colours of pictures, which differ for people who do not tell red from green, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.colors import Colormap

PLAIN = "#26456e"
IN_REFERENCE = "#1763ab"
NOT_IN_REFERENCE = "#c8571b"
KNOWN = "#101820"
FORBIDDEN = "#b3122a"
LABEL_FILL, LABEL_EDGE = "#eef2f7", "#4a5a70"
CONTEXT_FILL, CONTEXT_EDGE = "#fdf3dc", "#8a6a1c"
"""Boxes of variables, and of context variables, whose corners are not round either."""

GUIDE = "#8a94a3"
GRID = "#dfe4ea"
NOTHING = "#c9cfd8"
SERIES = (PLAIN, "#d55e00", "#56b4e9", "#6e3205", "#f2c01a", "#9a9a9a", "#000000")
MARKERS = "osD^vPX*"
DASHES = ("-", "--", "-.", ":")
"""Each line of a picture gets a colour, a marker and a dash: colours alone would be lost in grey print."""

Colour = tuple[float, float, float]


def mixed_with_white(colour: str, opacity: float) -> Colour:
    """A colour as it looks on white with an opacity.

    Mixed rather than transparent, because the shaft and the head of an arrow overlap.
    """
    from matplotlib.colors import to_rgb

    red, green, blue = (1.0 - opacity * (1.0 - part) for part in to_rgb(colour))
    return red, green, blue


def opacity_of(probability: float) -> float:
    """Opacity that grows with the probability, but is never 0."""
    return 0.3 + 0.7 * probability


def shade(colour: str, probability: float) -> Colour:
    """A colour on white with the opacity of a probability."""
    return mixed_with_white(colour, opacity_of(probability))


def probability_colours() -> Colormap:
    """Colour map from white for 0 to dark for 1, monotone in lightness; grey where there is no probability."""
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("probability", ["#ffffff", "#9db6d3", "#44699b", "#14294a"])
    return colours.with_extremes(bad=NOTHING)
