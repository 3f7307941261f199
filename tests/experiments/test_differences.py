"""Paired differences, by hand, and as a table of the report."""

import math

import pytest

from orderspn.experiments.campaigning import DESIGN
from orderspn.experiments.differences import paired_differences
from orderspn.experiments.report import differences
from orderspn.experiments.tables import Row


def rows(values, metric="area-entropy", n=None):
    """Return rows from values by (number of variables, method)."""
    return [
        Row("design", d, method, run, run, metric, n, value)
        for (d, method), own in values.items()
        for run, value in enumerate(own)
    ]


TWO = rows({(10, "INFORMATION"): [1.0, 2.0], (10, "CHANCE"): [2.0, 5.0], (20, "INFORMATION"): [7.0, 9.0]})
MORE = [*TWO, *rows({(20, "CHANCE"): [6.0, 9.0], (10, "LIMIT"): [0.0, 3.0]})]


def test_runs_are_paired():
    (found,) = paired_differences(TWO, "INFORMATION", ["area-entropy"])
    assert found == ("10", "area-entropy", "CHANCE", 2, 2.0, pytest.approx(1.0))
    assert found.in_errors == pytest.approx(2.0)


def test_all_sizes_together():
    found = {(own.d, own.method): own for own in paired_differences(MORE, "INFORMATION", ["area-entropy"])}
    assert set(found) == {("10", "CHANCE"), ("10", "LIMIT"), ("20", "CHANCE"), ("10 and 20", "CHANCE")}
    together = found["10 and 20", "CHANCE"]  # differences 1, 3, -1, 0
    assert (together.runs, together.mean) == (4, 0.75)
    assert together.standard_error == pytest.approx(math.sqrt(8.75 / 3 / 4))


def test_runs_without_the_reference_and_curves_are_left_out():
    assert paired_differences(TWO[2:], "INFORMATION", ["area-entropy"]) == []
    curve = rows({(10, "INFORMATION"): [1.0], (10, "CHANCE"): [2.0]}, "entropy", n=1)
    assert paired_differences(curve, "INFORMATION", ["entropy"]) == []


def test_one_run_has_no_error():
    one = rows({(10, "INFORMATION"): [1.0], (10, "CHANCE"): [2.0]})
    (found,) = paired_differences(one, "INFORMATION", ["area-entropy"])
    assert (found.mean, found.standard_error, found.in_errors) == (1.0, None, None)
    assert differences(DESIGN, one)[-1].endswith(
        "| mean entropy over rounds (nats) | 10 | CHANCE | 1 | +1.0000 | - | - |"
    )


def test_the_table_of_the_report():
    table = differences(DESIGN, TWO)[-1].splitlines()
    assert table[-1] == "| mean entropy over rounds (nats) | 10 | CHANCE | 2 | +2.0000 | 1.0000 | +2.0 |"
