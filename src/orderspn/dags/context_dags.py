"""The exact structure-modular posterior with context variables.

Context variables have no parents, so cycles are among the other, explained variables alone. The scores of all parent
sets with the same explained members are summed, DAGs of the explained variables are summed or drawn with these sums,
and given the explained parents of a variable its context parents are independent of everything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from orderspn.core.workers import Workers
from orderspn.dags.exact_dags import ExactDags
from orderspn.leaves.context import root_block
from orderspn.leaves.family import Family


@dataclass(frozen=True, eq=False)
class ContextDags:
    """The distribution over all graphs in which context variables have no parents.

    Attributes
    ----------
    families : sequence of Family
        Families of all variables, by index; those of context variables are marked.
    workers : Workers
    """

    families: Sequence[Family]
    workers: Workers

    @property
    def log_mass(self) -> float:
        """Log of the summed scores of all graphs, without `log_scale`; -inf if there is none."""
        return self._explained.log_mass

    def parent_set_probabilities(self) -> list[np.ndarray]:
        """Return the posterior of every parent set of every variable, numbered as in `Family.log_score`."""
        found = [np.ones(family.log_score.size) for family in self.families]
        for part, summed in zip(self._parts, self._explained.parent_set_probabilities(), strict=True):
            found[part.family.child] = part.spread(summed)
        return found

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw n graphs, shape (n, d, d), bool, [cause, effect]."""
        d = len(self.families)
        explained = self._explained.sample(n, rng)
        adjacency = np.zeros((n, d, d), dtype=bool)
        for place, part in enumerate(self._parts):
            drawn = part.draw(explained[:, :, place], rng.random(n))
            adjacency[:, :, part.family.child] = part.family.indicators(drawn, d)
        return adjacency

    @cached_property
    def _parts(self) -> list[_ExplainedParts]:
        _, variables = root_block(self.families)
        parts: list[_ExplainedParts | None] = [None] * variables.size

        def fill(place: int) -> None:
            parts[place] = _ExplainedParts.of(self.families[variables[place]], variables)

        self.workers.run([partial(fill, place) for place in range(variables.size)])
        return [part for part in parts if part is not None]

    @cached_property
    def _explained(self) -> ExactDags:
        return ExactDags([part.summed for part in self._parts], self.workers)


@dataclass(frozen=True, eq=False)
class _ExplainedParts:
    """The parent sets of one family, grouped by their explained members.

    Attributes
    ----------
    family : Family
    summed : Family
        The family among the explained variables, numbered by their places; all of its possible members are candidates.
    group : numpy.ndarray
        Shape (sets,): the parent set of `summed` that each parent set of the family belongs to.
    """

    family: Family
    summed: Family
    group: np.ndarray

    @classmethod
    def of(cls, family: Family, variables: np.ndarray) -> _ExplainedParts:
        """Group the parent sets of a family by their members among `variables`, ascending."""
        members = np.intersect1d(np.union1d(family.candidates, family.outsiders), variables)
        d = int(max(family.candidates.max(initial=0), family.outsiders.max(initial=0), members.max(initial=0))) + 1
        inside = family.indicators(np.arange(family.log_score.size), d)[:, members]
        group = inside @ (np.int64(1) << np.arange(members.size))
        log_score = np.full(1 << members.size, -np.inf)
        by_group = np.argsort(group, kind="stable")
        present, starts = np.unique(group[by_group], return_index=True)
        log_score[present] = np.logaddexp.reduceat(family.log_score[by_group], starts)
        place = int(np.searchsorted(variables, family.child))
        return cls(family, Family(place, np.searchsorted(variables, members), log_score), group)

    def spread(self, probabilities: np.ndarray) -> np.ndarray:
        """Return the probabilities of the parent sets of the family, given those of the sets of `summed`."""
        return probabilities[self.group] * self._shares

    def draw(self, parents: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        """Draw a parent set of the family for each row of explained parents (n, places), shape (n,)."""
        groups = parents[:, self.summed.candidates] @ (np.int64(1) << np.arange(self.summed.candidates.size))
        by_group = np.argsort(self.group, kind="stable")
        ends = np.cumsum(self._shares[by_group])
        first, last = (np.searchsorted(self.group[by_group], groups, side=side) for side in ("left", "right"))
        below = np.where(first > 0, ends[first - 1], 0.0)
        chosen = np.searchsorted(ends, below + uniforms * (ends[last - 1] - below), side="right")
        return np.asarray(by_group[np.clip(chosen, first, last - 1)])

    @cached_property
    def _shares(self) -> np.ndarray:
        """The share of each parent set in the mass of its group."""
        log_totals = self.summed.log_score[self.group]
        possible = log_totals > -np.inf
        return np.where(possible, np.exp(self.family.log_score - np.where(possible, log_totals, 0.0)), 0.0)


def dags_of(families: Sequence[Family], workers: Workers) -> ExactDags | ContextDags:
    """Return the exact distribution over the DAGs of families, with or without context variables among them."""
    return (ContextDags if any(family.is_context for family in families) else ExactDags)(families, workers)
