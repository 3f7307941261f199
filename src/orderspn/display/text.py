"""Short texts for prompts: lists that end with "... and 40 more", and text that shows itself."""

from __future__ import annotations

from collections.abc import Iterable

ROOM = 180
"""Number of characters for a list within a short text."""


def listed(items: Iterable[str], room: int = ROOM) -> str:
    """Join as many items as there is room for, at least one, and count the others.

    Examples
    --------
    >>> listed(["A -> B", "B -> C", "C -> D"], room=16)
    'A -> B, B -> C, ... and 1 more'
    """
    every = list(items)
    shown: list[str] = []
    for item in every:
        own = cut(item, room)
        if shown and len(", ".join([*shown, own])) > room:
            return f"{', '.join(shown)}, ... and {len(every) - len(shown):,} more"
        shown.append(own)
    return ", ".join(shown)


def cut(text: str, room: int = ROOM) -> str:
    """Return the beginning of a long text.

    Examples
    --------
    >>> cut("one, two, three", room=8)
    'one, two ...'
    """
    return text if len(text) <= room else f"{text[:room].rstrip(', ')} ..."


def counted(number: float, name: str, names: str | None = None) -> str:
    """Return a number with the name of what it counts.

    Examples
    --------
    >>> counted(1, "edge"), counted(7466, "row")
    ('1 edge', '7,466 rows')
    """
    return f"{number:,} {name if number == 1 else names or name + 's'}"


class Text(str):
    """A text of several lines that a prompt shows as it is, without quotes.

    Examples
    --------
    >>> Text("two\\nlines")
    two
    lines
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)
