"""A scheduler of dask that dies in the middle and is started again, with its workers, at the same address."""

import socket
import subprocess
import sys
import threading

import joblib
import pytest

from clusters.problems import TRUST, content, learned

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning", "ignore::FutureWarning"),
    # JAX, which other tests of the same process load, warns when ray starts its own processes.
    pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning"),
]

LONGER = {"method": TRUST.with_settings(effort=3.0)}


class Cluster:
    """Processes of dask's own programs: a scheduler and two workers."""

    def __init__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.workers = []
        self.start()

    def start(self):
        self.scheduler = self.program("scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard")
        for _ in range(2):
            self.workers.append(self.program("worker", self.address, "--nthreads", "1", "--no-dashboard"))

    def program(self, *arguments):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen([sys.executable, "-m", "dask", *arguments], **quiet)

    def kill_scheduler(self):
        self.scheduler.kill()
        self.scheduler.wait()

    def stop(self):
        for process in (*self.workers, self.scheduler):
            process.terminate()
        for process in (*self.workers, self.scheduler):
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@pytest.fixture
def cluster():
    running = Cluster()
    yield running
    running.stop()


def test_the_work_goes_on(cluster, tmp_path):
    distributed = pytest.importorskip("distributed")
    expected = content(learned("trust", **LONGER), tmp_path)
    again = threading.Timer(2.0, cluster.start)
    with distributed.Client(cluster.address, timeout=60) as client:
        client.wait_for_workers(2, timeout=60)

        def progress(work, done, total):
            if work == "search" and done < total and not again.is_alive() and again.ident is None:
                cluster.kill_scheduler()
                again.start()

        with joblib.parallel_config(backend="dask", client=client):
            found = content(learned("trust", **LONGER, progress=progress), tmp_path)
    assert again.ident is not None, "the scheduler was killed while tasks were under way"
    again.join()
    assert found == expected
