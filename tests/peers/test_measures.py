"""Measures of the study, against answers that are known and against other programs."""

import numpy as np
import pytest
from benchmarks.peers import measures
from benchmarks.peers.tables import Table
from sklearn.metrics import average_precision_score, roc_auc_score

import orderspn as osp

CHAIN = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)
COLLIDER = np.array([[0, 1, 0], [0, 0, 0], [0, 1, 0]], dtype=bool)


def _table(dag, **more):
    values = osp.simulate.linear_gaussian(dag, 200, rng=0).data.to_numpy()
    return Table((values - values.mean(0)) / values.std(0), dag, **more)


def test_the_truth_is_at_distance_zero():
    found = measures.measured({"cpdag": osp.metrics.cpdag(COLLIDER)}, _table(COLLIDER))
    assert found == {
        "shd": 0,
        "adjacency_f1": 1.0,
        "arrowhead_f1": 1.0,
        "parent_aid": 0.0,
        "ancestor_aid": 0.0,
        "score_gain": 0.0,
    }


def test_directions_within_a_class_do_not_matter_but_colliders_do():
    reversed_chain = measures.measured({"dag_of_class": CHAIN.T}, _table(CHAIN))
    assert (reversed_chain["shd"], reversed_chain["parent_aid"]) == (0, 0.0)
    assert reversed_chain["score_gain"] == pytest.approx(0.0, abs=1e-9)
    wrong = measures.measured({"dag": COLLIDER}, _table(CHAIN))
    assert (wrong["shd"], wrong["adjacency_f1"], wrong["arrowhead_f1"], wrong["dag_f1"]) == (2, 1.0, None, 0.5)
    assert wrong["parent_aid"] > 0.0


def test_a_graph_that_is_no_cpdag_has_no_identification_distance():
    cycle = np.roll(np.eye(3, dtype=bool), 1, axis=1)
    found = measures.measured({"cpdag": cycle}, _table(CHAIN))
    assert (found["parent_aid"], found["ancestor_aid"], found["score_gain"]) == (None, None, None)
    half_directed = CHAIN | CHAIN.T
    half_directed[1, 0] = False  # a member exists, but its class has both edges undirected
    assert measures.identification_distances(half_directed, CHAIN)["parent_aid"] is None


def test_arrowheads_are_not_judged_where_the_truth_has_none():
    assert measures.graph_measures(COLLIDER, osp.metrics.cpdag(CHAIN))["arrowhead_f1"] is None


def test_members_of_random_classes_are_in_them():
    for seed in range(30):
        cpdag = osp.metrics.cpdag(osp.simulate.erdos_renyi(8, 3.0, rng=seed))
        assert (osp.metrics.cpdag(measures.member(cpdag)) == cpdag).all()


def test_probabilities_of_pairs_against_scikit_learn():
    rng = np.random.default_rng(0)
    truth = osp.simulate.erdos_renyi(9, 4.0, rng=1)
    edges = np.round(rng.random((9, 9)) / 2, 1)  # with ties
    upper = np.triu_indices(9, 1)
    p, y = (edges + edges.T)[upper], (truth | truth.T)[upper]
    found = measures.adjacency_measures(edges, truth)
    assert found["auroc"] == pytest.approx(roc_auc_score(y, p))
    assert found["average_precision"] == pytest.approx(average_precision_score(y, p))
    assert found["brier"] == pytest.approx(np.mean((p - y) ** 2))
    assert np.array(found["bins"]).sum(axis=0).tolist() == pytest.approx([36.0, p.sum(), y.sum()])


def test_log_loss_and_calibration_by_hand():
    edges = np.zeros((3, 3))
    edges[0, 1], edges[1, 2] = 1.0, 0.4  # joined, joined; the third pair is neither
    found = measures.adjacency_measures(edges, CHAIN)
    assert found["log_loss"] == pytest.approx(-(np.log(0.999) + np.log(0.4) + np.log(0.999)) / 3)
    assert found["calibration_error"] == pytest.approx(0.6 / 3)


def test_frequencies_of_pairs_are_smoothed_and_probabilities_are_not():
    never = measures.smoothed(np.zeros((2, 2)), 9)
    assert (never + never.T)[0, 1] == pytest.approx(0.5 / 10)
    assert measures.smoothed(np.zeros((2, 2)), 0).sum() == 0.0


def test_the_common_floor_is_of_raw_frequencies_and_of_probabilities():
    edges = np.zeros((3, 3))
    edges[0, 1] = 1.0  # joined; so is the second pair, which was never found; the third is neither
    raw = -(np.log(0.99) + np.log(0.01) + np.log(0.99)) / 3
    for resamples in (0, 30):
        found = measures.measured({"edges": edges, "resamples": np.array(resamples)}, _table(CHAIN))
        assert found["log_loss_common"] == pytest.approx(raw)


def test_effects_by_least_squares_are_sums_over_paths():
    weights = np.array([[0.0, 0.5, 0.3], [0.0, 0.0, -0.8], [0.0, 0.0, 0.0]])
    noise = np.random.default_rng(0).normal(size=(100_000, 3))
    values = noise @ np.linalg.inv(np.eye(3) - weights)
    found = measures.regressed_effects(weights != 0, values)
    assert np.allclose(found, [[1.0, 0.5, 0.3 - 0.4], [0.0, 1.0, -0.8], [0.0, 0.0, 1.0]], atol=0.02)


def test_effect_intervals_of_resamples_know_directions_that_the_class_leaves_open():
    table = _table(CHAIN, total_effects=np.zeros((3, 3)))
    rows = np.random.default_rng(0).integers(200, size=(40, 200))
    collider = {"sampled": np.stack([osp.metrics.cpdag(COLLIDER)] * 40), "rows": rows}
    low, high = measures.effect_intervals(collider, table)
    assert (low[1, 0], high[1, 0]) == (0.0, 0.0)
    assert low[0, 1] < high[0, 1]
    chain = {"sampled": np.stack([osp.metrics.cpdag(CHAIN)] * 40), "rows": rows}
    low, high = measures.effect_intervals(chain, table)
    assert low[0, 1] <= 0.0 <= high[1, 0]  # each direction is that of some resample
    assert abs(high[0, 1] - low[0, 1]) > 0.1
    cycle = {"sampled": np.stack([np.roll(np.eye(3, dtype=bool), 1, axis=1)] * 40), "rows": rows}
    assert measures.effect_intervals(cycle, table) is None


def test_coverage_counts_no_diagonal():
    effects = np.array([[1.0, 0.5], [0.0, 1.0]])
    found = measures.effect_coverage(np.zeros((2, 2)), np.full((2, 2), 0.4), effects)
    assert (found["coverage"], found["coverage_of_effects"]) == (0.5, 0.0)
    assert (found["interval_width"], found["interval_width_of_effects"]) == (0.4, 0.4)
