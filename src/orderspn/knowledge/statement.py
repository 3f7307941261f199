"""Background knowledge: edges, tiers, roots and leaves, numbers of parents, prior probabilities."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from orderspn.core.arguments import check_integer, is_listing
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.display.text import ROOM, cut
from orderspn.queries.edges import Edge, Edges, checked_pairs

Tier = tuple[str, ...]


@dataclass(frozen=True)
class Knowledge:
    """Background knowledge about the causal graph, for `learn(..., knowledge=...)`. It holds in every graph.

    Parameters
    ----------
    required, forbidden : iterable of (cause, effect)
        Edges that every graph has, and edges that no graph has.
    tiers : iterable of iterables of str
        Groups of variables in temporal order: no variable causes one of an earlier group. Variables in no group are
        not restricted.
    within_tiers : bool, default True
        Whether variables of the same tier may cause each other.
    roots, leaves : iterable of str
        Variables without causes, and variables without effects.
    max_parents : int or mapping, optional
        Largest number of parents, for all variables or for those named.
    edge_probabilities : mapping or DataFrame, optional
        Prior probabilities of edges, `{("A", "B"): 0.9}`, or a table with a row for each cause and a column for each
        effect (NaN if nothing is known). The odds p / (1 - p) of an edge multiply the prior of every parent set that
        has it. So 1/2 changes nothing, 0 forbids the edge, and 1 requires it.

    Examples
    --------
    >>> import orderspn as osp
    >>> known = osp.Knowledge(required=[("PKA", "Raf")], tiers=[["PKC", "PKA"], ["Raf", "Mek", "Erk"]])
    >>> posterior = osp.learn(osp.load_sachs(log=True).data, knowledge=known)
    >>> posterior.probability("PKA -> Raf"), posterior.probability("Mek -> PKC")
    (1.0, 0.0)
    """

    required: tuple[Edge, ...] = ()
    forbidden: tuple[Edge, ...] = ()
    tiers: tuple[Tier, ...] = ()
    within_tiers: bool = True
    roots: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()
    max_parents: int | Mapping[str, int] | None = field(default=None, hash=False)
    edge_probabilities: Mapping[Edge, float] = field(default_factory=dict, hash=False)

    def __init__(
        self,
        required: Iterable[Edge] = (),
        forbidden: Iterable[Edge] = (),
        tiers: Iterable[Iterable[str]] = (),
        within_tiers: bool = True,
        roots: Iterable[str] = (),
        leaves: Iterable[str] = (),
        max_parents: int | Mapping[str, int] | None = None,
        edge_probabilities: Any = None,
    ) -> None:
        if not isinstance(within_tiers, (bool, np.bool_)):
            raise InvalidType(f"within_tiers must be True or False; got {within_tiers!r}.")
        probabilities = _probabilities(edge_probabilities)
        certain = [edge for edge, p in probabilities.items() if p == 1.0]
        impossible = [edge for edge, p in probabilities.items() if p == 0.0]
        checked = {
            "required": tuple(dict.fromkeys((*checked_pairs("required", required), *certain))),
            "forbidden": tuple(dict.fromkeys((*checked_pairs("forbidden", forbidden), *impossible))),
            "tiers": _tiers(tiers),
            "within_tiers": bool(within_tiers),
            "roots": _names("roots", roots),
            "leaves": _names("leaves", leaves),
            "max_parents": _most(max_parents),
            # One half changes nothing, and is allowed also for edges that are otherwise impossible.
            "edge_probabilities": {edge: p for edge, p in probabilities.items() if 0.0 < p < 1.0 and p != 0.5},
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @classmethod
    def parse(cls, text: str) -> Knowledge:
        """Read required and forbidden edges from text as in queries: `"A -> B, C !-> D"`.

        Examples
        --------
        >>> import orderspn as osp
        >>> osp.Knowledge.parse("A -> B, C !-> D").forbidden
        (('C', 'D'),)
        """
        return cls.of_edges(Edges.parse(text))

    @classmethod
    def of_edges(cls, edges: Edges) -> Knowledge:
        """Take present edges as required and absent edges as forbidden.

        Examples
        --------
        >>> import orderspn as osp
        >>> osp.Knowledge.of_edges(osp.Edges(present=[("A", "B")]))
        Knowledge(required=[['A', 'B']])
        """
        if edges.before:
            first, second = edges.before[0]
            raise InvalidValue(
                f"knowledge must be about edges; got the order constraint '{first} < {second}'. Put the variables into "
                "tiers, or condition the posterior on it: posterior.given(...)."
            )
        if edges.adjacent:
            one, other = edges.adjacent[0]
            raise InvalidValue(
                f"knowledge must be about directed edges; got the neighbours '{one} -- {other}'. Condition the "
                f"posterior on them: posterior.given('{one} -- {other}')."
            )
        if edges.ancestry:
            raise InvalidValue(
                f"knowledge must be about edges; got the ancestors '{edges.ancestry}'. Condition the posterior on "
                f"them: posterior.given('{edges.ancestry}')."
            )
        return cls(edges.present, edges.absent)

    @classmethod
    def from_dict(cls, stated: Mapping[str, Any]) -> Knowledge:
        """Read the fields as `to_dict` or a JSON file gives them.

        Examples
        --------
        >>> import orderspn as osp
        >>> osp.Knowledge.from_dict({"tiers": [["age", "sex"], ["dose"]]}).tiers
        (('age', 'sex'), ('dose',))
        """
        if not isinstance(stated, Mapping):
            raise InvalidType(f"knowledge must be a mapping of fields such as 'required'; got {type(stated).__name__}.")
        known = [known.name for known in fields(cls)]
        for name in stated:
            if name not in known:
                raise InvalidValue(f"knowledge has no field {name!r}; its fields are {', '.join(known)}.")
        values = dict(stated)
        if isinstance(values.get("edge_probabilities"), list):  # JSON has no pairs as keys
            values["edge_probabilities"] = dict(_pairs_and_probabilities(values["edge_probabilities"]))
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that are not empty, as JSON values.

        Examples
        --------
        >>> import orderspn as osp
        >>> osp.Knowledge(roots=["age"], edge_probabilities={("age", "dose"): 0.9}).to_dict()
        {'roots': ['age'], 'edge_probabilities': [['age', 'dose', 0.9]]}
        """
        stated: dict[str, Any] = {}
        for name in ("required", "forbidden", "tiers"):
            if getattr(self, name):
                stated[name] = [list(group) for group in getattr(self, name)]
        if not self.within_tiers:
            stated["within_tiers"] = False
        for name in ("roots", "leaves"):
            if getattr(self, name):
                stated[name] = list(getattr(self, name))
        if self.max_parents is not None:
            stated["max_parents"] = (
                dict(self.max_parents) if isinstance(self.max_parents, Mapping) else self.max_parents
            )
        if self.edge_probabilities:
            stated["edge_probabilities"] = [[c, e, p] for (c, e), p in self.edge_probabilities.items()]
        return stated

    def __bool__(self) -> bool:
        return bool(self.to_dict())

    def __repr__(self) -> str:
        stated = self.to_dict()
        if self.edge_probabilities:
            stated["edge_probabilities"] = self.edge_probabilities
        fields_shown = {name: repr(value) for name, value in stated.items()}
        if sum(map(len, fields_shown.values())) > ROOM:
            fields_shown = {name: cut(text, ROOM // len(stated)) for name, text in fields_shown.items()}
        return f"Knowledge({', '.join(f'{name}={text}' for name, text in fields_shown.items())})"


def _pairs_and_probabilities(rows: list[Any]) -> Iterator[tuple[Edge, Any]]:
    for row in rows:
        if not isinstance(row, (list, tuple)) or len(row) != 3 or not all(isinstance(name, str) for name in row[:2]):
            raise InvalidType(f"edge_probabilities must hold [cause, effect, probability]; got {row!r}.")
        yield (row[0], row[1]), row[2]


def _names(name: str, values: Iterable[str]) -> tuple[str, ...]:
    if not is_listing(values):
        raise InvalidType(f"{name} must be a list of names; got {values!r}.")
    names = tuple(values)
    for value in names:
        if not isinstance(value, str):
            raise InvalidType(f"{name} must hold names of variables; got {value!r} of type {type(value).__name__}.")
    return tuple(dict.fromkeys(names))


def _tiers(tiers: Iterable[Iterable[str]]) -> tuple[Tier, ...]:
    if isinstance(tiers, Mapping) or not is_listing(tiers):
        raise InvalidType(f"tiers must be a list of lists of names, the earliest first; got {tiers!r}.")
    groups = tuple(_names(f"tiers[{place}]", tier) for place, tier in enumerate(tiers))
    place: dict[str, int] = {}
    for number, tier in enumerate(groups):
        for name in tier:
            if name in place:
                raise InvalidValue(
                    f"a variable may be in one tier only; got {name!r} in tiers {place[name] + 1} and {number + 1}. "
                    "Remove it from one of them."
                )
            place[name] = number
    return tuple(tier for tier in groups if tier)


def _most(max_parents: object) -> int | dict[str, int] | None:
    if max_parents is None:
        return None
    if isinstance(max_parents, Mapping):
        for name in max_parents:
            if not isinstance(name, str):
                raise InvalidType(f"max_parents must have names of variables as keys; got {name!r}.")
        return {name: check_integer(f"max_parents[{name!r}]", value, 0) for name, value in max_parents.items()}
    return check_integer("max_parents", max_parents, 0)


def _probabilities(stated: Any) -> dict[Edge, float]:
    """Return the probability of each pair, from a mapping or a table."""
    if stated is None:
        return {}
    pairs = stated if isinstance(stated, Mapping) else _of_table(stated)
    checked_pairs("edge_probabilities", pairs)
    return {(cause, effect): _probability(p, cause, effect) for (cause, effect), p in pairs.items()}


def _of_table(table: Any) -> dict[Edge, float]:
    if not hasattr(table, "to_dict") or not hasattr(table, "index"):
        raise InvalidType(
            "edge_probabilities must be a mapping {(cause, effect): probability}, or a pandas DataFrame with a row for "
            f"each cause and a column for each effect; got {type(table).__name__}."
        )
    return {
        (str(cause), str(effect)): p
        for effect, column in table.to_dict().items()
        for cause, p in column.items()
        if p is not None and p == p and str(cause) != str(effect)
    }


def _probability(p: object, cause: str, effect: str) -> float:
    if isinstance(p, bool) or not isinstance(p, numbers.Real):
        raise InvalidType(f"the probability of {cause} -> {effect} must be a number; got {p!r}.")
    if not 0.0 <= float(p) <= 1.0:
        raise InvalidValue(f"the probability of {cause} -> {effect} must be between 0 and 1; got {p}.")
    return float(p)
