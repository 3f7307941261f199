"""The gradient of expected cyclicity against finite differences with the same noise."""

import jax.numpy as jnp
import numpy as np
import pytest

import orderspn.dibs.acyclicity
from dibs.blocks import key_of, on_device, problem, some_family_scores
from helpers.levels import parameters
from orderspn.core.jax import double_precision
from orderspn.dibs.acyclicity import (
    acyclicity_gradient,
    expected_cyclicity_gradient,
    graphs_at_once,
    relaxed_graphs,
    uniform_noise,
)
from reference import dibs as twin


@pytest.fixture(autouse=True)
def _in_double_precision():
    with double_precision():
        yield


def edges_allowed(n, seed):
    return (np.random.default_rng([seed, n]).random((n, n)) < 0.8) & ~np.eye(n, dtype=bool)


@pytest.mark.thorough
@pytest.mark.parametrize("n", parameters([1, 2, 3, 5, 7, 8, 9], quick=[3], test=[1, 3]))
def test_gradient_agrees_with_finite_differences(n):
    """Products of small matrices are written out, of larger ones not, and powers are composed by their factors."""
    rng = np.random.default_rng(n)
    logits, allowed, noise = rng.normal(size=(n, n)), edges_allowed(n, seed=0), rng.random((3, n, n))
    got = expected_cyclicity_gradient(jnp.asarray(logits)[None], jnp.asarray(allowed), jnp.asarray(noise)[None])
    differences = twin.finite_differences(lambda x: twin.mean_cyclicity(x, allowed, noise), logits)
    np.testing.assert_allclose(got[0], differences, atol=1e-8)
    assert n == 1 or np.abs(differences).max() > 1e-3


@pytest.mark.parametrize("n", parameters([15, 16, 32], quick=[], test=[16]))
def test_large_powers(n):
    """The same, from the matrix power of NumPy."""
    rng = np.random.default_rng(n)
    logits, allowed, noise = rng.normal(size=(n, n)), edges_allowed(n, seed=1), rng.random((2, n, n))
    got = expected_cyclicity_gradient(jnp.asarray(logits)[None], jnp.asarray(allowed), jnp.asarray(noise)[None])
    soft = np.where(allowed, 1 / (1 + np.exp(-logits) * (1 - noise) / noise), 0)
    powers = np.stack([np.linalg.matrix_power(np.eye(n) + g / n, n - 1).T for g in soft])
    np.testing.assert_allclose(got[0], (powers * soft * (1 - soft)).mean(axis=0), atol=1e-12)


@pytest.mark.parametrize("at_once", [1, 4])
def test_particles_may_be_taken_in_groups(monkeypatch, at_once):
    """Six particles, one or four at a time, with the same noise."""
    families, _ = some_family_scores(5, seed=0)
    block = on_device(problem(families, ([2], [4, 0, 1])).block)
    logits = jnp.asarray(np.random.default_rng(0).normal(size=(6, 5, 3)))
    whole = np.asarray(acyclicity_gradient(logits, block, key_of(0), 9))
    monkeypatch.setattr(orderspn.dibs.acyclicity, "AT_ONCE", at_once * 9 * 3 * 3)
    assert graphs_at_once(6, 9, 3) == at_once * 9
    np.testing.assert_allclose(acyclicity_gradient(logits, block, key_of(0), 9), whole, rtol=0.0, atol=1e-6)
    assert np.abs(whole).max() > 0.01


@pytest.mark.exhaustive
def test_edges_from_s1_close_no_cycles():
    families, _ = some_family_scores(5, seed=0)
    block = problem(families, ([2], [4, 0, 1])).block
    logits = np.random.default_rng(0).normal(size=(6, 5, 3))
    got = np.asarray(acyclicity_gradient(jnp.asarray(logits), on_device(block), key_of(0), 9))
    np.testing.assert_array_equal(got[:, [2, 3]], 0)
    noise = uniform_noise(key_of(0), 6, 9, 3)
    within = expected_cyclicity_gradient(
        jnp.asarray(logits[:, block.targets]), jnp.asarray(block.allowed[block.targets]), noise.astype(jnp.float64)
    )
    np.testing.assert_allclose(got[:, block.targets], within, atol=1e-6)  # single precision against double
    assert np.abs(within).max() > 0.01


@pytest.mark.thorough
def test_extreme_logits_make_hard_graphs():
    logits = jnp.array([[[0.0, 1e9], [-1e9, 0.0]]], dtype=jnp.float32)
    graphs = relaxed_graphs(logits, jnp.asarray(~np.eye(2, dtype=bool)), uniform_noise(key_of(0), 1, 100, 2))
    np.testing.assert_allclose(graphs, np.broadcast_to([[0.0, 1.0], [0.0, 0.0]], (1, 100, 2, 2)), atol=1e-15)


def test_noise_is_uniform_and_never_0_or_1():
    noise = np.asarray(uniform_noise(key_of(0), 10, 100, 10), dtype=np.float64).ravel()
    assert noise.min() > 0
    assert noise.max() < 1
    counts = np.histogram(noise, bins=20, range=(0, 1))[0]
    expected = noise.size / 20
    assert ((counts - expected) ** 2 / expected).sum() < 60  # chi square with 19 degrees: once in 4 million
