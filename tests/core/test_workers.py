"""Threads, progress and interruption."""

import threading

import pytest

import orderspn as osp
from helpers.data import gaussian_data
from orderspn.core.workers import Workers, available_cores


@pytest.mark.parametrize("n_jobs", [1, 2, 4])
def test_every_task_runs_once_and_is_reported(n_jobs):
    seen, done = [], []
    workers = Workers(n_jobs, lambda work, finished, total: seen.append((work, finished, total)))
    workers.run([lambda i=i: done.append(i) for i in range(9)], workers.steps("counting", 9))
    assert sorted(done) == list(range(9))
    assert seen == [("counting", k, 9) for k in range(1, 10)]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_nothing_to_do(n_jobs):
    Workers(n_jobs).run([])


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_in_a_task_comes_through_and_drops_the_rest(n_jobs, error):
    started = []
    release = threading.Event()

    def fail():
        raise error("stop")

    def work(i):
        started.append(i)
        release.wait(0.05)

    with pytest.raises(error, match="stop"):
        Workers(n_jobs).run([fail, *(lambda i=i: work(i) for i in range(100))])
    assert len(started) < 50


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_during_progress_stops_learning(n_jobs):
    def interrupt(work, done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        osp.learn(gaussian_data(5, 20, seed=0), n_jobs=n_jobs, progress=interrupt)


def test_learning_and_queries_report_progress():
    seen = []
    posterior = osp.learn(gaussian_data(5, 20, seed=0), progress=lambda *step: seen.append(step))
    assert ("scores", 5, 5) in seen
    assert all(0 < done <= total for _, done, total in seen)
    seen.clear()
    posterior.causal_effects()
    assert {work for work, _, _ in seen} >= {"effects", "expected weights"}
    assert all(any(w == work and done == total for w, done, total in seen) for work in {s[0] for s in seen})


def test_cores():
    assert available_cores() >= 1
