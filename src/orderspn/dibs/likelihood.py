"""The gradient of the likelihood over graphs with independent edges, with respect to the logits of the edges.

The gradient of `log E[p(D, G)]` is estimated by the score function: `sum_m w_m G_m - sigmoid(logits)`, with graphs G_m
sampled from the edge probabilities and weights w_m proportional to p(D, G_m). A graph is one mask for each target, and
its score takes n lookups.

A part of the prior is taken out of the expectation: `log E[p(D, G) exp(push |G|)] - push E|G|`, where |G| is the number
of edges. Once all edges are certain, the density is the same for any push. But before that, uncertain edges are pushed
out by an exact gradient instead of a noisy one. This equals the authors' separate term for an Erdos-Renyi prior with
log odds -push. With a push above 1, graphs become empty before the likelihood has any effect.

The expectation is a product over targets, so that each target could have weights of its own, with less noise. But the
noise takes particles out of poor optima: with weights by target they settle early, at graphs with worse scores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from orderspn.dibs.problem import Block
from orderspn.dibs.threefry import Key, random_words

if TYPE_CHECKING:
    import jax


def likelihood_gradient(
    logits: jax.Array, block: Block, log_score: jax.Array, key: Key, n_samples: int, push: float | jax.Array = 0.0
) -> jax.Array:
    """Estimate the gradient with respect to `logits` (P, d, n), from `n_samples` graphs for each particle."""
    import jax
    import jax.numpy as jnp

    probabilities = jnp.where(block.allowed, jax.nn.sigmoid(logits), 0.0)
    masks = sample_masks(probabilities, block, key, n_samples)
    n_edges = jax.lax.population_count(masks).sum(axis=0)  # (P, samples)
    weights = graph_weights(log_likelihoods(masks, block, log_score) + push * n_edges)
    pushed_out = push * probabilities * (1.0 - probabilities)
    return expected_edges(masks, weights, block) - probabilities - pushed_out


def sample_masks(probabilities: jax.Array, block: Block, key: Key, n_samples: int) -> jax.Array:  # (n, P, samples)
    """Draw parent sets of every target, as masks over its candidates, from edge probabilities (P, d, n)."""
    import jax
    import jax.numpy as jnp

    n_particles, _, n = probabilities.shape
    thresholds, bits = _pairs_of_slots(probabilities, block)  # (pairs, 2, n, P, 1), (pairs, 2, n, 1, 1)
    sample = jnp.arange(n_particles * n_samples, dtype=jnp.uint32).reshape(1, n_particles, n_samples)
    target = jnp.arange(n, dtype=jnp.uint32)[:, None, None] * np.uint32(len(thresholds))

    def add_pair(pair: jax.Array, masks: jax.Array) -> jax.Array:
        words = random_words(key, sample, target + pair.astype(jnp.uint32))
        for word, threshold, bit in zip(words, thresholds[pair], bits[pair], strict=True):
            masks = masks | jnp.where(word < threshold, bit, 0)
        return masks

    # In a loop, because XLA would otherwise draw the words again in every place that uses the masks. Samples are
    # innermost, so that its body is vectorised over them.
    return jax.lax.fori_loop(0, len(thresholds), add_pair, jnp.zeros((n, n_particles, n_samples), dtype=jnp.int32))


def _pairs_of_slots(probabilities: jax.Array, block: Block) -> tuple[jax.Array, jax.Array]:
    """Return the thresholds below which a 32-bit word sets a bit, and the bits; slots without a source have bit 0."""
    import jax.numpy as jnp

    n_particles, _, n = probabilities.shape
    by_slot = probabilities[:, block.source, jnp.arange(n)[:, None]]  # (P, n, slots)
    words = jnp.minimum(by_slot * 2.0**32, 2.0**32 - 1).astype(jnp.uint32).transpose(2, 1, 0)  # (slots, n, P)
    odd = len(words) % 2
    thresholds, bits = jnp.pad(words, ((0, odd), (0, 0), (0, 0))), jnp.pad(block.bit.T, ((0, odd), (0, 0)))
    return thresholds.reshape(-1, 2, n, n_particles, 1), bits.reshape(-1, 2, n, 1, 1)


def log_likelihoods(masks: jax.Array, block: Block, log_score: jax.Array) -> jax.Array:
    """Return log p(D, G) of graphs given as masks (n, P, samples), relative to the best parent sets; (P, samples)."""
    numbers = block.start[:, None, None] + masks
    return log_score.at[numbers].get(mode="promise_in_bounds").sum(axis=0)


def graph_weights(log_likelihood: jax.Array) -> jax.Array:
    """Return the weights of the samples of each particle, proportional to p(D, G); equal if all are impossible."""
    import jax.numpy as jnp

    top = log_likelihood.max(axis=1, keepdims=True)
    relative = jnp.where(top > -jnp.inf, jnp.exp(log_likelihood - jnp.where(top > -jnp.inf, top, 0.0)), 1.0)
    return relative / relative.sum(axis=1, keepdims=True)


def expected_edges(masks: jax.Array, weights: jax.Array, block: Block) -> jax.Array:
    """Return the weighted mean of the graphs of each particle, (P, d, n)."""
    import jax.numpy as jnp

    present = (masks & block.bit.T[:, :, None, None]) != 0  # (slots, n, P, samples)
    by_slot = jnp.where(present, weights, 0.0).sum(axis=3)
    targets = jnp.arange(by_slot.shape[1])
    edges = by_slot[block.slot, targets]  # (d, n, P)
    return jnp.where(block.allowed, edges.transpose(2, 0, 1), 0.0)
