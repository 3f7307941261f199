"""Standard errors of means over Markov chains, against how means vary from one set of chains to the next."""

import math

import numpy as np
import pytest

from orderspn.queries.precision import BATCH, conditional_standard_errors, standard_errors


def autoregressive(rng, runs, n_draws, phi, shape=()):
    """Chains that keep a share phi of their last value, with variance 1."""
    traces = np.empty((runs, n_draws, *shape))
    traces[:, 0] = rng.normal(size=(runs, *shape))
    for draw in range(1, n_draws):
        traces[:, draw] = phi * traces[:, draw - 1] + math.sqrt(1 - phi**2) * rng.normal(size=(runs, *shape))
    return traces


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9])
def test_autoregressive_chains(phi):
    """The variance of a mean of n draws is (1 + phi) / (1 - phi) / n, in theory."""
    rng = np.random.default_rng(1)
    traces = autoregressive(rng, 4, 2000, phi, (20,))
    expected = math.sqrt((1 + phi) / (1 - phi) / 8000)
    errors = standard_errors(traces)
    assert errors.shape == (20,)
    np.testing.assert_allclose(errors, expected, rtol=0.35)
    assert errors.mean() == pytest.approx(expected, rel=0.1)


def test_errors_are_those_of_repeated_means():
    rng = np.random.default_rng(2)
    chains = autoregressive(rng, 4, 400, 0.7, (300,)) > 0.8
    means = chains.mean(axis=(0, 1))
    assert standard_errors(chains).mean() == pytest.approx(means.std(), rel=0.15)


def test_constant_traces_have_none():
    traces = np.zeros((2, 10, 3))
    traces[..., 1] = np.random.default_rng(0).normal(size=(2, 10))
    traces[..., 2] = 5.0
    errors = standard_errors(traces)
    assert errors[0] == errors[2] == 0.0
    assert errors[1] > 0.0


def test_shapes_and_types():
    traces = np.random.default_rng(3).random((2, 50, 3, 4)) < 0.4
    errors = standard_errors(traces)
    assert errors.shape == (3, 4)
    assert errors[1, 2] == pytest.approx(float(standard_errors(traces[:, :, 1, 2])))


def test_runs_that_never_move_are_worth_about_one_draw_each():
    traces = np.repeat(np.array([[0.0], [1.0], [1.0], [0.0]]), 100, axis=1)
    assert float(standard_errors(traces)) == pytest.approx(0.5 / math.sqrt(4), rel=0.1)


@pytest.mark.parametrize("n_draws", [1, 2, 3])
def test_too_few_draws_to_know_count_as_one(n_draws):
    traces = np.random.default_rng(4).normal(size=(2, n_draws))
    assert float(standard_errors(traces)) == pytest.approx(traces.std())


def conditional_standard_error(event, condition):
    return float(conditional_standard_errors(event[:, :, None], condition)[0])


def test_conditional_error_is_that_of_repeated_ratios():
    rng = np.random.default_rng(5)
    errors, ratios = [], []
    for _ in range(200):
        walk = autoregressive(rng, 2, 300, 0.6, (2,))
        event, condition = walk[..., 0] + walk[..., 1] > 0.5, walk[..., 1] > 0.3
        errors.append(conditional_standard_error(event, condition))
        ratios.append((event & condition).sum() / condition.sum())
    assert np.mean(errors) == pytest.approx(np.std(ratios), rel=0.2)


def test_without_a_condition_it_is_the_error_of_a_share():
    event = np.random.default_rng(6).random((4, 500)) < 0.3
    everything = np.ones_like(event)
    assert conditional_standard_error(event, everything) == pytest.approx(float(standard_errors(event)))


@pytest.mark.parametrize("always", [True, False])
def test_unknown_where_all_draws_agree(always):
    condition = np.random.default_rng(7).random((2, 50)) < 0.5
    event = condition if always else ~condition
    assert math.isnan(conditional_standard_error(event, condition))


def test_many_events_are_as_each_of_them():
    rng = np.random.default_rng(8)
    events = rng.random((3, 40, BATCH + 20)) < rng.random(BATCH + 20)
    condition = rng.random((3, 40)) < 0.7
    errors = conditional_standard_errors(events, condition)
    for number in (0, 7, BATCH - 1, BATCH, BATCH + 19):
        alone = conditional_standard_error(events[:, :, number], condition)
        assert errors[number] == pytest.approx(alone, rel=1e-12, nan_ok=True)
