"""Open pages: when the last one is closed, the server may end."""

from __future__ import annotations

import time
from collections.abc import Callable

GRACE = 4.0
"""Seconds after the last page left: a reload comes back within them."""

SILENCE = 180.0
"""Seconds without a sign of life after which a page counts as gone. Browsers let hidden pages speak once a minute."""

MOST = 100
"""Most pages that are told from each other."""


class Visitors:
    """The pages that are open, by the names they gave themselves.

    Examples
    --------
    >>> now = 0.0
    >>> visitors = Visitors(clock=lambda: now)
    >>> visitors.are_gone()  # nobody has come yet
    False
    >>> visitors.came("one"); visitors.left("one"); visitors.are_gone()
    False
    >>> now = GRACE + 1.0
    >>> visitors.are_gone()
    True
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: dict[str, float] = {}
        self._last: float | None = None

    def came(self, page: str) -> None:
        """Note a sign of life of a page."""
        now = self._clock()
        if page in self._seen or len(self._seen) < MOST:
            self._seen[page] = now
        self._last = now

    def left(self, page: str) -> None:
        """Note that a page was closed."""
        if self._seen.pop(page, None) is not None:
            self._last = self._clock()

    def are_gone(self) -> bool:
        """Whether there were pages, and all have been closed for a while."""
        now = self._clock()
        self._seen = {page: seen for page, seen in self._seen.items() if now - seen < SILENCE}
        return not self._seen and self._last is not None and now - self._last > GRACE
