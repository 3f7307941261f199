"""One step of Stein variational gradient descent on the latent particles, and many of them as one compiled program.

A particle Z has a row for each source, then one for each target: `logits = alpha Z_source Z_target^T`. Its density is
`N(Z) exp(-beta E[h(G)]) E[p(D, G)]`, with a part of the prior taken out of the expectation (see `likelihood.py`). Alpha
and beta grow with the number of the step.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from orderspn.dibs.acyclicity import acyclicity_gradient
from orderspn.dibs.likelihood import likelihood_gradient
from orderspn.dibs.problem import Block
from orderspn.dibs.threefry import Key, random_words

if TYPE_CHECKING:
    import jax

DECAY, EPSILON = 0.9, 1e-8
"""Parameters of RMSprop: the decay of squared gradients, and the constant added to them."""

GRAPHS, NOISE = np.uint32(0), np.uint32(1)
"""The two uses of random words in a step."""


class State(NamedTuple):
    """The positions of the particles, and the running mean of their squared directions."""

    latent: jax.Array  # (P, d + n, k)
    square: jax.Array  # (P, d + n, k)


class Constants(NamedTuple):
    """Numbers that may change without compiling a new program."""

    alpha: float  # growth of alpha per step
    beta: float  # growth of beta per step
    bandwidth: float  # h of the kernel
    rate: float  # of RMSprop
    precision: float  # of the normal prior of Z
    push: float  # of uncertain edges


class Sizes(NamedTuple):
    """Numbers that a program is compiled for, besides the shapes of arrays."""

    graph_samples: int
    acyclicity_samples: int


def logits_of(latent: jax.Array, n_sources: int, alpha: float | jax.Array) -> jax.Array:
    """Return the logits of the edges, (P, d, n)."""
    return alpha * (latent[:, :n_sources] @ latent[:, n_sources:].swapaxes(1, 2))


def latent_gradient(latent: jax.Array, logit_gradient: jax.Array, alpha: float | jax.Array) -> jax.Array:
    """Turn a gradient with respect to logits (P, d, n) into one with respect to Z (P, d + n, k)."""
    import jax.numpy as jnp

    n_sources = logit_gradient.shape[1]
    sources, targets = latent[:, :n_sources], latent[:, n_sources:]
    return alpha * jnp.concatenate([logit_gradient @ targets, logit_gradient.swapaxes(1, 2) @ sources], axis=1)


def stein_direction(latent: jax.Array, gradient: jax.Array, bandwidth: float | jax.Array) -> jax.Array:
    """Return directions of particles: `mean_j k(j, i) grad_j + d/dj k(j, i)`, `k = exp(-||Z_i - Z_j||^2 / h)`."""
    import jax.numpy as jnp

    z = latent.reshape(len(latent), -1)
    norms = (z * z).sum(axis=1)
    distances = jnp.maximum(norms[:, None] + norms[None] - 2 * z @ z.T, 0.0)
    kernel = jnp.exp(-distances / bandwidth)  # (P, P)
    repulsion = (2 / bandwidth) * (kernel.sum(axis=1, keepdims=True) * z - kernel @ z)
    return ((kernel @ gradient.reshape(z.shape) + repulsion) / len(z)).reshape(latent.shape)


def step(
    number: jax.Array, state: State, block: Block, log_score: jax.Array, key: Key, constants: Constants, sizes: Sizes
) -> State:
    """Move all particles once; `number` counts from 0."""
    import jax.numpy as jnp

    latent, square = state
    alpha, beta = constants.alpha * number, constants.beta * number
    logits = logits_of(latent, len(block.place), alpha)
    count = number.astype(jnp.uint32)
    for_graphs, for_noise = random_words(key, count, GRAPHS), random_words(key, count, NOISE)
    likelihood = likelihood_gradient(logits, block, log_score, for_graphs, sizes.graph_samples, constants.push)
    cyclicity = acyclicity_gradient(logits, block, for_noise, sizes.acyclicity_samples)
    gradient = latent_gradient(latent, likelihood - beta * cyclicity, alpha) - constants.precision * latent
    direction = stein_direction(latent, gradient, constants.bandwidth)
    square = DECAY * square + (1 - DECAY) * direction**2
    return State(latent + constants.rate * direction / jnp.sqrt(square + EPSILON), square)


def advance(
    first: jax.Array,
    end: jax.Array,
    state: State,
    block: Block,
    log_score: jax.Array,
    key: Key,
    constants: Constants,
    sizes: Sizes,
) -> State:
    """Take the steps from number `first` up to number `end`, excluded."""
    import jax

    def body(number: jax.Array, state: State) -> State:
        return step(number, state, block, log_score, key, constants, sizes)

    return jax.lax.fori_loop(first, end, body, state)


@cache
def compiled_advance() -> Callable[..., Any]:
    """Return `advance`, compiled once for each combination of shapes and `sizes`."""
    import jax

    return jax.jit(advance, static_argnames="sizes")
