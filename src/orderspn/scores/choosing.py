"""From a table and what is said about the score to the score and the data it reads.

What nobody says is decided by the types of columns alone: real numbers are for BGe, categories for BDeu. Whole numbers
could be either, and are asked about.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from orderspn.core.arguments import check_choice
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.data.categories import Categories, categories_of, read_categories
from orderspn.data.columns import read_columns
from orderspn.data.dataset import Dataset, numbers_of, read_table
from orderspn.data.kinds import all_categories
from orderspn.scores.bdeu import BDeu
from orderspn.scores.bge import BGe
from orderspn.scores.protocol import MarginalLikelihood, Score

AUTO = "auto"
BY_NAME = {"bge": BGe, "bdeu": BDeu}
SCORES = (AUTO, *BY_NAME)

Table = Dataset | Categories


def read_for_score(
    score: str | Score, data: Any, variables: Sequence[str] | None, standardize: bool
) -> tuple[Score, Table]:
    """The score, and the table as it reads it: numbers or categories."""
    chosen = _checked(score)
    table: Table
    if not isinstance(standardize, (bool, np.bool_)):
        raise InvalidType(f"standardize must be True or False; got {standardize!r}.")
    if chosen is None:
        table = _by_types(data, variables, standardize)
    elif getattr(chosen, "reads", "numbers") == "categories":
        table = read_categories(data, variables)
    elif isinstance(data, Categories):
        raise InvalidType("Categories hold no numbers, which the score needs; pass score='bdeu'.")
    else:
        table = read_table(data, variables, standardize=standardize)
    if standardize and isinstance(table, Categories):
        raise InvalidValue("standardize=True belongs to numbers (score='bge'); categories have no unit. Leave it out.")
    return by_kind(table) if chosen is None else chosen, table


def _by_types(data: Any, variables: Sequence[str] | None, standardize: bool) -> Table:
    if isinstance(data, Categories):
        return read_categories(data, variables)
    if isinstance(data, Dataset):
        return read_table(data, variables, standardize=standardize)
    columns = read_columns(data, variables)
    return categories_of(columns) if all_categories(columns) else numbers_of(columns, standardize)


def fit_score(score: str | Score, data: Table) -> MarginalLikelihood:
    """Fit a score, given by name or as an object with its hyperparameters."""
    known = _checked(score)
    chosen: Score = by_kind(data) if known is None else known
    return chosen.fit(data)


def by_kind(data: Table) -> Score:
    """The score for numbers, or for categories."""
    return BDeu() if isinstance(data, Categories) else BGe()


def _checked(score: str | Score) -> Score | None:
    """The score object; None stands for "auto"."""
    if isinstance(score, str):
        check_choice("score", score, SCORES)
        return None if score == AUTO else BY_NAME[score]()
    if isinstance(score, type) or not hasattr(score, "fit"):
        raise InvalidValue(f"score must be one of {SCORES} or a score object such as scores.BGe(); got {score!r}.")
    return score
