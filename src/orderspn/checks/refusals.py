"""What `learn` refuses, as findings: all of it at once instead of the first problem as an error."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np

from orderspn.checks.finding import Finding
from orderspn.data.categories import MOST_LEVELS
from orderspn.data.columns import Columns, is_array, listed
from orderspn.data.kinds import CATEGORY, INTEGER, MOST_CODES, OTHER, REAL, kind_of, neither
from orderspn.data.mixed import MOST_LEVELS_BESIDE_NUMBERS
from orderspn.data.text_numbers import CONVERT, numbers_as_text
from orderspn.missing.cells import missing_in

IMPUTED = "Imputed by learn, which is right if values are missing at random; or pass missing='drop'."

MOST_LISTED = 5
"""Most columns with missing values of which the amount is told."""


def wrong_kinds(columns: Columns, reads: str | None, confirmed: Collection[str] = ()) -> list[Finding]:
    """Find columns that cannot be used, given how the score reads them ("numbers", "categories", or None for both).

    Text that was meant to hold numbers can be used as a category, if its levels are not too many. It is a warning,
    unless the column is `confirmed` to be a category.
    """
    kinds = {name: kind_of(column) for name, column in columns.items()}
    beside_numbers = reads is None and any(_is_measured(column, kinds[name]) for name, column in columns.items())
    found = []
    for name, kind in kinds.items():
        held = f"column {name!r} holds {kind} (dtype {columns[name].dtype})"
        if kind == OTHER:
            held, _, remedy = str(neither(name, columns[name])).partition(" Drop it")
            found.append(_error("column type", name, held, f"Drop it{remedy}"))
        elif kind == CATEGORY and (reads == "numbers" or beside_numbers):
            meant = numbers_as_text(columns[name])
            remedy = f"Convert it: {CONVERT}." if meant else "Encode it as numbers, or drop it."
            message = f"column {name!r} holds {meant or 'text'}."
            if reads == "numbers" or (meant and len(set(listed(columns[name]))) > MOST_LEVELS_BESIDE_NUMBERS):
                found.append(_error("column type", name, message, remedy))
            elif meant and name not in confirmed:
                found.append(Finding("column type", (name,), message, remedy))
        elif kind == REAL and reads == "categories":
            remedy = "Cut it into classes (pandas.cut), or drop it."
            found.append(_error("column type", name, f"{held}, which are not categories.", remedy))
    return found


def _is_measured(column: Any, kind: str) -> bool:
    """Whether a column holds numbers that cannot be categories."""
    return kind == REAL or (kind == INTEGER and len(np.unique(values_in(column, ~missing_in(column)))) > MOST_CODES)


def invalid_values(columns: Columns) -> list[Finding]:
    """Find missing and infinite values, constant columns, and categories with too many levels."""
    found = [finding for name, column in columns.items() for finding in _in_column(name, column)]
    gaps = [finding for finding in found if finding.check == "missing values" and finding.severity == "note"]
    if len(gaps) < 2:
        return found
    together = _missing_in_several({name: missing_in(columns[name]) for gap in gaps for name in gap.variables})
    return [finding for finding in found if finding not in gaps] + [together]


def _in_column(name: str, column: Any) -> Iterator[Finding]:
    missing = missing_in(column)
    present = values_in(column, ~missing)
    if missing.any():
        amount = f"{int(missing.sum())} missing value(s) ({missing.mean():.1%})"
        yield _missing(name, f"column {name!r} has {amount}.", everything=not len(present))
    if present.dtype.kind == "f" and np.isinf(present).any():
        amount = f"{int(np.isinf(present).sum())} infinite value(s)"
        yield _error("infinite values", name, f"column {name!r} has {amount}.", "Drop or replace them.")
    if is_constant(present):
        value = f"{present[0]:g}" if present.dtype.kind == "f" else str(present[0])
        yield _error("constant column", name, f"column {name!r} is constant (always {value}).", "Drop it.")
    n_levels = len(set(present.tolist())) if present.dtype.kind == "O" else 0
    if n_levels > MOST_LEVELS:
        levels = f"column {name!r} has {n_levels} levels; at most {MOST_LEVELS} can be used."
        yield _error("many levels", name, levels, "Merge levels, or drop the column if it names rows.")


def _missing(name: str, message: str, everything: bool) -> Finding:
    """Return the finding about missing values, which `learn` imputes unless there is nothing else."""
    if everything:
        return _error("missing values", name, message, "Drop the column.")
    return Finding("missing values", (name,), message, IMPUTED, "note")


def _missing_in_several(missing: Mapping[str, np.ndarray]) -> Finding:
    """Return one finding for all columns of which some values are missing, those with most of them first."""
    counts = {name: int(own.sum()) for name, own in missing.items()}
    most = sorted(counts, key=lambda name: -counts[name])
    listed_first = [f"{name!r} {counts[name]} ({missing[name].mean():.1%})" for name in most[:MOST_LISTED]]
    others = len(most) - len(listed_first)
    amounts = ", ".join(listed_first) + (f" and {others} more" if others else "")
    message = f"{len(most)} columns have {sum(counts.values())} missing values: {amounts}."
    return Finding("missing values", tuple(missing), message, IMPUTED, "note")


def values_in(column: Any, rows: np.ndarray) -> np.ndarray:
    """Return the values in some rows (N,), none of which is missing: as floats, or as text."""
    if kind_of(column) in (REAL, INTEGER):
        own = column if is_array(column) else column.to_numpy()
        return np.asarray(own[rows], dtype=np.float64)
    values = np.empty(int(rows.sum()), dtype=object)
    values[:] = [str(value) for value, wanted in zip(listed(column), rows.tolist(), strict=True) if wanted]
    return values


def is_constant(values: np.ndarray) -> bool:
    """Whether there are values and all are equal."""
    return bool(len(values) and (values == values[0]).all())


def _error(check: str, name: str, message: str, remedy: str) -> Finding:
    return Finding(check, (name,), message, remedy, "error")
