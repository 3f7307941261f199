"""Randomness: an `rng` argument becomes one seed sequence, which spawns one child per task, never per thread."""

from __future__ import annotations

import numbers

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue

RandomState = int | np.random.SeedSequence | np.random.Generator | None


def seed_sequence(rng: RandomState) -> np.random.SeedSequence:
    """Convert an `rng` argument to the seed sequence from which all randomness of one call is derived."""
    if isinstance(rng, np.random.SeedSequence):
        # A sequence counts its children; with a copy, the same argument gives the same answer.
        return np.random.SeedSequence(rng.entropy, spawn_key=rng.spawn_key, pool_size=rng.pool_size)
    if isinstance(rng, np.random.Generator):
        # Drawing from the generator advances it, as users expect.
        return np.random.SeedSequence(rng.integers(0, 2**32, size=4, dtype=np.uint32).tolist())
    if rng is None:
        return np.random.SeedSequence()
    if isinstance(rng, bool) or not isinstance(rng, numbers.Integral):
        raise InvalidType(
            "rng must be a non-negative integer, a numpy.random.SeedSequence, a numpy.random.Generator or "
            f"None; got {rng!r} of type {type(rng).__name__}."
        )
    if rng < 0:
        raise InvalidValue(f"rng must be a non-negative integer; got {rng}.")
    return np.random.SeedSequence(int(rng))


LEARNING = 0x6C6561726E
"""The purpose that `learn` adds to the key of its seed."""


def apart(seed: np.random.SeedSequence, purpose: int) -> np.random.SeedSequence:
    """Return a seed sequence that is independent of the given one, for one purpose.

    Otherwise, data simulated with a seed and learned from with the same seed would share random numbers: a search could
    begin with the order of the true graph.

    Examples
    --------
    >>> apart(seed_sequence(0), LEARNING).spawn_key == seed_sequence(0).spawn_key
    False
    """
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, purpose), pool_size=seed.pool_size)


def generator_of(seed: np.random.SeedSequence) -> np.random.Generator:
    """Return the generator of one task."""
    return np.random.Generator(np.random.PCG64(seed))


def spawn_generators(rng: RandomState, count: int) -> list[np.random.Generator]:
    """Return independent generators for `count` tasks."""
    return [generator_of(child) for child in seed_sequence(rng).spawn(count)]
