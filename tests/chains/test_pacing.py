"""How far chains walk before a deadline, by a clock that goes on only when they walk."""

import math
from types import SimpleNamespace

import pytest

from orderspn.chains.pacing import Pacing
from orderspn.core import deadline as module

FEWEST = 10


@pytest.fixture
def clock(monkeypatch):
    own = SimpleNamespace(now=0.0)
    own.monotonic = lambda: own.now
    monkeypatch.setattr(module, "time", own)
    return own


def pacing_of(clock, seconds_per_move=1.0):
    def rehearse(moves):
        clock.now += moves * seconds_per_move

    return Pacing(FEWEST, rehearse)


def left(seconds):
    return SimpleNamespace(left=seconds)


@pytest.mark.parametrize(
    ("seconds", "least", "expected"),
    [
        (math.inf, 1, (20, 100)),
        (2000.0, 1, (20, 100)),  # just enough
        (1999.0, 1, (19, 100)),
        (450.0, 4, (4, 100)),
        (350.0, 4, (4, 87)),  # fewer draws would not do, so there are fewer moves
        (99.0, 0, (0, 99)),
        (99.0, 1, (1, 99)),
        (1.0, 1, (1, FEWEST)),
        (0.0, 4, (4, FEWEST)),
        (0.0, 0, (0, FEWEST)),
    ],
)
def test_what_fits(seconds, least, expected, clock):
    found = pacing_of(clock).fitting(20, 100, least, left(seconds))
    assert found[0] == expected[0]
    if found[0]:
        assert found[1] == expected[1]


def test_the_pace_is_that_of_the_last_walk(clock):
    pacing = pacing_of(clock)
    pacing.fitting(20, 100, 1, left(50.0))
    assert pacing.seconds == 1.0

    def quick():
        clock.now += 5.0

    pacing.timed(50, quick)
    assert pacing.seconds == 0.1
    assert pacing.fitting(20, 100, 1, left(50.0)) == (5, 100)


def test_nobody_rehearses_without_a_limit(clock):
    pacing_of(clock).fitting(20, 100, 1, left(math.inf))
    assert clock.now == 0.0
