"""The summary over runs, by hand."""

import math

from orderspn.experiments.cells import EXPERIMENTS
from orderspn.experiments.tables import Row, SummaryRow, summarize


def summary(values):
    experiment = EXPERIMENTS["coverage"]
    metric = experiment.metrics[0].name
    rows = [Row("coverage", 5, "EXACT", run, run, metric, 2, value) for run, value in enumerate(values)]
    (row,) = summarize(experiment, rows)
    assert row[:4] == SummaryRow(5, metric, 2, "EXACT", 0, 0.0, None, 0.0)[:4]
    return row[4:]


def test_the_spread_is_that_of_a_sample():
    assert summary([0.0, 1.0, 5.0]) == (3, 2.0, math.sqrt(7.0), 1.0)


def test_one_run_has_no_spread():
    assert summary([0.25]) == (1, 0.25, None, 0.25)


def test_the_standard_error_is_that_of_the_mean():
    assert SummaryRow(9, "auroc", 300, "CUBIC", 16, 0.9, 0.2, 0.9).standard_error == 0.05
    assert SummaryRow(9, "auroc", 300, "CUBIC", 1, 0.9, None, 0.9).standard_error is None
