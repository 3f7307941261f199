"""Ways to choose the next experiment in a campaign, as `reproduce` compares them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from orderspn.design.campaigns import Campaign, simulate_campaign

ROUNDS, ROWS, START_ROWS = 6, 50, 100
"""Rounds of a campaign, rows of each experiment, and rows of observations before the first."""


@dataclass(frozen=True)
class Planner:
    """A strategy, by its name in `design.simulate_campaign`."""

    name: str
    what: str
    colour: str
    strategy: str
    most_variables: int | None = 25

    def recorded(self, d: int, effort: float) -> dict[str, Any]:  # noqa: ARG002
        """The settings as JSON values."""
        return {"strategy": self.strategy}

    def require(self) -> None:
        """Every planner is available."""

    def posterior(self, run: Any, effort: float, rng: np.random.SeedSequence) -> Campaign:  # noqa: ARG002
        """Make a campaign, in one thread."""
        return simulate_campaign(
            run.simulation.network, self.strategy, ROUNDS, rows=ROWS, start_rows=START_ROWS, rng=rng, n_jobs=1
        )


PLANNERS: Mapping[str, Planner] = {
    planner.name: planner
    for planner in (
        Planner("INFORMATION", "largest expected reduction of entropy", "#1b6ca8", "information"),
        Planner("LIMIT", "the same with very many rows", "#6baed6", "limit"),
        Planner("CHANCE", "a variable at random", "#8c8c8c", "random"),
        Planner("EDGE-ENTROPY", "largest sum of entropies of edges", "#d17c00", "edge entropy"),
        Planner("OBSERVE", "more observations", "#b03a2e", "observe"),
    )
}
