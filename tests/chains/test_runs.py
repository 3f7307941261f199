"""Independent runs: burn-in, draws, deadlines, and which of them count; over numbers in a row."""

import numpy as np
import pytest

from chains.toy import TARGET, PlainTransitions
from helpers.chi_square import THRESHOLD, chi_square_p
from orderspn.chains.run import Run
from orderspn.chains.runs import BurnIn, Runs
from orderspn.chains.sample import LEAST_DRAWS, STUCK_BELOW, kept_runs
from orderspn.core.workers import Workers
from search.clocks import LONG_AGO, NEVER, AfterChecks


def started(n_runs=3, seed=0, n_jobs=1, n_chains=2):
    def start(number, rng):
        return Run(PlainTransitions(), rng.integers(TARGET.size, size=(n_chains, 1)), rng)

    return Runs.started(start, n_runs, np.random.SeedSequence(seed), Workers(n_jobs))


@pytest.mark.parametrize(("moves", "per_draw"), [(1000, 50), (39, 1), (0, 1)])
def test_length_of_a_burn_in(moves, per_draw):
    length = BurnIn.of(moves, 4, 5)
    assert length == BurnIn(4, 5, per_draw)
    assert length.n_draws == 20


def test_a_burn_in_without_moves():
    assert started().burn_in(BurnIn(2, 3, 0), "burn-in", LONG_AGO).shape == (3, 1)
    assert started().burn_in(BurnIn(2, 3, 0), "burn-in", NEVER).shape == (3, 6)


def test_draws_follow_the_target():
    runs = started(4)
    runs.burn_in(BurnIn(3, 5, 20), "burn-in", NEVER)
    sample = runs.sample(500, 20, "draws", NEVER)
    exact = np.exp(TARGET) / np.exp(TARGET).sum()
    assert chi_square_p(sample.all_states[:, 0].tolist(), dict(enumerate(exact.tolist()))) > THRESHOLD
    np.testing.assert_array_equal(sample.log_scores, TARGET[sample.states[:, :, 0]])
    np.testing.assert_allclose(sample.means, sample.log_scores.mean(axis=1))


def test_the_seed_decides_and_neither_threads_nor_earlier_calls_do():
    seed = np.random.SeedSequence(0)
    seed.spawn(3)
    one, two, other = started(seed=0), started(seed=0, n_jobs=3), started(seed=1)
    used = Runs.started(lambda number, rng: Run(PlainTransitions(), np.array([[number]]), rng), 2, seed, Workers())
    fresh = Runs.started(
        lambda number, rng: Run(PlainTransitions(), np.array([[number]]), rng), 2, np.random.SeedSequence(0), Workers()
    )
    draws = [runs.draw(9, 5, "draws", NEVER)[0] for runs in (one, two, other, used, fresh)]
    np.testing.assert_array_equal(draws[0], draws[1])
    assert not np.array_equal(draws[0], draws[2])
    np.testing.assert_array_equal(draws[3], draws[4])


@pytest.mark.parametrize(
    ("n_draws", "least", "found"), [(3, LEAST_DRAWS, 3), (1, LEAST_DRAWS, 1), (40, LEAST_DRAWS, 4), (40, 1, 1)]
)
def test_fewest_draws_after_the_deadline(n_draws, least, found):
    draws, log_scores = started().draw(n_draws, 5, "draws", LONG_AGO, least)
    assert draws.shape == (3, found, 1)
    assert log_scores.shape == (3, found)


@pytest.mark.parametrize(("pieces", "found"), [(1, 4), (2, 8), (9, 36), (10, 40)])
def test_draws_up_to_the_deadline(pieces, found):
    """The first ones are those that there would have been without it."""
    draws, _ = started().draw(40, 5, "draws", AfterChecks(pieces))
    assert draws.shape == (3, found, 1)
    np.testing.assert_array_equal(draws, started().draw(40, 5, "draws", NEVER)[0][:, :found])


def test_some_of_the_runs():
    runs = started()
    some = runs.only(np.array([True, False, True]))
    assert list(some) == [runs.each[0], runs.each[2]]
    assert len(some) == 2
    some.draw(4, 10, "draws", NEVER)
    np.testing.assert_array_equal(some.tally, runs.tally)
    np.testing.assert_array_equal(some.ends, runs.ends[[0, 2]])
    assert some.tally[:, 0].sum() == 80


@pytest.mark.parametrize(
    ("means", "kept"),
    [
        ((-101.0, -89.0, -98.9, -250.0), [False, True, True, False]),
        ((0.0, -STUCK_BELOW), [True, True]),
        ((0.0, -STUCK_BELOW - 0.5), [True, False]),
        ((-1e6,), [True]),
    ],
)
def test_how_far_below_runs_are_dropped(means, kept):
    assert kept_runs(np.array(means)).tolist() == kept
