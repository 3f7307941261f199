"""Tables from text: values separated by commas, or as a `TextFormat` says, below a header line."""

from __future__ import annotations

import codecs
import csv
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from orderspn.core.errors import InvalidValue
from orderspn.core.file_kinds import HEAD
from orderspn.data.file_source import Source

if TYPE_CHECKING:
    import pandas as pd

_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+(?:[eE][-+]?\d+)?\s*\Z")
UTF8 = "utf-8-sig"

INSTEAD = "Read it with pandas.read_csv(..., {}) and pass the table."
"""How to read text of another format; the command line has options for it."""


@dataclass(frozen=True)
class TextFormat:
    """How values are written in a text file.

    Attributes
    ----------
    sep : str, optional
        What separates values; by default commas, or tabs if the name of the file ends in .tsv or .tab.
    decimal : str
        The decimal point.
    encoding : str
    """

    sep: str | None = None
    decimal: str = "."
    encoding: str = UTF8

    def __post_init__(self) -> None:
        for name, value in (("sep", self.sep), ("decimal", self.decimal)):
            if value is not None and len(value) != 1:
                raise InvalidValue(f"{name} must be one character, such as ';'; got {value!r}.")
        try:
            codecs.lookup(self.encoding)
        except LookupError:
            raise InvalidValue(f"encoding must be one that Python knows; got {self.encoding!r}.") from None


def read_text(source: Source, form: TextFormat, separator: str) -> pd.DataFrame:
    """Read a table from text; raise an error that says what its format seems to be."""
    try:
        return _parsed(source, form, separator)
    except UnicodeError as problem:
        other = "utf-16" if source.content(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "cp1252"
        wanted = "UTF-8" if form.encoding == UTF8 else form.encoding
        advice = INSTEAD.format(f"encoding={other!r}")
        raise source.unreadable(f"it is not {wanted} text. {advice}") from problem
    except (ValueError, csv.Error) as problem:
        raise source.unreadable(str(problem)) from problem


def _parsed(source: Source, form: TextFormat, separator: str) -> pd.DataFrame:
    import pandas as pd

    # The header is read separately, because pandas invents names for columns without one, and for equal names.
    common: dict[str, Any] = {"sep": separator, "encoding": form.encoding}
    first = pd.read_csv(source.opened(), header=None, nrows=1, dtype=str, keep_default_na=False, **common)
    header = [str(name).strip() for name in first.iloc[0]]
    _check_separator(source, header, separator, form)
    common |= {"header": 0, "names": range(len(header)), "index_col": False, "decimal": form.decimal}
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            data = pd.read_csv(source.opened(), **common)
        except pd.errors.ParserWarning as problem:
            raise ValueError("some rows have more values than the header has names.") from problem
    data.columns = pd.Index(header)
    _check_decimal_commas(data, form)
    warn_without_header(source, header)
    return data


def warn_without_header(source: Source, header: Sequence[str]) -> None:
    """Warn of a table whose names are numbers."""
    if all(map(is_number, header)):
        warnings.warn(
            f"the first line of {source.name!r} has only numbers, which are used as names of columns; add a header "
            "line if the file has none.",
            UserWarning,
            stacklevel=2,
        )


def _check_separator(source: Source, header: Sequence[str], separator: str, form: TextFormat) -> None:
    """Raise an error if other characters than the separator seem to separate values."""
    lines = source.content(HEAD).decode(form.encoding, errors="replace").splitlines()[:2]
    first, second = [*lines, "", ""][:2]

    def separates(mark: str) -> bool:
        # Names may hold such marks too, so that more than one name is only doubted if the next line agrees.
        only_one = len(header) == 1 and mark in header[0]
        return only_one or (form.sep is None and len(header) - 1 < first.count(mark) == second.count(mark))

    found = next((mark for mark in _SEPARATORS if mark != separator and separates(mark)), None)
    if found is None:
        return
    commas = ", decimal=','" if any(map(_DECIMAL_COMMA.match, second.split(found))) else ""
    advice = INSTEAD.format(f"sep={found!r}{commas}")
    raise ValueError(f"its values seem to be separated by {_SEPARATORS[found]}. {advice}")


def _check_decimal_commas(data: pd.DataFrame, form: TextFormat) -> None:
    """Raise an error if a column of text holds only numbers with decimal commas."""
    texts = data.select_dtypes(exclude="number") if form.decimal == "." else data.iloc[:, :0]
    for name, column in texts.items():
        values = column.dropna()
        if len(values) and all(_DECIMAL_COMMA.match(str(value)) for value in values):
            given = "" if form.sep is None else f"sep={form.sep!r}, "
            advice = INSTEAD.format(f"{given}decimal=','")
            raise ValueError(f"column {name!r} seems to hold numbers with decimal commas ({values.iloc[0]}). {advice}")


def is_number(text: str) -> bool:
    """Whether a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
