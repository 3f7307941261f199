"""Diagnostics of independent runs: R-hat, effective sample sizes and standard errors, computed by ArviZ."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import numpy as np

from orderspn.chains.sample import LEAST_DRAWS, Sample

UNCERTAIN = 0.01
"""Edges whose probability is at least this far from 0 and 1 are monitored."""

MOST_EDGES = 400
"""The largest number of edges that are monitored: those whose draws vary most."""

PIECE = 16
"""Draws whose edges are summed at a time, because a second copy of all edges may not fit into memory."""

LARGEST_RHAT = 100.0
"""Stands for an infinite R-hat: runs that are constant and differ."""

DISAGREEMENT = 1.1
"""Runs with many draws disagree if their R-hat is above this."""

FALSE_ALARMS, HIGHEST_LIMIT = 0.001, 10.0
"""The probability of a warning about runs that agree, and the R-hat above which even runs with few draws disagree."""


@dataclass(frozen=True)
class Diagnostics:
    """How well independent runs agree.

    R-hat compares the halves of all runs. With few draws it is large by chance: with 10 draws of each run, the largest
    of many edges is often 1.5. So runs disagree if R-hat is above `rhat_limit`: 1.1, or the value that runs from the
    same distribution exceed once in a thousand samples, whichever is larger (see `rhat_limit_of`).

    Attributes
    ----------
    rhat_score, ess_score : float
        Split R-hat (rank-normalised) and effective sample size of the log score. R-hat is NaN where there are too few
        draws: fewer than 4 of each run, or fewer than 8 of a single run, whose halves are compared.
    rhat_edges, ess_edges : float
        The worst values of all uncertain edges, of their probabilities given single draws.
    rhat_limit : float
        R-hat above which the runs disagree.
    edge_standard_error : float
        The largest Monte Carlo standard error of an edge probability, as a mean over draws. The answers of two seeds
        differ by about the square root of two times that, and by up to four times that at the worst of many edges. The
        blocks of a circuit make its answers more precise: `Posterior.edge_standard_errors` has their errors.
    runs, runs_kept : int
        Independent runs, and those not stuck far below the best.
    score_gap : float
        Difference between the mean log scores of the best and the worst run.
    orders : int
        Draws kept.
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

    def agree_within(self, rhat: float) -> bool:
        """Whether R-hat of scores and edges is at most this, or cannot be told from chance with so few draws."""
        limit = max(rhat, self.rhat_limit if self.rhat_limit > DISAGREEMENT else rhat)
        return not max(self.rhat_score, self.rhat_edges) > limit

    def as_dict(self) -> dict[str, float | None]:
        """Return the values for settings and files; undefined ones are None, because JSON has no NaN."""
        return {name: None if math.isnan(value) else value for name, value in asdict(self).items()}

    @property
    def warning(self) -> str | None:
        """Warning of runs that were dropped, that disagree, or that cannot be compared; None without any."""
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
        return f"{text}, so the only one left cannot be compared" if self.runs_kept == 1 else text

    def _about_disagreement(self) -> str | None:
        searches = "independent searches" if self.runs_kept > 1 else "the parts of the search"
        if math.isnan(self.rhat_score) or math.isnan(self.rhat_edges):
            return f"{self.orders} orders are too few to tell whether {searches} agree"
        worst = max(self.rhat_score, self.rhat_edges)
        if worst <= self.rhat_limit:
            return None
        change = min(1.0, 4 * self.edge_standard_error)
        return (
            f"{searches} disagree (R-hat {worst:.2f}, should be below {self.rhat_limit:.2f}): edge "
            f"probabilities may change by up to {change:.2f} with another seed"
        )


def diagnose(sample: Sample, edges: np.ndarray) -> Diagnostics:
    """Compare the runs of a sample, given the edge probabilities of every draw (draws, n, n) of the runs kept."""
    scores = sample.log_scores  # (runs kept, draws)
    n_runs, n_draws = scores.shape
    watched = _monitored(edges.reshape(len(edges), -1)).reshape(n_runs, n_draws, -1)
    rhats, sizes = _rhats(watched), _effective_sizes(watched, "mean")
    errors = watched.std(axis=(0, 1)) / np.sqrt(sizes)
    return Diagnostics(
        rhat_score=float(_rhats(scores[:, :, None])[0]),
        ess_score=float(_effective_sizes(scores[:, :, None], "bulk")[0]),
        # Traces that vary and yet have no R-hat are too short, all of them alike.
        rhat_edges=float(rhats.max(initial=1.0)),
        ess_edges=float(sizes.min(initial=scores.size)),
        rhat_limit=rhat_limit_of(n_runs, n_draws, watched.shape[2] + 1),
        edge_standard_error=float(errors.max(initial=0.0)),
        runs=sample.means.size,
        runs_kept=n_runs,
        score_gap=float(sample.means.max() - sample.means.min()),
        orders=scores.size,
    )


