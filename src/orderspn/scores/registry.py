"""Scores by name, one line for each; and those of others, once they are registered."""

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
from orderspn.scores.protocol import Reads, RegisteredScore

SCORES: Registry[RegisteredScore] = Registry(
    "score",
    "orderspn.scores.register",
    {
        "bge": BGe,
        "bdeu": BDeu,
    },
)

USUAL: Mapping[Reads, str] = {"numbers": "bge", "categories": "bdeu"}
"""The score of those who name none, by how the table is read."""

S = TypeVar("S", bound=type[Any])


def register(score: S) -> S:
    """Make a class of scores known by its `name`: to `learn(..., score=name)`, and to `load`, which reads its files.

    Parameters
    ----------
    score : class
        With a `name`, a method `fit`, and a classmethod `restore(settings, arrays)` that gives the fitted score again.
        It must be possible to import it, so that files can say which class wrote them. Files from strangers name
        classes, too: nothing is imported because of that, only what was registered is used.

    Returns
    -------
    class
        The same, so that this can decorate it.

    Examples
    --------
    >>> import orderspn as osp
    >>> osp.scores.register(osp.scores.BGe).name  # which was known before
    'bge'
    """
    SCORES.add(getattr(score, "name", None), score, ("fit", "restore"))
    return score


def reads(score: object) -> Reads:
    """How a score, by its name or as an object, reads the rows of a table."""
    described = SCORES.get(score) if isinstance(score, str) else score
    found: Reads = getattr(described, "reads", "numbers")
    return found


def check_described(settings: Mapping[str, Any], place: str) -> None:
    """Refuse, with a ValueError, what a registered score could not have said about itself."""
    described: type[Struct] | None = getattr(SCORES[settings["name"]], "described", None)
    if described is None:
        check_settings(f"`{place}`", settings)
    else:
        converted(settings, described, place)


def stored_arrays(name: str) -> StoredArrays | None:
    """The arrays that a registered score may have in a file; None for any arrays of numbers."""
    return getattr(SCORES[name], "stored", None)
