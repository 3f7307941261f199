"""Errors that a user can cause. Messages tell what was wrong, what was got and how to fix it."""

from __future__ import annotations

import difflib
from collections.abc import Sequence


class UserError(Exception):
    """A mistake in the arguments, not in this package; the command line shows it as one line."""


class InvalidValue(UserError, ValueError):
    """An argument of the right type with an invalid value."""


class InvalidType(UserError, TypeError):
    """An argument of the wrong type."""


class ImpossibleEvidence(InvalidValue):
    """Evidence with probability 0: no graph of the posterior satisfies it."""


class Unavailable(InvalidValue):
    """A query that this kind of posterior cannot answer; the message names one that can."""


class UnreadableFile(InvalidValue):
    """A file that is damaged, not of this package, or written by a newer version."""


class UnwritableFile(UserError, OSError):
    """A path that cannot be written to; a file that was there before is unchanged."""


class MissingExtra(UserError, ImportError):
    """A feature needs an optional dependency that is not installed."""


def unknown_name(name: str, known: Sequence[str], what: str = "variable", of: str | None = None) -> InvalidValue:
    """Build the error for a name that is not among the known ones (of `of`), with similar names as suggestions."""
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
