"""Noticing that kernels are being compiled, which happens once per installation and takes longer than most work."""

from __future__ import annotations

import gc
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

NOTICEABLE = 1.0
"""Seconds of compilation after which it is told."""

COMPILING = "compiling kernels, once per installation"


class Compilation:
    """Counts functions that are being compiled (`depth`), those that were (`count`), and the seconds that they took.

    Numba compiles one function at a time, under a lock. Another one that it needs is compiled within.
    """

    def __init__(self) -> None:
        self.depth = 0
        self.count = 0
        self.seconds = 0.0
        self._since = 0.0
        self._collects = False
        self._told = False
        self._tell: Callable[[str], None] | None = None

    @property
    def running(self) -> bool:
        """Whether a function is being compiled."""
        return self.depth > 0

    def begin(self, module: str) -> None:
        """Note that a function of a module is being compiled; the first time that this goes on for long, tell it."""
        if self.depth == 0:
            self._since = time.perf_counter()
            # Compilation makes millions of objects, and looking for garbage among them takes an eighth of its time.
            self._collects = gc.isenabled()
            gc.disable()
        self.depth += 1
        long = self.seconds + time.perf_counter() - self._since > NOTICEABLE
        if long and not self._told and module.startswith("orderspn."):
            self._told = True
            logging.getLogger("orderspn").info(COMPILING)
            if self._tell is not None:
                self._tell(COMPILING)

    def end(self) -> None:
        """Note that the function is compiled."""
        self.depth -= 1
        self.count += 1
        if self.depth == 0:
            self.seconds += time.perf_counter() - self._since
            if self._collects:
                gc.enable()

    def tell_by(self, tell: Callable[[str], None] | None) -> Callable[[str], None] | None:
        """Tell of compilation in this way, or with None only in the log; return the way until now."""
        before, self._tell = self._tell, tell
        return before

    @contextmanager
    def untold(self) -> Iterator[None]:
        """Say nothing during a block that shows by itself what goes on."""
        before = self.tell_by(None)
        try:
            yield
        finally:
            self.tell_by(before)


compilation = Compilation()
"""That of this process."""
