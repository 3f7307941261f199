"""From a table and what is said about the score to the score and the data it reads.

What nobody says is decided by the types of columns alone: real numbers, or categories. Whole numbers could be either,
and are asked about.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from orderspn.core.arguments import check_choice
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.names import quoted
from orderspn.data.categories import Categories, categories_of, read_categories
from orderspn.data.columns import all_categories
from orderspn.data.dataset import Dataset, numbers_of, read_table
from orderspn.data.interventions import read_with_interventions
from orderspn.scores.answers import check_fitted
from orderspn.scores.protocol import MarginalLikelihood, Score
from orderspn.scores.registry import SCORES, USUAL, reads

AUTO = "auto"

Table = Dataset | Categories


def read_for_score(
    score: str | Score,
    data: Any,
    variables: Sequence[str] | None,
    standardize: bool,
    interventions: Any = None,
    targets: Mapping[Any, Any] | None = None,
) -> tuple[Score, Table]:
    """The score, and the table as it reads it: numbers or categories."""
    said: dict[str, Any] = {"interventions": interventions, "targets": targets}
    chosen = _checked(score)
    table: Table
    if not isinstance(standardize, (bool, np.bool_)):
        raise InvalidType(f"standardize must be True or False; got {standardize!r}.")
    if chosen is None:
        table = _by_types(data, variables, standardize, said)
    elif reads(chosen) == "categories":
        table = read_categories(data, variables, **said)
    elif isinstance(data, Categories):
        raise InvalidType(f"Categories hold no numbers, which the score needs; pass score={USUAL['categories']!r}.")
    else:
        table = read_table(data, variables, standardize=standardize, **said)
    if standardize and isinstance(table, Categories):
        raise InvalidValue(
            f"standardize=True belongs to numbers (score={USUAL['numbers']!r}); categories have no unit. Leave it out."
        )
    return by_kind(table) if chosen is None else chosen, table


def _by_types(data: Any, variables: Sequence[str] | None, standardize: bool, said: Mapping[str, Any]) -> Table:
    if isinstance(data, Categories):
        return read_categories(data, variables, **said)
    if isinstance(data, Dataset):
        return read_table(data, variables, standardize=standardize, **said)
    columns, intervened = read_with_interventions(data, variables, **said)
    if all_categories(columns):
        return categories_of(columns, intervened)
    return numbers_of(columns, standardize, intervened)


def fit_score(score: str | Score, data: Table) -> MarginalLikelihood:
    """Fit a score, given by name or as an object with its hyperparameters."""
    known = _checked(score)
    chosen: Score = by_kind(data) if known is None else known
    if data.intervened is not None:
        _check_leaves_out(chosen)
        _warn_of_always_set(data, data.intervened)
    fitted = chosen.fit(data)
    check_fitted(fitted, data.n_variables)
    return fitted


def _check_leaves_out(score: Score) -> None:
    if not getattr(score, "leaves_rows_out", False):
        raise InvalidValue(
            f"interventions need a score that leaves rows out, which {type(score).__name__} does not say it does. Use "
            "scores.BGe() or scores.BDeu(), or give it leaves_rows_out = True if its fit heeds data.intervened."
        )


def _warn_of_always_set(data: Table, intervened: np.ndarray) -> None:
    always = intervened.all(axis=0)
    if always.any():
        were, their = ("was", "its") if always.sum() == 1 else ("were", "their")
        # Three calls up is whoever called learn or family_scores.
        warnings.warn(
            f"{quoted([data.variables[i] for i in np.flatnonzero(always)])} {were} set from outside in every row, so "
            f"that the data say nothing about {their} causes: how probable they are follows from the prior, and from "
            "what else is known about the graph.",
            UserWarning,
            stacklevel=4,
        )


def by_kind(data: Table) -> Score:
    """The score for numbers, or for categories."""
    return SCORES[USUAL["categories" if isinstance(data, Categories) else "numbers"]]()


def _checked(score: str | Score) -> Score | None:
    """The score object; None stands for "auto"."""
    if isinstance(score, str):
        check_choice("score", score, (AUTO, *SCORES))
        return None if score == AUTO else SCORES[score]()
    if isinstance(score, type) or not hasattr(score, "fit"):
        raise InvalidValue(
            f"score must be one of {(AUTO, *SCORES)} or a score object such as scores.BGe(); got {score!r}."
        )
    return score
