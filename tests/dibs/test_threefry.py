"""Random words are those of JAX's own generator, and depend on key and counters alone."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.random import threefry_2x32

from dibs.blocks import key_of
from orderspn.dibs.threefry import random_words


@pytest.mark.thorough
def test_agrees_with_jax():
    key, counters = key_of(0), np.random.default_rng(1).integers(0, 2**32, size=(2, 50), dtype=np.uint32)
    expected = threefry_2x32(jnp.stack(key), jnp.asarray(counters.ravel()))
    got = random_words(key, jnp.asarray(counters[0]), jnp.asarray(counters[1]))
    np.testing.assert_array_equal(jnp.concatenate(got), expected)


def test_known_answer():
    """The first test vector of the authors of Threefry: all zeros."""
    zero = jnp.uint32(0)
    assert [int(word) for word in random_words((zero, zero), zero, zero)] == [0x6B200159, 0x99BA4EFE]


def test_compiled_and_broadcast_words_are_the_same():
    key = key_of(2)
    rows, columns = jnp.arange(7, dtype=jnp.uint32)[:, None], jnp.arange(5, dtype=jnp.uint32)
    grid = jax.jit(random_words)(key, rows, columns)
    for i, j in [(0, 0), (3, 4), (6, 1)]:
        single = random_words(key, rows[i, 0], columns[j])
        assert [int(w[i, j]) for w in grid] == [int(w) for w in single]
