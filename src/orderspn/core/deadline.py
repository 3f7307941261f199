"""A time limit that long work looks at between its steps."""

from __future__ import annotations

import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Deadline:
    """A moment after which no new step begins; never, by default."""

    moment: float | None = None

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """So many seconds from now; None for never."""
        return cls(None if seconds is None else time.monotonic() + seconds)

    @property
    def passed(self) -> bool:
        """Whether it is too late."""
        return self.moment is not None and time.monotonic() >= self.moment

    def share(self, part: float) -> Deadline:
        """A deadline after a part of what is left."""
        if self.moment is None:
            return self
        now = time.monotonic()
        return Deadline(now + part * max(0.0, self.moment - now))
