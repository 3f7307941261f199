"""The rule of the paper: enumerate the partitions of few variables, sample those of many."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from orderspn.core.arguments import check_integer
from orderspn.oracles.enumeration import MOST_VARIABLES, Enumeration
from orderspn.oracles.order_mcmc import OrderMCMC
from orderspn.oracles.protocol import Oracle, Proposal, Question


@dataclass(frozen=True)
class EnumerateOrSample:
    """Enumerate the partitions of up to `small` variables, or if all are requested; otherwise use the sampler.

    Parameters
    ----------
    small : int
        Most variables whose partitions are enumerated. The paper has 4. With a lattice, 14 variables take milliseconds,
        and the result is better than that of any sampler: draws are independent, and the partitions of the largest mass
        are known.
    sampler : Oracle
        The oracle for more variables.
    """

    small: int = 14
    sampler: Oracle = field(default_factory=OrderMCMC)

    def __post_init__(self) -> None:
        check_integer("small", self.small, 0, MOST_VARIABLES)

    def propose(self, question: Question, count: int, rng: np.random.Generator, *, distinct: bool) -> Proposal:
        """Propose partitions, as every `Oracle`."""
        oracle = Enumeration() if self._enumerates(question, count) else self.sampler
        return oracle.propose(question, count, rng, distinct=distinct)

    def settings(self) -> dict[str, Any]:
        """Return the name and the parameters as JSON values."""
        return {"name": "auto", "small": self.small, "sampler": self.sampler.settings()}

    def _enumerates(self, question: Question, count: int) -> bool:
        return question.variables.size <= self.small or question.wants_all(count)
