"""The exact structure-modular posterior: all graphs of a few variables, each counted once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from orderspn.core.errors import ImpossibleEvidence, InvalidValue
from orderspn.core.workers import Workers
from orderspn.dags.layer_sampling import sample_dags
from orderspn.dags.layers import PIECES, layer_masses
from orderspn.dags.parent_sets import dense_probabilities
from orderspn.dags.score_tables import ScoreTables, set_masks
from orderspn.leaves.family import Family

MOST_VARIABLES = 16
"""Largest number of variables: with each, time grows fourfold and memory threefold."""


def dag_bytes(d: int) -> int:
    """Return the most bytes that sums over all graphs of d variables take.

    Examples
    --------
    >>> from orderspn.core.memory import readable_bytes
    >>> readable_bytes(dag_bytes(10)), readable_bytes(dag_bytes(16))
    ('2.2 MiB', '816.8 MiB')
    """
    by_prefix = 2 * 8 * 3**d
    by_set = (8 + 4 + 4 + 8 * (PIECES + 2)) * d * 2**d  # scores, shares of pieces and their sum, and numbering
    through = 8 * d * d * 2 ** max(d - 1, 0)
    return by_prefix + by_set + through


@dataclass(frozen=True, eq=False)
class ExactDags:
    """The distribution over all graphs in proportion to the product of their local scores.

    Unlike a model of orders it counts every graph once, not once per topological order.

    Attributes
    ----------
    families : sequence of Family
        Families of all variables, by index; at most `MOST_VARIABLES`.
    workers : Workers
        Threads to use.

    Examples
    --------
    Two variables, no preference: no edge, an edge, or the reversed edge.

    >>> import math
    >>> import numpy as np
    >>> dags = ExactDags([Family(0, np.array([1]), np.zeros(2)), Family(1, np.array([0]), np.zeros(2))])
    >>> round(math.exp(dags.log_mass), 9)
    3.0
    >>> [p.round(3).tolist() for p in dags.parent_set_probabilities()]
    [[0.667, 0.333], [0.667, 0.333]]
    """

    families: Sequence[Family]
    workers: Workers = field(default_factory=Workers)

    def __post_init__(self) -> None:
        d = len(self.families)
        if d > MOST_VARIABLES:
            raise InvalidValue(
                f"all DAGs of at most {MOST_VARIABLES} variables can be summed; got {d}. Sample them with "
                "method='gadget', or choose fewer columns with variables=[...]."
            )

    def with_families(self, families: Sequence[Family]) -> ExactDags:
        """Return the distribution with other families, such as those under evidence."""
        return ExactDags(families, self.workers)

    @cached_property
    def log_mass(self) -> float:
        """Log of the summed scores of all graphs, without `log_scale`; -inf if there is none."""
        total = float(self._masses[self._masses.size // 2])  # V is 11...1 in base 3
        return math.log(total) + float(self._tables.best[-1]) * math.log(2.0) if total > 0.0 else -math.inf

    def parent_set_probabilities(self) -> list[np.ndarray]:
        """Return the posterior of every parent set of every variable, numbered as in `Family.log_score`."""
        self._check_possible()
        dense = dense_probabilities(self._tables, self._masses, self.workers)
        d = len(self.families)
        return [own[set_masks(family, d)] for family, own in zip(self.families, dense, strict=True)]

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw n graphs, shape (n, d, d), bool, [cause, effect]."""
        self._check_possible()
        return sample_dags(self._tables, self._masses, n, rng, self.workers)

    def _check_possible(self) -> None:
        if self.log_mass == -math.inf:
            raise ImpossibleEvidence(
                "there must be a graph without cycles in which every variable has a possible parent set; got none. "
                "Remove some of the required or forbidden edges."
            )

    @cached_property
    def _tables(self) -> ScoreTables:
        return ScoreTables.of(self.families, self.workers)

    @cached_property
    def _masses(self) -> np.ndarray:
        return layer_masses(self._tables, self.workers)
