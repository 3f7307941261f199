"""The reliability diagram: points, intervals, counts, and several curves at once."""

import sys
from statistics import NormalDist

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.stats import binomtest

import orderspn as osp
from orderspn.core.errors import MissingExtra
from orderspn.plot.calibration_figure import wilson


@pytest.fixture(scope="module")
def curves():
    rng = np.random.default_rng(3)
    p = rng.beta(0.4, 0.8, size=(30, 30))
    truth = np.triu(rng.random((30, 30)) < p, 1)
    return {
        "good": osp.metrics.calibration_curve(p, truth),
        "too sure": osp.metrics.calibration_curve(np.where(p > 0.5, p**0.2, p**5), truth, n_bins=5),
    }


def points(ax):
    """The (predicted, observed) of each curve, by label."""
    return {container.get_label(): container.lines[0].get_xydata() for container in ax.containers}


def counts_of(ax):
    """The axes with the numbers of pairs."""
    return next(other for other in ax.figure.axes if other.get_ylabel() == "pairs")


def test_points_are_those_of_the_curves(curves):
    ax = osp.plot.calibration(curves)
    assert points(ax).keys() == curves.keys()
    for label, curve in curves.items():
        np.testing.assert_array_equal(points(ax)[label], curve[["predicted", "observed"]].to_numpy())


@pytest.mark.parametrize("level", [0.95, 0.5])
def test_intervals_are_those_of_shares(curves, level):
    ax = osp.plot.calibration(curves["good"], level=level)
    (bars,) = ax.containers[0].lines[2]
    for (x, low), (_, high) in bars.get_segments():
        row = curves["good"].loc[np.isclose(curves["good"]["predicted"], x)].iloc[0]
        edges = round(row["observed"] * row["pairs"])
        expected = binomtest(edges, int(row["pairs"])).proportion_ci(level, method="wilson")
        assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert len(bars.get_segments()) == len(curves["good"])


def test_intervals_stay_between_0_and_1():
    low, high = wilson(np.array([0.0, 1.0]), np.array([3.0, 3.0]), NormalDist().inv_cdf(0.975))
    assert low[0] == 0.0
    assert 0.3 < high[0] < 0.8
    assert high[1] == 1.0
    assert low[1] == pytest.approx(1 - high[0])


def test_bars_count_pairs_within_their_bins(curves):
    counts = counts_of(osp.plot.calibration(curves))
    for container, curve in zip(counts.containers, curves.values(), strict=True):
        assert [bar.get_height() for bar in container] == curve["pairs"].tolist()
        for bar, lower, upper in zip(container, curve["lower"], curve["upper"], strict=True):
            assert lower < bar.get_x() < bar.get_x() + bar.get_width() < upper
    assert counts.get_yscale() == "log"
    assert counts.get_ylim()[0] < 1  # one pair is a bar as well


def test_bars_of_two_curves_stand_side_by_side(curves):
    good = curves["good"]
    one, other = counts_of(osp.plot.calibration({"a": good, "b": good})).containers
    for left, right in zip(one, other, strict=True):
        assert left.get_x() + left.get_width() <= right.get_x() + 1e-12


@pytest.mark.thorough
def test_axes_say_what_they_show(curves, check_legible):
    ax = osp.plot.calibration(curves)
    counts = counts_of(ax)
    assert ax.get_ylabel() == "observed share of edges"
    assert counts.get_xlabel() == "predicted probability of the edge"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["good", "too sure", "as predicted"]
    texts = [*ax.get_legend().get_texts(), ax.yaxis.label, counts.yaxis.label, counts.xaxis.label]
    check_legible(ax, [*texts, *counts.get_xticklabels(), *ax.get_yticklabels(), *counts.get_yticklabels()])


@pytest.mark.thorough
@pytest.mark.parametrize("n", [1, 4, 7])
def test_the_legend_covers_nothing_and_is_not_cut_off(curves, n):
    ax = osp.plot.calibration({f"method {k}": curves["good"] for k in range(n)})
    ax.figure.draw_without_rendering()
    legend = ax.get_legend().get_window_extent()
    assert legend.y0 >= ax.get_window_extent().y1
    assert legend.y1 <= ax.figure.bbox.y1
    assert legend.x1 <= ax.figure.bbox.x1


LONG = [
    "OrderSPN, its candidates refined by a search of orders",
    "partition MCMC with 4000 sampled graphs",
    "a method whose name is longer than any line of a legend, so that no column is wide enough to hold all of it",
    "short",
]


LABELS = [LONG, LONG[:1], LONG[2:], ["W" * 70], [f"{LONG[2]} {'x' * 90} {k}" for k in (1, 2)]]
BROKEN_OFTEN = [(0, True), (0, False), (2, True), (2, False), (4, True), (4, False)]
"""Numbers of labels and kinds of axes for which many line breaks are tried, which takes seconds."""


