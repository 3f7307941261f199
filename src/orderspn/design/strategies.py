"""Strategies that choose the next experiment in a campaign."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.errors import InvalidValue
from orderspn.design.experiments import QUICK_ORDERS, experiments
from orderspn.posterior import Posterior

if TYPE_CHECKING:
    import pandas as pd

Strategy = Callable[[Posterior, int, np.random.SeedSequence], str | None]
"""Maps a posterior, a number of rows and a seed to the variable to intervene on; None to observe."""


DRAWS, DRAWS_OF_MANY = 128, 32
"""Simulated outcomes of an experiment, up to `QUICK_ORDERS` variables and beyond, where each takes longer."""


def by_information(posterior: Posterior, rows: int, seed: np.random.SeedSequence) -> str | None:
    """Choose the experiment with the largest expected reduction of the entropy of the graph."""
    draws = DRAWS if len(posterior.explained) <= QUICK_ORDERS else DRAWS_OF_MANY
    return _best(experiments(posterior, "graph", rows=rows, draws=draws, precision=0.2, rng=seed, progress=False))


def by_limit(posterior: Posterior, rows: int, seed: np.random.SeedSequence) -> str | None:
    """Choose the experiment that would tell most with very many rows."""
    return _best(experiments(posterior, "graph", rows=rows, method="limit", draws=2000, rng=seed, progress=False))


def _best(table: pd.DataFrame) -> str | None:
    """Return the variable of the first experiment; None if it is to observe."""
    targets = table["targets"].iloc[0]
    return str(targets[0]) if targets else None


def at_random(posterior: Posterior, rows: int, seed: np.random.SeedSequence) -> str | None:  # noqa: ARG001
    """Choose a variable at random."""
    return str(np.random.default_rng(seed).choice(posterior.explained))


def by_edge_entropy(posterior: Posterior, rows: int, seed: np.random.SeedSequence) -> str | None:  # noqa: ARG001
    """Choose the variable whose edges, in and out, have the largest sum of entropies."""
    p = np.clip(posterior.edge_probabilities().to_numpy(), 1e-12, 1 - 1e-12)
    entropy = -(p * np.log(p) + (1 - p) * np.log(1 - p))
    np.fill_diagonal(entropy, 0.0)
    return posterior.variables[int((entropy.sum(axis=0) + entropy.sum(axis=1)).argmax())]


def observing(posterior: Posterior, rows: int, seed: np.random.SeedSequence) -> str | None:  # noqa: ARG001
    """Observe, without intervention."""
    return None


STRATEGIES: dict[str, Strategy] = {
    "information": by_information,
    "limit": by_limit,
    "random": at_random,
    "edge entropy": by_edge_entropy,
    "observe": observing,
}


def as_strategy(value: Any) -> tuple[str, Strategy]:
    """Return the name of a strategy and its function."""
    if callable(value):
        return getattr(value, "__name__", "custom"), value
    if value not in STRATEGIES:
        raise InvalidValue(
            f"strategy must be one of {', '.join(map(repr, STRATEGIES))}, or a function of a posterior, a number of "
            f"rows and a seed; got {value!r}."
        )
    return value, STRATEGIES[value]
