"""Whether independent runs agree: R-hat, effective sample sizes and standard errors, by ArviZ's statistics."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from statistics import NormalDist

import numpy as np

from orderspn.search.ensemble import LEAST_LOOKS, Sample

UNCERTAIN = 0.01
"""Edges whose probability is this far from 0 and 1 are looked at."""

MOST_EDGES = 400
"""How many edges are looked at, at most: those whose draws vary most."""

PIECE = 16
"""Orders whose edges are summed at a time: a second copy of all of them would not fit beside the first."""

LARGEST_RHAT = 100.0

DISAGREEMENT = 1.1
"""R-hat from which runs are said to disagree, if they have many draws."""

FALSE_ALARMS, HIGHEST_LIMIT = 0.001, 10.0
"""How often runs that agree may be said to disagree, and the R-hat that is called so however few draws there are."""


@dataclass(frozen=True)
class Diagnostics:
    """How well a search over orders agrees with itself.

    R-hat compares the halves of runs with each other. Of few draws it is large by chance: with 10 of each run, 1.5 is
    nothing unusual at the worst of many edges. So `rhat_limit`, from which runs are said to disagree, is 1.1 or what
    runs that agree exceed once in a thousand searches, whichever is larger (see `rhat_limit_of`).

    Attributes
    ----------
    rhat_score, ess_score : float
        Split R-hat (rank-normalised) and effective sample size of the log score of orders. R-hat is NaN where there are
        too few draws for one: fewer than 4 of each run, or than 8 of a single one, of which the halves are compared.
    rhat_edges, ess_edges : float
        The worst of all uncertain edges, of their probabilities given single orders.
    rhat_limit : float
        R-hat from which the runs are said to disagree.
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
    rhat_limit: float
    edge_standard_error: float
    runs: int
    runs_kept: int
    score_gap: float
    orders: int

    def as_dict(self) -> dict[str, float | None]:
        """For settings and files: what is undefined is None, for JSON has no NaN."""
        return {name: None if math.isnan(value) else value for name, value in asdict(self).items()}

    @property
    def warning(self) -> str | None:
        """What a user should know: runs that were dropped, that disagree, or that cannot be compared."""
        found = [text for text in (self._about_dropped(), self._about_disagreement()) if text is not None]
        return "; ".join([*found, "search longer, with a larger effort=."]) if found else None

    def _about_dropped(self) -> str | None:
        dropped = self.runs - self.runs_kept
        if dropped == 0:
            return None
        how_far, were = ("up to ", "were") if dropped > 1 else ("", "was")
        text = (
            f"{dropped} of {self.runs} independent searches ended {how_far}{self.score_gap:.0f} nats "
            f"below the best and {were} left out"
        )
        return f"{text}, so that nothing confirms the only one that is left" if self.runs_kept == 1 else text

    def _about_disagreement(self) -> str | None:
        who = "independent searches" if self.runs_kept > 1 else "the parts of the search"
        if math.isnan(self.rhat_score) or math.isnan(self.rhat_edges):
            return f"{self.orders} orders are too few to tell whether {who} agree"
        worst = max(self.rhat_score, self.rhat_edges)
        if worst <= self.rhat_limit:
            return None
        return (
            f"{who} disagree (R-hat {worst:.2f}, should be below {self.rhat_limit:.2f}): edge "
            f"probabilities may change by up to {4 * self.edge_standard_error:.2f} with another seed"
        )


def diagnose(sample: Sample, edges: np.ndarray) -> Diagnostics:
    """Compare the runs of a sample, given the edge probabilities (orders, n, n) of the runs kept."""
    scores = sample.log_scores  # (runs kept, looks)
    n_runs, n_looks = scores.shape
    watched = _watched(edges.reshape(len(edges), -1)).reshape(n_runs, n_looks, -1)
    rhats, sizes = _rhats(watched), _effective_sizes(watched, "mean")
    errors = watched.std(axis=(0, 1)) / np.sqrt(sizes)
    return Diagnostics(
        rhat_score=float(_rhats(scores[:, :, None])[0]),
        ess_score=float(_effective_sizes(scores[:, :, None], "bulk")[0]),
        # Traces that vary and yet have no R-hat are too short, all of them alike.
        rhat_edges=float(rhats.max(initial=1.0)),
        ess_edges=float(sizes.min(initial=scores.size)),
        rhat_limit=rhat_limit_of(n_runs, n_looks, watched.shape[2] + 1),
        edge_standard_error=float(errors.max(initial=0.0)),
        runs=sample.means.size,
        runs_kept=n_runs,
        score_gap=float(sample.means.max() - sample.means.min()),
        orders=scores.size,
    )


