"""The program shows bars on a terminal, and nowhere else, also where the library would."""

import pytest

from orderspn.cli.output import progress_bars
from orderspn.core.workers import Workers, unheard
from orderspn.display import bars
from orderspn.display.progress import showing


@pytest.fixture
def screens(monkeypatch):
    """The screens on which something was drawn."""
    drawn = []
    monkeypatch.setattr(bars, "new_drawing", lambda screen: drawn.append(screen) or pytest.fail("drawn at once"))
    return drawn


def on_terminals(monkeypatch, *streams):
    monkeypatch.setenv("TERM", "xterm")
    for stream in streams:
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True, raising=False)


def listener():
    return Workers(1, unheard).steps("work", 1)._callback


@pytest.mark.parametrize(
    ("form", "terminals"),
    [
        (None, ()),
        (None, ("stdout",)),
        (None, ("stderr",)),
        ("json", ("stdout", "stderr")),
        ("csv", ("stdout", "stderr")),
    ],
)
def test_none_where_nobody_sees_them(monkeypatch, screens, form, terminals):
    on_terminals(monkeypatch, *terminals)
    with progress_bars(form) as progress, showing(progress):
        assert listener() is unheard
    assert screens == []


def test_calls_within_the_block_report_to_its_bars(monkeypatch, screens):
    on_terminals(monkeypatch, "stdout", "stderr")
    with progress_bars(None) as progress:
        outer = listener()
        assert outer.__func__ is bars.Bars.update
        with showing(progress):
            assert listener() == outer
    assert screens == []  # it was over soon
