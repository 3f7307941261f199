"""Uniformly random partitions: the oracle that knows nothing, to compare others with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from orderspn.oracles.partitions import fill_up, gather, once_each, random_partitions
from orderspn.oracles.protocol import Proposal, Question


@dataclass(frozen=True)
class RandomPartitions:
    """Draw every balanced partition with the same probability, whatever the data say."""

    def propose(self, question: Question, count: int, rng: np.random.Generator, *, distinct: bool) -> Proposal:
        """Propose partitions, as every `Oracle`."""
        if distinct:
            none = np.empty((0, question.variables.size), dtype=bool)
            return once_each(fill_up(question, none, count, rng))
        return gather(random_partitions(question, count, rng))

    def settings(self) -> dict[str, Any]:
        """Name and parameters, as JSON values."""
        return {"name": "random"}
