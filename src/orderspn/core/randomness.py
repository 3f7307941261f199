"""Randomness: an `rng` argument becomes one seed sequence, which spawns one child per task, never per thread."""

from __future__ import annotations

import hashlib
import numbers

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue

KEY_BYTES = 16
"""Bytes of the hash of a purpose that enter its seed, four of each word."""

RNGLike = int | np.random.SeedSequence | np.random.Generator | None


def seed_sequence(rng: RNGLike) -> np.random.SeedSequence:
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


def seed_for(seed: np.random.SeedSequence, purpose: str) -> np.random.SeedSequence:
    """Derive the seed of one purpose, independent of those of all other purposes and of spawned children.

    It depends on the parent and on the name alone: neither on the order of calls nor on how many children the parent
    has spawned. Two parts of the work that share a parent can therefore never share random numbers by accident.

    Examples
    --------
    >>> parent = seed_sequence(0)
    >>> int(seed_for(parent, "burn-in").generate_state(1)[0])
    1406021637
    >>> children = parent.spawn(3)
    >>> int(seed_for(parent, "burn-in").generate_state(1)[0])
    1406021637
    """
    # Python's own hash() of a text differs from process to process.
    digest = hashlib.sha256(purpose.encode()).digest()[:KEY_BYTES]
    words = (int.from_bytes(digest[i : i + 4], "little") for i in range(0, KEY_BYTES, 4))
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *words), pool_size=seed.pool_size)


def generator_of(seed: np.random.SeedSequence) -> np.random.Generator:
    """Return the generator of one task."""
    return np.random.Generator(np.random.PCG64(seed))


def spawn_generators(rng: RNGLike, count: int) -> list[np.random.Generator]:
    """Return independent generators for `count` tasks."""
    return [generator_of(child) for child in seed_sequence(rng).spawn(count)]
