"""A time limit that long work looks at between its steps.

Whoever asks for the time asks here, so that tests can put another clock in the place of the real one.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass


def now() -> float:
    """Seconds by a clock that only goes forward."""
    return time.monotonic()


@dataclass(frozen=True)
class Deadline:
    """A moment after which no new step begins; never, by default."""

    moment: float | None = None

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """So many seconds from now; None for never."""
        return cls(None if seconds is None else now() + seconds)

    @property
    def passed(self) -> bool:
        """Whether it is too late."""
        return self.moment is not None and now() >= self.moment

    @property
    def left(self) -> float:
        """Seconds until then, at least 0; infinite where there is no limit."""
        return math.inf if self.moment is None else max(0.0, self.moment - now())

    def share(self, part: float) -> Deadline:
        """A deadline after a part of what is left."""
        return self if self.moment is None else Deadline.after(part * self.left)

    def before(self, seconds: float) -> Deadline:
        """A deadline so many seconds earlier: they are reserved for what comes afterwards."""
        return self if self.moment is None else Deadline(self.moment - seconds)


def less_than_usual(**work: tuple[int, int]) -> dict[str, list[int]]:
    """Of amounts of work, done and usual, those of which less was done.

    Examples
    --------
    >>> less_than_usual(rounds=(1, 4), orders=(512, 512))
    {'rounds': [1, 4]}
    """
    return {name: [done, usual] for name, (done, usual) in work.items() if done < usual}
