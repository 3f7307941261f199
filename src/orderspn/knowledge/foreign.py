"""Background knowledge read from any form: `Knowledge`, a mapping, a string, or objects of pgmpy and causal-learn.

The two packages are not imported: their objects are recognised by their attributes.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from orderspn.core.errors import InvalidType, InvalidValue, unknown_name
from orderspn.knowledge.statement import Knowledge
from orderspn.queries.edges import Edge, Edges


def read_knowledge(stated: Any, variables: Sequence[str]) -> Knowledge:
    """Read background knowledge about these variables from any form; None means no knowledge."""
    if stated is None:
        return Knowledge()
    if isinstance(stated, Knowledge):
        return stated
    if isinstance(stated, str):
        return Knowledge.parse(stated)
    if isinstance(stated, Mapping):
        return Knowledge.from_dict(stated)
    if isinstance(stated, Edges):
        return Knowledge.of_edges(stated)
    for has, read in FOREIGN.items():
        if all(hasattr(stated, name) for name in has):
            return read(stated, variables)
    raise InvalidType(
        "knowledge must be osp.Knowledge(...), a mapping of its fields, a string such as 'A -> B, C !-> D', an "
        f"ExpertKnowledge of pgmpy or a BackgroundKnowledge of causal-learn; got {type(stated).__name__}."
    )


def _from_pgmpy(expert: Any, variables: Sequence[str]) -> Knowledge:
    """Read pgmpy's ExpertKnowledge: edges, tiers, and a list of all possible edges."""
    forbidden = _pairs(expert.forbidden_edges)
    space = set(_pairs(getattr(expert, "search_space", None)))
    for name in sorted({name for edge in space for name in edge} - set(variables)):
        raise unknown_name(name, variables)
    if space:
        forbidden += [edge for edge in itertools.permutations(variables, 2) if edge not in space]
    tiers = [[str(name) for name in tier] for tier in expert.temporal_order or ()]
    return Knowledge(_pairs(expert.required_edges), forbidden, tiers)


def _from_causal_learn(background: Any, variables: Sequence[str]) -> Knowledge:
    """Read causal-learn's BackgroundKnowledge: edges by nodes and by patterns of names, and tiers by number."""
    required = [(_node(a), _node(b)) for a, b in background.required_rules_specs]
    forbidden = [(_node(a), _node(b)) for a, b in background.forbidden_rules_specs]
    required += _matching(background.required_pattern_rules_specs, variables)
    forbidden += _matching(background.forbidden_pattern_rules_specs, variables)
    tiers = [sorted(map(_node, background.tier_map[number])) for number in sorted(background.tier_map)]
    for number in getattr(background, "forbidden_within_tiers", ()):
        forbidden += itertools.permutations(sorted(map(_node, background.tier_map.get(number, ()))), 2)
    return Knowledge(sorted(required), sorted(forbidden), tiers)


FOREIGN: dict[tuple[str, ...], Callable[[Any, Sequence[str]], Knowledge]] = {
    ("forbidden_edges", "required_edges", "temporal_order"): _from_pgmpy,
    (
        "forbidden_rules_specs",
        "required_rules_specs",
        "forbidden_pattern_rules_specs",
        "required_pattern_rules_specs",
        "tier_map",
    ): _from_causal_learn,
}
"""Attributes by which objects of other packages are recognised, and the functions that read them."""


def _pairs(edges: Iterable[Any] | None) -> list[Edge]:
    return sorted((str(cause), str(effect)) for cause, effect in edges or ())


def _node(node: Any) -> str:
    return str(node.get_name())


def _matching(patterns: Iterable[tuple[str, str]], variables: Sequence[str]) -> list[Edge]:
    """Return the pairs of variables whose names match the patterns of a rule at their start, as in causal-learn."""
    return [
        (cause, effect)
        for rule in patterns
        for first, second in [[_compiled(pattern) for pattern in rule]]
        for cause, effect in itertools.permutations(variables, 2)
        if first.match(cause) and second.match(effect)
    ]


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as problem:
        raise InvalidValue(f"{pattern!r} in knowledge= is not a regular expression: {problem}.") from None
