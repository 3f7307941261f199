"""Runs that walk as tasks, and runs that walk on from a checkpoint, are where they would have been."""

import joblib
import numpy as np
import pytest

from chains.toy import TARGET, PlainTransitions
from orderspn.chains import runs as module
from orderspn.chains.away import Leg, Origin
from orderspn.chains.kept import kept_state, resume
from orderspn.chains.run import Run
from orderspn.chains.runs import BurnIn, Runs
from orderspn.checkpoints import checkpoint as kept_parts
from orderspn.checkpoints.checkpoint import NOT_KEPT, Checkpoint
from orderspn.core.tasks import Backend, work
from orderspn.core.workers import Workers
from search.clocks import NEVER


class Nothing:
    """A value that the tasks share."""


NOTHING = Nothing()


def made(workers, shared):
    assert isinstance(shared, Nothing)
    return PlainTransitions()


def started(origin=None, checkpoint=NOT_KEPT, progress=None):
    def start(number, rng):
        return Run(PlainTransitions(), rng.integers(TARGET.size, size=(3, 1)), rng)

    return Runs.started(start, 3, np.random.SeedSequence(0), Workers(2, progress), origin, checkpoint)


def whole_walk(runs):
    """Burn-in, draws, draws of all temperatures, and everything that the runs are at the end."""
    trace = runs.burn_in(BurnIn(4, 3, 7), "burn-in", NEVER)
    draws, log_scores = runs.draw(23, 5, "draws", NEVER)
    all_draws, all_scores = zip(*runs.walk(Leg(((2, 3), (1, 4)), n_temperatures=2)), strict=True)
    end = kept_state(runs.each)
    return [trace, draws, log_scores, *all_draws, *all_scores, *end.arrays.values()], end.values


def assert_same(one, other):
    assert one[1] == other[1]
    for own, its in zip(one[0], other[0], strict=True):
        np.testing.assert_array_equal(own, its)


@pytest.fixture
def sent(monkeypatch):
    """The walks of the tasks that were sent; they are done in this process, from pickled arguments."""
    import cloudpickle

    found = []

    def computed(self, tasks):
        found.append([task[2][3] for task in tasks])
        for task in reversed(tasks):
            yield cloudpickle.loads(cloudpickle.dumps(work(*cloudpickle.loads(cloudpickle.dumps(task)))))

    monkeypatch.setattr(Backend, "_computed", computed)
    return found


class TestTasks:
    def test_the_draws_are_the_same(self, sent):
        expected = whole_walk(started())
        with joblib.parallel_config(backend="loky", n_jobs=2):
            found = whole_walk(started(Origin(made, (NOTHING,))))
        assert_same(found, expected)
        assert [len(legs) for legs in sent] == [3, 3, 3]
        assert [leg.pieces for leg in sent[0]] == [((3, 7),) * 4] * 3
        assert sum(size for size, _ in sent[1][0].pieces) == 23

    def test_without_an_origin_they_walk_in_threads(self, sent):
        with joblib.parallel_config(backend="loky", n_jobs=2):
            assert_same(whole_walk(started()), whole_walk(started()))
        assert sent == []

    def test_with_a_checkpoint_they_come_back_more_often(self, sent, tmp_path, monkeypatch):
        monkeypatch.setattr(module, "SECONDS_AWAY", 0.0)
        expected = whole_walk(started())
        with joblib.parallel_config(backend="loky", n_jobs=2):
            kept = Checkpoint(tmp_path)
            assert_same(whole_walk(started(Origin(made, (NOTHING,)), kept)), expected)
        assert [leg.pieces for leg in sent[0]] == [((3, 7),)] * 3
        assert len(sent) == 4 + 12 + 1

    @pytest.mark.usefixtures("sent")
    def test_progress_is_told_as_tasks_end(self):
        told = []
        with joblib.parallel_config(backend="loky", n_jobs=2):
            runs = started(Origin(made, (NOTHING,)), progress=lambda *step: told.append(step))
            runs.burn_in(BurnIn(4, 3, 7), "burn-in", NEVER)
        assert told == [("burn-in", 4, 12), ("burn-in", 8, 12), ("burn-in", 12, 12)]


class Killed(BaseException):
    """Stands for the end of the process."""


class TestCheckpoints:
    def test_they_continue_from_every_state_that_is_kept(self, tmp_path, monkeypatch):
        monkeypatch.setattr(kept_parts, "SECONDS_APART", -1.0)
        expected = whole_walk(started())
        keep, left = Checkpoint.keep, [0]

        def keep_some(self, name, part):
            keep(self, name, part)
            left[0] -= 1
            if left[0] == 0:
                raise Killed

        monkeypatch.setattr(Checkpoint, "keep", keep_some)
        n_states = 4 + 12  # segments of the burn-in, and pieces of the draws
        for killed_after in range(1, n_states + 2):
            folder, left[0] = tmp_path / str(killed_after), killed_after
            if killed_after <= n_states:
                with pytest.raises(Killed):
                    whole_walk(started(checkpoint=Checkpoint(folder)))
            assert_same(whole_walk(started(checkpoint=Checkpoint(folder))), expected)

    def test_progress_begins_where_they_were(self, tmp_path):
        whole_walk(started(checkpoint=Checkpoint(tmp_path)))
        told = []
        runs = started(checkpoint=Checkpoint(tmp_path), progress=lambda *step: told.append(step))
        whole_walk(runs)
        assert told == [("burn-in", 12, 12), ("draws", 36, 36)]

    def test_a_state_is_a_copy(self):
        runs = started()
        runs.burn_in(BurnIn(2, 2, 5), "burn-in", NEVER)
        part, other = kept_state(runs.each), started()
        runs.draw(5, 5, "draws", NEVER)
        resume(other.each, part)
        np.testing.assert_array_equal(other.ends, part.arrays["states"])
        before = part.arrays["states"].copy()
        other.draw(50, 5, "draws", NEVER)
        np.testing.assert_array_equal(part.arrays["states"], before)
