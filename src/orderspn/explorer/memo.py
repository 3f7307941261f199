"""Answers that are kept for a while: each is computed once, also if several threads ask for it at the same time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Any


class Memo:
    """The most recent answers by their keys. Errors are raised to all who wait for them, and not kept.

    Examples
    --------
    >>> memo = Memo(most=2)
    >>> memo.get("a", lambda: 1), memo.get("a", lambda: 2)
    (1, 1)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, Future[Any]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        """Return the answer of a key, and compute it if it is not there."""
        with self._lock:
            answer = self._kept.get(key)
            mine = answer is None
            if answer is None:
                answer = self._kept[key] = Future()
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        if mine:
            self._fill(key, answer, compute)
        return answer.result()

    def _fill(self, key: Hashable, answer: Future[Any], compute: Callable[[], Any]) -> None:
        try:
            answer.set_result(compute())
        except BaseException as problem:
            with self._lock:
                if self._kept.get(key) is answer:
                    del self._kept[key]
            answer.set_exception(problem)
