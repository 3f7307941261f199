"""Small experiments, and their files that must be the same every time."""

from pathlib import Path

import pytest

from orderspn.experiments import reproduce

LASTING = ("results.csv", "results.json", "report.md", "figure.png", "figure.svg")


@pytest.fixture
def small():
    """A small experiment in a folder, in this process by default (`n_jobs`)."""

    def run(folder, name="conditional", **arguments):
        usual = {"d": 5, "runs": 2, "methods": ["EXACT", "TRUST-G"], "effort": 0.02, "n_jobs": 1}
        return reproduce(name, output=folder, **(usual | arguments))

    return run


@pytest.fixture
def lasting():
    """The bytes of all files that do not depend on when and where they were made."""
    return lambda folder: {name: (Path(folder) / name).read_bytes() for name in LASTING}
