"""Deadlines that pass after so many looks at them, whatever the speed of the machine."""

import math

from orderspn.core.deadline import Deadline

NEVER = Deadline()
LONG_AGO = Deadline(0.0)


class AfterLooks:
    """Passed from the look number `looks` on, counted from 1; before, there is time for anything."""

    left = math.inf

    def __init__(self, looks):
        self.looks, self.seen = looks, 0

    @property
    def passed(self):
        self.seen += 1
        return self.seen >= self.looks

    def share(self, part):
        return self

    def before(self, seconds):
        return self
