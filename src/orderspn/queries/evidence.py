"""Evidence on families: the parent sets and predecessors that it leaves possible, and why it may leave none."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import fields

import networkx as nx
import numpy as np

from orderspn.core.dag import find_cycle
from orderspn.core.errors import ImpossibleEvidence, Unavailable, unknown_name
from orderspn.core.masks import MOST_CANDIDATES
from orderspn.leaves.family import Family
from orderspn.leaves.order_constraints import MOST_SETS, may_promote, never_placed, promoted
from orderspn.parents.outsiders import MOST_AT_ONCE
from orderspn.queries.closure import reachability
from orderspn.queries.edges import Edge, Edges
from orderspn.scores.parent_rules import ParentRules
from orderspn.scores.protocol import NO_VARIABLES


def check_names(edges: Edges, variables: Sequence[str]) -> None:
    """Raise an error for a name that is no variable; it suggests similar names."""
    known = set(variables)
    for kind in fields(edges):
        for name in itertools.chain.from_iterable(getattr(edges, kind.name)):
            if name not in known:
                raise unknown_name(name, variables)


def satisfying(graphs: np.ndarray, edges: Edges, variables: Sequence[str]) -> np.ndarray:
    """Return which graphs (n, d, d) are as the edges, neighbours and ancestors say, shape (n,), bool."""
    index = {name: v for v, name in enumerate(variables)}
    holds = np.ones(len(graphs), dtype=bool)
    for cause, effect in edges.present:
        holds &= graphs[:, index[cause], index[effect]]
    for cause, effect in edges.absent:
        holds &= ~graphs[:, index[cause], index[effect]]
    for one, other in edges.adjacent:
        holds &= graphs[:, index[one], index[other]] | graphs[:, index[other], index[one]]
    if edges.ancestry:
        left = np.flatnonzero(holds)
        reached = reachability(graphs[left])
        for pairs, there in ((edges.ancestors, True), (edges.not_ancestors, False)):
            for ancestor, descendant in pairs:
                holds[left] &= reached[:, index[ancestor], index[descendant]] == there
    return holds


def find_conflict(edges: Edges, learned: Sequence[Family], rules: ParentRules, variables: Sequence[str]) -> str | None:
    """Return why no graph satisfies the edges, if the learned families show it without computation; else None."""
    index = {name: i for i, name in enumerate(variables)}
    conflict = find_contradiction(edges) or _against_knowledge(edges, rules, index)
    if conflict is not None:
        return conflict
    for effect, causes in _by_effect(edges.present, index).items():
        conflict = _conflict_of(learned[effect], causes, variables)
        if conflict is not None:
            return conflict
    return None


def find_contradiction(edges: Edges, required: Sequence[Edge] = ()) -> str | None:
    """Return why no graph satisfies the edges and those `required` by background knowledge; None if one may."""
    absent = set(edges.absent)
    both = [edge for edge in edges.present if edge in absent]
    if both:
        return f"the edge {arrow(both[0])} is given as both present and absent"
    apart = [(one, other) for one, other in edges.adjacent if {(one, other), (other, one)} <= absent]
    if apart:
        return f"{apart[0][0]} and {apart[0][1]} are given as both neighbours and not"
    signs = dict.fromkeys((*required, *edges.present), "->")
    signs |= {pair: "~>" for pair in edges.ancestors if pair not in signs}
    path = _forbidden_path(list(signs), edges.not_ancestors)
    if path:
        shown = " ".join(f"{pair[0]} {signs[pair]}" for pair in itertools.pairwise(path))
        return f"{path[0]} is given as no ancestor of {path[-1]}, but there is {shown} {path[-1]}"
    signs |= {pair: "<" for pair in edges.before if pair not in signs}
    cycle = find_cycle(signs)
    if not cycle:
        return None
    edges_used = "present and required edges" if required else "present edges"
    used = {signs[pair] for pair in cycle}
    known = (("->", edges_used), ("~>", "ancestors"), ("<", "order constraints"))
    kinds = [kind for sign, kind in known if sign in used]
    shown = " ".join(f"{pair[0]} {signs[pair]}" for pair in cycle)
    return f"the {' and '.join(kinds)} form a cycle, {shown} {cycle[0][0]}"


def _forbidden_path(steps: Sequence[Edge], forbidden: Sequence[Edge]) -> list[str]:
    """Return a path along steps between a pair that is forbidden to have one; empty if there is none."""
    if not forbidden:
        return []
    graph: nx.DiGraph[str] = nx.DiGraph(steps)
    for ancestor, descendant in forbidden:
        if ancestor in graph and descendant in graph and nx.has_path(graph, ancestor, descendant):
            return list(nx.shortest_path(graph, ancestor, descendant))
    return []


def arrow(edge: Edge) -> str:
    """Format one edge for a message."""
    return f"{edge[0]} -> {edge[1]}"


def _against_knowledge(edges: Edges, rules: ParentRules, index: dict[str, int]) -> str | None:
    """Return which edge contradicts the background knowledge; None if none does."""
    for cause, effect in edges.present:
        if not rules.allowed[index[cause], index[effect]]:
            return f"the background knowledge (knowledge=) of the posterior rules out {arrow((cause, effect))}"
    for cause, effect in edges.absent:
        if rules.required[index[cause], index[effect]]:
            return f"the background knowledge (knowledge=) of the posterior requires {arrow((cause, effect))}"
    names = list(index)
    required = [(names[cause], names[effect]) for cause, effect in np.argwhere(rules.required)]
    return find_contradiction(edges, required) if required else None


def _conflict_of(family: Family, causes: np.ndarray, variables: Sequence[str]) -> str | None:
    """Return why a variable cannot have all of these causes; None if it can."""
    effect = variables[family.child]
    for cause in causes.tolist():
        if not family.may_have(cause):
            return (
                f"{variables[cause]!r} is not among the candidate causes of {effect!r}, so the model gives that edge "
                "probability 0; learn again with larger candidates=, or with a mapping that includes it"
            )
    if family.restricted(causes, NO_VARIABLES).possible:
        return None
    return f"no parent set of {effect!r} has all of the causes given for it: {_reason(family, causes, variables)}"


def _reason(family: Family, causes: np.ndarray, variables: Sequence[str]) -> str:
    """Return why no parent set has all causes, though each is in some: too many of them, or too many outsiders."""
    at_once = family.outsider_rows.shape[1]
    largest = family.largest_size
    non_candidates = np.setdiff1d(causes, family.candidates)
    # A family with few candidates has small sets even if more parents are allowed.
    if causes.size > largest and (largest < family.candidates.size + at_once or non_candidates.size <= at_once):
        return (
            f"there are {causes.size}, more than the largest number of parents, {largest}; learn again with larger "
            "max_parents="
        )
    names = ", ".join(repr(variables[v]) for v in non_candidates)
    limit = f"at most {at_once}" + (", and not every pair" if at_once == MOST_AT_ONCE else "")
    remedy = "larger candidates=" if at_once == MOST_AT_ONCE else "outsiders=2, larger candidates=,"
    return (
        f"{names} are not among its candidates, and a parent set has {limit} of such outsiders; learn again with "
        f"{remedy} or with a mapping that includes them"
    )


def possible_families(
    families: Sequence[Family],
    learned: Sequence[Family],
    rules: ParentRules,
    known: Edges,
    added: Edges,
    variables: Sequence[str],
) -> list[Family]:
    """Return the families under known and added evidence; raise an error if no graph satisfies both."""
    edges = known & added
    conflict = find_conflict(edges, learned, rules, variables)
    restricted = [] if conflict else restrict(families, added, variables)
    if conflict is None and never_placed(restricted).size:
        conflict = "no order of the variables leaves each of them a possible parent set"
    if conflict is not None:
        raise ImpossibleEvidence(f"cannot condition on {str(edges)!r}: {conflict}.")
    return restricted


def restrict(families: Sequence[Family], edges: Edges, variables: Sequence[str]) -> list[Family]:
    """Return the families under evidence; families that it does not affect are the same objects, with their caches."""
    index = {name: i for i, name in enumerate(variables)}
    required = _by_effect(edges.present, index)
    forbidden = _by_effect(edges.absent, index)
    restricted = list(families)
    for child in required.keys() | forbidden.keys():
        restricted[child] = families[child].restricted(
            required.get(child, NO_VARIABLES), forbidden.get(child, NO_VARIABLES)
        )
    for child, first in _by_effect(not_implied(edges), index).items():
        restricted[child] = _placed_after(restricted[child], first, variables)
    return restricted


def not_implied(edges: Edges) -> list[Edge]:
    """Return the order constraints that do not follow from the others and the present edges: each costs a table."""
    reduced = nx.transitive_reduction(nx.DiGraph([*edges.present, *edges.before]))
    return [pair for pair in edges.before if reduced.has_edge(*pair) and pair not in edges.present]


def _placed_after(family: Family, first: np.ndarray, variables: Sequence[str]) -> Family:
    """Return a family whose child comes after the variables `first`, which become candidates if necessary."""
    new = [v for v in first.tolist() if v not in family.needs and not family.always_has(v)]
    for variable in new:
        if variable in family.candidates:
            continue
        if not may_promote(family):
            child, other = variables[family.child], variables[variable]
            raise Unavailable(
                f"cannot ask whether {other!r} comes before {child!r}: it would have to be one more candidate cause of "
                f"{child!r}, which has {family.candidates.size} of them and {family.log_score.size:,} parent sets. "
                f"Afterwards there may be at most {MOST_CANDIDATES} and {MOST_SETS:,}. Learn again with {other!r} "
                f"among the candidates of {child!r}, or with smaller candidates=."
            )
        family = promoted(family, variable)
    return family.after(np.array(new)) if new else family


def _by_effect(edges: Sequence[Edge], index: dict[str, int]) -> dict[int, np.ndarray]:
    causes: dict[int, list[int]] = {}
    for cause, effect in edges:
        causes.setdefault(index[effect], []).append(index[cause])
    return {effect: np.array(indices) for effect, indices in causes.items()}
