"""Choose the score for a table, read the table as numbers, categories or a mixture of both, and fit the score.

With `score="auto"` the kinds of columns decide (`data/kinds.py`). With `standardize="auto"` the score decides: one
whose prior expects standard units says so by an attribute, `standardizes = True`.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from orderspn.core.arguments import check_choice
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.names import quoted
from orderspn.data.categories import Categories, categories_of, read_categories
from orderspn.data.column_groups import Groups
from orderspn.data.dataset import Dataset, numbers_of, read_table
from orderspn.data.interventions import read_with_interventions
from orderspn.data.kinds import Kind, checked_kinds
from orderspn.data.mixed import MixedTable, Table
from orderspn.data.mixed_reading import columns_by_kind
from orderspn.scores.answers import check_fitted
from orderspn.scores.protocol import MarginalLikelihood, Reads, Score
from orderspn.scores.registry import DEFAULT_SCORES, SCORES, reads

AUTO: Final = "auto"

Standardize = bool | Literal["auto"]
"""Whether columns of numbers are standardized; "auto" if the prior of the score expects it."""


def read_for_score(
    score: str | Score,
    data: Any,
    variables: Sequence[str] | None,
    standardize: Standardize,
    interventions: Any = None,
    targets: Mapping[Any, Any] | None = None,
    kinds: Mapping[str, Kind] | None = None,
    groups: Groups | None = None,
) -> tuple[Score, Table]:
    """Return the score, and the table as the score reads it: numbers, categories, or variables of several kinds."""
    chosen = _checked(score)
    if not isinstance(standardize, (bool, np.bool_)) and standardize != AUTO:
        raise InvalidType(f"standardize must be True, False or 'auto'; got {standardize!r}.")
    asked = _Asked(variables, interventions, targets, kinds, groups)
    if isinstance(data, Dataset | Categories | MixedTable):
        chosen, table = _frozen_table(chosen, data, standardize, asked)
    elif chosen is not None and reads(chosen) == "categories":
        table = _read_categories(data, asked)
    else:
        chosen, table = _by_kinds(chosen, data, standardize, asked)
    _check_standardize(standardize, table)
    return chosen, table


class _Asked(NamedTuple):
    """What a user said about the columns of a table."""

    variables: Sequence[str] | None
    interventions: Any
    targets: Mapping[Any, Any] | None
    kinds: Mapping[str, Kind] | None
    groups: Groups | None


def _frozen_table(score: Score | None, data: Table, standardize: Standardize, asked: _Asked) -> tuple[Score, Table]:
    """Return the score and the table for a table that was read before."""
    if asked.kinds or asked.groups:
        raise InvalidValue(
            "kinds and groups are for a table that is not read yet; pass the table that it was read from."
        )
    about = {"interventions": asked.interventions, "targets": asked.targets}
    if isinstance(data, Categories):
        chosen = default_score("categories") if score is None else score
        if reads(chosen) != "categories":
            raise InvalidType(
                f"the score needs numbers, and the data are Categories; pass score={DEFAULT_SCORES['categories']!r}."
            )
        return chosen, read_categories(data, asked.variables, **about)
    chosen = default_score("numbers") if score is None else score
    if isinstance(data, MixedTable):
        _check_reads_groups(chosen, "the data are a MixedTable")
        if asked.variables is not None or asked.interventions is not None or asked.targets is not None:
            raise InvalidValue("a MixedTable has its variables and interventions already. Leave them out.")
        return chosen, data
    if reads(chosen) == "categories":
        return chosen, read_categories(data, asked.variables, **about)
    return chosen, read_table(data, asked.variables, standardize=_standardizes(standardize, chosen, data), **about)


def _read_categories(data: Any, asked: _Asked) -> Categories:
    """Read all columns as categories."""
    if asked.groups:
        raise InvalidValue("groups are measured columns, and this score reads categories. Use score='bge'.")
    columns, intervened = read_with_interventions(data, asked.variables, asked.interventions, asked.targets)
    kinds = checked_kinds(asked.kinds, columns)
    numbers = [name for name, kind in kinds.items() if kind == "number"]
    if numbers:
        raise InvalidValue(
            f"kinds says that {quoted(numbers)} hold numbers, and this score reads categories. Use 'bge'."
        )
    return categories_of(columns, intervened, kinds)


def _by_kinds(score: Score | None, data: Any, standardize: Standardize, asked: _Asked) -> tuple[Score, Table]:
    """Return the score and the table by the kinds of columns, for a score of numbers or none."""
    found = columns_by_kind(data, *asked, measured=score is not None)
    reading = found.reading
    if reading.note is not None:
        # Three calls up is the caller of family_scores; `learn` passes warnings on by itself.
        warnings.warn(reading.note, UserWarning, stacklevel=4)
    if score is None and reading.all_categories and not found.groups:
        return default_score("categories"), categories_of(found.columns, found.intervened, reading.kinds)
    chosen = default_score("numbers") if score is None else score
    if reading.all_numbers and not found.groups:
        return chosen, numbers_of(found.columns, _standardizes(standardize, chosen, data), found.intervened)
    categories = [name for name, kind in reading.kinds.items() if kind == "category"]
    _check_reads_groups(chosen, f"{quoted(categories or list(found.groups))} need several columns")
    return chosen, found.mixed()


def _check_reads_groups(score: Score, reason: str) -> None:
    if not getattr(score, "reads_groups", False):
        raise InvalidValue(
            f"{type(score).__name__} reads a column of numbers for each variable, and {reason}. Use scores.BGe(), or "
            "encode them as numbers."
        )


def _check_standardize(standardize: Standardize, table: Table) -> None:
    if isinstance(table, Categories) and standardize not in (AUTO, False):
        raise InvalidValue(
            f"standardize=True is for numbers (score={DEFAULT_SCORES['numbers']!r}); categories have no unit. Leave it "
            "out."
        )
    if isinstance(table, MixedTable) and standardize not in (AUTO, True):
        raise InvalidValue(
            "standardize=False is for numbers alone; beside categories and in groups columns are always whitened. "
            "Leave it out."
        )


def kinds_of(table: Table) -> dict[str, str]:
    """Return how each variable of a table is read: as a "number", a "category" or a "group"."""
    if isinstance(table, MixedTable):
        return dict(table.kinds)
    return dict.fromkeys(table.variables, "category" if isinstance(table, Categories) else "number")


def _standardizes(standardize: Standardize, score: Score, data: Any) -> bool:
    """Return whether to standardize the table; by default not again what was standardized already."""
    if standardize != AUTO:
        return bool(standardize)
    return getattr(score, "standardizes", False) and not (isinstance(data, Dataset) and data.standardized)


def fit_score(score: str | Score, data: Table) -> MarginalLikelihood:
    """Fit a score, given by name or as an object with its hyperparameters."""
    known = _checked(score)
    chosen = default_score("categories" if isinstance(data, Categories) else "numbers") if known is None else known
    if data.intervened is not None:
        _check_leaves_out(chosen)
        _warn_of_always_intervened(data, data.intervened)
    fitted = chosen.fit(data)
    check_fitted(fitted, data.n_variables)
    return fitted


def _check_leaves_out(score: Score) -> None:
    if not getattr(score, "leaves_rows_out", False):
        raise InvalidValue(
            f"interventions need a score that leaves rows out, and {type(score).__name__} has no leaves_rows_out = "
            "True. Use scores.BGe() or scores.BDeu(), or set the attribute if its fit uses data.intervened."
        )


def _warn_of_always_intervened(data: Table, intervened: np.ndarray) -> None:
    always = intervened.all(axis=0)
    if always.any():
        were, their = ("was", "its") if always.sum() == 1 else ("were", "their")
        # Three calls up is the caller of family_scores; `learn` passes warnings on by itself.
        warnings.warn(
            f"{quoted([data.variables[i] for i in np.flatnonzero(always)])} {were} intervened on in every row, so that "
            f"the data say nothing about {their} causes: their probabilities follow from the prior and from the rest "
            "of the graph.",
            UserWarning,
            stacklevel=4,
        )


def default_score(kind: Reads) -> Score:
    """Return the default score for numbers or for categories."""
    return SCORES[DEFAULT_SCORES[kind]]()


def _checked(score: str | Score) -> Score | None:
    """Return the score object, or None for "auto"."""
    if isinstance(score, str):
        check_choice("score", score, (AUTO, *SCORES))
        return None if score == AUTO else SCORES[score]()
    if isinstance(score, type) or not hasattr(score, "fit"):
        raise InvalidValue(
            f"score must be one of {(AUTO, *SCORES)} or a score object such as scores.BGe(); got {score!r}."
        )
    return score
