"""The gradient of `log E[p(D, G)]` over graphs with independent edges, with respect to the logits of the edges.

With graphs G_m sampled from the edge probabilities and weights proportional to p(D, G_m), the score function gives
`sum_m w_m G_m - sigmoid(logits)`. But p(D, G) is a product over targets, and the parents of different targets are
independent: so is the expectation, `prod_j E[p_j(G_j)]`, and each target has weights of its own. With common weights
one graph in a hundred would have them all, and what it happens to have elsewhere would be taken for good.

The parents of a target are one mask, so that their probability is one lookup.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from orderspn.dibs.problem import Block
from orderspn.dibs.threefry import Key, random_words

if TYPE_CHECKING:
    import jax


def likelihood_gradient(logits: jax.Array, block: Block, log_score: jax.Array, key: Key, n_samples: int) -> jax.Array:
    """Estimate the gradient with respect to `logits` (P, d, n), from so many graphs for each particle."""
    import jax
    import jax.numpy as jnp

    probabilities = jnp.where(block.allowed, jax.nn.sigmoid(logits), 0.0)
    masks = sample_masks(probabilities, block, key, n_samples)
    weights = sample_weights(log_likelihoods(masks, block, log_score))
    return expected_edges(masks, weights, block) - probabilities


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

    # A loop, for XLA would otherwise draw the words again in every place that uses the masks. Samples are innermost, so
    # that its body is vectorised over them.
    return jax.lax.fori_loop(0, len(thresholds), add_pair, jnp.zeros((n, n_particles, n_samples), dtype=jnp.int32))


def _pairs_of_slots(probabilities: jax.Array, block: Block) -> tuple[jax.Array, jax.Array]:
    """What a word of 32 bits must be below for a bit to be set, and the bit; slots without a source have bit 0."""
    import jax.numpy as jnp

    n_particles, _, n = probabilities.shape
    by_slot = probabilities[:, block.source, jnp.arange(n)[:, None]]  # (P, n, slots)
    words = jnp.minimum(by_slot * 2.0**32, 2.0**32 - 1).astype(jnp.uint32).transpose(2, 1, 0)  # (slots, n, P)
    odd = len(words) % 2
    thresholds, bits = jnp.pad(words, ((0, odd), (0, 0), (0, 0))), jnp.pad(block.bit.T, ((0, odd), (0, 0)))
    return thresholds.reshape(-1, 2, n, n_particles, 1), bits.reshape(-1, 2, n, 1, 1)


def log_likelihoods(masks: jax.Array, block: Block, log_score: jax.Array) -> jax.Array:
    """Log scores of parent sets given as masks (n, P, samples), relative to the best of the family; same shape."""
    numbers = block.start[:, None, None] + masks
    return log_score.at[numbers].get(mode="promise_in_bounds")


def sample_weights(log_likelihood: jax.Array) -> jax.Array:
    """Weights of samples (..., samples), proportional to their scores; equal where all of them are impossible."""
    import jax.numpy as jnp

    top = log_likelihood.max(axis=-1, keepdims=True)
    relative = jnp.where(top > -jnp.inf, jnp.exp(log_likelihood - jnp.where(top > -jnp.inf, top, 0.0)), 1.0)
    return relative / relative.sum(axis=-1, keepdims=True)


def expected_edges(masks: jax.Array, weights: jax.Array, block: Block) -> jax.Array:
    """Mean of the sampled parent sets of each particle and target by their weights (n, P, samples): (P, d, n)."""
    import jax.numpy as jnp

    present = (masks & block.bit.T[:, :, None, None]) != 0  # (slots, n, P, samples)
    by_slot = jnp.where(present, weights, 0.0).sum(axis=3)
    targets = jnp.arange(by_slot.shape[1])
    edges = by_slot[block.slot, targets]  # (d, n, P)
    return jnp.where(block.allowed, edges.transpose(2, 0, 1), 0.0)
