"""Names of variables on paper: how wide they are, and what becomes of long ones."""

from __future__ import annotations

import re
from collections.abc import Iterable

LONGEST = 30
"""Characters of a name on one line."""

ON_A_SCREEN = 1.12
"""Letters on a screen begin at whole pixels, which makes text wider by up to so much."""

_PIECE = re.compile(r"[^\s_./:;,-]*[\s_./:;,-]*")


def text_width(text: str, size: float) -> float:
    """Inches that a line of text of a size in points is wide."""
    from matplotlib.textpath import TextPath

    return float(TextPath((0, 0), text, size=size).get_extents().width) / 72 if text.strip() else 0.0


def widest(texts: Iterable[str], size: float) -> float:
    """Inches of the widest line."""
    return max((text_width(text, size) for text in texts), default=0.0)


def room_for(texts: Iterable[str], size: float) -> float:
    """Inches that the widest line needs, on paper and on a screen."""
    return ON_A_SCREEN * widest(texts, size)


def shortened(name: str, longest: int = LONGEST) -> str:
    """A name of at most so many characters; its middle goes, as ends tell names apart.

    Examples
    --------
    >>> shortened("expression of interleukin 6", 15)
    'express…eukin 6'
    """
    if len(name) <= longest:
        return name
    tail = (longest - 1) // 2
    return name[: longest - 1 - tail] + "…" + name[len(name) - tail :]


def broken(name: str, longest: int) -> list[str]:
    """A name as lines of at most so many characters, broken after spaces and punctuation where there are any.

    Examples
    --------
    >>> broken("household_income_2019", 18)
    ['household_income_', '2019']
    """
    lines = [""]
    for piece in _PIECE.findall(name):
        if len(lines[-1] + piece.rstrip()) > longest and lines[-1]:
            lines.append("")
        lines[-1] += piece
        while len(lines[-1].rstrip()) > longest:
            lines[-1:] = [lines[-1][:longest], lines[-1][longest:]]
    return [line.rstrip() for line in lines if line.strip()] or [name]


def fitted(text: str, width: float, size: float) -> list[str]:
    """A text of a size in points as lines that are at most so many inches wide, as long as they may be.

    Examples
    --------
    >>> fitted("observed share of edges", 1.0, 10.0)
    ['observed', 'share of', 'edges']
    """
    longest = len(text)
    while longest > 1 and room_for(broken(text, longest), size) > width:
        longest -= 1
    return broken(text, longest)
