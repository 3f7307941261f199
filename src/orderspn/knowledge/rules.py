"""Rules for parents from background knowledge, and the contradictions in it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

import networkx as nx
import numpy as np

from orderspn.core.dag import find_cycle, never_placed
from orderspn.core.errors import InvalidValue, unknown_name
from orderspn.core.names import quoted
from orderspn.knowledge.statement import Knowledge
from orderspn.queries.edges import Edge
from orderspn.queries.evidence import arrow
from orderspn.scores.parent_rules import ParentRules


def parent_rules(
    known: Knowledge,
    variables: Sequence[str],
    max_parents: int,
    log_prior: np.ndarray,
    context: Sequence[int] | np.ndarray = (),
) -> ParentRules:
    """Return the rules for the parents of each variable.

    Parameters
    ----------
    known : Knowledge
    variables : sequence of str
        Names of all variables, by index.
    max_parents : int
        Largest number of parents of any variable.
    log_prior : numpy.ndarray
        Shape (d,): log prior of one parent set, by its size.
    context : sequence of int
        Indices of context variables, which have no parents.

    Raises
    ------
    ValueError
        If a name is unknown, or if no graph satisfies the knowledge; the message gives the reason.
    """
    _check_names(known, variables)
    reasons = _reasons(known, variables, [variables[v] for v in context])
    _check_required(known, reasons)
    rules = _arrays(known, variables, max_parents, reasons)
    _check_numbers(rules, variables)
    _check_possible(rules, variables, log_prior)
    return rules


def _check_names(known: Knowledge, variables: Sequence[str]) -> None:
    edges = (*known.required, *known.forbidden, *known.edge_probabilities)
    most = known.max_parents if isinstance(known.max_parents, Mapping) else ()
    named = itertools.chain(*edges, *known.tiers, known.roots, known.leaves, most)
    for name in named:
        if name not in variables:
            raise unknown_name(name, variables)


def _reasons(known: Knowledge, variables: Sequence[str], context: Sequence[str]) -> dict[Edge, str]:
    """Return the impossible edges, each with the reason."""
    into_context = {
        (cause, effect): f"{effect!r} is context, which nothing causes" for effect in context for cause in variables
    }
    reasons = {edge: reason for edge, reason in into_context.items() if edge[0] != edge[1]}
    for edge, reason in _excluded(known, variables):
        reasons.setdefault(edge, reason)
    return reasons


def _excluded(known: Knowledge, variables: Sequence[str]) -> Iterator[tuple[Edge, str]]:
    for edge in known.forbidden:
        yield edge, "it is forbidden"
    for number, later in enumerate(known.tiers):
        for earlier in known.tiers[:number]:
            for cause, effect in itertools.product(later, earlier):
                yield (cause, effect), f"{cause!r} is in a later tier than {effect!r}"
        if not known.within_tiers:
            for edge in itertools.permutations(later, 2):
                yield edge, "both are in the same tier, and within_tiers is False"
    for name in variables:
        for root in known.roots:
            yield (name, root), f"{root!r} is a root"
        for leaf in known.leaves:
            yield (leaf, name), f"{leaf!r} is a leaf"


def _check_required(known: Knowledge, reasons: Mapping[Edge, str]) -> None:
    """Raise an error for required edges and prior probabilities of impossible edges, and for cycles."""
    for edge in known.required:
        if edge in reasons:
            raise _contradiction(f"{arrow(edge)} is required, but {reasons[edge]}")
    for edge in known.edge_probabilities:
        if edge in reasons:
            raise _contradiction(f"{arrow(edge)} has a prior probability above 0, but {reasons[edge]}")
        if edge in known.required:
            raise _contradiction(f"{arrow(edge)} is required, but also has a prior probability below 1")
    cycle = find_cycle(known.required)
    if cycle:
        shown = " -> ".join([*(cause for cause, _ in cycle), cycle[0][0]])
        raise _contradiction(f"the required edges form a cycle, {shown}")


def _arrays(known: Knowledge, variables: Sequence[str], max_parents: int, reasons: Mapping[Edge, str]) -> ParentRules:
    d = len(variables)
    index = {name: i for i, name in enumerate(variables)}
    rules = ParentRules.none(d)
    for cause, effect in reasons:
        rules.allowed[index[cause], index[effect]] = False
    for cause, effect in known.required:
        rules.required[index[cause], index[effect]] = True
    for cause, effect in nx.transitive_closure_dag(nx.DiGraph(list(known.required))).edges:
        rules.allowed[index[effect], index[cause]] = False  # it would close a cycle
    for (cause, effect), p in known.edge_probabilities.items():
        rules.log_odds[index[cause], index[effect]] = np.log(p) - np.log1p(-p)
    rules.most[:] = np.minimum(max_parents, d - 1)
    if isinstance(known.max_parents, Mapping):
        for name, most in known.max_parents.items():
            rules.most[index[name]] = min(rules.most[index[name]], most)
    elif known.max_parents is not None:
        rules.most[:] = np.minimum(rules.most, min(known.max_parents, d - 1))
    return rules


def _check_numbers(rules: ParentRules, variables: Sequence[str]) -> None:
    for child, (needed, most) in enumerate(zip(rules.required.sum(axis=0), rules.most, strict=True)):
        if needed > most:
            causes = ", ".join(repr(variables[v]) for v in rules.required_of(child))
            raise _contradiction(
                f"{variables[child]!r} is required to have the causes {causes}, but may have at most {most}"
            )


def _check_possible(rules: ParentRules, variables: Sequence[str], log_prior: np.ndarray) -> None:
    """Raise an error if the prior over numbers of parents leaves no graph."""
    impossible = never_placed(len(variables), lambda child, before: _has_parents(rules, child, before, log_prior))
    if impossible.size:
        names = quoted([variables[v] for v in impossible])
        raise _contradiction(
            f"prior gives weight 0 to every number of parents that {names} can have, so that no graph has any weight"
        )


def _has_parents(rules: ParentRules, child: int, before: np.ndarray, log_prior: np.ndarray) -> bool:
    needed = rules.required[:, child]
    if not before[needed].all():
        return False
    largest = min(int(rules.most[child]), int((rules.allowed[:, child] & before).sum()))
    return bool((log_prior[int(needed.sum()) : largest + 1] > -np.inf).any())


def _contradiction(what: str) -> InvalidValue:
    return InvalidValue(f"no graph satisfies knowledge=: {what}. Leave one of them out.")
