"""Choose the score for a table, read the table as numbers or categories, and fit the score.

With `score="auto"` the kinds of columns decide (`data/kinds.py`). With `standardize="auto"` the score decides: one
whose prior expects standard units says so by an attribute, `standardizes = True`.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import numpy as np

from orderspn.core.arguments import check_choice
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.names import quoted
from orderspn.data.categories import Categories, categories_of, read_categories
from orderspn.data.dataset import Dataset, numbers_of, read_table
from orderspn.data.interventions import read_with_interventions
from orderspn.data.kinds import reading_of
from orderspn.scores.answers import check_fitted
from orderspn.scores.protocol import MarginalLikelihood, Reads, Score
from orderspn.scores.registry import DEFAULT_SCORES, SCORES, reads

AUTO: Final = "auto"

Table = Dataset | Categories

Standardize = bool | Literal["auto"]
"""Whether columns of numbers are standardized; "auto" if the prior of the score expects it."""


def read_for_score(
    score: str | Score,
    data: Any,
    variables: Sequence[str] | None,
    standardize: Standardize,
    interventions: Any = None,
    targets: Mapping[Any, Any] | None = None,
) -> tuple[Score, Table]:
    """Return the score, and the table as the score reads it: numbers or categories."""
    about_interventions: dict[str, Any] = {"interventions": interventions, "targets": targets}
    chosen = _checked(score)
    if not isinstance(standardize, (bool, np.bool_)) and standardize != AUTO:
        raise InvalidType(f"standardize must be True, False or 'auto'; got {standardize!r}.")
    table: Table
    if chosen is None:
        chosen, table = _by_types(data, variables, standardize, about_interventions)
    elif reads(chosen) == "categories":
        table = read_categories(data, variables, **about_interventions)
    elif isinstance(data, Categories):
        raise InvalidType(
            f"the score needs numbers, and the data are Categories; pass score={DEFAULT_SCORES['categories']!r}."
        )
    else:
        table = read_table(data, variables, standardize=_standardizes(standardize, chosen, data), **about_interventions)
    if standardize not in (AUTO, False) and isinstance(table, Categories):
        raise InvalidValue(
            f"standardize=True is for numbers (score={DEFAULT_SCORES['numbers']!r}); categories have no unit. Leave it "
            "out."
        )
    return chosen, table


def _by_types(
    data: Any, variables: Sequence[str] | None, standardize: Standardize, about_interventions: Mapping[str, Any]
) -> tuple[Score, Table]:
    """Return the default score for the kinds of columns, and the table."""
    numbers, categories = default_score("numbers"), default_score("categories")
    standardized = _standardizes(standardize, numbers, data)
    if isinstance(data, Categories):
        return categories, read_categories(data, variables, **about_interventions)
    if isinstance(data, Dataset):
        return numbers, read_table(data, variables, standardize=standardized, **about_interventions)
    columns, intervened = read_with_interventions(data, variables, **about_interventions)
    reading = reading_of(columns)
    if reading.note is not None:
        # Three calls up is the caller of family_scores; `learn` passes warnings on by itself.
        warnings.warn(reading.note, UserWarning, stacklevel=4)
    if reading.as_categories:
        return categories, categories_of(columns, intervened)
    return numbers, numbers_of(columns, standardized, intervened)


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
