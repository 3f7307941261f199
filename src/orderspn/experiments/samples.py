"""Simulated tables as data come: numbers beside categories, curves, missing cells; with their true graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from orderspn.experiments.experiment import HOLES, stream
from orderspn.simulate.functions import FunctionSimulation, mixed, nonlinear
from orderspn.simulate.simulation import Simulation, linear_gaussian

if TYPE_CHECKING:
    import pandas as pd

ROWS = (300, 1000)
"""Rows of mixed and nonlinear tables; the smaller table is the beginning of the larger one."""

INCOMPLETE_ROWS, MISSING_SHARE = 200, 0.2
"""Rows of tables with missing cells, and the probability that a cell is missing."""


@dataclass(frozen=True, eq=False)
class Sample:
    """A table to learn from, and where it comes from.

    Attributes
    ----------
    seed : int
    truth : Simulation or FunctionSimulation
    data : pandas.DataFrame
        What a method may see.
    complete : pandas.DataFrame
        The same without missing cells.
    """

    seed: int
    truth: Simulation | FunctionSimulation
    data: pd.DataFrame
    complete: pd.DataFrame

    def stream(self, purpose: int, *parts: int) -> np.random.SeedSequence:
        """The seed sequence for one purpose."""
        return stream(self.seed, purpose, *parts)


def mixed_samples(d: int, seed: int) -> list[Sample]:
    """Tables of numbers and categories: `simulate.mixed` with its defaults.

    Examples
    --------
    >>> [sample.data.shape for sample in mixed_samples(6, 0)]
    [(300, 6), (1000, 6)]
    """
    return _beginnings(seed, mixed(d, max(ROWS), rng=seed), ROWS)


def nonlinear_samples(d: int, seed: int) -> list[Sample]:
    """Tables of curves: `simulate.nonlinear` with its defaults."""
    return _beginnings(seed, nonlinear(d, max(ROWS), rng=seed), ROWS)


def _beginnings(seed: int, truth: FunctionSimulation, counts: Sequence[int]) -> list[Sample]:
    tables = [truth.data.head(count) for count in counts]
    return [Sample(seed, truth, table, table) for table in tables]


def incomplete_samples(d: int, seed: int) -> list[Sample]:
    """A linear table in which each cell is missing with probability 0.2, whatever its value and all others.

    Examples
    --------
    >>> (sample,) = incomplete_samples(10, 0)
    >>> float(sample.data.isna().mean().mean().round(2)), bool(sample.complete.isna().any(axis=None))
    (0.2, False)
    """
    truth = linear_gaussian(d, INCOMPLETE_ROWS, weights="uniform", rng=seed)
    holes = np.random.default_rng(stream(seed, HOLES)).random(truth.data.shape) < MISSING_SHARE
    return [Sample(seed, truth, truth.data.mask(holes), truth.data)]
