"""Tables from files: CSV, TSV and parquet, told apart by the ending of the file's name."""

from __future__ import annotations

import csv
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from orderspn.cli.files import reporting
from orderspn.core.errors import MissingExtra, UnreadableFile, UserError

if TYPE_CHECKING:
    import pandas as pd

_COMPRESSED = {".gz", ".bz2", ".xz", ".zip", ".zst", ".tar"}
_SEPARATORS = {".tsv": "\t", ".tab": "\t"}
_PARQUET = {".parquet", ".pq"}


def read_data(path: Path) -> pd.DataFrame:
    """Read a table with its header, as it stands: nothing is renamed, left out or guessed."""
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
    """The columns to use: each value is the name of one, or several names with commas between them."""
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
        chosen += [value] if value in names else _split(value)
    return chosen


@contextmanager
def _reporting_damage(path: Path) -> Iterator[None]:
    """Report what decompressors say against a file, or that there is none for it."""
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
    """The errors of decompressors; a RuntimeError is that of an archive with a password."""
    import lzma
    import tarfile
    import zipfile
    import zlib

    of_zstandard = getattr(sys.modules.get("zstandard"), "ZstdError", EOFError)
    return EOFError, RuntimeError, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile, zlib.error, of_zstandard


def _split(value: str) -> Iterable[str]:
    (row,) = csv.reader([value], skipinitialspace=True)
    return [name.strip() for name in row]


def _ending(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _read_text(path: Path, separator: str) -> pd.DataFrame:
    import pandas as pd

    # The header by itself: pandas would make new names for columns that have none, or share one.
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
            f"the first line of {str(path)!r} holds only numbers, and they were taken for the names of its "
            "columns; add a header line if it has none.",
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
