"""Checks of families: the properties that kernels rely on when they index tables.

They cost a few comparisons of K numbers for each family. The scores themselves are checked once, where they are
computed (`scores/answers.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.masks import check_candidates

if TYPE_CHECKING:
    from orderspn.leaves.family import Family


def check_family(child: int, candidates: np.ndarray, log_score: np.ndarray, outsiders: np.ndarray) -> None:
    """Raise an error unless arrays are consistent as the candidates, scores and outsiders of one variable."""
    _require(candidates.ndim == 1, f"candidates must have shape (K,); got {candidates.shape}")
    check_candidates(candidates.size)  # before anything of the size 2**K
    _require(outsiders.ndim == 2, f"outsiders must have shape (rows, width); got {outsiders.shape}")
    if candidates.dtype != np.int64 or outsiders.dtype != np.int64:
        raise InvalidType(
            "candidates and outsiders of a family must be indices of variables of type int64; got "
            f"{candidates.dtype} and {outsiders.dtype}."
        )
    if log_score.dtype != np.float64 or not log_score.flags.c_contiguous:
        raise InvalidType(f"log_score of a family must be contiguous numbers of type float64; got {log_score.dtype}.")
    due = (1 + len(outsiders)) << candidates.size
    _require(
        log_score.shape == (due,),
        f"log_score must have shape ({due},): {1 + len(outsiders)} row(s) of all subsets of {candidates.size} "
        f"candidate(s); got {log_score.shape}",
    )
    ascending = candidates.size == 0 or (candidates[0] >= 0 and bool((candidates[1:] > candidates[:-1]).all()))
    _require(ascending, f"candidates must be different numbers from 0, ascending; got {candidates.tolist()}")
    others = np.concatenate([candidates, outsiders.ravel()])
    _require(not (others == child).any(), f"variable {child} cannot be a parent of its own")
    _require(outsiders.size == 0 or outsiders.min() >= -1, "outsiders must be numbers from 0, or -1 for none")


def check_families(families: Sequence[Family]) -> None:
    """Raise an error unless families are those of all variables, by index."""
    d = len(families)
    for number, family in enumerate(families):
        _require(family.child == number, f"the family of variable {family.child} has index {number}")
        highest = max(family.candidates.max(initial=-1), family.outsider_rows.max(initial=-1))
        _require(highest < d, f"variable {number} has parent {highest}, but there are {d} variables")


def _require(condition: bool | np.bool_, message: str) -> None:
    if not condition:
        raise InvalidValue(f"not a family: {message}.")
