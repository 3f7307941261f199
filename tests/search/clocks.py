"""Deadlines that pass after a given number of checks, at any speed of the machine."""

import math

from orderspn.core.deadline import Deadline

NEVER = Deadline()
LONG_AGO = Deadline(0.0)


class AfterChecks:
    """Passed from check number `checks` on, counted from 1; before, there is unlimited time."""

    left, limited = math.inf, True

    def __init__(self, checks):
        self.checks, self.seen = checks, 0

    @property
    def passed(self):
        self.seen += 1
        return self.seen >= self.checks

    def share(self, part):
        return self

    def before(self, seconds):
        return self
