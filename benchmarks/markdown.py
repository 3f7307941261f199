"""Tables of pages."""

from __future__ import annotations

from collections.abc import Sequence


def table_of(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown whose columns but the first are numbers."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
