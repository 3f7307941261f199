"""Whether independent runs agree: R-hat, effective sample sizes and standard errors, by ArviZ's statistics."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import numpy as np

from orderspn.search.ensemble import Sample

UNCERTAIN = 0.01
"""Edges whose probability is this far from 0 and 1 are looked at."""

MOST_EDGES = 400
"""How many edges are looked at, at most: those whose draws vary most."""

LARGEST_RHAT = 100.0

DISAGREEMENT = 1.1
"""R-hat from which runs are said to disagree."""


@dataclass(frozen=True)
class Diagnostics:
    """How well a search over orders agrees with itself.

    Attributes
    ----------
    rhat_score, ess_score : float
        Split R-hat (rank-normalised) and effective sample size of the log score of orders.
    rhat_edges, ess_edges : float
        The worst of all uncertain edges, of their probabilities given single orders.
    edge_standard_error : float
        The largest Monte Carlo standard error of an edge probability. Two seeds differ by about its square root of two
        times, and by up to four times as much at the worst of many edges.
    runs, runs_kept : int
        Independent runs, and those not stuck far below the best.
    score_gap : float
        By how much the mean log score of the worst run is below that of the best.
    orders : int
        Orders kept.
    """

    rhat_score: float
    ess_score: float
    rhat_edges: float
    ess_edges: float
    edge_standard_error: float
    runs: int
    runs_kept: int
    score_gap: float
    orders: int

    def as_dict(self) -> dict[str, float]:
        """For settings and files."""
        return asdict(self)

    @property
    def warning(self) -> str | None:
        """What a user should know, if the runs disagree."""
        worst = max(self.rhat_score, self.rhat_edges)
        alone = self.runs_kept == 1 and self.runs > 1
        if not worst > DISAGREEMENT and not alone:
            return None
        if alone:
            return (
                f"only one of {self.runs} independent searches reached the best region of orders (others ended up to "
                f"{self.score_gap:.0f} nats below), so that nothing confirms it; search longer, with a larger effort=."
            )
        who = "independent searches" if self.runs > 1 else "the parts of the search"
        return (
            f"{who} over orders disagree (R-hat {worst:.2f}, should be below {DISAGREEMENT}): edge "
            f"probabilities may change by up to {4 * self.edge_standard_error:.2f} with another seed; search longer, "
            "with a larger effort=."
        )


def diagnose(sample: Sample, edges: np.ndarray) -> Diagnostics:
    """Compare the runs of a sample, given the edge probabilities (orders, n, n) of the runs kept."""
    from arviz_stats.base.array import array_stats

    kept = sample.kept
    scores = sample.log_scores[kept]  # (runs, looks)
    draws = edges.reshape(*scores.shape, -1)
    means = draws.mean(axis=(0, 1))
    spread = np.where(np.minimum(means, 1.0 - means) > UNCERTAIN, draws.std(axis=(0, 1)), 0.0)
    chosen = np.argsort(-spread, kind="stable")[:MOST_EDGES]
    chosen = chosen[spread[chosen] > 0.0]
    watched = np.asarray(draws[:, :, chosen], dtype=np.float64)
    by_run = sample.log_scores.mean(axis=1)
    rhat_edges, ess_edges, error = 1.0, float(scores.size), 0.0
    with np.errstate(all="ignore"):  # constant traces divide 0 by 0
        rhat_score = _rhat(array_stats.rhat(scores, chain_axis=0, draw_axis=1))
        ess_score = _ess(array_stats.ess(scores, chain_axis=0, draw_axis=1), scores.size)
        if chosen.size:
            rhat_edges = max(map(_rhat, array_stats.rhat(watched, chain_axis=0, draw_axis=1)))
            by_edge = array_stats.ess(watched, chain_axis=0, draw_axis=1, method="mean")
            ess = np.array([_ess(value, scores.size) for value in by_edge])
            ess_edges = float(ess.min())
            error = float((watched.std(axis=(0, 1)) / np.sqrt(ess)).max())
    return Diagnostics(
        rhat_score,
        ess_score,
        rhat_edges,
        ess_edges,
        error,
        len(kept),
        int(kept.sum()),
        float(by_run.max() - by_run.min()),
        int(scores.size),
    )


def _rhat(value: float) -> float:
    """R-hat as a finite number: 1 for constant traces, a large one for traces that are constant and differ."""
    return 1.0 if math.isnan(value) else min(float(value), LARGEST_RHAT)


def _ess(value: float, n_draws: int) -> float:
    """An effective sample size of at least 1; all draws where they do not vary."""
    return max(1.0, float(value)) if math.isfinite(value) else float(n_draws)
