"""Files that commands read: posteriors, tables and background knowledge, with an error of one line on failure."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orderspn.cli.options import MEMORY_LIMIT, split_names
from orderspn.cli.output import progress_bars
from orderspn.core.destination import destination
from orderspn.core.errors import UserError, unknown_name
from orderspn.core.json_text import read_json

if TYPE_CHECKING:
    import pandas as pd

    from orderspn.data.text_files import TextFormat
    from orderspn.knowledge.statement import Knowledge
    from orderspn.posterior import Posterior


STANDARD_INPUT = "-"


@contextmanager
def opened(path: Path, given: Sequence[str], form: str | None) -> Iterator[Posterior]:
    """Load a posterior and condition it; progress bars are shown until the block ends."""
    from orderspn.queries.edges import Edges
    from orderspn.storage import load

    with progress_bars(form) as progress:
        with reporting("read", path):
            posterior = load(path, memory_limit=_memory_limit(), progress=progress)
        for edges in given:
            posterior = posterior.given(Edges.parse(edges))
        yield posterior


def _memory_limit() -> int | None:
    """The `--memory-limit` of the running command."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(MEMORY_LIMIT)


@contextmanager
def reporting(action: str, path: Path) -> Iterator[None]:
    """Turn an error of the file system into a user's error that names the file."""
    try:
        yield
    except UserError:  # has its message already
        raise
    except OSError as problem:
        raise UserError(f"cannot {action} {str(path)!r}: {problem.strerror or problem}.") from problem


def check_output(path: Path) -> None:
    """Check that a file can be written, before the long work."""
    destination(path)


def read_known(stated: Sequence[str]) -> Knowledge | None:
    """Read edges such as "A -> B, C !-> D", and the fields of JSON files; None if nothing is known."""
    from orderspn.knowledge.statement import Knowledge

    if not stated:
        return None
    files = [text for text in stated if text.lower().endswith(".json") or Path(text).is_file()]
    if len(files) > 1:
        raise UserError(f"--knowledge takes one JSON file; got {files[0]!r} and {files[1]!r}. Join them.")
    known = Knowledge.from_dict(_read_json(Path(files[0])) if files else {})
    for more in (Knowledge.parse(text) for text in stated if text not in files):
        known = replace(
            known, required=(*known.required, *more.required), forbidden=(*known.forbidden, *more.forbidden)
        )
    return known


def _read_json(file: Path) -> dict[str, Any]:
    with reporting("read", file):
        content = file.read_bytes()
    try:
        stated = read_json(content)
    except ValueError as problem:
        raise UserError(f"{str(file)!r} cannot be read: {problem}.") from None
    if not isinstance(stated, dict):
        raise UserError(
            f"{str(file)!r} must hold an object with fields such as required, forbidden and tiers; got a "
            f"{type(stated).__name__}."
        )
    return stated


def read_data(path: Path, form: TextFormat | None = None) -> pd.DataFrame:
    """Read a table from a file, or from standard input for `-`."""
    from orderspn.data.files import read_file, read_stream

    if str(path) == STANDARD_INPUT:
        return read_stream(sys.stdin.buffer, "standard input", form)
    return read_file(path, form)


def choose_columns(wanted: Sequence[str], excluded: Sequence[str], data: pd.DataFrame) -> list[str]:
    """Choose the columns to use: each value is one name, or several names separated by commas."""
    names = [str(name) for name in data.columns]
    left_out = _named(excluded, names)
    for name in left_out:
        if name not in names:
            raise unknown_name(name, names, "column")
    chosen = [name for name in _named(wanted, names) or names if name not in left_out]
    unnamed = [place for place, name in enumerate(names, start=1) if not name.strip()]
    if unnamed and not wanted:
        raise UserError(
            f"column {unnamed[0]} of the data has no name (row numbers, perhaps); choose columns with --variables."
        )
    return chosen


def named_columns(values: Sequence[str], data: pd.DataFrame) -> list[str]:
    """Return the names in values, each of which is one name, or several names separated by commas."""
    return _named(values, [str(name) for name in data.columns])


def _named(values: Sequence[str], names: Sequence[str]) -> list[str]:
    return [name for value in values for name in ([value] if value in names else split_names(value))]


def without_missing(data: pd.DataFrame, variables: Sequence[str]) -> pd.DataFrame:
    """Drop the rows in which one of the variables is missing, and say how many on the error stream."""
    complete = data.dropna(subset=[name for name in variables if name in data.columns])
    dropped = len(data) - len(complete)
    click.echo(f"orderspn: dropped {dropped:,} of {len(data):,} rows, which have missing values", err=True)
    return complete
