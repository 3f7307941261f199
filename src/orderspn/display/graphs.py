"""How one graph is shown: its edges, a few of them in a prompt, and a table in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from orderspn.display.html import note, table, titled
from orderspn.display.text import counted, listed

MOST_ROWS = 20
"""Number of edges in a table."""

Pair = tuple[str, str]


def graph_text(kind: str, n_variables: int, edges: Iterable[Pair], facts: Sequence[str]) -> str:
    """Return a line about a graph, and a line with some of its edges."""
    arrows = [f"{cause} -> {effect}" for cause, effect in edges]
    about = ", ".join([f"{counted(len(arrows), 'edge')} among {counted(n_variables, 'variable')}", *facts])
    return f"<{kind}: {about}\n {listed(arrows)}>" if arrows else f"<{kind}: {about}>"


def graph_html(kind: str, n_variables: int, edges: Iterable[Pair], facts: Sequence[str]) -> str:
    """Return a table of the edges of a graph."""
    every = list(edges)
    title = ", ".join([f"{kind}: {counted(len(every), 'edge')} among {counted(n_variables, 'variable')}", *facts])
    parts = [table(["cause", "effect"], every[:MOST_ROWS])] if every else []
    if len(every) > MOST_ROWS:
        parts.append(note(f"... and {len(every) - MOST_ROWS:,} more in .graph.edges"))
    return titled(title, *parts)