def rhat_limit_of(n_runs: int, n_draws: int, n_traces: int) -> float:
    """Return the R-hat above which runs disagree, given the draws of each run and the number of traces.

    For independent normal draws, the ratio F of the variances between and within the 2 m halves of m runs follows an F
    distribution, and `R-hat**2 = (n - 1 + F) / n` with n draws in each half. The limit is a quantile of it:
    `FALSE_ALARMS` is shared among all traces, and halved, because R-hat compares both location and spread.

    Examples
    --------
    >>> [round(rhat_limit_of(4, n_draws, 400), 2) for n_draws in (10, 20, 50, 100)]
    [1.68, 1.28, 1.1, 1.1]
    """
    from scipy.special import fdtri

    n_runs, n_draws = _parts(n_runs, n_draws)
    if n_draws < LEAST_DRAWS:
        return HIGHEST_LIMIT
    n_halves, n = 2 * n_runs, n_draws // 2
    # 1 / F has the degrees of freedom exchanged, and its lower tail keeps all digits of a small probability.
    ratio = 1.0 / float(fdtri(n_halves * (n - 1), n_halves - 1, FALSE_ALARMS / (2 * n_traces)))
    return min(max(DISAGREEMENT, math.sqrt((n - 1 + ratio) / n)), HIGHEST_LIMIT)


def _monitored(draws: np.ndarray) -> np.ndarray:
    """Select from draws (draws, edges) the uncertain edges that vary most, as float64."""
    means = draws.mean(axis=0, dtype=np.float64)
    squares = np.zeros(means.size)
    for start in range(0, len(draws), PIECE):
        squares += ((draws[start : start + PIECE] - means) ** 2).sum(axis=0)
    # By the extremes, because the rounded mean of a constant may differ from the constant.
    uncertain = (np.minimum(means, 1.0 - means) > UNCERTAIN) & (draws.min(axis=0) < draws.max(axis=0))
    ranked = np.argsort(np.where(uncertain, -squares, np.inf), kind="stable")
    return draws[:, ranked[: min(MOST_EDGES, int(uncertain.sum()))]].astype(np.float64)


def largest_rhat(traces: np.ndarray, counted: float = np.inf) -> float | None:
    """Return the largest split R-hat of probabilities (runs, draws, traces); None if there are too few draws.

    If probabilities are shares of a number of draws that were `counted`, runs vary at least as much as such shares do.
    It is that of Gelman and Rubin, without ranks: probabilities have no heavy tails, and ArviZ takes long to import.
    """
    mean = traces.mean(axis=(0, 1))
    half = traces.shape[1] // 2
    if traces.shape[1] < LEAST_DRAWS:
        return None
    uncertain = (mean > UNCERTAIN) & (mean < 1.0 - UNCERTAIN)
    watched, mean = traces[:, :, uncertain], mean[uncertain]
    halves = np.concatenate([watched[:, :half], watched[:, -half:]])
    within = np.maximum(halves.var(axis=1, ddof=1).mean(axis=0), mean * (1.0 - mean) / counted)
    between = half * halves.mean(axis=1).var(axis=0, ddof=1)
    ratio = np.where(between > 0.0, between / np.maximum(within, 1e-300), 0.0)
    return float(min(np.sqrt((half - 1 + ratio) / half).max(initial=1.0), LARGEST_RHAT))


def _rhats(traces: np.ndarray) -> np.ndarray:
    """Compute R-hat of each trace (runs, draws, traces): 1 where all draws are equal, NaN where they are too few.

    Where runs are constant and differ, it is infinite and replaced by `LARGEST_RHAT`.
    """
    from arviz_stats.base.array import array_stats

    n_runs, n_draws = _parts(*traces.shape[:2])
    parts = traces[:, : n_draws * n_runs // len(traces)].reshape(n_runs, n_draws, -1)
    if n_draws < LEAST_DRAWS:
        found = np.full(traces.shape[2], np.nan)
    else:
        with np.errstate(all="ignore"):  # constant traces divide by 0
            found = np.minimum(array_stats.rhat(parts, chain_axis=0, draw_axis=1), LARGEST_RHAT)
        # With an odd number of draws the middle one is in neither half. It alone may differ from the others.
        found = np.where(np.isnan(found), 1.0, found)
    return np.where(np.ptp(traces, axis=(0, 1)) == 0.0, 1.0, found)


def _parts(n_runs: int, n_draws: int) -> tuple[int, int]:
    """Return the number of parts that R-hat compares, and their draws: the runs, or the halves of a single run."""
    return (n_runs, n_draws) if n_runs > 1 else (2, n_draws // 2)


def _effective_sizes(traces: np.ndarray, method: str) -> np.ndarray:
    """Compute the effective sample size of each trace (runs, draws, traces): from 1 up to the number of draws.

    If all draws are equal, each of them counts. If there are too few draws, each run counts as one draw.
    """
    from arviz_stats.base.array import array_stats

    n_runs, n_draws = traces.shape[:2]
    with np.errstate(all="ignore"):  # constant traces divide 0 by 0
        found = array_stats.ess(traces, chain_axis=0, draw_axis=1, method=method)
    found = np.where(np.isfinite(found), np.clip(found, 1.0, n_runs * n_draws), n_runs)
    return np.where(np.ptp(traces, axis=(0, 1)) == 0.0, n_runs * n_draws, found)
