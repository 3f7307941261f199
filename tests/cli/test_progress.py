"""Bars are drawn on a terminal, after a while, and nowhere else."""

import io

import pytest
from rich.console import Console
from rich.progress import Progress

from orderspn.cli import output
from orderspn.cli.output import Bars, progress_bars


def terminal_bars() -> Progress:
    return Progress(console=Console(file=io.StringIO(), force_terminal=True), transient=True)


def test_none_where_nobody_sees_them():
    with progress_bars(None) as callback:
        assert callback is None


@pytest.mark.parametrize("form", ["json", "csv"])
def test_none_for_programs_even_on_a_terminal(monkeypatch, form):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with progress_bars(form) as callback:
        assert callback is None


def test_a_callback_on_a_terminal(monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with progress_bars(None) as callback:
        assert callable(callback)


def test_quick_work_shows_no_bar():
    bars = terminal_bars()
    Bars(bars).update("scores", 1, 2)
    assert not bars.live.is_started


def test_slow_work_shows_how_far_it_is(monkeypatch):
    monkeypatch.setattr(output, "PATIENCE", -1.0)
    bars = terminal_bars()
    drawn = Bars(bars)
    drawn.update("scores", 1, 4)
    drawn.update("orders", 2, 8)
    drawn.update("orders", 6, 8)
    try:
        assert bars.live.is_started
        assert [(task.description, task.completed, task.total) for task in bars.tasks] == [
            ("scores", 1, 4),
            ("orders", 6, 8),
        ]
    finally:
        bars.stop()
