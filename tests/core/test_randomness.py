"""Seeds: the same argument gives the same stream, and each purpose an independent one."""

import numpy as np
import pytest

from orderspn.core.randomness import LEARNING, apart, seed_sequence


def words(seed):
    return [tuple(child.generate_state(4)) for child in (seed, *seed.spawn(5))]


@pytest.mark.parametrize("rng", [0, 7, np.random.SeedSequence(3), np.random.SeedSequence(3).spawn(1)[0]])
def test_learning_shares_no_words_with_what_else_has_its_seed(rng):
    assert not set(words(seed_sequence(rng))) & set(words(apart(seed_sequence(rng), LEARNING)))


def test_the_same_argument_the_same_stream():
    assert words(apart(seed_sequence(5), LEARNING)) == words(apart(seed_sequence(5), LEARNING))


@pytest.mark.parametrize(("rng", "error"), [(-1, ValueError), (True, TypeError), (0.5, TypeError), ("0", TypeError)])
def test_what_is_no_seed(rng, error):
    with pytest.raises(error, match="rng must be a non-negative integer"):
        seed_sequence(rng)
