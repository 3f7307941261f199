"""Edges by the marks at their two ends: directed, undirected, or refused."""

from __future__ import annotations

from collections.abc import Iterable

from orderspn.core.errors import InvalidValue
from orderspn.queries.edges import Edge

OPEN, END = False, True
Marks = tuple[bool, bool]
"""Whether there is an arrow head at the left and at the right end."""


def edges_by_marks(name: str, edges: Iterable[tuple[Edge, Marks]]) -> tuple[list[Edge], list[Edge]]:
    """Divide edges into directed ones (cause, effect) and undirected ones.

    Examples
    --------
    >>> edges_by_marks("graph", [(("A", "B"), (END, OPEN)), (("B", "C"), (OPEN, OPEN))])
    ([('B', 'A')], [('B', 'C')])
    """
    directed: list[Edge] = []
    undirected: list[Edge] = []
    for (left, right), marks in edges:
        if marks == (END, END):
            raise InvalidValue(
                f"{name} must have no bidirected edge; got {left!r} <-> {right!r}, which stands for a common cause "
                "that was not measured. A posterior is over graphs of the measured variables alone: leave the edge "
                "out, or give it a direction or none."
            )
        if marks == (OPEN, OPEN):
            undirected.append((left, right))
        else:
            directed.append((left, right) if marks == (OPEN, END) else (right, left))
    return directed, undirected
