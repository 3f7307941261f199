"""Levels of the tests, and what all of them share; for the tests and the examples of docstrings alike."""

import os
import signal

import pytest
from hypothesis import settings

LEVELS = ("quick", "test", "all")
LEFT_OUT = {"quick": ("thorough", "exhaustive"), "test": ("exhaustive",), "all": ()}
"""By level, the marks of tests that it does not run."""
EXAMPLES = {"quick": 7, "test": 25, "all": 400}
"""By level, with how many inputs hypothesis tries a law."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option `--level`."""
    parser.addoption(
        "--level",
        choices=LEVELS,
        default="test",
        help="how much to run: 'quick' between two edits, 'test' (default) before a change is merged, or 'all'",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Choose how thorough hypothesis is, and let Ctrl-C be one."""
    for level, examples in EXAMPLES.items():
        # Everybody gets the same inputs, so that no database has to remember those that failed.
        settings.register_profile(level, max_examples=examples, derandomize=True, deadline=None, print_blob=True)
    settings.load_profile(config.getoption("--level"))
    if config.getoption("--level") != "all":  # JAX compiles in less time to slower programs
        os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
    # A shell without a terminal starts processes in the background with interrupts ignored, and they pass it on.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what the level leaves out."""
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            item.add_marker("thorough")
    marks = LEFT_OUT[config.getoption("--level")]
    left_out = {item for item in items if any(item.get_closest_marker(mark) for mark in marks)}
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session")
def level(pytestconfig: pytest.Config) -> str:
    """The level that is run, for tests that loop over fewer inputs at lower ones."""
    return pytestconfig.getoption("--level")
