"""Steps against the same in plain NumPy: the chain rule, Stein's direction, RMSprop and the schedule."""

import jax.numpy as jnp
import numpy as np
import pytest

from dibs.blocks import key_of, on_device, problem, some_family_scores
from orderspn.core.jax import double_precision
from orderspn.dibs import step as module
from orderspn.dibs.acyclicity import acyclicity_gradient
from orderspn.dibs.likelihood import likelihood_gradient
from orderspn.dibs.step import GRAPHS, NOISE, Constants, Sizes, State, latent_gradient, logits_of, stein_direction
from orderspn.dibs.threefry import random_words
from reference import dibs as twin


@pytest.fixture(autouse=True)
def _in_double_precision():
    with double_precision():
        yield


def test_chain_rule():
    rng = np.random.default_rng(0)
    latent, weights = rng.normal(size=(7, 2)), rng.normal(size=(4, 3))  # d = 4, n = 3, k = 2

    def weighted(z):
        return (weights * np.asarray(logits_of(jnp.asarray(z)[None], 4, 1.7))[0]).sum()

    got = latent_gradient(jnp.asarray(latent)[None], jnp.asarray(weights)[None], 1.7)[0]
    np.testing.assert_allclose(got, twin.finite_differences(weighted, latent), atol=1e-8)


@pytest.mark.thorough
def test_stein_direction():
    rng = np.random.default_rng(1)
    latent, gradient = rng.normal(size=(2, 5, 6, 3))
    got = stein_direction(jnp.asarray(latent), jnp.asarray(gradient), 5.0)
    np.testing.assert_allclose(got, twin.stein_direction(latent, gradient, 5.0), atol=1e-12)


@pytest.mark.exhaustive
def test_steps_one_by_one():
    """Three steps of the compiled program, and the same written out with the gradients of each."""
    families, _ = some_family_scores(4, seed=2)
    made = problem(families, ([3], [0, 2]))
    block, log_score, key = on_device(made.block), jnp.asarray(made.log_score), key_of(4)
    constants, sizes = Constants(0.7, 1.3, 5.0, 0.01, 4.0, 0.8), Sizes(16, 8)
    start = np.random.default_rng(0).normal(size=(5, 6, 4))
    state = State(jnp.asarray(start), jnp.zeros(start.shape))
    got = module.compiled_advance()(0, 3, state, block, log_score, key, constants, sizes)

    latent, square = start.copy(), np.zeros(start.shape)
    for t in range(3):
        alpha, beta, count = 0.7 * t, 1.3 * t, jnp.uint32(t)
        logits = alpha * np.einsum("pik,pjk->pij", latent[:, :4], latent[:, 4:])
        words = random_words(key, count, GRAPHS)
        likelihood = likelihood_gradient(jnp.asarray(logits), block, log_score, words, 16, 0.8)
        cyclicity = acyclicity_gradient(jnp.asarray(logits), block, random_words(key, count, NOISE), 8)
        upward = np.asarray(likelihood - beta * cyclicity)
        sources = alpha * np.einsum("pij,pjk->pik", upward, latent[:, 4:])
        targets = alpha * np.einsum("pij,pik->pjk", upward, latent[:, :4])
        gradient = np.concatenate([sources, targets], axis=1) - 4.0 * latent
        direction = twin.stein_direction(latent, gradient, 5.0)
        square = 0.9 * square + 0.1 * direction**2
        latent = latent + 0.01 * direction / np.sqrt(square + 1e-8)
    np.testing.assert_allclose(got.latent, latent, atol=1e-6)  # the cyclicity is in single precision
    assert np.abs(latent - start).max() > 0.03
