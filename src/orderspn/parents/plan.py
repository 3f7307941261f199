"""The number of candidates and outsiders of each variable, from the arguments and the memory limit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from orderspn.core.arguments import check_integer
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.memory import MEMORY_LIMIT
from orderspn.parents.allotment import LEAST, MOST, Allotment
from orderspn.parents.candidates import ALL_UP_TO, DEFAULT_SIZE, Candidates, requested_size
from orderspn.parents.outsiders import MOST_AT_ONCE
from orderspn.parents.sizes import FamilySizes, rows_of_outsiders

BESIDE_OUTSIDERS, MOST_BESIDE_OUTSIDERS = 12, 16
"""Default number of candidates per variable if there are outsiders, and the most with a larger memory limit."""

FOR_EXACT = 20
"""Default number of candidates per variable if all orders are summed, which costs more than tables of families."""

SMALLEST = 8
"""Smallest number of candidates that is chosen to save memory."""

ALL_OUTSIDERS_UP_TO, SOME_OUTSIDERS = 150, 128
"""Largest number of variables for which every non-candidate is an outsider, and the number of outsiders beyond."""

BYTES_PER_SET = 20
"""Bytes per parent set: its score, and the mass of its subsets in double and single precision for the search."""

SHARE_OF_MEMORY = 4
"""Families may take this fraction of the memory, as its denominator."""

FEWER = ((64, None), (32, None), (32, 8), (8, 8), (8, 5))
"""Most outsiders and candidates, in steps, when time is short."""

LARGEST_FAMILY, SHARE_OF_ONE = 1 << 20, 8
"""Most parent sets of a variable if their numbers differ, and most of the share of all parent sets, as a denominator:
with many candidates a variable has fewer outsiders."""

ROUNDS, MOST_ROUNDS = 2, 1000
"""Rounds of refinement of candidates, by default and at most."""


@dataclass(frozen=True)
class ParentPlan:
    """Candidates (their number, or as given), outsiders at once and in all, and rounds of refinement."""

    candidates: int | Mapping[str, Sequence[str]]
    at_once: int
    most_outsiders: int | None
    rounds: int
    required: tuple[int, ...] = ()
    """Number of required causes of each variable, which are always candidates."""
    context: tuple[int, ...] = ()
    """Indices of context variables, which have no parents."""
    by_default: bool = field(default=False, compare=False)
    """Whether this number of candidates was not requested, so that it may be lowered."""

    @property
    def largest_size(self) -> int:
        """Number of candidates of the variable with the most."""
        if isinstance(self.candidates, Mapping):
            return max((len(causes) for causes in self.candidates.values()), default=0)
        return self.candidates

    def sizes(self, d: int) -> FamilySizes:
        """Return the sizes of the families of d variables."""
        if isinstance(self.candidates, Mapping):
            candidates = [len(set(causes)) for causes in self.candidates.values()]
            candidates += [0] * (d - len(candidates))  # context variables need not be named
        else:
            candidates = [max(self.candidates, required) for required in self.required or (0,) * d]
        rows = [rows_of_outsiders(d, size, self.at_once, self.most_outsiders) for size in candidates]
        if not isinstance(self.candidates, Mapping):
            for variable in self.context:
                candidates[variable] = rows[variable] = 0
        sizes = FamilySizes(tuple(candidates), tuple(rows), len(self.context))
        return replace(sizes, most_of_one=self._most_of_one(sizes)) if self.varies else sizes

    @property
    def varies(self) -> bool:
        """Whether variables may have different numbers of candidates: those that nobody requested, if refined."""
        return self.by_default and self.rounds > 0

    def allotment(self, d: int) -> Allotment:
        """Return how many candidates and outsiders each of d variables may have after a refinement.

        If their number is open, `candidates` of each variable are what there is memory for in all.
        """
        sizes = self.sizes(d)
        size = self.largest_size
        least, most = (min(LEAST, size), MOST) if self.varies else (size, size)
        return Allotment(least, most, sizes.total, sizes.largest, self.at_once, self.most_outsiders)

    def _most_of_one(self, sizes: FamilySizes) -> int:
        return max(sizes.largest, min(LARGEST_FAMILY, sizes.total // SHARE_OF_ONE))

    def smaller(self, d: int) -> Iterator[ParentPlan]:
        """Yield the plan, then plans with less and less work: fewer outsiders, and fewer candidates by default."""
        plan = self
        yield plan
        if self.by_default and self.candidates == d - 1 > BESIDE_OUTSIDERS:
            plan = replace(plan, candidates=BESIDE_OUTSIDERS, at_once=1, rounds=ROUNDS)
            yield plan
        for outsiders, candidates in FEWER:
            if plan.at_once and (plan.most_outsiders or d) > outsiders:
                plan = replace(plan, most_outsiders=outsiders)
            while candidates and self.by_default and plan.largest_size > candidates:
                plan = replace(plan, candidates=plan.largest_size - 1)
                yield plan
            yield plan

    def recorded(self) -> dict[str, str | int]:
        """Return the plan as JSON values, for settings."""
        given = "given" if isinstance(self.candidates, Mapping) else self.candidates
        return {"candidates": given, "outsiders": self.at_once, "refinements": self.rounds}


def plan_parents(
    candidates: Candidates,
    outsiders: int | str,
    refine: int | None,
    d: int,
    memory: int,
    *,
    searched: bool,
    needed: Callable[[FamilySizes], int],
    context: tuple[int, ...] = (),
) -> ParentPlan:
    """Fill in defaults.

    `searched` tells whether a search over orders follows. `needed` gives the bytes that all work with such families
    takes; the default number of candidates is lowered until that is at most `memory`. `context` are the indices of
    context variables.
    """
    asked = requested_size(candidates, d)
    # Named candidates are meant as they are; where all variables are ordered exactly there is room for no more.
    by_default = 1 if searched and not isinstance(candidates, Mapping) else 0
    at_once = by_default if isinstance(outsiders, str) else outsiders
    most = None if d <= ALL_OUTSIDERS_UP_TO else SOME_OUTSIDERS
    rounds = ROUNDS if refine is None else refine
    if isinstance(candidates, Mapping):
        if refine:
            raise InvalidValue(
                f"refine chooses candidates again, but these were named; got refine={refine} with a mapping as "
                "candidates. Leave refine out, or give candidates as a number."
            )
        return ParentPlan(candidates, at_once, most, 0, context=context)

    def plan_with(size: int) -> ParentPlan:
        if size == d - 1:
            return ParentPlan(size, 0, None, 0, context=context, by_default=asked is None)
        refined = rounds if searched and size else 0
        return ParentPlan(size, at_once, most, refined, context=context, by_default=asked is None)

    if asked is not None:
        return plan_with(asked)
    usual = usual_beside_outsiders(memory) if at_once else DEFAULT_SIZE if searched else FOR_EXACT
    size = _default_size(d, usual, at_once, most, memory, len(context))
    while size > SMALLEST and needed(plan_with(size).sizes(d)) > memory:
        size = min(size - 1, usual)
    return plan_with(size)


def usual_beside_outsiders(memory: int) -> int:
    """Return the usual number of candidates beside outsiders: one more for each doubling of the default memory limit.

    Examples
    --------
    >>> [usual_beside_outsiders(gib * 2**30) for gib in (1, 4, 8, 16, 1024)]
    [12, 12, 13, 14, 16]
    """
    doublings = max(1, memory // MEMORY_LIMIT).bit_length() - 1  # a candidate doubles the tables, too
    return min(BESIDE_OUTSIDERS + doublings, MOST_BESIDE_OUTSIDERS)


def _default_size(d: int, usual: int, at_once: int, most: int | None, memory: int, n_context: int) -> int:
    """Return d - 1 for few variables; otherwise the usual number, or as many as fit the memory."""
    if d <= ALL_UP_TO:
        return d - 1
    size = usual
    while size > SMALLEST and family_bytes(d, size, at_once, most, n_context) > memory // SHARE_OF_MEMORY:
        size -= 1
    return size


def family_bytes(d: int, size: int, at_once: int, most: int | None, n_context: int = 0) -> int:
    """Return the bytes of all families during a search, if each but those of context has `size` candidates."""
    return BYTES_PER_SET * (d - n_context) * (1 + rows_of_outsiders(d, size, at_once, most)) << size


def check_outsiders(outsiders: int | str) -> int | str:
    """Return "auto", or the number of outsiders at once."""
    allowed = '"auto", 0, 1 or 2'
    if isinstance(outsiders, str):
        if outsiders != "auto":
            raise InvalidValue(f"outsiders must be {allowed}; got {outsiders!r}.")
        return outsiders
    if isinstance(outsiders, bool) or not hasattr(outsiders, "__index__"):
        raise InvalidType(f"outsiders must be {allowed}; got {outsiders!r}.")
    return check_integer("outsiders", outsiders, 0, MOST_AT_ONCE)


def check_rounds(refine: int | None) -> int | None:
    """Return the number of rounds of refinement, or None."""
    return None if refine is None else check_integer("refine", refine, 0, MOST_ROUNDS)
