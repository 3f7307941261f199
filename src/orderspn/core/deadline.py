"""A time limit that long computations check between their steps.

All code reads the time from `now`, so that tests can replace the clock.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass


def now() -> float:
    """Return the seconds of a monotonic clock."""
    return time.monotonic()


@dataclass(frozen=True)
class Deadline:
    """The time after which no new step begins; by default there is none."""

    moment: float | None = None

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """Return the deadline so many seconds from now; None means no deadline."""
        return cls(None if seconds is None else now() + seconds)

    @property
    def limited(self) -> bool:
        """Whether there is a limit at all."""
        return self.moment is not None

    @property
    def passed(self) -> bool:
        """Whether the deadline has passed."""
        return self.moment is not None and now() >= self.moment

    @property
    def left(self) -> float:
        """Seconds left, at least 0; infinite without a limit."""
        return math.inf if self.moment is None else max(0.0, self.moment - now())

    def share(self, part: float) -> Deadline:
        """Return the deadline after a part of the time left."""
        return self if self.moment is None else Deadline.after(part * self.left)

    def before(self, seconds: float) -> Deadline:
        """Return the deadline so many seconds earlier, which reserves them for later work."""
        return self if self.moment is None else Deadline(self.moment - seconds)


def less_than_usual(**work: tuple[int, int]) -> dict[str, list[int]]:
    """Return those amounts of work, given as (done, usual), of which less than usual was done.

    Examples
    --------
    >>> less_than_usual(rounds=(1, 4), orders=(512, 512))
    {'rounds': [1, 4]}
    """
    return {name: [done, usual] for name, (done, usual) in work.items() if done < usual}
