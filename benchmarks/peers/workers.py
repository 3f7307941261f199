"""A process that runs an adapter in the environment of its method, and is asked for one table after the other."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "RAYON_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
    "JAX_PLATFORMS": "cpu",
    "PYTHONWARNINGS": "ignore",
}
WALL_PER_CPU = 30.0
"""A worker that others keep from running may take so many seconds for each that it is allowed of the processor.

With fewer, a busy machine would make "more than 60 CPU-seconds" of a cell that took ten.
"""


class AdapterFailed(Exception):
    """The method raised an error, or its process died."""


class OverLimit(Exception):
    """The method took more CPU-seconds than it may."""


class Worker:
    """An adapter that waits for tables. Its first task is preceded by a small one, so that the clock sees it warm."""

    def __init__(self, python: Path, script: Path) -> None:
        self.command = [str(python), str(script)]
        self.process: subprocess.Popen[str] | None = None

    def ask(
        self, values: np.ndarray, levels: np.ndarray, seed: int, settings: dict[str, Any], cpu_limit: float
    ) -> dict[str, np.ndarray]:
        """Return the answer for one table."""
        with tempfile.TemporaryDirectory() as folder:
            table, answer = Path(folder, "table.npz"), Path(folder, "answer.npz")
            np.savez(table, values=values, levels=levels)
            columns = 6 if values.shape[1] <= 25 else 28  # methods may take another way for many variables
            task = {"table": str(table), "answer": str(answer), "seed": seed, "settings": settings, "columns": columns}
            reply = self._exchange(json.dumps(task), cpu_limit)
            if "error" in reply:
                raise AdapterFailed(reply["error"])
            with np.load(answer) as found:
                return dict(found)

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                if pipe is not None:
                    with suppress(BrokenPipeError):  # of a line that the process did not live to read
                        pipe.close()
            self.process = None

    def _exchange(self, line: str, cpu_limit: float) -> dict[str, Any]:
        if self.process is None:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=os.environ | ONE_THREAD,
            )
            cpu_limit += 30.0  # imports and the small task
        process = self.process
        assert process.stdin is not None
        assert process.stdout is not None
        started, cpu_started = time.monotonic(), _cpu_seconds(process.pid)
        try:
            process.stdin.write(line + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            self.close()
            raise AdapterFailed("the process of the adapter died") from None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while not selector.select(timeout=1.0):
                waited = time.monotonic() - started
                if max(_cpu_seconds(process.pid) - cpu_started, waited / WALL_PER_CPU) > cpu_limit:
                    self.close()
                    raise OverLimit
        reply = process.stdout.readline()
        if not reply:
            self.close()
            raise AdapterFailed("the process of the adapter died")
        found: dict[str, Any] = json.loads(reply)
        return found


def _cpu_seconds(pid: int) -> float:
    """CPU-seconds of a process so far, where the system tells (Linux); else 0, and the limit is one of wall clock."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(int(fields[k]) for k in (11, 12, 13, 14)) / os.sysconf("SC_CLK_TCK")
