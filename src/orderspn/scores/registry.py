"""Scores by name: the built-in ones, and classes of users once they are registered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from msgspec import Struct

from orderspn.core.arguments import check_settings
from orderspn.core.checked_json import converted
from orderspn.core.registry import Registry
from orderspn.core.stored_arrays import StoredArrays
from orderspn.scores.bdeu import BDeu
from orderspn.scores.bge import BGe
from orderspn.scores.bic import BIC
from orderspn.scores.group_bge import GroupBGe
from orderspn.scores.protocol import Reads, RegisteredScore

SCORES: Registry[RegisteredScore] = Registry(
    "score",
    "orderspn.scores.register",
    {
        "bge": BGe,
        "bge-groups": GroupBGe,
        "bdeu": BDeu,
        "bic": BIC,
    },
)

DEFAULT_SCORES: Mapping[Reads, str] = {"numbers": "bge", "categories": "bdeu"}
"""The default score, by how the table is read."""

S = TypeVar("S", bound=type[Any])


def register(score: S) -> S:
    """Register a class of scores by its `name`, for `learn(..., score=name)` and for `load`.

    Parameters
    ----------
    score : class
        With a `name`, a method `fit`, and a classmethod `restore(settings, arrays)` that returns the fitted score. It
        must be defined in a module, because files name the class. `load` never imports a class that a file names: it
        only uses registered classes.

    Returns
    -------
    class
        The same class, so that `register` works as a decorator.

    Examples
    --------
    >>> import orderspn as osp
    >>> osp.scores.register(osp.scores.BGe).name  # it is registered already
    'bge'
    """
    SCORES.add(getattr(score, "name", None), score, ("fit", "restore"))
    return score


def reads(score: object) -> Reads:
    """Return how a score, given by name or as an object, reads the rows of a table."""
    described = SCORES.get(score) if isinstance(score, str) else score
    found: Reads = getattr(described, "reads", "numbers")
    return found


def check_described(settings: Mapping[str, Any], place: str) -> None:
    """Raise a ValueError if settings are not those of a registered score."""
    described: type[Struct] | None = getattr(SCORES[settings["name"]], "described", None)
    if described is None:
        check_settings(f"`{place}`", settings)
    else:
        converted(settings, described, place)


def stored_arrays(name: str) -> StoredArrays | None:
    """Return the arrays that a registered score may have in a file; None for any arrays of numbers."""
    return getattr(SCORES[name], "stored", None)
