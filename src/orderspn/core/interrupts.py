"""Ctrl-C that waits for the end of work which must not be broken off in the middle."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Let an interrupt wait until the block has ended, then handle it as usual: mostly by a `KeyboardInterrupt`.

    For short calls of compiled code that runs Python on its way: JAX that is interrupted while it traces or compiles
    crashes, or goes on as if nothing had been. Only the main thread handles signals, so that other threads need none
    of this.

    Examples
    --------
    >>> done = []
    >>> try:
    ...     with interrupts_wait():
    ...         signal.raise_signal(signal.SIGINT)
    ...         done.append("work")
    ... except KeyboardInterrupt:
    ...     done.append("interrupted")
    >>> done
    ['work', 'interrupted']
    """
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield
        return
    heard: list[FrameType | None] = []
    signal.signal(signal.SIGINT, lambda _, frame: heard.append(frame))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        if heard:
            usual(signal.SIGINT, heard[0])
