"""Credible intervals of effects contain the truth as often as they say, on data drawn from the model's own prior.

An effect may be exactly 0 with a positive probability, so that an interval which ends at 0 contains more than it says.
Ranks that divide ties at random have no such surplus: the share of truths with a rank in the middle is the level.
"""

import warnings
from functools import cache

import numpy as np
import pytest

import orderspn as osp
from helpers.data import letters
from reference.dags import adjacency_of, all_dags

D, ROWS, DATA_SETS, DRAWS = 4, 30, 200, 1000
NAMES = letters(D)
ALPHA_MU, ALPHA_W, T = 0.8, D + 3.0, 1.5
LEVELS = (0.5, 0.8, 0.9, 0.95)
SCORE = osp.scores.BGe(alpha_mu=ALPHA_MU, alpha_w=ALPHA_W, t=T)


def draw_truth(rng):
    """A graph in which every DAG is as probable as any other, its weights and intercepts, and rows.

    Of a normal-Wishart prior, the precision of a variable given p parents is gamma with `alpha_w - d + p + 1` degrees
    of freedom, and its weights and intercept are normal with its variance divided by t and by alpha_mu.
    """
    graphs = adjacency_of(all_dags(D))
    graph = graphs[rng.integers(len(graphs))]
    freedom = ALPHA_W - D + graph.sum(axis=0) + 1.0
    deviations = np.sqrt(T / rng.chisquare(freedom))
    weights = rng.normal(size=(D, D)) * graph * deviations / np.sqrt(T)
    intercepts = rng.normal(size=D) * deviations / np.sqrt(ALPHA_MU)
    effects = np.linalg.inv(np.eye(D) - weights)
    return effects, (intercepts + deviations * rng.normal(size=(ROWS, D))) @ effects


@cache
def outcomes():
    """For each data set and pair: ends of the intervals at each level, the truth, and its rank with ties at random."""
    rng = np.random.default_rng(5)
    pairs = ~np.eye(D, dtype=bool)
    ends, truths, ranks = [], [], []
    for _ in range(DATA_SETS):
        effects, values = draw_truth(rng)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "the (means|values) of ")  # the prior says so
            method = osp.methods.Exact(target="dag")
            posterior = osp.learn(
                values,
                variables=NAMES,
                score=SCORE,
                prior="uniform",
                method=method,
                standardize=False,
                check=False,
                n_jobs=1,
            )
        frames = [posterior.effects_frame(n_samples=DRAWS, level=level, rng=1) for level in LEVELS]
        ends.append([frame[["low", "high"]].to_numpy() for frame in frames])
        true = np.where(np.abs(effects[pairs]) < 1e-12, 0.0, effects[pairs])
        truths.append(true)
        draws = posterior.effect_samples(DRAWS, rng=1).values[:, pairs]
        draws = np.where(np.abs(draws) < 1e-12, 0.0, draws)
        ranks.append((draws < true).mean(axis=0) + rng.random(true.size) * (draws == true).mean(axis=0))
    return np.array(ends), np.array(truths), np.array(ranks)


def coverage(within):
    """The share of truths within their intervals, and its standard error over data sets."""
    each = within.mean(axis=1)
    return each.mean(), each.std(ddof=1) / np.sqrt(len(each))


@pytest.mark.exhaustive
@pytest.mark.parametrize("level", LEVELS)
def test_intervals_contain_the_truth(level):
    ends, truths, ranks = outcomes()
    low, high = np.moveaxis(ends[:, LEVELS.index(level)], 2, 0)
    share, error = coverage((low - 1e-9 <= truths) & (truths <= high + 1e-9))
    assert share > level - 3.5 * error
    tail = (1.0 - level) / 2.0
    share, error = coverage((tail <= ranks) & (ranks <= 1.0 - tail))
    assert abs(share - level) < 3.5 * error


@pytest.mark.exhaustive
def test_wrong_intervals_would_be_noticed():
    """Intervals that say 80% and are those of 70% would fail."""
    _, _, ranks = outcomes()
    share, error = coverage((ranks > 0.15) & (ranks < 0.85))
    assert abs(share - 0.8) > 3.5 * error
