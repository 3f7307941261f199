"""The study of calibration: its measures by hand on tiny inputs, its tables and what it says about them."""

import re

import numpy as np
import pytest
from benchmarks.calibration import lookups, page, summaries, tables
from benchmarks.calibration.arms import ARMS, DEFAULT
from benchmarks.calibration.tables import FAMILIES
from benchmarks.probabilities import calibration_error, probability_measures

from orderspn.core.dag import topological_order

P, TRUE = np.array([0.05, 0.15, 0.15, 1.0]), np.array([False, True, False, True])


def test_measures_of_four_pairs():
    found = probability_measures(P, TRUE)
    assert found["brier"] == pytest.approx((0.05**2 + 0.85**2 + 0.15**2) / 4)
    assert found["log_loss"] == pytest.approx(-np.log([0.95, 0.15, 0.85, 0.999]).mean())
    assert found["bins"][0] == pytest.approx([1.0, 0.05, 0.0])
    assert found["bins"][1] == pytest.approx([2.0, 0.3, 1.0])
    assert found["bins"][9] == pytest.approx([1.0, 1.0, 1.0])
    assert found["calibration_error"] == pytest.approx((0.05 + 0.7) / 4)
    assert found["average_precision"] == pytest.approx((1.0 + 2 / 3) / 2)


def test_rankings_need_true_pairs_and_others():
    assert probability_measures(P, np.zeros(4, bool))["average_precision"] is None
    assert probability_measures(P, np.ones(4, bool))["auroc"] is None


def test_pairs_of_a_graph():
    edges, graph = np.array([[0.0, 0.6], [0.3, 0.0]]), np.array([[False, False], [True, False]])
    (p, is_true), (joined, is_joined) = summaries.directed(edges, graph), summaries.adjacent(edges, graph)
    assert (p.tolist(), is_true.tolist()) == ([0.6, 0.3], [False, True])
    assert (joined, is_joined) == (pytest.approx([0.9]), [True])


def test_summaries_of_two_settings():
    other = np.array([0.05, 0.95, 0.15, 1.0])
    found = summaries.summarised({"a": [(P, TRUE)] * 3, "b": [(other, TRUE)] * 3}, "a")
    assert found["a"]["promised"] == [pytest.approx(1.35 / 2), 0.0]
    assert found["a"]["log_loss_difference"] == [0.0, 0.0]
    gain = (np.log(0.15) - np.log(0.95)) / 4
    assert found["b"]["log_loss_difference"] == [pytest.approx(gain, abs=1e-5), pytest.approx(0.0, abs=1e-9)]
    assert found["b"]["calibration_error_difference"][0] == pytest.approx((0.05 + 0.15 + 0.05) / 4 - 0.75 / 4, abs=1e-5)
    assert found["a"]["curve"][1] == pytest.approx([6.0, 0.15, 0.5, 0.5, 0.5])


def test_bands_are_over_tables_and_not_over_pairs():
    """Pairs that are the same ten times over say no more about the next table."""
    rng = np.random.default_rng(0)
    once = [(np.full(5, 0.35), rng.random(5) < 0.35) for _ in range(30)]
    tenfold = [(np.tile(p, 10), np.tile(is_true, 10)) for p, is_true in once]
    a, b = (summaries.summarised({"a": own}, "a")["a"] for own in (once, tenfold))
    assert a["curve"][0][1:] == b["curve"][0][1:]
    assert a["calibration_error"] == b["calibration_error"]
    low, high = a["curve"][0][3:]
    half = 1.96 * np.std([is_true.mean() for _, is_true in once]) / np.sqrt(30)
    assert (high - low) / 2 == pytest.approx(half, rel=0.15)


def test_calibration_errors_of_many_resamples_at_once():
    bins = np.zeros((2, 10, 3))
    bins[0, 2], bins[1, 7] = [4.0, 1.0, 2.0], [2.0, 1.5, 1.5]
    assert calibration_error(bins).tolist() == [0.25, 0.0]


def test_a_hidden_cause_joins_nothing_by_itself():
    a, hidden, b, c = range(4)
    graph = np.zeros((4, 4), dtype=bool)
    graph[a, hidden] = graph[hidden, b] = graph[hidden, c] = True
    among = tables.without(graph, hidden)
    assert np.argwhere(among).tolist() == [[0, 1], [0, 2]]  # a causes b and c; b and c are not joined


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_tables_have_a_truth_of_their_size(family):
    table, again, other = family.make(3), family.make(3), family.make(4)
    rows = int(re.search(r"(\d+) rows", family.label)[1])
    assert table.frame.shape == (rows, tables.VARIABLES)
    assert table.graph.shape == (tables.VARIABLES, tables.VARIABLES)
    topological_order("graph", table.graph)
    assert table.frame.equals(again.frame)
    assert not table.frame.equals(other.frame)


def test_selected_rows_are_the_upper_half():
    table = tables.selection(0, degree=2.0, n_rows=500)
    selected = table.graph.sum(axis=0).argmax()
    assert table.graph[:, selected].sum() >= 2
    cut = table.frame.iloc[:, selected].to_numpy()
    # Half a normal distribution is skewed; the other columns keep values on both sides.
    assert np.mean(((cut - cut.mean()) / cut.std()) ** 3) > 0.5


def test_noise_is_skewed_and_has_its_variance():
    table = tables.skewed(0, degree=2.0, n_rows=20_000)
    roots = table.frame.to_numpy()[:, ~table.graph.any(axis=0)]
    assert roots.shape[1] > 0
    assert roots.var(axis=0) == pytest.approx(0.1, rel=0.1)
    assert (((roots - roots.mean(0)) / roots.std(0)) ** 3).mean(axis=0) == pytest.approx(2.0, rel=0.2)


def _kept(log_losses, curve=()):
    """A cell of the default and of another, with a difference of one standard error a hundredth."""
    first = log_losses["default"]
    return {
        "adjacent": {
            name: {"log_loss": [loss, 0.1], "log_loss_difference": [loss - first, 0.01], "curve": curve}
            for name, loss in log_losses.items()
        }
    }


def test_regrets_and_verdicts():
    families = lookups.families_of(tables.OWN)
    results = {
        f"{families[0].name} | orders": _kept({"default": 0.3, "t2": 0.2}),
        f"{families[1].name} | orders": _kept({"default": 0.3, "t2": 0.315}),
    }
    arms = [DEFAULT, ARMS["t2"]]
    assert lookups.counted(results, families, ARMS["t2"], "adjacent") == {"better": 1, "equal": 1, "worse": 0}
    lost = lookups.regret(results, families, DEFAULT, arms, "adjacent")
    assert (lost.largest, lost.where, lost.mean) == (pytest.approx(0.1), families[0], pytest.approx(0.05))
    assert lookups.best(results, families[1], arms, "adjacent") is DEFAULT


def test_points_within_bands():
    family = FAMILIES["own-order"]
    curve = [[50.0, 0.2, 0.25, 0.1, 0.3], [50.0, 0.5, 0.7, 0.6, 0.8], [3.0, 0.9, 0.0, 0.0, 0.0]]
    results = {"own-order | orders": _kept({"default": 0.3}, curve)}
    assert lookups.inside_bands(results, family, DEFAULT, "adjacent", 40) == (1, 2)


def test_the_prose_has_a_place_for_every_part():
    assert set(re.findall(r"<!-- (.*?) -->", page.PROSE.read_text())) == set(page.PARTS)
