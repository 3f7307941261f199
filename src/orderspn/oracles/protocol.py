"""The protocol of oracles: questions and proposals.

A sum node `(S_1, S_2)` of a circuit stands for all orders of S_2 with S_1 before. An oracle proposes *balanced
partitions* of S_2: sets of `floor(|S_2| / 2)` variables that come first. Good ones cover much of the posterior mass.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import comb
from typing import Any, Protocol

import numpy as np

from orderspn.leaves.tables import LeafTables

FEW_PARTITIONS = 4096
"""Most partitions that are enumerated if all are requested."""


@dataclass(frozen=True, eq=False)
class Question:
    """Which variables of `variables` (S_2) may come first, when `before` (S_1) comes before all of them?"""

    tables: LeafTables
    before: np.ndarray  # ascending indices
    variables: np.ndarray  # (n,) ascending indices
    share: float = 1.0  # of the time for all questions of its layer

    @property
    def n_first(self) -> int:
        """Size of the part that comes first."""
        return int(self.variables.size // 2)

    @property
    def n_partitions(self) -> int:
        """Number of balanced partitions."""
        return comb(int(self.variables.size), self.n_first)

    @cached_property
    def leaves_all_possible(self) -> bool:
        """Whether every partition leaves each variable a possible parent set: none needs another before it."""
        families, before = self.tables.families, np.zeros(len(self.tables.families), dtype=bool)
        before[self.before] = True
        return all(families[v].possible_after(before) for v in self.variables)

    def wants_all(self, count: int) -> bool:
        """Whether `count` partitions are all of them, and few enough to enumerate."""
        return self.n_partitions <= min(count, FEW_PARTITIONS)


@dataclass(frozen=True, eq=False)
class Proposal:
    """Balanced partitions of a question's variables.

    Attributes
    ----------
    first : numpy.ndarray
        Shape (m, n), bool: in each row the variables that come first; rows are distinct.
    multiplicity : numpy.ndarray
        Shape (m,): how often each was drawn.
    info : dict
        Numbers about the work of the method, for example its acceptance rate.
    """

    first: np.ndarray
    multiplicity: np.ndarray
    info: dict[str, float] = field(default_factory=dict)


class Oracle(Protocol):
    """A method that proposes partitions.

    It may also have `draws_from_posterior`, a boolean (default True): if it is False, partitions are weighted by the
    evidence lower bound and not by how often they were drawn; and `working_bytes(d, expansion, n_jobs)`, the memory
    that it takes in addition to the circuit.
    """

    def propose(self, question: Question, count: int, rng: np.random.Generator, *, distinct: bool) -> Proposal:
        """Propose partitions.

        With `distinct`, exactly `min(count, question.n_partitions)` different ones. Otherwise `count` draws, equal
        ones gathered, so that the multiplicities sum to `count`.
        """

    def settings(self) -> dict[str, Any]:
        """Return the name and the parameters as JSON values."""
