"""Positions of the variables on the page: in layers, causes above. They stay as they are while evidence changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from orderspn.plot.drawn_edges import edges_to_draw
from orderspn.plot.labels import broken, labels_of
from orderspn.plot.layout import Layout, place
from orderspn.plot.shares_drawing import neighbours_to_draw

PIXELS = 96.0
"""Pixels per inch of the layout."""

MOST_CHARACTERS, LONGEST_LINE = 40, 16
"""Most characters of a label, and of one of its lines; the page has the whole name where it is pointed at."""

LETTER, LINE, PADDING, NARROWEST = 0.084, 0.18, (0.24, 0.16), 0.6
"""Width of a letter and height of a line on the page, room around them, and the width of the narrowest box."""

SHAPE = 1.5
"""Width over height to aim at."""


def positions(names: Sequence[str], probabilities: np.ndarray) -> dict[str, Any]:
    """Return labels, positions and sizes of the variables, and bends of long edges, for a page.

    Parameters
    ----------
    names : sequence of str
    probabilities : numpy.ndarray
        Of edges, shape (d, d).

    Returns
    -------
    dict
        With `labels` (lines of each), `nodes` ([x, y, width, height] of each), `bends` ([upper, lower, points]) and
        the `threshold` from which on edges are drawn; y grows downward.
    """
    drawn = edges_to_draw(names, probabilities, None, ())
    pairs, _ = neighbours_to_draw(names, probabilities, drawn.least)
    lines = {name: broken(label, LONGEST_LINE) for name, label in labels_of(names, MOST_CHARACTERS).items()}
    layout = place({name: _size(own) for name, own in lines.items()}, [pair.edge for pair in pairs], SHAPE)
    return {"labels": [lines[name] for name in names], "threshold": drawn.least, **_in_pixels(layout, names)}


def _size(lines: Sequence[str]) -> tuple[float, float]:
    """Width and height of a box in inches, by the number of letters: fonts differ between browsers anyway."""
    width = LETTER * max(map(len, lines)) + PADDING[0]
    return max(width, NARROWEST), LINE * len(lines) + PADDING[1]


def _in_pixels(layout: Layout, names: Sequence[str]) -> dict[str, Any]:
    place_of = {name: v for v, name in enumerate(names)}
    boxes = [layout.labels[name] for name in names]
    return {
        "nodes": [[_pixel(b.x), _pixel(-b.y), _pixel(b.width), _pixel(b.height)] for b in boxes],
        "bends": [
            [place_of[upper], place_of[lower], [[_pixel(x), _pixel(-y)] for x, y in points]]
            for (upper, lower), points in layout.bends.items()
        ],
    }


def _pixel(inches: float) -> float:
    return round(float(inches) * PIXELS, 1)
