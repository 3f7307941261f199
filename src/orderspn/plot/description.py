"""What a picture shows in words: its alternative text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NAMED = 5


def describe(ax: Axes, text: str) -> None:
    """Keep a description as the label of axes, unless they have one; `ax.get_label()` returns it."""
    if not ax.get_label():
        ax.set_label(text)


def strongest(items: Sequence[tuple[str, float]]) -> str:
    """Name the first few of sorted items with their numbers.

    Examples
    --------
    >>> strongest([("Raf -> Mek", 0.98), ("PKA -> Akt", 0.5)])
    'Raf -> Mek 0.98, PKA -> Akt 0.50'
    """
    return ", ".join(f"{name} {value:.2f}" for name, value in items[:MOST_NAMED])


FIELDS = {"png": "Description", "svg": "Description", "pdf": "Subject"}
"""Where files of a format have a description."""


def file_metadata(ax: Axes, ending: str) -> dict[str, str] | None:
    """The description of axes as metadata of a file, if files with this ending have room for it.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> file_metadata(Figure().add_subplot(label="Graph of 3 variables."), "png")
    {'Description': 'Graph of 3 variables.'}
    """
    return {FIELDS[ending]: str(ax.get_label())} if ending in FIELDS else None
