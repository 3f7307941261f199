"""Tasks of a backend: order, progress, what is sent, and workers that are lost. Real clusters are in tests/clusters."""

import os

import joblib
import numpy as np
import pytest
from joblib.parallel import ThreadingBackend

from orderspn.core import tasks
from orderspn.core.errors import UserError
from orderspn.core.remembered import Remembered
from orderspn.core.tasks import ATTEMPTS, Backend, chosen_backend, threads_given, work, workers_stay


class Shared:
    """A value that tasks share."""

    def __init__(self, number):
        self.number = number


class TerminatedWorkerError(Exception):
    """Named like the error of loky."""


def add(key, values, own):
    assert len(key) == len(values)
    return own + sum(value.number for value in values)


class Inline(Backend):
    """Workers of this process, one for every task; some of them die, and all are new after `forget`."""

    deaths = 0
    sent = ()

    def _computed(self, sent):
        self.__dict__["sent"] = [*self.sent, sent]
        for place, task in enumerate(reversed(sent)):  # they end in another order than they begin
            if place == 1 and self.deaths > 0:
                self.__dict__["deaths"] -= 1
                raise TerminatedWorkerError("a worker was killed")
            yield work(*task)


@pytest.fixture
def backend():
    return Inline(ThreadingBackend(), None)


@pytest.fixture(autouse=True)
def nothing_unpacked(monkeypatch):
    monkeypatch.setattr(tasks, "_unpacked", Remembered(tasks.MOST_PARCELS))


def contents(sent):
    return [task[4:] for task in sent]


class TestResults:
    def test_they_are_in_the_order_of_the_tasks(self, backend):
        ended = []
        found = backend.run(add, [Shared(10), Shared(5)], [(i,) for i in range(5)], lambda *end: ended.append(end))
        assert found == [15, 16, 17, 18, 19]
        assert ended == [(i, 15 + i) for i in reversed(range(5))]

    def test_without_tasks_there_are_none(self, backend):
        assert backend.run(add, [Shared(1)], []) == []

    def test_an_error_of_a_task_is_raised(self, backend):
        with pytest.raises(TypeError):
            backend.run(add, [Shared(1)], [("text",)])
        assert len(backend.sent) == 1


class TestParcels:
    def test_a_value_is_sent_once(self, backend):
        shared = Shared(3)
        with workers_stay():
            for _ in range(2):
                backend.run(add, [shared], [(i,) for i in range(3)])
        first, second = (contents(sent) for sent in backend.sent)
        assert all(isinstance(content, np.ndarray) for (content,) in first)
        assert second == [(None,)] * 3

    def test_it_is_not_kept_longer_than_the_workers(self, backend):
        shared = Shared(3)
        backend.run(add, [shared], [(0,)])
        assert len(tasks._parcels) == len(tasks._sent_to) == 0
        assert backend.run(add, [shared], [(1,)]) == [4]

    def test_and_again_to_a_worker_that_lacks_it(self, backend, monkeypatch):
        shared = Shared(3)
        with workers_stay():
            backend.run(add, [shared], [(0,)])
            monkeypatch.setattr(tasks, "_unpacked", Remembered(1))  # as in a new process
            assert backend.run(add, [shared], [(7,)]) == [10]
        assert [content is None for ((content,),) in map(contents, backend.sent)] == [False, True, False]

    def test_another_backend_gets_it_too(self, backend):
        shared, other = Shared(3), Inline(ThreadingBackend(), None)
        with workers_stay():
            backend.run(add, [shared], [(0,)])
            other.run(add, [shared], [(0,)])
        assert contents(other.sent[0])[0][0] is not None


class TestLostWorkers:
    @pytest.mark.parametrize("deaths", [1, 2, ATTEMPTS - 1])
    def test_only_tasks_without_a_result_are_repeated(self, backend, deaths):
        backend.__dict__["deaths"] = deaths
        ended = []
        assert backend.run(add, [Shared(1)], [(i,) for i in range(8)], lambda *end: ended.append(end)) == list(
            range(1, 9)
        )
        assert sorted(ended) == [(i, i + 1) for i in range(8)]
        assert [len(sent) for sent in backend.sent] == [8 - i for i in range(deaths + 1)]

    def test_too_many_deaths_are_an_error(self, backend):
        backend.__dict__["deaths"] = 100
        with pytest.raises(UserError, match=f"lost {ATTEMPTS} times .TerminatedWorkerError.*more memory"):
            backend.run(add, [Shared(1)], [(i,) for i in range(20)])


class TestChoice:
    def test_threads_are_the_default(self):
        assert chosen_backend() is None
        for name in ("threading", "sequential"):
            with joblib.parallel_config(backend=name):
                assert chosen_backend() is None

    def test_the_backend_and_its_workers(self):
        with joblib.parallel_config(backend="loky", n_jobs=3):
            assert chosen_backend().n_jobs == 3
        with joblib.parallel_config(backend="loky"):
            assert chosen_backend().n_jobs is None

    def test_a_single_worker_is_this_process(self):
        with joblib.parallel_config(backend="loky", n_jobs=1):
            assert chosen_backend() is None

    def test_workers_that_are_gone_may_come_back(self, monkeypatch):
        def fail(*_):
            raise TimeoutError("no worker")

        with joblib.parallel_config(backend="loky", n_jobs=3):
            monkeypatch.setattr(type(chosen_backend().backend), "effective_n_jobs", fail)
            assert chosen_backend() is not None

    def test_it_holds_in_threads_that_are_given_it(self):
        import threading

        found = []
        with joblib.parallel_config(backend="loky", n_jobs=3):
            chosen = chosen_backend()
            for task in (lambda: found.append(chosen_backend()), chosen.within(lambda: found.append(chosen_backend()))):
                thread = threading.Thread(target=task)
                thread.start()
                thread.join()
        assert found[0] is None
        assert found[1].n_jobs == 3
        assert found[1].backend is chosen.backend

    def test_a_task_has_no_tasks_of_its_own(self):
        with joblib.parallel_config(backend="loky", n_jobs=3):
            assert work(lambda *_: chosen_backend(), 0, (), ()) == (0, None)


@pytest.mark.parametrize(("told", "threads"), [(None, 1), ("3", 3), ("0", 1), ("many", 1), ("", 1)])
def test_threads_of_a_task(monkeypatch, told, threads):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if told is not None:
        monkeypatch.setenv("OMP_NUM_THREADS", told)
    assert threads_given() == threads


def process_of_worker(key, values):
    return os.getpid()


@pytest.mark.thorough
def test_real_processes():
    with joblib.parallel_config(backend="loky", n_jobs=2):
        found = chosen_backend().run(process_of_worker, [], [()] * 4)
        assert chosen_backend().run(add, [Shared(2)], [(1,), (2,)]) == [3, 4]
    assert os.getpid() not in found
