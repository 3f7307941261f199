"""Brier score and calibration against scikit-learn."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve as their_curve
from sklearn.metrics import brier_score_loss

import orderspn as osp


@pytest.fixture(params=[0, 1, 2])
def case(request):
    rng = np.random.default_rng(request.param)
    p = rng.integers(0, 21, size=(9, 9)) / 20  # some on the bounds of bins
    truth = rng.random((9, 9)) < p
    np.fill_diagonal(truth, False)
    return p, truth


def test_brier_score(case):
    p, truth = case
    off_diagonal = ~np.eye(9, dtype=bool)
    assert osp.metrics.brier_score(p, truth) == pytest.approx(brier_score_loss(truth[off_diagonal], p[off_diagonal]))
    assert osp.metrics.brier_score(truth, truth) == 0.0


@pytest.mark.parametrize("n_bins", [1, 4, 7, 10, 100])
def test_calibration_curve(case, n_bins):
    p, truth = case
    off_diagonal = ~np.eye(9, dtype=bool)
    observed, predicted = their_curve(truth[off_diagonal], p[off_diagonal], n_bins=n_bins)
    curve = osp.metrics.calibration_curve(p, truth, n_bins=n_bins)
    np.testing.assert_allclose(curve["observed"], observed)
    np.testing.assert_allclose(curve["predicted"], predicted)
    assert curve["pairs"].sum() == 72
    assert (curve["predicted"].between(curve["lower"] - 1e-12, curve["upper"] + 1e-12)).all()


def test_a_graph_without_edges_has_scores():
    assert osp.metrics.brier_score(np.full((2, 2), 0.5), np.zeros((2, 2))) == 0.25
    assert osp.metrics.calibration_curve(np.full((2, 2), 0.5), np.zeros((2, 2)))["observed"].tolist() == [0.0]


def test_wrong_arguments():
    with pytest.raises(ValueError, match="n_bins must be an integer at least 1; got 0"):
        osp.metrics.calibration_curve(np.zeros((2, 2)), np.zeros((2, 2)), n_bins=0)
    with pytest.raises(ValueError, match="probabilities must hold probabilities from 0 to 1; got 2"):
        osp.metrics.brier_score([[0, 2], [0, 0]], np.zeros((2, 2)))