@pytest.mark.parametrize(
    ("labels", "own"),
    [
        pytest.param(labels, own, marks=pytest.mark.exhaustive if (number, own) in BROKEN_OFTEN else ())
        for number, labels in enumerate(LABELS)
        for own in (True, False)
    ],
)
@pytest.mark.thorough
def test_long_entries_of_the_legend_are_not_cut_off(curves, check_legible, labels, own):
    ax = None if own else Figure(figsize=(9, 8)).add_axes((0.5, 0.1, 0.49, 0.6))
    ax = osp.plot.calibration(dict.fromkeys(labels, curves["good"]), ax=ax)
    legend = ax.get_legend()
    check_legible(ax, [*legend.get_texts(), ax.yaxis.label, counts_of(ax).yaxis.label])
    assert legend.get_window_extent().y0 >= ax.get_window_extent().y1
    assert len({text.get_text() for text in legend.get_texts()}) == len(labels) + 1


@pytest.mark.thorough
def test_short_entries_of_the_legend_stand_side_by_side(curves):
    ax = osp.plot.calibration({f"method {k}": curves["good"] for k in range(3)})
    ax.figure.draw_without_rendering()
    places = [text.get_window_extent() for text in ax.get_legend().get_texts()]
    assert len({round(place.x0) for place in places}) == 2
    assert len({round(place.y0) for place in places}) == 2


def test_labels_are_taken_as_they_are(curves):
    """An underscore hides no label, dollars are not mathematics, and a curve may have the label of the diagonal."""
    labels = ["_hidden", "cost in $ of $", "as predicted"]
    texts = osp.plot.calibration(dict.fromkeys(labels, curves["good"])).get_legend().get_texts()
    assert [text.get_text() for text in texts] == [*labels, "as predicted"]
    assert not any(text.get_parse_math() for text in texts)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("most", "expected"),
    [
        (1, ["1"]),
        (4, ["1", "2", "5"]),
        (12, ["1", "2", "5", "10"]),
        (90, ["1", "10", "100"]),
        (3000, ["1", "10", "100", "1000"]),
        (70000, ["1", "10", "100", "1000", "$10^{4}$"]),
    ],
)
def test_counts_are_integers(curves, check_legible, most, expected):
    curve = curves["good"].assign(pairs=np.linspace(1, most, len(curves["good"])).round())
    ax = osp.plot.calibration(curve)
    counts = counts_of(ax)
    ax.figure.draw_without_rendering()
    low, high = counts.get_ylim()
    texts = [*counts.get_yticklabels(), *counts.get_yticklabels(minor=True)]
    shown = [text.get_text() for text in texts if low <= text.get_position()[1] <= high and text.get_text()]
    assert shown == expected
    assert high > most
    check_legible(ax, [*counts.get_yticklabels(), counts.yaxis.label, ax.yaxis.label, *ax.get_yticklabels()])


def test_curves_differ_by_more_than_colour(curves):
    ax = osp.plot.calibration({f"method {k}": curves["good"] for k in range(4)})
    lines = [container.lines[0] for container in ax.containers]
    for style in ("get_color", "get_marker", "get_linestyle"):
        assert len({getattr(line, style)() for line in lines}) == 4


def test_the_diagonal_is_drawn(curves):
    ax = osp.plot.calibration(curves)
    assert any(line.get_xydata().tolist() == [[0, 0], [1, 1]] for line in ax.lines)
    assert ax.get_xlim() == ax.get_ylim()


@pytest.mark.parametrize("placed", ["subplots", "add_axes"])
def test_axes_of_the_user_are_shared_with_the_counts(curves, placed):
    figure = Figure(figsize=(9, 5))
    ax = figure.subplots(1, 2)[0] if placed == "subplots" else figure.add_axes((0.1, 0.1, 0.4, 0.8))
    before = ax.get_position()
    assert osp.plot.calibration(curves, ax=ax) is ax
    figure.draw_without_rendering()
    counts = counts_of(ax)
    upper, lower = ax.get_position(), counts.get_position()
    assert lower.y1 < upper.y0
    assert (lower.y0, upper.y1) == pytest.approx((before.y0, before.y1))
    assert (lower.x0, lower.x1) == pytest.approx((upper.x0, upper.x1))


def test_other_things_are_no_curves(curves):
    with pytest.raises(TypeError, match=r"osp.metrics.calibration_curve\(probabilities, truth\)"):
        osp.plot.calibration([1, 2])
    with pytest.raises(TypeError, match="got DataFrame under 'b', without 'pairs'"):
        osp.plot.calibration({"a": curves["good"], "b": curves["good"].drop(columns="pairs")})
    with pytest.raises(ValueError, match="at least one curve"):
        osp.plot.calibration({})
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        osp.plot.calibration(curves, level=1.5)


def test_without_matplotlib_the_extra_is_named(curves, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r'pip install "orderspn\[plot\]"'):
        osp.plot.calibration(curves)
