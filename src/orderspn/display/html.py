"""Tables for notebooks. Names of variables may contain anything, so every text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from orderspn.display.text import cut

LEFT, RIGHT = "text-align: left; vertical-align: top", "text-align: right; vertical-align: top"

CELL = 400
"""Most characters in a cell."""


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table with a header; numbers have three decimals, and are on the right.

    Examples
    --------
    >>> "&lt;b&gt;" in table(["name"], [["<b>"]])
    True
    """
    head = "".join(f'<th style="{LEFT}">{escape(name)}</th>' for name in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def facts(lines: Iterable[tuple[str, str]], meanings: Mapping[str, str]) -> str:
    """Return a table of names and values; the meaning of a name is shown when the pointer is on it."""
    rows = "".join(
        f'<tr><th style="{LEFT}" title="{escape(meanings.get(name, ""))}">{escape(name)}</th>'
        f'<td style="{LEFT}">{escape(cut(value, CELL))}</td></tr>'
        for name, value in lines
    )
    return f"<table><tbody>{rows}</tbody></table>"


def titled(title: str, *parts: str) -> str:
    """Return parts below a title."""
    return f'<div style="margin: 0.5em 0"><strong>{escape(title)}</strong>{"".join(parts)}</div>'


def note(text: str) -> str:
    """Return a paragraph in small letters."""
    return f"<p><small>{escape(text)}</small></p>"


def folded(title: str, *parts: str) -> str:
    """Return parts that are shown when the title is clicked."""
    return f"<details><summary>{escape(title)}</summary>{''.join(parts)}</details>"


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f'<td style="{RIGHT}">{value:.3f}</td>'
    return f'<td style="{LEFT}">{escape(cut(str(value), CELL))}</td>'
