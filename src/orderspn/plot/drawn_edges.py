"""Which edges a drawn graph has: those above a threshold, which is higher where there would be too many."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.queries.edges import Edge

THRESHOLDS = (0.1, 0.2, 0.3, 0.4)
"""Thresholds to choose from. None is higher: both directions of an undecided edge have probabilities of about 0.5."""

EDGES_PER_VARIABLE, ALWAYS_READABLE = 2, 40
"""A graph with so many edges, or so many for each of its variables, is readable."""


class DrawnEdges(NamedTuple):
    """Edges with their probabilities, most probable first; the threshold, and how many edges it left out."""

    probabilities: dict[Edge, float]
    least: float
    hidden: int

    @property
    def caption(self) -> str:
        """What thickness stands for, from which probability on, and how many edges were too many."""
        told = f"probability of the edge ({self.least:g} or more"
        if self.hidden:
            edges = "1 edge" if self.hidden == 1 else f"{self.hidden} edges"
            told += f"; {edges} from {THRESHOLDS[0]:g} to {self.least:g} not drawn"
        return told + ")"


def edges_to_draw(
    names: Sequence[str], values: np.ndarray, min_probability: float | None, required: Collection[Edge]
) -> DrawnEdges:
    """Probable and required edges, but never impossible ones.

    Parameters
    ----------
    names : sequence of str
    values : numpy.ndarray
        Probabilities of edges, shape (d, d).
    min_probability : float or None
        The threshold; None chooses the lowest of `THRESHOLDS` that leaves a readable number of edges.
    required : collection of (cause, effect)
        Drawn even if they are less probable.

    Returns
    -------
    DrawnEdges

    Examples
    --------
    >>> edges_to_draw(["A", "B"], np.array([[0.0, 0.8], [0.05, 0.0]]), None, [])
    DrawnEdges(probabilities={('A', 'B'): 0.8}, least=0.1, hidden=0)
    """
    least = readable_threshold(values) if min_probability is None else _checked(min_probability)
    edges = {
        (names[c], names[e]): float(values[c, e])
        for c, e in np.argwhere(values > 0.0)
        if values[c, e] >= least or (names[c], names[e]) in required
    }
    hidden = int(((values >= THRESHOLDS[0]) & (values < least)).sum()) if min_probability is None else 0
    return DrawnEdges(dict(sorted(edges.items(), key=lambda item: -item[1])), least, hidden)


def readable_threshold(values: np.ndarray) -> float:
    """The lowest threshold that leaves a readable number of edges, or else the highest."""
    readable = max(ALWAYS_READABLE, EDGES_PER_VARIABLE * len(values))
    fitting = [least for least in THRESHOLDS if (values >= least).sum() <= readable]
    return fitting[0] if fitting else THRESHOLDS[-1]


def _checked(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise InvalidType(f"min_probability must be a number from 0 to 1, or None; got {value!r}.")
    if not 0.0 <= value <= 1.0:
        raise InvalidValue(f"min_probability must be a number from 0 to 1, or None; got {value}.")
    return float(value)
