"""Time and memory of a piece of work."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STATUS, FORGET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
"""Where Linux tells the peak memory of this process, and is told to begin anew."""

Usage = dict[str, float | None]


@contextmanager
def measured(name: str, usage: Usage) -> Iterator[None]:
    """Write `name_seconds` and `name_cpu_seconds` into `usage` once the work is done.

    Time of the processor says how long work takes where other work does not wait for the same core.
    """
    start, cpu = time.perf_counter(), time.process_time()
    yield
    usage[f"{name}_seconds"] = time.perf_counter() - start
    usage[f"{name}_cpu_seconds"] = time.process_time() - cpu


def forget_peak() -> None:
    """Begin anew with the peak of memory, where the system can: a process works on one cell after another."""
    try:
        FORGET.write_text("5")
    except OSError:
        return


def peak_bytes() -> float | None:
    """The largest resident size since `forget_peak`, the interpreter included; None where the system does not say."""
    try:
        lines = STATUS.read_text().splitlines()
    except OSError:
        return None
    return next((1024.0 * int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), None)
