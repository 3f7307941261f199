"""Running DiBS: settings, the particles that it ends with, and the loop between."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from orderspn.core.arguments import check_integer, check_positive
from orderspn.core.errors import InvalidValue
from orderspn.core.interrupts import interrupts_wait
from orderspn.core.jax import double_precision, require_jax
from orderspn.core.randomness import RandomState, generator_of, seed_sequence
from orderspn.dibs.problem import Block, Problem
from orderspn.dibs.step import Constants, Sizes, State, compiled_advance, logits_of

if TYPE_CHECKING:
    import jax

CHUNK, SECONDS = 100, 0.5
"""Most steps, and about the longest time, of one call of the compiled program; between calls progress is told and
Ctrl-C heard."""


PUSHED_UP_TO = 20
"""Variables up to which uncertain edges are pushed out by default. With more, pushed particles end at worse graphs."""


@dataclass(frozen=True)
class DibsSettings:
    """How DiBS is run; the defaults are those of the authors' `MarginalDiBS`.

    Parameters
    ----------
    particles : int
        Particles that are moved together.
    steps : int
        Steps of the descent.
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
        How strongly uncertain edges are pushed out, see `likelihood.py`; by default 1 up to 20 variables, and 0
        beyond. With their Erdos-Renyi prior the authors have its log odds, 1.0 at 16 variables.

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


@dataclass(frozen=True, eq=False)
class Particles:
    """Where the particles of B blocks ended.

    Attributes
    ----------
    logits : numpy.ndarray
        Shape (B, P, d, n): of the edge from each source to each target, at the last step; -inf for impossible ones,
        inf for certain ones.
    """

    logits: np.ndarray

    @property
    def probabilities(self) -> np.ndarray:
        """Probability of each edge given its particle, shape (B, P, d, n)."""
        with np.errstate(over="ignore"):
            return 1 / (1 + np.exp(-self.logits))


def run(
    problem: Problem,
    settings: DibsSettings,
    seeds: Sequence[RandomState],
    progress: Callable[[int], None] | None = None,
) -> Particles:
    """Move particles for each block of a problem.

    Blocks go through one compiled program one after the other: their particles and samples fill the processor already,
    and so the answer for a block cannot depend on those beside it.

    Parameters
    ----------
    problem : Problem
        The blocks.
    settings : DibsSettings
        How to run.
    seeds : sequence
        One `rng` for each block; the same one gives the same particles.
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
    if len(seeds) != len(problem.blocks):
        raise InvalidValue(f"seeds must be one for each of the {len(problem.blocks)} blocks; got {len(seeds)}.")
    import jax.numpy as jnp

    with double_precision():
        with interrupts_wait():
            log_score = jnp.asarray(problem.log_score)
        logits = [
            _run_block(block, log_score, settings, seed, progress)
            for block, seed in zip(problem.blocks, seeds, strict=True)
        ]
    return Particles(np.stack(logits))


def _run_block(
    block: Block,
    log_score: jax.Array,
    settings: DibsSettings,
    seed: RandomState,
    progress: Callable[[int], None] | None,
) -> np.ndarray:
    """Logits (P, d, n) of one block."""
    import jax
    import jax.numpy as jnp

    d = len(block.place)
    k = settings.latent or d
    for_start, for_steps = seed_sequence(seed).spawn(2)
    push = float(d <= PUSHED_UP_TO) if settings.push is None else settings.push
    constants = Constants(settings.alpha, settings.beta, settings.bandwidth, settings.rate, float(k), push)
    sizes = Sizes(settings.graph_samples, settings.acyclicity_samples)
    with interrupts_wait():
        key = tuple(jnp.asarray(word) for word in for_steps.generate_state(2, np.uint32))
        start = jnp.asarray(initial_latent(block, settings.particles, k, generator_of(for_start)))
        state, on_device = State(start, jnp.zeros_like(start)), jax.tree.map(jnp.asarray, block)
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
    """First step and end of each call: one step to compile with, then as many as fit into `SECONDS`."""
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

    Sources outside of S_1 and S_2 have no edges. Theirs are zero and stay so, lest they keep particles apart.
    """
    latent = rng.normal(scale=1 / sqrt(k), size=(n_particles, sum(block.allowed.shape), k))
    latent[:, : len(block.place)][:, ~block.allowed.any(axis=1)] = 0.0
    return latent
