"""Conjunctions of present edges, absent edges, neighbours, order constraints and ancestors.

A conjunction is an *event* if its probability is asked for, and *evidence* if a posterior is conditioned on it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sized
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from orderspn.core.arguments import is_listing
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.display.text import cut

if TYPE_CHECKING:
    import networkx as nx

Edge = tuple[str, str]

MOST_NEIGHBOURS = 10
"""Most pairs of neighbours in one conjunction. Every pair doubles the number of orientations to sum over."""

_TOKEN = re.compile(
    r"""\s*(?: "(?P<double>(?:[^"\\]|\\.)*)"
             | '(?P<single>(?:[^'\\]|\\.)*)'
             | (?P<arrow>!?->|!?~>|!?--(?![->])|(?<!\S)<(?!\S)) | (?P<comma>[,;])
             | (?P<bare>(?:(?!!?(?:-[->]|~>))[^\s,;"'])+) )""",
    re.VERBOSE,
)
_BARE_NAME = re.compile(r"(?:(?!!?(?:-[->]|~>))[^\s,;\"'\\])+\Z")
_HELP = (
    'write edges as "A -> B, C !-> D", neighbours as "A -- B", ancestors as "A ~> B, C !~> D" and order constraints '
    'as "A < B", with spaces around the <; put names with spaces or punctuation in quotes'
)


@dataclass(frozen=True)
class Edges:
    """A conjunction of edges, neighbours, order constraints and ancestors, for events and evidence.

    Parameters
    ----------
    present, absent : iterable of (cause, effect)
    before : iterable of (first, second)
        Order constraints: the first comes before the second in the order, with or without an edge between them.
    adjacent : iterable of pairs
        Neighbours: an edge between the two, in either direction.
    ancestors, not_ancestors : iterable of (ancestor, descendant)
        There is a directed path from the one to the other, of one edge or more; or there is none.

    Examples
    --------
    >>> import orderspn as osp
    >>> osp.Edges(present=[("A", "B")], absent=[("C", "D")])
    Edges('A -> B, C !-> D')
    >>> osp.Edges.parse("A -> B, 'heart rate' !-> D").absent
    (('heart rate', 'D'),)
    >>> osp.Edges(before=[("A", "B")])
    Edges('A < B')
    >>> osp.Edges(adjacent=[("A", "B")])
    Edges('A -- B')
    >>> osp.Edges(ancestors=[("A", "B")], not_ancestors=[("B", "C")])
    Edges('A ~> B, B !~> C')
    """

    present: tuple[Edge, ...] = ()
    absent: tuple[Edge, ...] = ()
    before: tuple[Edge, ...] = ()
    adjacent: tuple[Edge, ...] = ()
    ancestors: tuple[Edge, ...] = ()
    not_ancestors: tuple[Edge, ...] = ()

    def __init__(
        self,
        present: Iterable[Edge] = (),
        absent: Iterable[Edge] = (),
        before: Iterable[Edge] = (),
        adjacent: Iterable[Edge] = (),
        ancestors: Iterable[Edge] = (),
        not_ancestors: Iterable[Edge] = (),
    ) -> None:
        object.__setattr__(self, "present", checked_pairs("present", present))
        object.__setattr__(self, "absent", checked_pairs("absent", absent))
        object.__setattr__(self, "before", checked_pairs("before", before))
        # Sorted, because "A -- B" and "B -- A" are the same.
        neighbours = ((min(pair), max(pair)) for pair in checked_pairs("adjacent", adjacent))
        object.__setattr__(self, "adjacent", tuple(dict.fromkeys(neighbours)))
        object.__setattr__(self, "ancestors", checked_pairs("ancestors", ancestors))
        object.__setattr__(self, "not_ancestors", checked_pairs("not_ancestors", not_ancestors))

    @classmethod
    def parse(cls, text: str) -> Edges:
        """Read `"A -> B, C !-> D, A < D, B -- C, A ~> C"`; arrows, `--` and `<` may be chained.

        `A -- B` means that A and B are neighbours, and `A !-- B` that they are not: `A !-> B, B !-> A`. `A ~> B`
        means that there is a directed path from A to B, and `A !~> B` that there is none. A `<` needs
        spaces around it: `x<3` is a name, and a variable called `<` is written in quotes.

        Examples
        --------
        >>> import orderspn as osp
        >>> osp.Edges.parse("A -> B -> C, A !-> C").present
        (('A', 'B'), ('B', 'C'))
        >>> osp.Edges.parse("A -> B < C").before
        (('B', 'C'),)
        >>> osp.Edges.parse("A -- B, A !-- C")
        Edges('A -- B, A !-> C, C !-> A')
        >>> osp.Edges.parse("A ~> B, C !~> B").ancestors
        (('A', 'B'),)
        """
        pairs: dict[str, list[Edge]] = {sign: [] for sign in ("->", "!->", "<", "--", "~>", "!~>")}
        for statement in _statements(text):
            if len(statement) < 3 or len(statement) % 2 == 0:
                raise InvalidValue(f"cannot read {_shown(statement)} in {text!r} as an edge: {_HELP}.")
            for left, arrow, right in zip(statement[:-2:2], statement[1::2], statement[2::2], strict=True):
                if left[0] != "name" or arrow[0] != "arrow" or right[0] != "name":
                    raise InvalidValue(f"cannot read {_shown(statement)} in {text!r} as an edge: {_HELP}.")
                if arrow[1] == "!--":
                    pairs["!->"] += [(left[1], right[1]), (right[1], left[1])]
                else:
                    pairs[arrow[1]].append((left[1], right[1]))
        return cls(pairs["->"], pairs["!->"], pairs["<"], pairs["--"], pairs["~>"], pairs["!~>"])

    @property
    def directed(self) -> Edges:
        """The same without neighbours."""
        return replace(self, adjacent=()) if self.adjacent else self

    @property
    def ancestry(self) -> Edges:
        """Only the ancestors that there must be and must not be."""
        return Edges(ancestors=self.ancestors, not_ancestors=self.not_ancestors)

    @property
    def without_ancestry(self) -> Edges:
        """The same without ancestors."""
        return replace(self, ancestors=(), not_ancestors=()) if self.ancestry else self

    def orientations(self) -> list[Edges]:
        """Return the conjunctions with an edge in place of each pair of neighbours: one of them holds if this does.

        They exclude each other, so their probabilities add up to that of this conjunction.

        Examples
        --------
        >>> import orderspn as osp
        >>> osp.Edges.parse("A -- B, B !-> C").orientations()
        [Edges('A -> B, B !-> C'), Edges('B -> A, B !-> C')]
        """
        undirected = [(a, b) for a, b in self.adjacent if (a, b) not in self.present and (b, a) not in self.present]
        if len(undirected) > MOST_NEIGHBOURS:
            raise InvalidValue(
                f"at most {MOST_NEIGHBOURS} pairs of neighbours can be asked about at once, because all their "
                f"directions are summed over; got {len(undirected)}. Give some of the edges a direction."
            )
        choices = itertools.product(*(((a, b), (b, a)) for a, b in undirected))
        return [replace(self, present=(*chosen, *self.present), adjacent=()) for chosen in choices]

    def __and__(self, other: Edges) -> Edges:
        return Edges(*((*getattr(self, kind.name), *getattr(other, kind.name)) for kind in fields(self)))

    def __bool__(self) -> bool:
        return any(getattr(self, kind.name) for kind in fields(self))

    def __str__(self) -> str:
        kinds = (
            (self.present, "->"),
            (self.adjacent, "--"),
            (self.absent, "!->"),
            (self.ancestors, "~>"),
            (self.not_ancestors, "!~>"),
            (self.before, "<"),
        )
        return ", ".join(f"{_quoted(a)} {sign} {_quoted(b)}" for pairs, sign in kinds for a, b in pairs)

    def __repr__(self) -> str:
        return f"Edges({cut(str(self))!r})"


EdgesLike: TypeAlias = "Edges | str | Iterable[Edge] | nx.DiGraph[Any] | None"
"""An event or evidence as an argument: `Edges`, a string, present edges, or None for no edges."""


def as_edges(name: str, value: Any) -> Edges:
    """Convert an argument to `Edges`: pairs, and the edges of a networkx.DiGraph, are present edges."""
    if value is None:
        return Edges()
    if isinstance(value, Edges):
        return value
    if isinstance(value, str):
        return Edges.parse(value)
    if callable(getattr(value, "is_directed", None)) and hasattr(value, "edges"):
        return _of_graph(name, value)
    if not is_listing(value):
        raise InvalidType(
            f"{name} must be a string such as 'A -> B, C !-> D, A < D', a list of (cause, effect) pairs, a "
            "networkx.DiGraph, or osp.Edges(present=..., absent=..., before=..., adjacent=..., ancestors=...); got "
            f"{type(value).__name__}."
        )
    return Edges(checked_pairs(name, value))


def _of_graph(name: str, graph: Any) -> Edges:
    """Return the edges of a networkx graph as present edges."""
    if not graph.is_directed():
        raise InvalidType(
            f"{name} must be a directed graph; got an undirected {type(graph).__name__}. For edges in either direction "
            "pass osp.Edges(adjacent=graph.edges)."
        )
    return Edges(checked_pairs(name, [(cause, effect) for cause, effect, *_ in graph.edges]))


ROLES = {
    "before": "(first, second)",
    "ancestors": "(ancestor, descendant)",
    "not_ancestors": "(ancestor, descendant)",
}
"""The pairs of each argument, for errors."""


def checked_pairs(name: str, edges: Iterable[Edge]) -> tuple[Edge, ...]:
    """Return pairs of names, each once; errors name the argument."""
    roles = ROLES.get(name, "(cause, effect)")
    if not is_listing(edges):
        raise InvalidType(f"{name} must be a list of {roles} pairs; got {edges!r}.")
    pairs: dict[Edge, None] = {}
    for edge in edges:
        if not is_listing(edge) or not isinstance(edge, Sized) or len(edge) != 2:
            raise InvalidType(f"{name} must hold {roles} pairs of names; got {edge!r}.")
        cause, effect = edge
        if not isinstance(cause, str) or not isinstance(effect, str):
            raise InvalidType(f"{name} must hold {roles} pairs of names; got {edge!r}.")
        if cause == effect and name == "adjacent":
            raise InvalidValue(f"a variable is not its own neighbour; got {cause!r} -- {effect!r}.")
        if cause == effect and name == "before":
            raise InvalidValue(f"a variable cannot come before itself; got {cause!r} < {effect!r}.")
        if cause == effect and name in ("ancestors", "not_ancestors"):
            raise InvalidValue(f"a variable is not its own ancestor; got {cause!r} ~> {effect!r}.")
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
        elif kind == "arrow":
            statements[-1].append(("arrow", match.group("arrow")))
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
