"""Deadlines that pass after so many looks at them, whatever the speed of the machine."""

from orderspn.core.deadline import Deadline

NEVER = Deadline()
LONG_AGO = Deadline(0.0)


class AfterLooks:
    """Passed from the look number `looks` on, counted from 1."""

    def __init__(self, looks):
        self.looks, self.seen = looks, 0

    @property
    def passed(self):
        self.seen += 1
        return self.seen >= self.looks
