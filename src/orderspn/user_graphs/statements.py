"""Statements of DOT and DAGitty: nodes, chains of edges, groups in braces, and attributes in brackets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from orderspn.core.errors import InvalidValue
from orderspn.user_graphs.tokens import Token, tokens_of

DEEPEST = 30
"""Most groups within each other."""

MOST_EDGES = 200_000
"""Most edges of a text: a few groups in braces may stand for very many."""

DEFAULTS = ("graph", "node", "edge")
"""Words before brackets with attributes that hold for all."""

Attributes = Mapping[str, str]


class WrittenEdge(NamedTuple):
    """An edge as it is written: two names, the arrow between them, and attributes."""

    left: str
    arrow: str
    right: str
    attributes: Attributes


@dataclass
class Statements:
    """What a text says: its nodes in order of appearance, and its edges."""

    nodes: dict[str, None] = field(default_factory=dict)
    edges: list[WrittenEdge] = field(default_factory=list)


def read_statements(name: str, text: str, kinds: Sequence[str], language: str) -> tuple[str, Statements]:
    """Read the kind of a graph and its statements.

    Parameters
    ----------
    name : str
        The argument, for errors.
    text : str
    kinds : sequence of str
        Words that a text may begin with, in lower case.
    language : str
        The language, for errors.
    """
    reader = _Reader(name, tokens_of(name, text), language)
    kind = reader.beginning(kinds)
    found = Statements()
    reader.block(found, 0, {})
    if reader.here is not None:
        raise reader.error("the end of the text after the last brace")
    return kind, found


class _Reader:
    """A place in the list of tokens, which moves forward."""

    def __init__(self, name: str, tokens: list[Token], language: str) -> None:
        self.name, self.tokens, self.language, self.at = name, tokens, language, 0

    @property
    def here(self) -> Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def error(self, expected: str) -> InvalidValue:
        got = "the end of the text" if self.here is None else f"{self.here.text!r} in line {self.here.line}"
        return InvalidValue(f"{self.name} is not a graph in {self.language}: expected {expected}, got {got}.")

    def is_sign(self, sign: str) -> bool:
        return self.here is not None and self.here.kind == "sign" and self.here.text == sign

    def take_sign(self, sign: str) -> None:
        if not self.is_sign(sign):
            raise self.error(repr(sign))
        self.at += 1

    def take_name(self) -> str:
        if self.here is None or self.here.kind != "name":
            raise self.error("a name")
        self.at += 1
        return self.tokens[self.at - 1].text

    def word(self) -> str:
        """Return the keyword that is here, in lower case; an empty string for names in quotes and signs."""
        plain = self.here is not None and self.here.kind == "name" and not self.here.quoted
        return self.here.text.lower() if plain and self.here is not None else ""

    def beginning(self, kinds: Sequence[str]) -> str:
        if self.word() == "strict":
            self.at += 1
        kind = self.word()
        if kind not in kinds:
            raise self.error(" or ".join(repr(each) for each in kinds))
        self.at += 1
        if not self.is_sign("{"):
            self.take_name()
        return kind

    def block(self, found: Statements, depth: int, inherited: Attributes) -> list[str]:
        """Read statements in braces; return the nodes that they name. Defaults of edges hold to the end of a block."""
        if depth > DEEPEST:
            raise InvalidValue(f"{self.name} must have at most {DEEPEST} groups in braces within each other.")
        self.take_sign("{")
        named: dict[str, None] = {}
        defaults = dict(inherited)
        while not self.is_sign("}"):
            if self.is_sign(";") or self.is_sign(","):
                self.at += 1
            elif self.word() in DEFAULTS and self._sign_follows("["):
                what = self.word()
                self.at += 1
                attributes = self.attributes()
                defaults |= attributes if what == "edge" else {}
            elif self._sign_follows("=") and self.here is not None and self.here.kind == "name":
                self.at += 2
                self.take_name()
            else:
                named |= dict.fromkeys(self.chain(found, depth, defaults))
        self.at += 1
        return list(named)

    def chain(self, found: Statements, depth: int, defaults: Attributes) -> list[str]:
        """Read nodes or groups with arrows between them; return all of their names."""
        ends = [self.nodes(found, depth, defaults)]
        arrows = []
        while self.here is not None and self.here.kind == "arrow":
            arrows.append(self.here.text)
            self.at += 1
            ends.append(self.nodes(found, depth, defaults))
        attributes = {**defaults, **self.attributes()}
        for left, arrow, right in zip(ends[:-1], arrows, ends[1:], strict=True):
            if len(found.edges) + len(left) * len(right) > MOST_EDGES:
                raise InvalidValue(f"{self.name} must have at most {MOST_EDGES:,} edges; got more.")
            found.edges += [WrittenEdge(a, arrow, b, attributes) for a in left for b in right]
        return [node for group in ends for node in group]

    def nodes(self, found: Statements, depth: int, defaults: Attributes) -> list[str]:
        """Read one node, perhaps with a port, or a group."""
        if self.word() == "subgraph":
            self.at += 1
            if not self.is_sign("{"):
                self.take_name()
        if self.is_sign("{"):
            return self.block(found, depth + 1, defaults)
        node = self.take_name()
        while self.is_sign("+"):  # "heart " + "rate"
            self.at += 1
            node += self.take_name()
        while self.is_sign(":"):
            self.at += 1
            self.take_name()
        found.nodes[node] = None
        return [node]

    def attributes(self) -> dict[str, str]:
        """Read attributes in brackets, if there are any."""
        read: dict[str, str] = {}
        while self.is_sign("["):
            self.at += 1
            while not self.is_sign("]"):
                if self.is_sign(",") or self.is_sign(";"):
                    self.at += 1
                    continue
                key = self.take_name()
                read[key.lower()] = ""
                if self.is_sign("="):
                    self.at += 1
                    read[key.lower()] = self.take_name().lower()
            self.at += 1
        return read

    def _sign_follows(self, sign: str) -> bool:
        following = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else None
        return following is not None and following.kind == "sign" and following.text == sign
