"""Differences of edge probabilities and of effects."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import orderspn as osp


@pytest.fixture(scope="module")
def truth():
    return osp.simulate.linear_gaussian(5, n_rows=80, rng=2)


@pytest.fixture(scope="module")
def posterior(truth):
    return osp.learn(truth.data)


def test_edge_error():
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 4, 4))
    differences = [abs(a[i, j] - b[i, j]) for i in range(4) for j in range(4) if i != j]
    error = osp.metrics.edge_error(a, b)
    assert error.largest == pytest.approx(max(differences))
    assert error.mean == pytest.approx(np.mean(differences))
    largest, mean = osp.metrics.edge_error(a, a)
    assert largest == mean == 0.0


def test_edge_error_of_posteriors(posterior):
    shuffled = posterior.edge_probabilities().iloc[::-1, [2, 0, 1, 4, 3]]
    assert osp.metrics.edge_error(posterior, shuffled).largest == 0.0
    samples = posterior.sample(4000, rng=0)
    assert 0.0 < osp.metrics.edge_error(posterior, samples).largest < 0.05


def test_effect_error(posterior, truth):
    effects = posterior.causal_effects().to_numpy()
    expected = np.mean([(effects[i, j] - truth.total_effects[i, j]) ** 2 for i in range(5) for j in range(5) if i != j])
    for found in (posterior, posterior.causal_effects(), effects):
        for true in (truth, truth.network, truth.total_effects):
            assert osp.metrics.effect_error(found, true) == pytest.approx(expected, rel=1e-12)
    shuffled = posterior.causal_effects().iloc[::-1, [2, 0, 1, 4, 3]]
    assert osp.metrics.effect_error(shuffled, truth) == pytest.approx(expected, rel=1e-12)
    estimate = posterior.estimate_effects(500, rng=0)
    assert osp.metrics.effect_error(estimate, posterior) < 0.01
    assert osp.metrics.effect_error(truth, truth) == 0.0


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:.*particles ended with a cycle:UserWarning")
@pytest.mark.parametrize(
    "how",
    [
        {"method": "trust"},
        {"method": osp.methods.Gadget(n_graphs=200, effort=0.03)},
        {"method": osp.methods.DiBS(n_particles=8, effort=0.05)},
    ],
    ids=lambda how: how["method"],
)
def test_effect_error_of_every_kind_of_posterior(truth, how):
    posterior = osp.learn(truth.data, **how)
    assert osp.metrics.effect_error(posterior, truth) == osp.metrics.effect_error(posterior.causal_effects(), truth)


def test_effects_that_are_not_exact_are_estimated(truth, posterior):
    """A posterior that counts every graph once has sampled graphs only to average over."""
    by_dags = osp.learn(truth.data, method=osp.methods.Auto(target="dag"))
    with pytest.raises(ValueError, match="Use estimate_effects"):
        by_dags.causal_effects()
    for seed, n in ((0, 1000), (3, 200)):
        estimate = by_dags.estimate_effects(n, rng=seed)
        expected = osp.metrics.effect_error(estimate.mean, truth)
        assert osp.metrics.effect_error(by_dags, truth, n_samples=n, rng=seed) == expected
        assert osp.metrics.effect_error(truth, by_dags, n_samples=n, rng=seed) == pytest.approx(expected, rel=1e-12)
    default = osp.metrics.effect_error(by_dags.estimate_effects(1000, rng=0), truth)
    assert osp.metrics.effect_error(by_dags, truth) == default
    draws = posterior.effect_samples(50, rng=0)
    assert osp.metrics.effect_error(draws, truth) == osp.metrics.effect_error(draws.mean, truth)
    with pytest.raises(ValueError, match="n_samples must be an integer at least 2; got 1"):
        osp.metrics.effect_error(by_dags, truth, n_samples=1)


def test_weights_of_sampled_graphs_count(truth, posterior):
    samples = posterior.sample(500, rng=0, target="dag")
    frequencies = samples.edge_frequencies()
    assert osp.metrics.edge_error(samples, frequencies).largest < 1e-12
    assert osp.metrics.edge_error(samples, samples.adjacency).largest > 1e-3
    assert osp.metrics.auroc(samples, truth) == osp.metrics.auroc(frequencies, truth)


def test_the_diagonal_does_not_count(truth):
    changed = truth.total_effects.copy()
    np.fill_diagonal(changed, np.nan)
    assert osp.metrics.effect_error(changed, truth) == 0.0


def test_wrong_arguments(truth):
    names = list(truth.variables[:-1])
    with pytest.raises(ValueError, match="effects must hold finite numbers"):
        osp.metrics.effect_error(np.full((5, 5), np.nan), truth)
    with pytest.raises(ValueError, match="truth and effects must have the same variables"):
        osp.metrics.effect_error(np.zeros((4, 4)), truth)
    with pytest.raises(ValueError, match="b and a must have the same variables; got 'Z' in b only"):
        osp.metrics.edge_error(truth, pd.DataFrame(0, index=[*names, "Z"], columns=[*names, "Z"]))
    with pytest.raises(ValueError, match="a must hold probabilities from 0 to 1"):
        osp.metrics.edge_error(truth.weights * 100, truth)
    with pytest.raises(TypeError, match="b must be a directed graph"):
        osp.metrics.edge_error(truth, nx.Graph([("X1", "X2")]))