def rhat_limit_of(n_runs: int, n_looks: int, n_traces: int) -> float:
    """R-hat from which runs are said to disagree, given how many draws each has and how many traces are compared.

    Of independent normal draws, the variances between and within the 2 m halves of m runs have the ratio F, and
    `R-hat**2 = (n - 1 + F) / n` with n draws in each half. `FALSE_ALARMS` is shared among all traces, and twice, as
    R-hat looks at the location and at the spread. The quantile of F is Paulson's approximation.

    Examples
    --------
    >>> [round(rhat_limit_of(4, n_looks, 400), 2) for n_looks in (10, 20, 50, 100)]
    [1.7, 1.28, 1.1, 1.1]
    """
    n_runs, n_looks = _parts(n_runs, n_looks)
    if n_looks < LEAST_LOOKS:
        return HIGHEST_LIMIT
    n_halves, n_draws = 2 * n_runs, n_looks // 2
    z = NormalDist().inv_cdf(1.0 - FALSE_ALARMS / (2 * n_traces))
    # (b F^(1/3) - a) / sqrt(v F^(2/3) + u) is about standard normal: solved for F^(1/3).
    u, v = 2.0 / (9.0 * (n_halves - 1)), 2.0 / (9.0 * n_halves * (n_draws - 1))
    a, b = 1.0 - u, 1.0 - v
    quadratic = b * b - v * z * z
    if quadratic <= 0.0:  # so few draws that nothing would be unusual
        return HIGHEST_LIMIT
    root = (a * b + z * math.sqrt(a * a * v + b * b * u - u * v * z * z)) / quadratic
    return min(max(DISAGREEMENT, math.sqrt((n_draws - 1 + root**3) / n_draws)), HIGHEST_LIMIT)


def _watched(draws: np.ndarray) -> np.ndarray:
    """Of draws (orders, edges) those of the uncertain edges that vary most, as float64."""
    means = draws.mean(axis=0, dtype=np.float64)
    squares = np.zeros(means.size)
    for start in range(0, len(draws), PIECE):
        squares += ((draws[start : start + PIECE] - means) ** 2).sum(axis=0)
    # By the extremes, as rounded means of a constant are not that constant.
    uncertain = (np.minimum(means, 1.0 - means) > UNCERTAIN) & (draws.min(axis=0) < draws.max(axis=0))
    ranked = np.argsort(np.where(uncertain, -squares, np.inf), kind="stable")
    return draws[:, ranked[: min(MOST_EDGES, int(uncertain.sum()))]].astype(np.float64)


def _rhats(traces: np.ndarray) -> np.ndarray:
    """R-hat of each trace (runs, looks, traces): 1 where all draws are equal, NaN where they are too few.

    Where runs are constant and differ it is infinite; a large number stands for that.
    """
    from arviz_stats.base.array import array_stats

    n_runs, n_looks = _parts(*traces.shape[:2])
    parts = traces[:, : n_looks * n_runs // len(traces)].reshape(n_runs, n_looks, -1)
    if n_looks < LEAST_LOOKS:
        found = np.full(traces.shape[2], np.nan)
    else:
        with np.errstate(all="ignore"):  # constant traces divide by 0
            found = np.minimum(array_stats.rhat(parts, chain_axis=0, draw_axis=1), LARGEST_RHAT)
        found = np.where(np.isnan(found), 1.0, found)  # halves of an odd number leave one draw out, which alone differs
    return np.where(np.ptp(traces, axis=(0, 1)) == 0.0, 1.0, found)


def _parts(n_runs: int, n_looks: int) -> tuple[int, int]:
    """What R-hat compares, and the draws of each: the runs, or the halves of the only one."""
    return (n_runs, n_looks) if n_runs > 1 else (2, n_looks // 2)


def _effective_sizes(traces: np.ndarray, method: str) -> np.ndarray:
    """Effective sample size of each trace (runs, looks, traces): from 1 up to the number of draws.

    Draws that are all equal all count; where there are too few to know, each run counts as one draw.
    """
    from arviz_stats.base.array import array_stats

    n_runs, n_looks = traces.shape[:2]
    with np.errstate(all="ignore"):  # constant traces divide 0 by 0
        found = array_stats.ess(traces, chain_axis=0, draw_axis=1, method=method)
    found = np.where(np.isfinite(found), np.clip(found, 1.0, n_runs * n_looks), n_runs)
    return np.where(np.ptp(traces, axis=(0, 1)) == 0.0, n_runs * n_looks, found)
