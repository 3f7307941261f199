"""Effects from sampled orders: the same in batches, and in bounded memory."""

import tracemalloc

import numpy as np
import pytest

import orderspn as osp
import orderspn.queries.effects
from helpers.data import gaussian_data, letters
from helpers.levels import parameters


def learn(n_jobs=1):
    method = osp.methods.Exact(outsiders=1)
    return osp.learn(
        gaussian_data(9, 30, seed=4),
        variables=letters(9),
        candidates=3,
        method=method,
        n_jobs=n_jobs,
        standardize=False,
    )


@pytest.mark.thorough
@pytest.mark.parametrize("orders", parameters([1, 7, 30, 1000], test=[7, 30]))
def test_batches_change_nothing(monkeypatch, orders):
    whole = learn().estimate_effects(50, rng=3)
    monkeypatch.setattr(orderspn.queries.effects, "ORDERS_BATCH_BYTES", orders * 8 * 81)
    one, two = (learn(n_jobs).estimate_effects(50, rng=3) for n_jobs in (1, 2))
    np.testing.assert_allclose(one.mean, whole.mean, rtol=0, atol=1e-12)
    np.testing.assert_allclose(one.standard_error, whole.standard_error, rtol=0, atol=1e-9)
    assert one.mean.equals(two.mean)
    assert one.standard_error.equals(two.standard_error)


@pytest.mark.exhaustive
def test_memory_does_not_grow_with_the_matrices_of_all_orders(monkeypatch):
    monkeypatch.setattr(orderspn.queries.effects, "ORDERS_BATCH_BYTES", 20 * 8 * 81)
    posterior = learn()
    posterior.estimate_effects(10, rng=0)
    tracemalloc.start()
    posterior.estimate_effects(4000, rng=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4000 * 8 * 81 / 2
