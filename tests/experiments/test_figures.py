"""Figures of experiments: what is drawn for few runs and for many."""

import numpy as np
from matplotlib.figure import Figure

from orderspn.experiments import figures
from orderspn.experiments.experiment import Metric
from orderspn.experiments.tables import Row

METRIC = Metric("auroc", "AUROC", "higher", "linear")


def rows_of(runs_by_method):
    rng = np.random.default_rng(0)
    return [
        Row("performance", 8, method, run, run, "auroc", None, float(rng.uniform()))
        for method, runs in runs_by_method.items()
        for run in range(runs)
    ]


def drawn(runs_by_method):
    ax, rows = Figure().add_subplot(), rows_of(runs_by_method)
    figures.boxes(ax, rows, list(runs_by_method), METRIC)
    labels = [line.get_label() for line in ax.lines]
    dots = np.concatenate([line.get_ydata() for line in ax.lines if line.get_label() == "_runs"])
    np.testing.assert_allclose(np.sort(dots), np.sort([row.value for row in rows]))  # every run is visible
    boxes = len(ax.lines) - sum(label.startswith("_r") or label == "_median" for label in labels)
    return boxes // 6, labels.count("_median"), labels.count("_run"), [t.get_text() for t in ax.get_xticklabels()]


def test_few_runs_have_no_box():
    assert drawn({"GADGET": 3, "TRUST-G": 3}) == (0, 2, 3, ["GADGET", "TRUST-G"])


def test_many_runs_have_a_box_and_fewer_are_counted():
    assert drawn({"GADGET": 12, "DIBS": 4}) == (1, 1, 0, ["GADGET", "DIBS (4 runs)"])


def test_calibration_curves_have_intervals():
    ax = Figure().add_subplot()
    figures.calibration_panel(ax, "GADGET", figures.Curve(np.array([0.2]), np.array([0.0]), np.array([4.0])))
    ((low, high),) = ax.collections[0].get_segments()
    assert low[1] == 0.0
    assert 0.4 < high[1] < 0.6  # four pairs say little


def test_every_number_of_rows_has_its_own_line_of_panels():
    rows = [row._replace(n=n) for n in (1000, 300) for row in rows_of({"CUBIC": 3, "BINS": 3})]
    figure = figures.box_panels(rows, ["CUBIC", "BINS"], [METRIC])
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["d = 8, 300 rows", "d = 8, 1,000 rows"]
