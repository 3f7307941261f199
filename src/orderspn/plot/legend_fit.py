"""Entries of a legend within a width: side by side where they fit, else one below the other and broken."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from orderspn.plot.labels import labels_of
from orderspn.plot.names import fitted, room_for

KEY_WIDTH, COLUMN_GAP = 2.8, 2.0
"""Room for the key of an entry and between columns, in sizes of the text."""

MOST_CHARACTERS = 120
LINE = 1.72
"""Height of an entry of one line with the gap below it, in sizes of the text."""


class LegendFit(NamedTuple):
    """Texts of a legend, in how many columns they stand, and how many inches they are high."""

    texts: list[str]
    columns: int
    height: float


def legend_fit(names: Sequence[str], width: float, size: float) -> LegendFit:
    """Set entries in two columns if these are at most so many inches wide, and else in one."""
    label = labels_of(names, MOST_CHARACTERS)
    labels = [label[name] for name in names]
    rows, point = math.ceil(len(labels) / 2), size / 72
    sides = [room_for(side, size) + KEY_WIDTH * point for side in (labels[:rows], labels[rows:])]
    if sum(sides) + COLUMN_GAP * point <= width:
        return LegendFit(labels, 2, LINE * rows * point)
    broken = [fitted(label, width - KEY_WIDTH * point, size) for label in labels]
    return LegendFit(["\n".join(lines) for lines in broken], 1, LINE * sum(map(len, broken)) * point)
