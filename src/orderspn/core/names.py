"""Names of variables: checked, looked up, and quoted in messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from orderspn.core.arguments import is_listing
from orderspn.core.errors import InvalidType, InvalidValue, unknown_name


def check_names(name: str, names: Iterable[Any]) -> tuple[str, ...]:
    """Return names as a tuple of strings, all different and none empty; `name` is the argument they come from.

    Examples
    --------
    >>> check_names("variables", ["A", 2])
    ('A', '2')
    """
    check_name_sequence(name, names)
    checked = tuple(str(n) for n in names)
    twice = [n for n, count in Counter(checked).items() if count > 1]
    if twice or any(not n.strip() for n in checked):
        raise InvalidValue(f"{name} must give every variable a name of its own; got {(twice or [''])[0]!r}.")
    return checked


def check_name_sequence(name: str, value: object) -> None:
    """Raise an error unless a value is a sequence of names; a single string, a sequence of letters, is an error too."""
    if not is_listing(value):
        raise InvalidType(f"{name} must be a sequence of names; got {value!r}.")


def variable_index(name: object, names: Sequence[str]) -> int:
    """Return the index of a variable; an unknown name is an error that suggests similar ones.

    Names are compared as text, so that columns named by numbers can be given as numbers.

    Examples
    --------
    >>> variable_index("B", ["A", "B"])
    1
    """
    try:
        return list(names).index(str(name))
    except ValueError:
        raise unknown_name(str(name), names) from None


def quoted(names: Sequence[str]) -> str:
    """Return the first five names, quoted and joined by commas, for a message.

    Examples
    --------
    >>> quoted(["A", "B"]), quoted("ABCDEF")
    ("'A', 'B'", "'A', 'B', 'C', 'D', 'E', ...")
    """
    return ", ".join(repr(name) for name in names[:5]) + (", ..." if len(names) > 5 else "")
