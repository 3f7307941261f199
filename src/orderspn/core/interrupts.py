"""Delaying Ctrl-C until the end of a block that must not be interrupted."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Delay an interrupt until the block has ended, then handle it as usual, mostly by a `KeyboardInterrupt`.

    It protects short calls of compiled code that runs Python: JAX crashes or loses the interrupt if it comes during
    tracing or compilation. Only the main thread handles signals, so in other threads this does nothing.

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
    received: list[FrameType | None] = []
    signal.signal(signal.SIGINT, lambda _, frame: received.append(frame))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        if received:
            usual(signal.SIGINT, received[0])
