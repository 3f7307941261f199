"""The baseline of the benchmarks finds what a full search finds, and counts what it says."""

import itertools

import numpy as np
import pandas as pd
import pytest
from benchmarks.bootstrap_baseline import (
    best_graph,
    climb,
    hill_climb_bootstrap,
    local_bic,
    reverse_covered_edges,
)

import orderspn as osp
from helpers.data import gaussian_data
from reference.equivalence import all_dags

pytestmark = pytest.mark.thorough


def bic_by_regression(rows, child, parents):
    n = len(rows)
    design = np.column_stack([np.ones(n), rows[:, parents]])
    residuals = rows[:, child] - design @ np.linalg.lstsq(design, rows[:, child], rcond=None)[0]
    return -n / 2 * np.log(np.mean(residuals**2)) - len(parents) / 2 * np.log(n)


def test_scores_are_those_of_regressions():
    rows = gaussian_data(4, 40, seed=0)
    covariance = np.cov(rows, rowvar=False, bias=True)
    for size in range(4):
        for parents in itertools.combinations([0, 1, 3], size):
            mask = np.isin(np.arange(4), parents)
            expected = bic_by_regression(rows, 2, list(parents))
            assert local_bic(covariance, 40, 2, mask) == pytest.approx(expected, abs=1e-8)


def total(covariance, graph):
    return sum(local_bic(covariance, 50, child, graph[:, child].copy()) for child in range(len(graph)))


@pytest.mark.parametrize("seed", range(4))
def test_no_single_change_is_better(seed):
    covariance = np.cov(gaussian_data(4, 50, seed=seed), rowvar=False, bias=True)
    dags = all_dags(4)
    totals = np.array([total(covariance, dag) for dag in dags])
    for start in range(0, len(dags), 60):
        graph = dags[start].copy()
        score = climb(covariance, 50, graph)
        assert score == pytest.approx(total(covariance, graph), abs=1e-8)
        osp.metrics.cpdag(graph)  # no cycles
        joined = graph | graph.T
        different = (dags | dags.transpose(0, 2, 1)) != joined
        changed = (dags != graph).sum(axis=(1, 2))
        neighbours = (changed == 1) | ((changed == 2) & ~different.any(axis=(1, 2)))
        assert totals[neighbours].max() <= score + 1e-8


def test_climbs_end_near_the_best_of_all_graphs():
    found = []
    for seed in range(20):
        covariance = np.cov(gaussian_data(4, 50, seed=seed), rowvar=False, bias=True)
        graph = best_graph(covariance, 50, np.random.default_rng(seed), restarts=10)
        best = max(total(covariance, dag) for dag in all_dags(4))
        assert total(covariance, graph) > best - 3.0
        found.append(total(covariance, graph) > best - 1e-8)
    assert sum(found) >= 15


def test_covered_edges_keep_the_score_and_the_class():
    covariance = np.cov(gaussian_data(6, 50, seed=0), rowvar=False, bias=True)
    graph = osp.simulate.erdos_renyi(6, rng=0)
    walked = graph.copy()
    reverse_covered_edges(walked, 100, np.random.default_rng(0))
    assert (walked != graph).any()
    np.testing.assert_array_equal(osp.metrics.cpdag(walked), osp.metrics.cpdag(graph))
    assert total(covariance, walked) == pytest.approx(total(covariance, graph), abs=1e-8)
    reverse_covered_edges(np.zeros((3, 3), dtype=bool), 10, np.random.default_rng(0))


def test_frequencies():
    truth = osp.simulate.LinearGaussianNetwork([[0, 0, 2, 0], [0, 0, 2, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    edges = hill_climb_bootstrap(truth.sample(500, rng=0), 10, rng=0).edge_probabilities
    assert (edges.loc["X1", "X3"] > 0.8) & (edges.loc["X2", "X3"] > 0.8)  # a collider, so with directions
    assert edges.loc["X1", "X3"] + edges.loc["X3", "X1"] == pytest.approx(1.0)
    line = osp.simulate.LinearGaussianNetwork([[0, 2], [0, 0]])
    found = hill_climb_bootstrap(line.sample(500, rng=0), 10, rng=0)
    np.testing.assert_array_equal(found.edge_probabilities, [[0.0, 0.5], [0.5, 0.0]])
    assert found.seconds > 0.0


def test_seeds():
    data = pd.DataFrame(gaussian_data(5, 30, seed=1))
    first, second = (hill_climb_bootstrap(data, 5, rng=2).edge_probabilities for _ in range(2))
    pd.testing.assert_frame_equal(first, second)
    assert not first.equals(hill_climb_bootstrap(data, 5, rng=3).edge_probabilities)
