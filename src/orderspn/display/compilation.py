"""Noticing that numba compiles kernels, which happens once per installation and takes much longer than most work."""

from __future__ import annotations

from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any


class Compilation:
    """Listens to numba during a block. Kernels that are read from the cache are not compilation."""

    def __init__(self) -> None:
        self._depth = 0
        self._listening: AbstractContextManager[Any] | None = None

    @property
    def running(self) -> bool:
        """Whether a kernel is being compiled."""
        return self._depth > 0

    def __enter__(self) -> Compilation:
        from numba.core import event

        compilation = self

        class Listener(event.Listener):
            """Counts the kernels in the making: one may need others."""

            def on_start(self, event: Any) -> None:  # noqa: ARG002
                compilation._depth += 1

            def on_end(self, event: Any) -> None:  # noqa: ARG002
                compilation._depth -= 1

        self._listening = event.install_listener("numba:compile", Listener())
        self._listening.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._listening is not None:
            self._listening.__exit__(kind, error, trace)
