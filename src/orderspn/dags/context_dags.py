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
from orderspn.leaves.explained_parts import ExplainedParts
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
        _, variables = root_block(self.families)
        for place, part in enumerate(self._parts):
            parents = explained[:, np.searchsorted(variables, part.summed.candidates), place]
            drawn = part.draw(parents, rng.random(n))
            adjacency[:, :, part.family.child] = part.family.indicators(drawn, d)
        return adjacency

    @cached_property
    def _parts(self) -> list[ExplainedParts]:
        _, variables = root_block(self.families)
        parts: list[ExplainedParts | None] = [None] * variables.size

        def fill(place: int) -> None:
            parts[place] = ExplainedParts.of(self.families[variables[place]], variables)

        self.workers.run([partial(fill, place) for place in range(variables.size)])
        return [part for part in parts if part is not None]

    @cached_property
    def _explained(self) -> ExactDags:
        _, variables = root_block(self.families)
        return ExactDags([_numbered(part.summed, variables) for part in self._parts], self.workers)


def _numbered(family: Family, variables: np.ndarray) -> Family:
    """Return a family of explained variables with these numbered by their places."""
    child, candidates = (np.searchsorted(variables, names) for names in (family.child, family.candidates))
    return Family(int(child), candidates.astype(np.int64), family.log_score)


def dags_of(families: Sequence[Family], workers: Workers) -> ExactDags | ContextDags:
    """Return the exact distribution over the DAGs of families, with or without context variables among them."""
    return (ContextDags if any(family.is_context for family in families) else ExactDags)(families, workers)
