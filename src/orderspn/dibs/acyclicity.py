"""The gradient of the expected cyclicity `E[h(G)]` with respect to logits, `h(G) = tr((I + G/n)^n) - n`.

Graphs are relaxed: with a uniform u an edge is `sigmoid(logit + log(u / (1 - u)))`. This equals `u / (u + (1 - u) c)`
with `c = exp(-logit)`, which needs no logarithm or exponential for each sample. The gradient of h is
`((I + G/n)^(n-1))^T`.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from orderspn.dibs.problem import Block
from orderspn.dibs.threefry import Key, random_words

if TYPE_CHECKING:
    import jax

LARGEST_LOGIT = 60.0
"""Beyond this a relaxed edge is 0 or 1 up to rounding for any noise; its `exp` is still finite in single precision."""

AT_ONCE = 2**22
"""Most pairs of variables in all relaxed graphs together; with more, a few particles are taken at a time."""

SMALLEST_DOT = 8
"""XLA multiplies many matrices quickly if they are at least this large; smaller ones take up to twenty times longer."""


def acyclicity_gradient(logits: jax.Array, block: Block, key: Key, n_samples: int) -> jax.Array:
    """Estimate the gradient with respect to `logits` (P, d, n), 0 for edges from S_1.

    Samples are in single precision: their noise is far larger than its rounding, and products of 32 x 32 matrices take
    a third of the time.
    """
    import jax
    import jax.numpy as jnp

    n_particles, _, n = logits.shape
    within = logits[:, block.targets].astype(jnp.float32)  # (P, n, n)
    allowed, certain = block.allowed[block.targets], block.certain[block.targets]

    def gradient_of(first: jax.Array, some: jax.Array) -> jax.Array:
        noise = uniform_noise(key, len(some), n_samples, n, first)
        return expected_cyclicity_gradient(some, allowed, noise, certain)

    count = graphs_at_once(n_particles, n_samples, n) // n_samples
    if count == n_particles:
        gradient = gradient_of(jnp.uint32(0), within)
    else:
        rounds = -(-n_particles // count)
        missing = rounds * count - n_particles
        groups = jnp.pad(within, ((0, missing), (0, 0), (0, 0))).reshape(rounds, count, n, n)
        firsts = count * jnp.arange(rounds, dtype=jnp.uint32)
        gradients = jax.lax.map(lambda group: gradient_of(*group), (firsts, groups))
        gradient = gradients.reshape(rounds * count, n, n)[:n_particles]
    padded = jnp.concatenate([gradient, jnp.zeros((n_particles, 1, n), gradient.dtype)], axis=1)
    return padded[:, block.place].astype(logits.dtype)


def graphs_at_once(n_particles: int, n_samples: int, n: int) -> int:
    """Return how many relaxed graphs of n variables are in memory together: all samples of some particles."""
    return n_samples * min(n_particles, max(1, AT_ONCE // (n_samples * n * n)))


def uniform_noise(key: Key, n_particles: int, n_samples: int, n: int, first: int | jax.Array = 0) -> jax.Array:
    """Draw uniform numbers between 0 and 1, both excluded, shape (P, samples, n, n), from the first particle on."""
    import jax.numpy as jnp

    shape = (n_particles, n_samples, n, n)
    # A flat array of counters, and only the first of the two words: other forms are not vectorised for some shapes.
    start = jnp.asarray(first, dtype=jnp.uint32) * np.uint32(prod(shape[1:]))
    words, _ = random_words(key, start + jnp.arange(prod(shape), dtype=jnp.uint32), np.uint32(0))
    # 23 bits and a half: the largest is 1 - 2**-24, the largest number below 1 in single precision.
    return (((words >> np.uint32(9)).astype(jnp.float32) + np.float32(0.5)) * np.float32(2.0**-23)).reshape(shape)


def relaxed_graphs(
    logits: jax.Array, allowed: jax.Array, noise: jax.Array, certain: jax.Array | bool = False
) -> jax.Array:
    """Return soft graphs of `logits` (P, n, n), with the shape of the noise (P, samples, n, n)."""
    import jax.numpy as jnp

    odds_against = jnp.exp(-jnp.clip(logits, -LARGEST_LOGIT, LARGEST_LOGIT))[:, None]
    soft = jnp.where(allowed, noise / (noise + (1 - noise) * odds_against), 0)
    return jnp.where(certain, 1, soft)


def expected_cyclicity_gradient(
    logits: jax.Array, allowed: jax.Array, noise: jax.Array, certain: jax.Array | bool = False
) -> jax.Array:
    """Return the mean gradient of h over the samples of the noise, with respect to logits (P, n, n)."""
    import jax.numpy as jnp

    n = logits.shape[-1]
    graphs = relaxed_graphs(logits, allowed, noise, certain)
    # Powers of the transpose, because transposing graphs is faster than transposing their powers.
    turned = jnp.eye(n, dtype=graphs.dtype) + graphs.swapaxes(2, 3) / n
    return (_power(turned, n - 1) * graphs * (1 - graphs)).mean(axis=1)


def _power(matrices: jax.Array, exponent: int) -> jax.Array:
    """Return a power of matrices (..., n, n); for n = 1 no edge is allowed, and the result does not matter."""
    if matrices.shape[-1] < SMALLEST_DOT:
        return _power_of_small(matrices, exponent)
    return _power_of_large(matrices, exponent)


def _power_of_large(matrices: jax.Array, exponent: int) -> jax.Array:
    """Compute the power with few products: 5 for the 15th and 7 for the 31st; repeated squaring takes 6 and 8."""
    if exponent <= 1:
        return matrices
    factor = next(i for i in range(2, exponent + 1) if exponent % i == 0)
    if factor == 2:
        root = _power_of_large(matrices, exponent // 2)
        return root @ root
    if factor < exponent:
        return _power_of_large(_power_of_large(matrices, exponent // factor), factor)
    return _power_of_large(matrices, exponent - 1) @ matrices


def _power_of_small(matrices: jax.Array, exponent: int) -> jax.Array:
    """Multiply one factor at a time, each product written out; in a loop, because XLA would nest the products."""
    import jax

    def times(_: jax.Array, power: jax.Array) -> jax.Array:
        product = power[..., :, 0, None] * matrices[..., None, 0, :]
        for k in range(1, matrices.shape[-1]):
            product = product + power[..., :, k, None] * matrices[..., None, k, :]
        return product

    return jax.lax.fori_loop(1, exponent, times, matrices)
