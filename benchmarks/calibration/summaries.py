"""Probabilities of many tables beside the truth: measures, curves, and how far chance may have moved them.

Pairs of one table depend on each other, and tables do not. So tables are drawn again, not pairs: every standard error
and every band is one of resamples of whole tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.probabilities import BINS, calibration_error, probability_measures, sums_by_bin

RESAMPLES = 1000
LEVEL = 0.95
MEANS = ("log_loss", "brier", "average_precision")
ERROR = "calibration_error"
PLACES = 5
"""Decimal places of what is kept."""

Answer = tuple[np.ndarray, np.ndarray]
"""Probabilities of the pairs of one table, and which are true, (n,) each."""


def directed(edges: np.ndarray, graph: np.ndarray) -> Answer:
    """Return ordered pairs: is the one a direct cause of the other?"""
    away = ~np.eye(len(graph), dtype=bool)
    return np.clip(edges[away], 0.0, 1.0), graph[away]


def adjacent(edges: np.ndarray, graph: np.ndarray) -> Answer:
    """Return unordered pairs: is one a direct cause of the other, whichever?"""
    upper = np.triu_indices(len(graph), 1)
    return np.clip((edges + edges.T)[upper], 0.0, 1.0), (graph | graph.T)[upper]


KINDS = {"directed": directed, "adjacent": adjacent}


def summarised(answers: Mapping[str, Sequence[Answer]], reference: str) -> dict[str, dict[str, Any]]:
    """Return measures of each arm, with differences to the reference on the same tables."""
    resampled = resamples(len(answers[reference]))
    by_table = {arm: _by_table(own) for arm, own in answers.items()}
    return {arm: _summary(own, by_table[reference], resampled) for arm, own in by_table.items()}


def resamples(tables: int) -> np.ndarray:
    """Return how often each table is in each resample, (RESAMPLES, tables): always the same, so arms are paired."""
    rng = np.random.default_rng(0)
    return rng.multinomial(tables, np.full(tables, 1.0 / tables), size=RESAMPLES).astype(float)


def _by_table(answers: Sequence[Answer]) -> dict[str, np.ndarray]:
    measured = [probability_measures(p, is_true) for p, is_true in answers]
    found = {key: np.array([np.nan if m[key] is None else m[key] for m in measured], dtype=float) for key in MEANS}
    return found | {"bins": np.array([sums_by_bin(p, is_true) for p, is_true in answers])}  # (tables, BINS, 3)


def _summary(own: dict[str, np.ndarray], reference: dict[str, np.ndarray], resampled: np.ndarray) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key in MEANS:
        difference = own[key] - reference[key]
        found[key] = _rounded(_mean_and_error(own[key]))
        found[f"{key}_difference"] = _rounded(_mean_and_error(difference))
    drawn, drawn_reference = (np.einsum("rt,tbs->rbs", resampled, table["bins"]) for table in (own, reference))
    errors, reference_errors = calibration_error(drawn), calibration_error(drawn_reference)
    pooled, of_reference = own["bins"].sum(axis=0), reference["bins"].sum(axis=0)
    exact = float(calibration_error(pooled))
    found[ERROR] = _rounded((exact, float(errors.std())))
    found[f"{ERROR}_difference"] = _rounded(
        (exact - float(calibration_error(of_reference)), float((errors - reference_errors).std()))
    )
    promised = drawn[..., 1].sum(axis=1) / drawn[..., 2].sum(axis=1)
    found["promised"] = _rounded((float(pooled[:, 1].sum() / pooled[:, 2].sum()), float(promised.std())))
    found["curve"] = curve(pooled, drawn)
    return found


def _mean_and_error(values: np.ndarray) -> tuple[float, float]:
    """Return the mean over tables that have a value, and its standard error."""
    kept = values[~np.isnan(values)]
    return float(kept.mean()), float(kept.std(ddof=1) / np.sqrt(len(kept)))


def curve(pooled: np.ndarray, drawn: np.ndarray) -> list[list[float]]:
    """Return count, mean probability, share of true pairs, and the ends of its band, for each bin that has pairs."""
    points = []
    for b in range(BINS):
        count, promised, true = pooled[b]
        shares = drawn[:, b, 2][drawn[:, b, 0] > 0] / drawn[:, b, 0][drawn[:, b, 0] > 0]
        if count:
            low, high = np.quantile(shares, [(1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0])
            points.append(_rounded((count, promised / count, true / count, low, high)))
    return points


def _rounded(values: Sequence[float]) -> list[float]:
    return [round(float(value), PLACES) for value in values]
