"""How strong effects are: the scale t of BGe under which the data are most probable given drawn graphs."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from orderspn.core.heard import without_warnings
from orderspn.data.mixed import Table
from orderspn.scores.protocol import NO_VARIABLES, Score

SMALLEST_SCALE, LARGEST_SCALE = 1e-3, 1e4
"""Range of scales, for standardised columns."""

PRECISION = 0.05
"""Of the logarithm of the scale: scores change by less than they are uncertain."""

Families = list[tuple[int, np.ndarray, float]]
"""A variable, its parents, and how often it has them per graph."""


def has_open_scale(score: Score) -> bool:
    """Whether a score has a scale that its user left open."""
    return getattr(score, "t", 0.0) is None


def families_in(graphs: np.ndarray, context: np.ndarray) -> Families:
    """Return the different families in graphs (n, d, d), with their frequencies."""
    found: Families = []
    for child in np.setdiff1d(np.arange(graphs.shape[1]), context).tolist():
        distinct, counts = np.unique(graphs[:, :, child], axis=0, return_counts=True)
        found += [
            (child, np.flatnonzero(parents), count / len(graphs))
            for parents, count in zip(distinct, counts, strict=True)
        ]
    return found


def with_best_scale(score: Any, table: Table, families: Families) -> Any:
    """Return the score with the scale of the highest mean log likelihood of the families."""
    from scipy.optimize import minimize_scalar

    def loss(log_scale: float) -> float:
        return -mean_log_likelihood(replace(score, t=math.exp(log_scale)), table, families)

    with without_warnings():
        ends = (math.log(SMALLEST_SCALE), math.log(LARGEST_SCALE))
        found = minimize_scalar(loss, bounds=ends, method="bounded", options={"xatol": PRECISION})
    return replace(score, t=math.exp(found.x))


def mean_log_likelihood(score: Score, table: Table, families: Families) -> float:
    """Return the mean log marginal likelihood of a graph with these families."""
    fitted = score.fit(table)
    return sum(
        share * float(fitted.log_likelihoods(child, NO_VARIABLES, parents.size, parents)[0])
        for child, parents, share in families
    )
