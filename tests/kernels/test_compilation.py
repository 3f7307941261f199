"""Whoever waits for kernels is told so, once."""

import gc
import logging

import pytest

from orderspn.display import notices
from orderspn.kernels import compilation as module
from orderspn.kernels.compilation import COMPILING, Compilation


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test turns."""

    class Clock:
        now = 100.0

        def perf_counter(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


@pytest.fixture
def told():
    return []


@pytest.fixture
def watched(told):
    compilation = Compilation()
    compilation.tell_by(told.append)
    return compilation


def compile_for(compilation, clock, seconds, name="orderspn.a"):
    compilation.begin(name)
    clock.now += seconds
    compilation.end()


def test_it_is_told_once_when_it_takes_long(watched, clock, told, caplog):
    caplog.set_level(logging.INFO, "orderspn")
    compile_for(watched, clock, 0.4)
    compile_for(watched, clock, 0.4)
    assert told == []
    compile_for(watched, clock, 0.4)
    for _ in range(3):
        compile_for(watched, clock, 5.0)
    assert told == [COMPILING]
    assert [record.message for record in caplog.records] == [COMPILING]


def test_it_is_told_within_one_long_kernel(watched, clock, told):
    watched.begin("orderspn.whole")
    clock.now += 2.0
    watched.begin("orderspn.part")
    assert told == [COMPILING]


def test_functions_of_others_are_not_told_of(watched, clock, told):
    for _ in range(3):
        compile_for(watched, clock, 5.0, "users.own")
    assert told == []


def test_nothing_is_told_where_it_is_shown(watched, clock, told):
    with watched.untold():
        for _ in range(3):
            compile_for(watched, clock, 5.0)
    assert told == []


def test_seconds_and_numbers_are_counted_with_functions_inside(watched, clock):
    watched.begin("orderspn.whole")
    compile_for(watched, clock, 1.0)
    assert watched.running
    clock.now += 2.0
    watched.end()
    assert not watched.running
    assert (watched.count, watched.seconds) == (2, 3.0)


@pytest.mark.parametrize("enabled", [True, False])
def test_garbage_is_collected_as_before(watched, enabled):
    before = gc.isenabled()
    try:
        gc.enable() if enabled else gc.disable()
        watched.begin("orderspn.whole")
        watched.begin("orderspn.part")
        watched.end()
        assert not gc.isenabled()
        watched.end()
        assert gc.isenabled() == enabled
    finally:
        gc.enable() if before else gc.disable()


@pytest.mark.parametrize("screen", ["terminal", "notebook", None])
def test_only_those_who_watch_are_told(screen, monkeypatch, capsys):
    monkeypatch.setattr(notices, "watched_screen", lambda any_thread: screen)
    notices.tell_of_compilation(COMPILING)
    line = "orderspn: compiling kernels, once per installation; `orderspn warm-up` compiles all of them\n"
    assert capsys.readouterr().err == ("" if screen is None else line)
