"""Conjunctions of present edges, absent edges and order constraints.

A conjunction is an *event* if its probability is asked for, and *evidence* if a posterior is conditioned on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sized
from dataclasses import dataclass
from typing import Any

from orderspn.core.arguments import is_listing
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.display.text import cut

Edge = tuple[str, str]

_TOKEN = re.compile(
    r"""\s*(?: "(?P<double>(?:[^"\\]|\\.)*)"
             | '(?P<single>(?:[^'\\]|\\.)*)'
             | (?P<absent>!->) | (?P<present>->) | (?P<before>(?<!\S)<(?!\S)) | (?P<comma>[,;])
             | (?P<bare>(?:(?!!?->)[^\s,;"'])+) )""",
    re.VERBOSE,
)
_BARE_NAME = re.compile(r"(?:(?!!?->)[^\s,;\"'\\])+\Z")
_HELP = (
    'write edges as "A -> B, C !-> D" and order constraints as "A < B", with spaces around the <; put names with '
    "spaces or punctuation in quotes"
)


@dataclass(frozen=True)
class Edges:
    """A conjunction of present edges, absent edges and order constraints, for events and evidence.

    Parameters
    ----------
    present, absent : iterable of (cause, effect)
    before : iterable of (first, second)
        Order constraints: the first comes before the second in the order, with or without an edge between them.

    Examples
    --------
    >>> import orderspn as osp
    >>> osp.Edges(present=[("A", "B")], absent=[("C", "D")])
    Edges('A -> B, C !-> D')
    >>> osp.Edges.parse("A -> B, 'heart rate' !-> D").absent
    (('heart rate', 'D'),)
    >>> osp.Edges(before=[("A", "B")])
    Edges('A < B')
    """

    present: tuple[Edge, ...] = ()
    absent: tuple[Edge, ...] = ()
    before: tuple[Edge, ...] = ()

    def __init__(self, present: Iterable[Edge] = (), absent: Iterable[Edge] = (), before: Iterable[Edge] = ()) -> None:
        object.__setattr__(self, "present", checked_pairs("present", present))
        object.__setattr__(self, "absent", checked_pairs("absent", absent))
        object.__setattr__(self, "before", checked_pairs("before", before))

    @classmethod
    def parse(cls, text: str) -> Edges:
        """Read `"A -> B, C !-> D, A < D"`; arrows and `<` may be chained.

        A `<` needs spaces around it: `x<3` is a name, and a variable called `<` is written in quotes.

        Examples
        --------
        >>> import orderspn as osp
        >>> osp.Edges.parse("A -> B -> C, A !-> C").present
        (('A', 'B'), ('B', 'C'))
        >>> osp.Edges.parse("A -> B < C").before
        (('B', 'C'),)
        """
        pairs: dict[str, list[Edge]] = {"->": [], "!->": [], "<": []}
        for statement in _statements(text):
            if len(statement) < 3 or len(statement) % 2 == 0:
                raise InvalidValue(f"cannot read {_shown(statement)} in {text!r} as an edge: {_HELP}.")
            for left, arrow, right in zip(statement[:-2:2], statement[1::2], statement[2::2], strict=True):
                if left[0] != "name" or arrow[0] != "arrow" or right[0] != "name":
                    raise InvalidValue(f"cannot read {_shown(statement)} in {text!r} as an edge: {_HELP}.")
                pairs[arrow[1]].append((left[1], right[1]))
        return cls(pairs["->"], pairs["!->"], pairs["<"])

    def __and__(self, other: Edges) -> Edges:
        return Edges((*self.present, *other.present), (*self.absent, *other.absent), (*self.before, *other.before))

    def __bool__(self) -> bool:
        return bool(self.present or self.absent or self.before)

    def __str__(self) -> str:
        kinds = ((self.present, "->"), (self.absent, "!->"), (self.before, "<"))
        return ", ".join(f"{_quoted(a)} {sign} {_quoted(b)}" for pairs, sign in kinds for a, b in pairs)

    def __repr__(self) -> str:
        return f"Edges({cut(str(self))!r})"


EdgesLike = Edges | str | None
"""An event or evidence as an argument: `Edges`, a string, or None for no edges."""


def as_edges(name: str, value: Any) -> Edges:
    """Convert an argument to `Edges`."""
    if value is None:
        return Edges()
    if isinstance(value, Edges):
        return value
    if isinstance(value, str):
        return Edges.parse(value)
    raise InvalidType(
        f"{name} must be a string such as 'A -> B, C !-> D, A < D', or osp.Edges(present=..., absent=..., "
        f"before=...); got {type(value).__name__}."
    )


def checked_pairs(name: str, edges: Iterable[Edge]) -> tuple[Edge, ...]:
    """Return pairs of names, each once; errors name the argument."""
    roles = "(first, second)" if name == "before" else "(cause, effect)"
    if not is_listing(edges):
        raise InvalidType(f"{name} must be a list of {roles} pairs; got {edges!r}.")
    pairs: dict[Edge, None] = {}
    for edge in edges:
        if not is_listing(edge) or not isinstance(edge, Sized) or len(edge) != 2:
            raise InvalidType(f"{name} must hold {roles} pairs of names; got {edge!r}.")
        cause, effect = edge
        if not isinstance(cause, str) or not isinstance(effect, str):
            raise InvalidType(f"{name} must hold {roles} pairs of names; got {edge!r}.")
        if cause == effect and name == "before":
            raise InvalidValue(f"a variable cannot come before itself; got {cause!r} < {effect!r}.")
        if cause == effect:
            raise InvalidValue(f"an edge must connect two different variables; got {cause!r} -> {effect!r}.")
        pairs[cause, effect] = None
    return tuple(pairs)


def _statements(text: str) -> list[list[tuple[str, str]]]:
    """Return the tokens between commas."""
    statements: list[list[tuple[str, str]]] = [[]]
    position = 0
    text_end = len(text.rstrip())
    while position < text_end:
        match = _TOKEN.match(text, position)
        if match is None:
            raise InvalidValue(f"cannot read {text[position:]!r} in {text!r}: {_HELP}.")
        position = match.end()
        kind = match.lastgroup
        if kind == "comma":
            statements.append([])
        elif kind in ("present", "absent", "before"):
            statements[-1].append(("arrow", match.group().strip()))
        elif match.group("bare") == "<":
            raise InvalidValue(f"cannot read the < without spaces around it in {text!r}: {_HELP}.")
        elif kind == "bare":
            statements[-1].append(("name", match.group("bare")))
        else:
            quoted = match.group("double") if kind == "double" else match.group("single")
            statements[-1].append(("name", re.sub(r"\\(.)", r"\1", quoted)))
    if statements == [[]]:
        raise InvalidValue(f"no edge was given: {_HELP}.")
    if not statements[-1]:  # a trailing comma is allowed
        statements.pop()
    return statements


def _shown(statement: list[tuple[str, str]]) -> str:
    return repr(" ".join(value for _, value in statement)) if statement else "nothing between two commas"


def _quoted(name: str) -> str:
    if _BARE_NAME.match(name) and name != "<":
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
