"""Answers in three forms: tables for people, JSON and CSV for programs."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

WIDE = 100_000
"""Columns of a page that never ends: where nothing should be folded."""


@dataclass(frozen=True)
class Table:
    """Named columns and rows of plain values: strings, numbers, or lists of strings."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    foldable: bool = True

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per row."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


@dataclass(frozen=True)
class Answer:
    """What a command found: a JSON document, a table for CSV, and paragraphs and tables for people."""

    document: Any
    table: Table
    people: Sequence[str | Table]


def show(answer: Answer, form: str | None) -> None:
    """Print an answer in the form that was asked for."""
    if form == "json":
        # Always UTF-8, whatever the terminal speaks: programs read this.
        click.echo(as_json(answer.document).encode())
    elif form == "csv":
        click.echo(as_csv(answer.table).encode(), nl=False)
    else:
        show_people(answer.people)


def as_json(document: Any) -> str:
    """Write a document as JSON with full precision; infinities, which JSON lacks, become null."""
    return json.dumps(_finite(document), ensure_ascii=False, indent=2, allow_nan=False)


def as_csv(table: Table) -> str:
    """Write a table as CSV with full precision; a list becomes a JSON array within its cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([_csv_cell(value) for value in row] for row in table.rows)
    return text.getvalue()


def show_people(parts: Iterable[str | Table]) -> None:
    """Print paragraphs and tables."""
    for part in parts:
        if isinstance(part, str):
            click.echo(part)
        else:
            _console(part.foldable).print(_rich_table(part))


def number(value: float) -> str:
    """Write a number for people: four digits after the point, or two that count where those would be zeros."""
    if value != 0.0 and abs(value) < 5e-5:
        return f"{value:.1e}"
    return f"{value:.4f}"


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _csv_cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | tuple | bool) else value


def _console(foldable: bool) -> Console:
    from rich.console import Console

    terminal = sys.stdout.isatty()
    return Console(
        file=sys.stdout,
        force_terminal=terminal,
        width=None if terminal and foldable else WIDE,
        markup=False,
        emoji=False,
        highlight=False,
    )


def _rich_table(table: Table) -> RichTable:
    from rich import box
    from rich.table import Table as RichTable

    drawn = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for place, name in enumerate(table.columns):
        numeric = all(isinstance(row[place], int | float) for row in table.rows)
        drawn.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for row in table.rows:
        drawn.add_row(*map(_people_cell, row))
    return drawn


def _people_cell(value: Any) -> str:
    if isinstance(value, float):
        return number(value)
    if isinstance(value, list | tuple):
        return ", ".join(value)
    return str(value)
