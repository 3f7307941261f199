"""Independent tasks on the backend of joblib that the user has chosen: processes of this machine, or a cluster.

Within `with joblib.parallel_config(backend="dask")` (or "ray", "loky", "spark") there is a chosen backend; otherwise
there is none, and the threads of `core/workers.py` do all work. A task is a pure function of its arguments, so it can
be repeated: if a worker dies, the tasks without a result are sent again, and no bit of the answer changes.

What several tasks share is a *parcel*: large, and known by its digest. It is sent with the first tasks only. Workers
keep the last ones; a worker that lacks one says so, and gets it with a second attempt.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary, WeakSet

import numpy as np

from orderspn.core.errors import UserError
from orderspn.core.logs import logger
from orderspn.core.remembered import Remembered

THREADS = "OMP_NUM_THREADS"
"""Environment variable by which backends tell a worker the number of its threads."""

MOST_PARCELS = 4
"""Shared values that a worker keeps: those of two searches at the same time."""

ATTEMPTS = 5
"""Times that tasks are sent, if workers die."""

LOST_WORKER = frozenset(
    {
        "ActorDiedError",
        "ActorUnavailableError",
        "BrokenProcessPool",
        "CancelledError",
        "ClosedClientError",
        "CommClosedError",
        "FutureCancelledError",
        "KilledWorker",
        "NodeDiedError",
        "ObjectLostError",
        "RayActorError",
        "TerminatedWorkerError",
        "TimeoutError",
        "WorkerCrashedError",
    }
)
"""Errors by which backends say that a worker, or the way to it, is lost; by name, because none is imported."""

_one_call = threading.RLock()
"""A backend belongs to one call of joblib at a time."""


class Parcel(NamedTuple):
    """A value that several tasks share, pickled; its bytes are an array, which backends send once or map."""

    digest: str
    content: np.ndarray


class Lacking(Exception):
    """The worker does not have the value of a parcel without content."""


@dataclass(frozen=True, eq=False)
class Backend:
    """The backend that was chosen by `joblib.parallel_config`, and its number of workers if that was given."""

    backend: Any
    n_jobs: int | None

    @contextmanager
    def chosen(self) -> Iterator[None]:
        """Choose it in this thread: the choice of a user holds in one thread only."""
        from joblib import parallel_config

        with parallel_config(backend=self.backend, n_jobs=-1 if self.n_jobs is None else self.n_jobs):
            yield

    def within(self, task: Callable[[], object]) -> Callable[[], object]:
        """Return a task for a thread in which it is chosen too."""

        def own() -> object:
            with self.chosen():
                return task()

        return own

    def run(
        self,
        function: Callable[..., Any],
        shared: Sequence[object],
        each: Sequence[tuple[Any, ...]],
        finished: Callable[[int, Any], None] | None = None,
    ) -> list[Any]:
        """Return `function(key, values, *own)` for `own` in `each`, in this order.

        `values` are those that are `shared`, and `key` tells them apart from all others. `finished` is called with the
        number and the result of each task as it ends, if the backend can tell. An error of a task is raised.
        """
        with workers_stay():
            return self._run(function, shared, each, finished)

    def _run(
        self,
        function: Callable[..., Any],
        shared: Sequence[object],
        each: Sequence[tuple[Any, ...]],
        finished: Callable[[int, Any], None] | None,
    ) -> list[Any]:
        parcels = [_parcel_of(value) for value in shared]
        digests, contents = tuple(own.digest for own in parcels), [own.content for own in parcels]
        nothing = [None] * len(parcels)
        results: dict[int, Any] = {}
        lacking = set() if all(self.backend in _sent_to[value] for value in shared) else set(range(len(each)))
        for attempt in range(1, ATTEMPTS + 1):
            tasks = [
                (function, number, own, digests, *(contents if number in lacking else nothing))
                for number, own in enumerate(each)
                if number not in results
            ]
            lacking = set(range(len(each)))  # those that are left after this attempt
            try:
                with closing(self._computed(tasks)) as computed:
                    for number, result in computed:
                        if not isinstance(result, Lacking):
                            results[number] = result
                            if finished is not None:
                                finished(number, result)
            except Exception as problem:
                if not _is_lost_worker(problem):
                    raise
                if attempt == ATTEMPTS:
                    raise UserError(
                        f"workers of the joblib backend were lost {ATTEMPTS} times ({type(problem).__name__}: "
                        f"{problem}), often for lack of memory. Give each worker more memory, or use fewer of them; "
                        "with checkpoint= the work continues where it stopped."
                    ) from problem
                logger.warning("a worker was lost (%s); its tasks are sent again", type(problem).__name__)
            if len(results) == len(each):
                break
        for value in shared:
            _sent_to[value].add(self.backend)
        return [results[number] for number in range(len(each))]

    def _computed(self, tasks: Sequence[tuple[Any, ...]]) -> Generator[tuple[int, Any]]:
        """Yield the results of tasks with their numbers, as they are finished if the backend can tell."""
        from joblib import delayed

        with _one_call, self.chosen():
            if self.backend not in _open:
                _open[self.backend] = self._opened()
            try:
                yield from _open[self.backend](delayed(work)(*task) for task in tasks)
            except BaseException:
                _close(self.backend)  # the next call has new workers
                raise

    def _opened(self) -> Any:
        from joblib import Parallel

        lazily = getattr(self.backend, "supports_return_generator", False)
        parallel = Parallel(
            batch_size=1,
            pre_dispatch="all",
            return_as="generator_unordered" if lazily else "list",
            # Arrays are sent as they are where there may be no common disk to map them from.
            max_nbytes="1M" if type(self.backend).__name__ == "LokyBackend" else None,
        )
        return parallel.__enter__()


_open: dict[Any, Any] = {}
"""Calls of joblib that wait for tasks, by backend."""

_depth = [0]
"""Number of blocks of `workers_stay` that are entered."""


@contextmanager
def workers_stay() -> Iterator[None]:
    """Keep the workers of a backend until the end of this block: some backends start new ones for every call.

    Starting a process and loading this package takes seconds, and new workers have no tables. At the end the parcels
    are forgotten too: what tasks share often lives on in a posterior.
    """
    with _one_call:
        _depth[0] += 1
    try:
        yield
    finally:
        with _one_call:
            _depth[0] -= 1
            if _depth[0] == 0:
                for backend in list(_open):
                    _close(backend)
                _parcels.clear()
                _sent_to.clear()


def _close(backend: Any) -> None:
    parallel = _open.pop(backend, None)
    if parallel is not None:
        parallel.__exit__(None, None, None)


def chosen_backend() -> Backend | None:
    """Return the backend that the user has chosen for this thread; None for threads, or for a single worker.

    Examples
    --------
    >>> chosen_backend() is None
    True
    >>> import joblib
    >>> with joblib.parallel_config(backend="loky", n_jobs=2):
    ...     chosen_backend().n_jobs
    2
    """
    parallel = sys.modules.get("joblib.parallel")
    if parallel is None:  # nobody has chosen anything
        return None
    # Without a choice of the user, joblib takes what is preferred here.
    backend, n_jobs = parallel.get_active_backend(prefer="threads")
    if getattr(backend, "uses_threads", False) or _n_workers(backend, n_jobs) == 1:
        return None
    return Backend(backend, n_jobs)


def _n_workers(backend: Any, n_jobs: int | None) -> int | None:
    """Return the number of workers; None if the backend cannot tell, perhaps because all of them are gone for now.

    With a single one joblib calls functions in this process, where threads share one set of tables.
    """
    try:
        return int(backend.effective_n_jobs(-1 if n_jobs is None else n_jobs))
    except Exception:
        return None


def threads_given() -> int:
    """Return the number of threads of a task, which its backend tells by an environment variable; 1 if it does not."""
    given = os.environ.get(THREADS, "")
    return max(1, int(given)) if given.isdigit() else 1


def work(
    function: Callable[..., Any],
    number: int,
    own: tuple[Any, ...],
    digests: tuple[str, ...],
    *contents: np.ndarray | None,
) -> tuple[int, Any]:
    """Do a task, in a worker; return its number with the result, or with `Lacking`. It has no tasks of its own."""
    from joblib import parallel_config

    try:
        values = [
            _unpacked.get(digest, partial(_opened, digest, content))
            for digest, content in zip(digests, contents, strict=True)
        ]
    except Lacking as problem:
        return number, problem
    with parallel_config(backend="sequential"):
        return number, function(digests, values, *own)


_parcels: WeakKeyDictionary[object, Parcel] = WeakKeyDictionary()
_sent_to: WeakKeyDictionary[object, WeakSet[Any]] = WeakKeyDictionary()
_unpacked: Remembered[Any] = Remembered(MOST_PARCELS)


def _parcel_of(value: object) -> Parcel:
    """Return a value that several tasks share as a parcel; pickled by value where it is from a user's own script."""
    found = _parcels.get(value)
    if found is None:
        import cloudpickle

        content = np.frombuffer(cloudpickle.dumps(value), dtype=np.uint8)
        found = _parcels[value] = Parcel(hashlib.sha256(content.data).hexdigest(), content)
        _sent_to[value] = WeakSet()
    return found


def _opened(digest: str, content: np.ndarray | None) -> Any:
    if content is None:
        raise Lacking(digest)
    return pickle.loads(content.data)


def _is_lost_worker(problem: BaseException) -> bool:
    return any(kind.__name__ in LOST_WORKER for kind in type(problem).__mro__)
