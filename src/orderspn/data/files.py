"""Tables from files: text, Excel workbooks and Parquet files, with a header. Nothing is renamed or dropped."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeGuard

from orderspn.core.errors import MissingExtra, UnreadableFile, UserError
from orderspn.core.file_kinds import EXCEL, HEAD, PARQUET, POSTERIOR, seems_to_be
from orderspn.data.file_source import Source
from orderspn.data.text_files import TextFormat, read_text, warn_without_header

if TYPE_CHECKING:
    import pandas as pd

COMPRESSED = {".gz", ".bz2", ".xz", ".zip", ".zst", ".tar"}
KINDS = {".xlsx": EXCEL, ".xlsm": EXCEL, ".parquet": PARQUET, ".pq": PARQUET}
SEPARATORS = {".tsv": "\t", ".tab": "\t"}


def is_path(data: Any) -> TypeGuard[str | os.PathLike[str]]:
    """Whether data are the name of a file."""
    return isinstance(data, str | os.PathLike)


def read_file(path: str | os.PathLike[str], form: TextFormat | None = None) -> pd.DataFrame:
    """Read a table with a header from a file: CSV or TSV (perhaps compressed), Excel or Parquet.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (pathlib.Path(folder) / "data.csv").write_text("A,B\\n1.5,yes\\n2.5,no\\n", encoding="utf-8")
    ...     read_file(f"{folder}/data.csv").columns.tolist()
    ['A', 'B']
    """
    file = Path(path)
    try:
        with _reporting_damage(file):
            return _read(Source(file, str(file), file.suffixes), form or TextFormat())
    except UserError:  # has its message already
        raise
    except OSError as problem:
        raise UnreadableFile(f"cannot read {str(file)!r}: {problem.strerror or problem}.") from problem


def read_stream(stream: BinaryIO, name: str, form: TextFormat | None = None) -> pd.DataFrame:
    """Read a table from a stream, such as standard input; its content tells what it is."""
    content = io.BytesIO(stream.read())
    kind = seems_to_be(content.getvalue())
    return _read(Source(content, name, [_ending_of(kind) or ".csv"]), form or TextFormat())


def _read(source: Source, form: TextFormat) -> pd.DataFrame:
    endings = [ending.lower() for ending in source.endings]
    compressed = bool(endings) and endings[-1] in COMPRESSED
    while endings and endings[-1] in COMPRESSED:
        endings.pop()
    ending = endings[-1] if endings else ""
    kind = KINDS.get(ending)
    if not compressed:
        _check_kind(source, kind)
    if kind == EXCEL:
        return _read_excel(source)
    if kind == PARQUET:
        return _read_parquet(source)
    return read_text(source, form, form.sep or SEPARATORS.get(ending, ","))


def _check_kind(source: Source, expected: str | None) -> None:
    """Raise an error for a file of another kind than its name says."""
    head = source.content(HEAD)
    found = seems_to_be(source.content() if head.startswith(b"PK") else head)
    if found is None and expected is not None:
        raise source.unreadable(f"it is not {expected}, in spite of its name.")
    if found is None or found == expected:
        return
    if found == POSTERIOR:
        raise source.unreadable(f"it is {found}, not data. Read it with orderspn.load(...), or learn from a table.")
    ending = _ending_of(found)
    remedy = f"Rename it to end in {ending}." if ending else "Save the table as CSV first."
    raise source.unreadable(f"it seems to be {found}. {remedy}")


def _ending_of(kind: str | None) -> str | None:
    return next((ending for ending, own in KINDS.items() if own == kind), None)


def _read_excel(source: Source) -> pd.DataFrame:
    import pandas as pd

    try:
        with pd.ExcelFile(source.opened()) as workbook:
            sheets = list(map(str, workbook.sheet_names))
            first = pd.read_excel(workbook, header=None, nrows=1, dtype=str, keep_default_na=False)
            header = [str(name).strip() for name in first.iloc[0]] if len(first) else []
            data = pd.read_excel(workbook, header=0, names=list(range(len(header))), index_col=None)
    except ImportError as problem:
        raise _missing_package("Excel") from problem
    except (ValueError, KeyError) as problem:
        raise source.unreadable(str(problem)) from problem
    data.columns = pd.Index(header)
    if len(sheets) > 1:
        shown = f"{source.name!r} has {len(sheets)} sheets, and only the first, {sheets[0]!r}, is read."
        warnings.warn(shown, UserWarning, stacklevel=2)
    warn_without_header(source, header)
    return data


def _read_parquet(source: Source) -> pd.DataFrame:
    import pandas as pd

    try:
        return pd.read_parquet(source.opened())
    except ImportError as problem:
        raise _missing_package("Parquet") from problem
    except ValueError as problem:
        raise source.unreadable(str(problem)) from problem


def _missing_package(kind: str) -> MissingExtra:
    return MissingExtra(f'reading {kind} files needs a package that is not installed: pip install "orderspn[files]"')


@contextmanager
def _reporting_damage(path: Path) -> Iterator[None]:
    """Turn an error of a decompressor, or its absence, into a user's error."""
    if path.suffix.lower() not in COMPRESSED:
        yield
        return
    try:
        yield
    except MissingExtra:
        raise
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
