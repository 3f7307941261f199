"""A time limit, by a clock that stands still."""

import math

import pytest

from orderspn.core import deadline as module
from orderspn.core.deadline import Deadline


@pytest.fixture
def clock(monkeypatch):
    """Set `clock.now`."""

    class Clock:
        now = 1000.0

        def monotonic(self):
            return self.now

    own = Clock()
    monkeypatch.setattr(module, "time", own)
    return own


@pytest.mark.parametrize("never", [Deadline(), Deadline.after(None), Deadline().share(0.5), Deadline(None).share(0.0)])
def test_never(never, clock):
    clock.now = 1e18
    assert not never.passed
    assert never.moment is None
    assert never.left == math.inf
    assert never.before(1e9) == never


def test_it_passes(clock):
    deadline = Deadline.after(5.0)
    assert not deadline.passed
    clock.now = 1004.9
    assert not deadline.passed
    clock.now = 1005.0
    assert deadline.passed
    clock.now = 2000.0
    assert deadline.passed


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_at_once(seconds, clock):
    assert Deadline.after(seconds).passed


@pytest.mark.parametrize(("part", "moment"), [(0.0, 1002.0), (0.25, 1004.0), (0.5, 1006.0), (1.0, 1010.0)])
def test_a_part_of_what_is_left(part, moment, clock):
    deadline = Deadline.after(10.0)
    clock.now = 1002.0
    assert deadline.share(part).moment == moment
    assert deadline.moment == 1010.0


@pytest.mark.parametrize("part", [0.0, 0.5, 1.0])
def test_nothing_is_left(part, clock):
    deadline = Deadline.after(10.0)
    clock.now = 1020.0
    assert deadline.share(part).moment == 1020.0
    assert deadline.share(part).passed


def test_what_is_left_and_reserved(clock):
    deadline = Deadline.after(10.0)
    clock.now = 1003.0
    assert (deadline.left, deadline.before(4.0).left, deadline.before(9.0).left) == (7.0, 3.0, 0.0)
    assert deadline.before(9.0).passed


def test_the_real_clock():
    assert not Deadline.after(1000.0).passed
    assert Deadline.after(0.0).passed
