"""Values that a process computes once and uses again: the last few, by key."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Remembered(Generic[T]):
    """The last few values by key. Threads that ask for the same one at the same time compute it once.

    Examples
    --------
    >>> squares = Remembered[int](1)
    >>> squares.get(3, lambda: 9), squares.get(3, lambda: 0), len(squares)
    (9, 9, 1)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, T] = OrderedDict()
        self._computing: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values

    def get(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the value of a key; the one that was not asked for the longest time is forgotten."""
        with self._lock:
            own = self._computing.setdefault(key, threading.Lock())
        with own:
            with self._lock:
                if key in self._values:
                    self._values.move_to_end(key)
                    return self._values[key]
                # Forgotten before the new one is computed: the memory of both may not be there.
                while len(self._values) >= self._most:
                    self._values.popitem(last=False)
            try:
                value = compute()
            finally:
                with self._lock:
                    self._computing.pop(key, None)
            with self._lock:
                self._values[key] = value
            return value
