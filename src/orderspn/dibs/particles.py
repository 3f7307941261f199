"""Running DiBS: its settings, the loop over steps, and the final particles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf, sqrt
from time import perf_counter

import numpy as np

from orderspn.core.arguments import check_integer, check_positive
from orderspn.core.errors import InvalidValue
from orderspn.core.interrupts import interrupts_wait
from orderspn.core.jax import double_precision, require_jax
from orderspn.core.randomness import RNGLike, generator_of, seed_for, seed_sequence
from orderspn.dibs.acyclicity import graphs_at_once
from orderspn.dibs.problem import Block, Problem
from orderspn.dibs.step import Constants, Sizes, State, compiled_advance, logits_of

CHUNK, SECONDS = 100, 0.5
"""The most steps, and about the longest time, of one call of the compiled program. Between calls progress is reported
and Ctrl-C handled."""

PUSHED_UP_TO = 20
"""Most variables for which uncertain edges are pushed out by default. With more, this leads to worse graphs."""


NUMBER = 8
"""Bytes of a number; what is counted was measured by `benchmarks/limits.py`."""

SOFT_COPIES = 32
"""Bytes of a pair of variables in a sampled graph: random words, soft graphs and their powers."""

POWERS, WORDS, LOGITS, COMPILING = 84, 256, 80, 2**28
"""The same for more variables, where compiled programs keep less at once: bytes of a pair of variables in a graph whose
powers are taken, of a variable in a graph whose score is looked up, of a logit, and of the compiler."""


@dataclass(frozen=True)
class DibsSettings:
    """Settings of DiBS; the defaults are those of the authors' `MarginalDiBS`.

    Parameters
    ----------
    particles : int
        Number of particles that are moved together.
    steps : int
        Number of steps of the descent.
    latent : int, optional
        Length k of the latent vectors; by default the number of variables.
    alpha, beta : float
        Growth per step of the inverse temperature of edges and of the penalty of cycles.
    graph_samples, acyclicity_samples : int
        Graphs sampled for each particle and step, for the likelihood and for the penalty of cycles.
    bandwidth : float
        The h of the kernel `exp(-||Z - Z'||^2 / h)`.
    rate : float
        Learning rate of RMSprop.
    push : float, optional
        Strength with which uncertain edges are pushed out, see `likelihood.py`; by default 1 up to 20 variables, and 0
        beyond. The push of the authors is the negative log odds of their Erdos-Renyi prior, 1.0 at 16 variables.

    Examples
    --------
    >>> DibsSettings(steps=500).particles
    30
    """

    particles: int = 30
    steps: int = 3000
    latent: int | None = None
    alpha: float = 1.0
    beta: float = 1.0
    graph_samples: int = 128
    acyclicity_samples: int = 32
    bandwidth: float = 5.0
    rate: float = 0.005
    push: float | None = None

    def __post_init__(self) -> None:
        for name in ("particles", "steps", "graph_samples", "acyclicity_samples"):
            check_integer(name, getattr(self, name), 1)
        if self.latent is not None:
            check_integer("latent", self.latent, 1)
        for name in ("alpha", "beta", "bandwidth", "rate"):
            check_positive(name, getattr(self, name))
        if self.push is not None and not 0.0 <= self.push < inf:
            raise InvalidValue(f"push must be a finite number of at least 0; got {self.push}.")


def particle_bytes(settings: DibsSettings, d: int) -> int:
    """Bytes for particles of d variables, and the graphs sampled for them in a step.

    Examples
    --------
    >>> particle_bytes(DibsSettings(particles=30), 16) // 2**20
    37
    """
    pairs = settings.particles * d * d
    all_at_once = SOFT_COPIES * pairs * (settings.graph_samples + settings.acyclicity_samples)
    looked_up = WORDS * settings.particles * settings.graph_samples * d
    powers = POWERS * graphs_at_once(settings.particles, settings.acyclicity_samples, d) * d * d
    one_after_the_other = powers + looked_up + LOGITS * pairs + COMPILING
    return min(all_at_once, one_after_the_other) + NUMBER * settings.particles**2


@dataclass(frozen=True, eq=False)
class Particles:
    """The final particles.

    Attributes
    ----------
    logits : numpy.ndarray
        Shape (P, d, n): of the edge from each source to each target, at the last step; -inf for impossible edges, inf
        for certain ones.
    """

    logits: np.ndarray

    @property
    def probabilities(self) -> np.ndarray:
        """Probability of each edge given its particle, shape (P, d, n)."""
        with np.errstate(over="ignore"):
            return 1 / (1 + np.exp(-self.logits))


def run(
    problem: Problem,
    settings: DibsSettings,
    rng: RNGLike,
    progress: Callable[[int], None] | None = None,
) -> Particles:
    """Move the particles of a problem.

    Parameters
    ----------
    problem : Problem
        The block and its scores.
    settings : DibsSettings
        Settings of the run.
    rng : int, SeedSequence, Generator or None
        The same seed gives the same particles.
    progress : callable, optional
        Called with the number of steps just finished, as `Steps.advance` expects.

    Returns
    -------
    Particles
        The logits of all edges.

    Raises
    ------
    MissingExtra
        If JAX is not installed.
    """
    require_jax("DiBS")
    with double_precision():
        return Particles(_final_logits(problem, settings, seed_sequence(rng), progress))


def _final_logits(
    problem: Problem,
    settings: DibsSettings,
    seed: np.random.SeedSequence,
    progress: Callable[[int], None] | None,
) -> np.ndarray:
    """Return logits (P, d, n) after the last step."""
    import jax
    import jax.numpy as jnp

    block = problem.block
    d = len(block.place)
    k = settings.latent or d
    push = float(d <= PUSHED_UP_TO) if settings.push is None else settings.push
    constants = Constants(settings.alpha, settings.beta, settings.bandwidth, settings.rate, float(k), push)
    sizes = Sizes(settings.graph_samples, settings.acyclicity_samples)
    with interrupts_wait():
        key = tuple(jnp.asarray(word) for word in seed_for(seed, "steps").generate_state(2, np.uint32))
        rng = generator_of(seed_for(seed, "start"))
        start = jnp.asarray(initial_latent(block, settings.particles, k, rng))
        state = State(start, jnp.zeros_like(start))
        on_device, log_score = jax.tree.map(jnp.asarray, block), jnp.asarray(problem.log_score)
    for first, end in _pieces(settings.steps):
        with interrupts_wait():
            state = compiled_advance()(first, end, state, on_device, log_score, key, constants, sizes)
            state.latent.block_until_ready()
        if progress is not None:
            progress(end - first)
    with interrupts_wait():
        logits = np.asarray(logits_of(state.latent, d, settings.alpha * settings.steps))
    return np.where(block.certain, np.inf, np.where(block.allowed, logits, -np.inf))


def _pieces(steps: int) -> Iterator[tuple[int, int]]:
    """Yield first step and end of each call: one step to compile with, then as many as fit into `SECONDS`."""
    first, size = 0, 1
    while first < steps:
        began = perf_counter()
        end = min(first + size, steps)
        yield first, end
        first, took = end, perf_counter() - began
        if took < SECONDS / 2:
            size = min(2 * size, CHUNK)
        elif took > SECONDS:
            size = max(1, size // 2)


def initial_latent(block: Block, n_particles: int, k: int, rng: np.random.Generator) -> np.ndarray:
    """Draw particles from the normal prior, shape (P, d + n, k).

    Sources outside of S_1 and S_2 have no edges. Their rows are 0 and stay 0, so that they add nothing to distances
    between particles.
    """
    latent = rng.normal(scale=1 / sqrt(k), size=(n_particles, sum(block.allowed.shape), k))
    latent[:, : len(block.place)][:, ~block.allowed.any(axis=1)] = 0.0
    return latent
