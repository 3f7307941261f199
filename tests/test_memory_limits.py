"""The memory limit holds, measured in processes of their own: some rows of `benchmarks/limits.md`."""

import sys

import pytest
from benchmarks.memory_cells import QUESTIONS, in_process

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(sys.platform != "linux", reason="peaks of memory are read from /proc"),
]

CELLS = [
    {"method": "exact", "variables": 20, "gib": 1},
    {"method": "exact over DAGs", "variables": 12, "gib": 0.25},
    {"method": "trust", "variables": 26, "gib": 0.5},
    {"method": "trust", "variables": 40, "gib": 1},
    {"method": "missing values, trust", "variables": 26, "gib": 1},
    {"method": "gadget", "variables": 40, "gib": 0.5},
    {"method": "dibs", "variables": 20, "gib": 1},
]


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell['method']} {cell['variables']}")
def test_peaks_are_below_the_limit(cell):
    found = in_process(cell)
    assert "failed" not in found, found["errors"]
    peaks = {name: found[name] for name in ("learn", *QUESTIONS, "file")}
    measured = {name: int(str(peak).rstrip("+")) for name, peak in peaks.items() if peak not in ("none", "refused")}
    assert len(measured) > 5
    assert max(measured["learn"], measured["edges"]) > 0
    assert {name: peak for name, peak in measured.items() if peak > 1024 * cell["gib"]} == {}


def test_effects_that_do_not_fit_are_refused_before_any_work():
    """All orders of 20 variables have tables of expected weights of 1.6 GiB."""
    cell = {"method": "exact", "variables": 20, "questions": ["edges", "effects"]}
    assert in_process({**cell, "gib": 1})["effects"] == "refused"
    peak = str(in_process({**cell, "gib": 4})["effects"])  # with a "+" if it took too long
    assert 1600 < int(peak.rstrip("+")) < 4096
