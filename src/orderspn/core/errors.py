"""The errors that a user can cause, each saying what was wrong, what was got and how to mend it."""

from __future__ import annotations

import difflib
from collections.abc import Sequence


class UserError(Exception):
    """A mistake in what was asked, not in this package; the command line shows it as one line."""


class InvalidValue(UserError, ValueError):
    """An argument of the right type with a value that cannot be used."""


class InvalidType(UserError, TypeError):
    """An argument of a type that cannot be used."""


class ImpossibleEvidence(InvalidValue):
    """A condition that no graph of the posterior satisfies: there is nothing to condition on."""


class Unavailable(InvalidValue):
    """A question that this kind of posterior has no answer to; the message says which has."""


class UnreadableFile(InvalidValue):
    """A file that is damaged, foreign, or written by a newer version."""


class UnwritableFile(UserError, OSError):
    """A place where no file can be written, or a disk that refused one; what was there before is still there."""


class MissingExtra(UserError, ImportError):
    """An optional dependency that the asked-for feature needs and that is not installed."""


def unknown_name(name: str, known: Sequence[str], what: str = "variable", of: str | None = None) -> InvalidValue:
    """Build the error for a name that is not among the known ones (`of` something), with the nearest suggestions."""
    whose = "" if of is None else f" of {of!r}"
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    if not near:
        near = [k for k in known if k.lower() == name.lower()]
    if near:
        hint = "did you mean " + " or ".join(repr(n) for n in near) + "?"
    else:
        shown = ", ".join(repr(k) for k in known[:12]) + (", ..." if len(known) > 12 else "")
        hint = f"the {what}s{whose} are {shown}."
    return InvalidValue(f"unknown {what} {name!r}{whose}: {hint}")
