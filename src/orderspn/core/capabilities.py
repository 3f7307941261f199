"""What only some models and scores can answer: how to tell, and the one error for the others."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import getattr_static
from typing import Any, Generic, TypeVar, cast

from orderspn.core.errors import Unavailable

P = TypeVar("P")

ABSENT = object()


@dataclass(frozen=True)
class Capability(Generic[P]):
    """Something that can be asked of whatever has certain attributes; P is the protocol that they make.

    Attributes
    ----------
    attributes : tuple of str
        An object that has all of them, none of them None, has the capability.
    needs : str
        What a question needs to be answered, as the rest of a sentence that begins with the question.
    remedy : str
        What to do where it is not there.

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
        """Whether something has it. Properties are not computed."""
        return all(_has(thing, name) for name in self.attributes)

    def optional(self, thing: Any) -> P | None:
        """The same thing, if it has it; else None."""
        return cast("P", thing) if self.of(thing) else None

    def require(self, thing: Any, asked: str, but: str) -> P:
        """The same thing, if it has it; else an error: what was asked, what it needs, `but` why not, and the remedy."""
        if not self.of(thing):
            raise self.missing(asked, but)
        return cast("P", thing)

    def missing(self, asked: str, but: str) -> Unavailable:
        """Build the error for a question to something that does not have it."""
        return Unavailable(f"{asked} {self.needs}; {but}. {self.remedy}")


def _has(thing: Any, name: str) -> bool:
    found = getattr_static(thing, name, ABSENT)
    return (getattr(thing, name, None) if found is ABSENT else found) is not None
