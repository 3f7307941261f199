"""The rule of the paper: list the partitions of few variables, sample those of many."""

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
    """List all partitions of up to `small` variables, and where all are asked for; ask the sampler otherwise.

    Parameters
    ----------
    small : int
        Up to how many variables partitions are enumerated. The paper says 4; with a lattice it is a matter of
        milliseconds up to 14, and better than any sampler: draws are independent, and the heaviest are known.
    sampler : Oracle
        Who is asked about more variables.
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
        """Name and parameters, as JSON values."""
        return {"name": "auto", "small": self.small, "sampler": self.sampler.settings()}

    def _enumerates(self, question: Question, count: int) -> bool:
        return question.variables.size <= self.small or question.wants_all(count)
