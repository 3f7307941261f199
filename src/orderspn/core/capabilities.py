"""Capabilities: queries that only some models and scores can answer, and the error for the others."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import getattr_static
from typing import Any, Generic, TypeVar, cast

from orderspn.core.errors import Unavailable

P = TypeVar("P")

ABSENT = object()


@dataclass(frozen=True)
class Capability(Generic[P]):
    """A group of attributes that a query needs; P is the protocol that they form.

    Attributes
    ----------
    attributes : tuple of str
        An object that has all of them, none of them None, has the capability.
    needs : str
        What the query needs, as the rest of a sentence that begins with the query.
    remedy : str
        What to do if the attributes are missing.

    Examples
    --------
    >>> LENGTH = Capability[list](("__len__",), "needs something that has a length", "Make it a list.")
    >>> LENGTH.of([]), LENGTH.of(1)
    (True, False)
    >>> LENGTH.require(1, "how long it is", "this is a number")
    Traceback (most recent call last):
    orderspn.core.errors.Unavailable: how long it is needs something that has a length; this is a number. Make it a list.
    """  # noqa: E501

    attributes: tuple[str, ...]
    needs: str
    remedy: str

    def of(self, thing: Any) -> bool:
        """Whether an object has the capability. Properties are not computed."""
        return all(_has(thing, name) for name in self.attributes)

    def optional(self, thing: Any) -> P | None:
        """Return the object if it has the capability, else None."""
        return cast("P", thing) if self.of(thing) else None

    def require(self, thing: Any, asked: str, but: str) -> P:
        """Return the object if it has the capability; else raise an error that says why not (`but`) and the remedy."""
        if not self.of(thing):
            raise self.missing(asked, but)
        return cast("P", thing)

    def missing(self, asked: str, but: str) -> Unavailable:
        """Return the error for a query of an object without the capability."""
        return Unavailable(f"{asked} {self.needs}; {but}. {self.remedy}")


def _has(thing: Any, name: str) -> bool:
    found = getattr_static(thing, name, ABSENT)
    return (getattr(thing, name, None) if found is ABSENT else found) is not None
