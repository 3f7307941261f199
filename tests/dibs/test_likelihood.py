"""The likelihood gradient against sums over all graphs, and sampled graphs against the library's own scores."""

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.blocks import gaussian, key_of, on_device, problem, random_block, some_family_scores
from helpers.examples import costly
from orderspn.core.jax import double_precision
from orderspn.dibs.likelihood import (
    expected_edges,
    graph_weights,
    likelihood_gradient,
    log_likelihoods,
    sample_masks,
)
from reference import dibs as twin

BLOCKS = {"all": ([], [0, 1, 2]), "one before": ([1], [0, 2]), "one left out": ([], [0, 2]), "single": ([0, 2], [1])}
PUSHES = [0.0, 0.8]


@pytest.fixture(autouse=True)
def _in_double_precision():
    with double_precision():
        yield


def small(name, seed=3):
    """Families of three variables, a block, and logits (3, n)."""
    families, scores = some_family_scores(3, seed)
    made = problem(families, BLOCKS[name])
    logits = np.random.default_rng(seed).normal(size=made.block.allowed.shape)
    return made, scores, logits


@pytest.mark.parametrize("push", PUSHES)
@pytest.mark.parametrize("name", BLOCKS)
def test_twin_is_the_gradient_of_the_log_expectation(name, push):
    made, scores, logits = small(name)
    block = made.block
    differences = twin.finite_differences(
        lambda x: twin.log_expected_score(x, block.allowed, block.targets, scores, push), logits
    )
    exact = twin.likelihood_gradient(logits, block.allowed, block.targets, scores, push)
    np.testing.assert_allclose(exact, differences, atol=1e-8)
    assert np.abs(exact).max() > 0.01


@pytest.mark.exhaustive
@pytest.mark.parametrize("push", PUSHES)
@pytest.mark.parametrize("name", BLOCKS)
def test_estimate_agrees_with_all_graphs(name, push):
    """Within five standard errors: those of particles that are copies of each other."""
    made, scores, logits = small(name)
    block, copies = made.block, 100
    estimates = np.asarray(
        likelihood_gradient(
            jnp.asarray(np.stack([logits] * copies)),
            on_device(block),
            jnp.asarray(made.log_score),
            key_of(0),
            n_samples=10_000,  # weights are ratios of means: their bias is of this size, far below the noise
            push=push,
        )
    )
    exact = twin.likelihood_gradient(logits, block.allowed, block.targets, scores, push)
    errors = estimates.std(axis=0, ddof=1) / np.sqrt(copies)
    assert (np.abs(estimates.mean(axis=0) - exact) <= 5 * errors).all()
    assert 5 * errors.max() < 0.1 * np.abs(exact).max()  # or else a wrong gradient would not be seen
    np.testing.assert_array_equal(estimates[:, ~block.allowed], 0)


@pytest.mark.thorough
def test_edges_are_sampled_with_their_probabilities():
    made, _, logits = small("all")
    block, n_samples = made.block, 40_000
    probabilities = np.where(block.allowed, 1 / (1 + np.exp(-logits)), 0)
    masks = sample_masks(jnp.asarray(probabilities)[None], on_device(block), key_of(1), n_samples)
    weights = jnp.full((1, n_samples), 1 / n_samples)
    share = np.asarray(expected_edges(masks, weights, on_device(block)))[0]
    assert (np.abs(share - probabilities) <= 5 * np.sqrt(probabilities * (1 - probabilities) / n_samples)).all()
    certain = jnp.asarray(np.where(block.allowed, [[0.0, 1.0, 0.0]], 0.0))[None]
    masks = np.asarray(sample_masks(certain, on_device(block), key_of(1), 1000))
    assert [set(masks[j].ravel().tolist()) for j in range(3)] == [{0}, {3}, {0}]


@pytest.mark.exhaustive
@costly
@given(st.integers(0, 10**6))
def test_no_edge_into_s1_nor_from_outside(seed):
    rng = np.random.default_rng(seed)
    families, before, variables = random_block(rng)
    block = problem(families, (before, variables)).block
    logits = rng.normal(scale=5, size=(2, *block.allowed.shape))
    probabilities = jnp.asarray(np.where(block.allowed, 1 / (1 + np.exp(-logits)), 0))
    masks = np.asarray(sample_masks(probabilities, on_device(block), key_of(seed), 20))
    inside = {*before, *variables}
    assert masks.shape[0] == len(variables)
    for target, own in zip(variables, masks, strict=True):
        for mask in own.ravel().tolist():
            assert set(families[target].members(mask).tolist()) <= inside - {target}


@pytest.mark.thorough
def test_likelihoods_are_those_of_the_library():
    """Each sampled graph, parent set by parent set, from tables of that set alone."""
    local, families = gaussian(5, 50, seed=0)
    made = problem(families, ([3], [0, 1, 4]))
    block = made.block
    probabilities = jnp.asarray(np.where(block.allowed, 0.5, 0.0))[None]
    masks = sample_masks(probabilities, on_device(block), key_of(5), 40)
    got = np.asarray(log_likelihoods(masks, on_device(block), jnp.asarray(made.log_score)))[0]
    scale = sum(families[target].log_scale for target in block.targets)
    for graph, log_likelihood in zip(np.asarray(masks)[:, 0].T, got, strict=True):
        expected = sum(
            local.table(int(target), families[target].members(int(mask)))[-1]
            for target, mask in zip(block.targets, graph, strict=True)
        )
        assert log_likelihood + scale == pytest.approx(expected, rel=1e-10)
    assert len(set(got.tolist())) > 20


def test_weights_of_impossible_graphs():
    log_likelihood = jnp.array([[0.0, -jnp.inf, jnp.log(3.0)], [-jnp.inf] * 3, [-5000.0, -5000.0, -9000.0]])
    np.testing.assert_allclose(graph_weights(log_likelihood), [[0.25, 0, 0.75], [1 / 3] * 3, [0.5, 0.5, 0]], atol=1e-15)


def test_push_does_not_change_certain_graphs():
    """Between graphs whose edges are certain the density differs by their scores alone."""
    made, scores, _ = small("all")
    block = made.block
    for graph in twin.all_graphs(block.allowed):
        certain = np.where(graph == 1, 40.0, -40.0)
        found = twin.log_expected_score(certain, block.allowed, block.targets, scores, push=0.8)
        assert found == pytest.approx(twin.log_score(graph, block.targets, scores), abs=1e-9)
