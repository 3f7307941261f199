"""Files that commands read: posteriors, tables and background knowledge, with an error of one line on failure."""

from __future__ import annotations

import csv
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orderspn.cli.options import MEMORY_LIMIT, split_names
from orderspn.cli.output import progress_bars
from orderspn.core.destination import destination
from orderspn.core.errors import MissingExtra, UnreadableFile, UserError
from orderspn.core.json_text import read_json

if TYPE_CHECKING:
    import pandas as pd

    from orderspn.knowledge.statement import Knowledge
    from orderspn.posterior import Posterior


_COMPRESSED = {".gz", ".bz2", ".xz", ".zip", ".zst", ".tar"}
_SEPARATORS = {".tsv": "\t", ".tab": "\t"}
_PARQUET = {".parquet", ".pq"}


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


def read_known(edges: Sequence[str], file: Path | None) -> Knowledge | None:
    """Read edges such as "A -> B, C !-> D" and the fields of a JSON file; None if nothing is known."""
    from orderspn.knowledge.statement import Knowledge

    stated = {} if file is None else _read_json(file)
    if not edges and not stated:
        return None
    known = Knowledge.from_dict(stated)
    for more in map(Knowledge.parse, edges):
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


def read_data(path: Path) -> pd.DataFrame:
    """Read a table with a header: CSV, TSV or parquet, by the ending of its name. Nothing is renamed or dropped."""
    ending = _ending(path)
    with reporting("read", path), _reporting_damage(path):
        if ending in _PARQUET:
            return _read_parquet(path)
        try:
            return _read_text(path, _SEPARATORS.get(ending, ","))
        except UnicodeDecodeError as problem:
            raise UnreadableFile(f"cannot read {str(path)!r} as a table: it is not UTF-8 text.") from problem
        except (ValueError, csv.Error) as problem:
            raise UnreadableFile(f"cannot read {str(path)!r} as a table: {problem}") from problem


def choose_columns(wanted: Sequence[str], data: pd.DataFrame) -> list[str]:
    """Choose the columns to use: each value is one name, or several names separated by commas."""
    names = [str(name) for name in data.columns]
    if not wanted:
        unnamed = [place for place, name in enumerate(names, start=1) if not name.strip()]
        if unnamed:
            raise UserError(
                f"column {unnamed[0]} of the data has no name (row numbers, perhaps); choose columns with --columns."
            )
        return names
    chosen: list[str] = []
    for value in wanted:
        chosen += [value] if value in names else split_names(value)
    return chosen


@contextmanager
def _reporting_damage(path: Path) -> Iterator[None]:
    """Turn an error of a decompressor, or its absence, into a user's error."""
    if path.suffix.lower() not in _COMPRESSED:
        yield
        return
    try:
        yield
    except ImportError as problem:
        raise MissingExtra(
            f"reading {path.suffix} files needs a package that is not installed. Unpack the file first, or: {problem}"
        ) from problem
    except _damage() as problem:
        raise UnreadableFile(
            f"cannot unpack {str(path)!r}: {problem or 'it ends too early'}. Is it damaged, or cut off?"
        ) from problem


def _damage() -> tuple[type[Exception], ...]:
    """The errors of decompressors; zipfile raises RuntimeError for an archive with a password."""
    import lzma
    import tarfile
    import zipfile
    import zlib

    of_zstandard = getattr(sys.modules.get("zstandard"), "ZstdError", EOFError)
    return EOFError, RuntimeError, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile, zlib.error, of_zstandard


def _ending(path: Path) -> str:
    """The last suffix that is not one of compression."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _read_text(path: Path, separator: str) -> pd.DataFrame:
    import pandas as pd

    # The header is read separately, because pandas invents names for columns without one, and for equal names.
    first = pd.read_csv(
        path, sep=separator, header=None, nrows=1, dtype=str, keep_default_na=False, encoding="utf-8-sig"
    )
    header = [str(name).strip() for name in first.iloc[0]]
    if len(header) == 1 and any(mark in header[0] for mark in ";\t|"):
        raise ValueError("its values are not separated by commas; convert it, or name it .tsv if they are tabs.")
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            data = pd.read_csv(
                path,
                sep=separator,
                header=0,
                names=range(len(header)),
                index_col=False,
                encoding="utf-8-sig",
            )
        except pd.errors.ParserWarning as problem:
            raise ValueError("some rows have more values than the header has names.") from problem
    data.columns = pd.Index(header)
    _warn_without_header(path, header)
    return data


def _warn_without_header(path: Path, header: Sequence[str]) -> None:
    if all(_is_number(name) for name in header):
        warnings.warn(
            f"the first line of {str(path)!r} has only numbers, which are used as names of columns; add a header line "
            "if the file has none.",
            UserWarning,
            stacklevel=2,
        )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _read_parquet(path: Path) -> pd.DataFrame:
    import pandas as pd

    try:
        return pd.read_parquet(path)
    except ImportError as problem:
        raise MissingExtra("reading parquet files needs pyarrow: pip install pyarrow") from problem
    except ValueError as problem:
        raise UnreadableFile(f"cannot read {str(path)!r} as a parquet table: {problem}") from problem
