"""The protocol of adapters, with a method that does as it is told."""

import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.peers.workers import AdapterFailed, OverLimit, Worker

VALUES, LEVELS = np.random.default_rng(0).normal(size=(20, 3)), np.array([0, 2, 0])


@pytest.fixture
def worker():
    started = Worker(Path(sys.executable), Path(__file__).parent / "fake_adapter.py")
    yield started
    started.close()


def test_answers_of_one_process_one_after_the_other(worker):
    for seed in (4, 5):
        answer = worker.ask(VALUES, LEVELS, seed, {}, 20.0)
        assert answer["seed"] == seed
        assert answer["dag"].tolist() == [[False, True, True], [False, False, True], [False, False, False]]
        assert answer["levels"].tolist() == [0, 2, 0]
        assert 0.0 <= answer["cpu_seconds"] < 5.0
        assert answer["peak_mib"] > 1.0


def test_frequencies_of_resamples(worker):
    answer = worker.ask(VALUES, LEVELS, 0, {"resamples": 4}, 20.0)
    assert answer["edges"].tolist() == [[0, 1, 1], [0, 0, 1], [0, 0, 0]]
    assert answer["sampled"].shape == (4, 3, 3)


def test_an_error_is_told_and_the_process_goes_on(worker):
    with pytest.raises(AdapterFailed, match="ValueError: no such luck"):
        worker.ask(VALUES, LEVELS, 0, {"fails": True}, 20.0)
    assert worker.ask(VALUES, LEVELS, 1, {}, 20.0)["seed"] == 1


def test_a_process_that_dies_is_a_failure_and_another_is_started(worker):
    with pytest.raises(AdapterFailed, match="died"):
        worker.ask(VALUES, LEVELS, 0, {"dies": True}, 20.0)
    assert worker.ask(VALUES, LEVELS, 1, {}, 20.0)["seed"] == 1


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="CPU-seconds of another process are read from /proc")
def test_cpu_seconds_are_limited(worker):
    worker.ask(VALUES, LEVELS, 0, {}, 20.0)  # the limit of the first task allows for imports
    with pytest.raises(OverLimit):
        worker.ask(VALUES, LEVELS, 0, {"spins": 30.0}, 0.5)
    assert worker.ask(VALUES, LEVELS, 1, {}, 20.0)["seed"] == 1
