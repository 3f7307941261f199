"""Output of the program: answers for people and for programs, progress bars, and streams that may fail."""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import json
import math
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

import click

from orderspn.display.bars import Bars
from orderspn.display.progress import Progress, showing
from orderspn.display.screen import this_screen

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from rich.console import Console
    from rich.table import Table as RichTable

    from orderspn.queries.edges import Edges

Pair = tuple[str, str, float]
"""Cause, effect and a value."""

WIDE = 100_000
"""Characters per line where no cell should be folded."""

PATIENCE = 0.5
"""Seconds of work after which progress bars appear."""

WINDOWS = os.name == "nt"

_WRITING = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}
"""Errors of a stream that cannot be written to."""


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
    """The answer of a command: a JSON document, a table for CSV, and paragraphs and tables for people."""

    document: Any
    table: Table
    people: Sequence[str | Table]


def show(answer: Answer, form: str | None) -> None:
    """Print an answer in the requested form."""
    if form == "json":
        # Always UTF-8, for any encoding of the terminal: programs read this.
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


def number_text(value: float) -> str:
    """Format a number for people: four decimals, or two significant digits if these would all be zero."""
    if math.isnan(value):
        return "unknown"
    if value != 0.0 and abs(value) < 5e-5:
        return f"{value:.1e}"
    return f"{value + 0.0:.4f}"  # no minus sign of a zero


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    if isinstance(value, float):
        return value + 0.0 if math.isfinite(value) else None  # -0.0 becomes 0.0
    return value


def _csv_cell(value: Any) -> Any:
    if isinstance(value, float):
        return value + 0.0  # -0.0 becomes 0.0
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
        return number_text(value)
    if isinstance(value, list | tuple):
        return ", ".join(value)
    return str(value)


def strongest_pairs(frame: pd.DataFrame, top: int | None = None, scale: np.ndarray | float = 1.0) -> list[Pair]:
    """List all pairs of different variables, largest absolute values (divided by `scale`) first."""
    import numpy as np

    names, values = list(frame.index), frame.to_numpy()
    strength = np.abs(values / scale)
    places = [(i, j) for i in range(len(names)) for j in range(len(names)) if i != j]
    places.sort(key=lambda place: -strength[place])
    return [(names[i], names[j], float(values[i, j])) for i, j in places[:top]]


def with_errors(pairs: list[Pair], errors: pd.DataFrame) -> list[tuple[str, str, float, float]]:
    """Add the standard error of each pair as a fourth column."""
    place = {name: v for v, name in enumerate(errors.index)}
    values = errors.to_numpy()
    return [(one, other, value, float(values[place[one], place[other]])) for one, other, value in pairs]


def matrix_answer(frame: pd.DataFrame, title: str, row: str = "cause", column: str = "effect") -> Answer:
    """Answer with the whole matrix, by default of causes and effects."""
    names = list(frame.index)
    values: list[list[float]] = frame.to_numpy().tolist()
    rows: list[list[Any]] = [[name, *own] for name, own in zip(names, values, strict=True)]
    table = Table([row, *names], rows, foldable=False)
    document = {name: dict(zip(names, own, strict=True)) for name, own in zip(names, values, strict=True)}
    return Answer(document, table, [f"{title} (row = {row}, column = {column})", table])


def pairs_answer(pairs: list[Pair], value: str, title: str) -> Answer:
    """Answer with one row per pair."""
    table = Table(["cause", "effect", value], pairs)
    return Answer(table.records(), table, [title, table])


def condition(evidence: Edges) -> str:
    """Return the evidence of an answer, as the end of its title."""
    return f", given {evidence}" if evidence else ""


@contextlib.contextmanager
def progress_bars(form: str | None) -> Iterator[Progress]:
    """Show the progress of a block, on the error stream, if output and errors both go to a terminal.

    The value is the argument `progress` of calls within the block.
    """
    watched = form is None and sys.stdout.isatty() and this_screen() == "terminal"
    with Bars("terminal", PATIENCE) if watched else showing(False):
        yield "auto"


def prepare_streams() -> None:
    """Make sure that both streams exist, and that any name can be written to the output."""
    if sys.stdout is None:  # closed before the program began; a file opened later would become the output
        sys.stdout = _nowhere()
    if sys.stderr is None:
        sys.stderr = _nowhere()
    if hasattr(sys.stdout, "reconfigure"):
        # A name that the terminal cannot encode is shown with escapes instead of ending the program.
        sys.stdout.reconfigure(errors="backslashreplace")


def reader_is_gone(problem: BaseException | None) -> bool:
    """Whether nobody reads the output any more, such as after `| head`; Windows calls it an invalid argument."""
    if WINDOWS and isinstance(problem, OSError) and problem.filename is None and problem.errno == errno.EINVAL:
        return True
    return isinstance(problem, BrokenPipeError)


def is_of_stream(problem: OSError) -> bool:
    """Whether an error comes from a stream; errors of files name the file, or were reported where it is used."""
    return problem.filename is None and problem.errno in _WRITING


def discard(stream: TextIO) -> None:
    """Drop what is still buffered, so that the interpreter does not try to write it when it exits."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")
