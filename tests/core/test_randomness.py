"""Seeds: the same argument gives the same stream, and each purpose an independent one."""

import numpy as np
import pytest

from orderspn.core.randomness import seed_for, seed_sequence


def words(seed):
    return [tuple(child.generate_state(4)) for child in (seed, *seed.spawn(5))]


@pytest.mark.parametrize("rng", [0, 7, np.random.SeedSequence(3), np.random.SeedSequence(3).spawn(1)[0]])
def test_a_purpose_shares_no_words_with_its_parent_or_another_purpose(rng):
    parent = seed_sequence(rng)
    of_all = [words(seed) for seed in (seed_for(parent, "learning"), seed_for(parent, "candidates"), parent)]
    assert len({word for found in of_all for word in found}) == sum(len(found) for found in of_all)


def test_a_purpose_is_told_apart_at_every_level():
    parent = seed_sequence(5)
    found = [seed_for(seed_for(parent, a), b) for a in ("x", "y", "xy", "") for b in ("x", "y", "xy", "")]
    assert len({tuple(seed.generate_state(4)) for seed in found}) == 16


def test_the_same_argument_the_same_stream():
    assert words(seed_for(seed_sequence(5), "learning")) == words(seed_for(seed_sequence(5), "learning"))


def test_a_purpose_does_not_depend_on_what_was_spawned_before():
    fresh, used = seed_sequence(5), seed_sequence(5)
    used.spawn(3)
    seed_for(used, "candidates").spawn(2)
    assert words(seed_for(fresh, "learning")) == words(seed_for(used, "learning"))
    assert seed_for(used, "learning").pool_size == used.pool_size


def test_purposes_leave_the_parent_as_it_was():
    parent = seed_sequence(5)
    seed_for(parent, "learning")
    assert parent.n_children_spawned == 0


def test_a_purpose_is_the_same_in_every_process():
    """The hash of the name is a fixed one: this number must never change."""
    assert int(seed_for(np.random.SeedSequence(0), "learning").generate_state(1)[0]) == 2029218690


@pytest.mark.parametrize(("rng", "error"), [(-1, ValueError), (True, TypeError), (0.5, TypeError), ("0", TypeError)])
def test_what_is_no_seed(rng, error):
    with pytest.raises(error, match="rng must be a non-negative integer"):
        seed_sequence(rng)
