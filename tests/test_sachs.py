"""Known exact values on the protein data: order-modular target, standardised columns, fair prior."""

import numpy as np
import pytest

import orderspn as osp


@pytest.fixture(scope="module")
def sachs():
    return osp.load_sachs()


@pytest.fixture(scope="module")
def posterior(sachs):
    return osp.learn(sachs.data, standardize=True, check=False)


@pytest.fixture(scope="module")
def truth(sachs):
    names = list(sachs.data.columns)
    matrix = np.zeros((len(names), len(names)), dtype=bool)
    for cause, effect in sachs.consensus:
        matrix[names.index(cause), names.index(effect)] = True
    return matrix


def off_diagonal(matrix):
    return matrix[~np.eye(len(matrix), dtype=bool)]


def test_bundled_data(sachs, truth):
    assert sachs.data.shape == (853, 11)
    assert truth.sum() == len(sachs.consensus) == 17


def test_log_evidence(posterior):
    assert round(posterior.log_evidence, 3) == -10747.826


def test_expected_number_of_edges(posterior):
    assert round(posterior.edge_probabilities().to_numpy().sum(), 3) == 8.146


def test_auroc(posterior, truth):
    """Probability that a true edge is ranked above a false one; ties count half."""
    p, is_edge = off_diagonal(posterior.edge_probabilities().to_numpy()), off_diagonal(truth)
    above = p[is_edge][:, None] - p[~is_edge][None, :]
    auroc = ((above > 0) + 0.5 * (above == 0)).mean()
    assert round(auroc, 4) == 0.6040


def test_average_precision(posterior, truth):
    """Mean, over the true edges, of the precision at the rank of each."""
    p, is_edge = off_diagonal(posterior.edge_probabilities().to_numpy()), off_diagonal(truth)
    hits = is_edge[np.argsort(-p, kind="stable")]
    precision = np.cumsum(hits) / np.arange(1, hits.size + 1)
    assert round(precision[hits].mean(), 4) == 0.3172


def test_expected_shd_between_dags(posterior, truth):
    """Expected number of unordered pairs on which two DAGs differ: a reversed edge counts once.

    A true edge is missed or reversed with probability 1 - p; where there is none, the two directions exclude
    each other, so their probabilities add.
    """
    p = posterior.edge_probabilities().to_numpy()
    linked = truth | truth.T
    expected = (1.0 - p[truth]).sum() + p[~linked].sum()
    assert round(expected, 3) == 14.458


def test_expected_shd_is_what_samples_say(posterior, truth):
    samples = posterior.sample(4000, rng=0).adjacency
    differ = (samples != truth) | (samples.transpose(0, 2, 1) != truth.T)
    distances = np.triu(differ, k=1).sum(axis=(1, 2))
    assert distances.mean() == pytest.approx(14.458, abs=5 * distances.std() / np.sqrt(4000))


def test_samples_have_the_edge_probabilities(posterior):
    p = posterior.edge_probabilities("PKC -> PKA, Raf !-> Mek").to_numpy()
    shares = posterior.sample(4000, given="PKC -> PKA, Raf !-> Mek", rng=5).adjacency.mean(axis=0)
    np.testing.assert_allclose(shares, p, atol=5 * 0.5 / np.sqrt(4000))


def test_summary_tells_the_same(posterior):
    text = posterior.summary()
    for line in (
        "11 variables",
        "853 rows (standardized)",
        f"{posterior.log_evidence:.4f}",
        "8.146",
        "exact",
        "fair prior",
    ):
        assert line in text
    assert "given" not in text
    assert "PKC -> PKA" in posterior.given("PKC -> PKA").summary()
    assert repr(posterior.given("PKC -> PKA")) == "<Posterior: exact, 11 variables, 853 rows, given 'PKC -> PKA'>"
