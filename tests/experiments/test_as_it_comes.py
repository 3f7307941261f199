"""Mixed tables, curves and missing values: what is simulated, what each method sees, and what is measured."""

import sys

import numpy as np
import pandas as pd
import pytest

import orderspn as osp
from helpers.levels import parameters
from orderspn.core.errors import MissingExtra
from orderspn.experiments import EXPERIMENTS, preparation, runner
from orderspn.experiments.as_it_comes import measure
from orderspn.experiments.samples import Sample, incomplete_samples, mixed_samples, nonlinear_samples
from orderspn.experiments.treatments import TREATMENTS

NAMES = ("mixed", "nonlinear", "missing")


def seeds():
    return np.random.SeedSequence(0)


@pytest.fixture
def table():
    """A sample of which every prepared table can be told by hand."""
    data = pd.DataFrame(
        {"height": [3.0, 1.0, 2.0, 6.0, 5.0, 4.0], "ward": ["b", "a", "c", "b", "a", "a"]}, columns=["height", "ward"]
    )
    return Sample(0, None, data, data)


@pytest.mark.parametrize("make", [mixed_samples, nonlinear_samples])
def test_fewer_rows_are_the_beginning_of_more(make):
    few, many = make(5, 3)
    assert (len(few.data), len(many.data)) == (300, 1000)
    assert few.data.equals(many.data.head(300))
    assert few.truth is many.truth


@pytest.mark.parametrize("make", [mixed_samples, nonlinear_samples, incomplete_samples])
def test_a_seed_settles_the_data(make):
    first, again, other = (make(5, seed)[-1].data for seed in (3, 3, 4))
    assert first.equals(again)
    assert not first.equals(other)


def test_cells_are_missing_whatever_their_values():
    samples = [incomplete_samples(10, seed)[0] for seed in range(20)]
    hidden = np.concatenate([sample.data.isna().to_numpy() for sample in samples])
    values = np.concatenate([((s.complete - s.complete.mean()) / s.complete.std()).to_numpy() for s in samples])
    assert hidden.mean() == pytest.approx(0.2, abs=0.01)
    assert abs(values[hidden].mean()) < 0.03
    assert values[hidden].std() == pytest.approx(1.0, abs=0.03)
    for sample in samples:
        seen = sample.data.notna()
        assert sample.data.where(seen, 0.0).equals(sample.complete.where(seen, 0.0))


def test_codes_are_in_the_order_of_names(table):
    (coded,) = preparation.codes_as_numbers(table, seeds())
    assert coded["ward"].tolist() == [1.0, 0.0, 2.0, 1.0, 0.0, 0.0]
    assert coded["height"].equals(table.data["height"])


def test_bins_have_as_many_rows_each(table):
    (binned,) = preparation.three_bins(table, seeds())
    assert binned["height"].tolist() == ["middle", "low", "low", "high", "high", "middle"]
    assert binned["ward"].equals(table.data["ward"])


def incomplete(d=5):
    return incomplete_samples(d, 1)[0]


def test_means_fill_what_is_missing_and_nothing_else():
    sample = incomplete()
    (filled,) = preparation.means(sample, seeds())
    hidden = sample.data.isna()
    assert filled.where(~hidden).equals(sample.data)
    for name in filled:
        np.testing.assert_allclose(filled[name][hidden[name]], np.nanmean(sample.data[name].to_numpy()))


@pytest.mark.parametrize(
    "prepare",
    [preparation.chained_equations, pytest.param(preparation.chained_draws, marks=pytest.mark.exhaustive)],
)
@pytest.mark.filterwarnings("ignore:.*Early stopping criterion not reached")
def test_chained_equations_predict_missing_cells(prepare):
    pytest.importorskip("sklearn")
    sample = incomplete()
    tables = prepare(sample, seeds())
    hidden = sample.data.isna().to_numpy()
    truth, guess = sample.complete.to_numpy()[hidden], np.mean([table.to_numpy() for table in tables], axis=0)[hidden]
    means = preparation.means(sample, seeds())[0].to_numpy()[hidden]
    assert np.mean((guess - truth) ** 2) < 0.5 * np.mean((means - truth) ** 2)
    assert all(table.where(sample.data.notna()).equals(sample.data) for table in tables)
    assert all(a.equals(b) for a, b in zip(tables, prepare(sample, seeds()), strict=True))
    if len(tables) > 1:
        assert not tables[0].equals(tables[1])


def test_what_each_method_learns_from():
    """The same posteriors by hand."""
    sample, mixed = incomplete(), mixed_samples(5, 2)[0]

    def found(name, of):
        return TREATMENTS[name].posterior(of, 1.0, seeds()).edge_probabilities()

    def by_hand(data, **arguments):
        return osp.learn(data, check=False, **arguments).edge_probabilities()

    pd.testing.assert_frame_equal(found("FULL", sample), by_hand(sample.complete))
    pd.testing.assert_frame_equal(found("COMPLETE-ROWS", sample), by_hand(sample.data.dropna()))
    pd.testing.assert_frame_equal(found("MEANS", sample), by_hand(sample.data.fillna(sample.data.mean())))
    pd.testing.assert_frame_equal(found("GROUPS", mixed), by_hand(mixed.data))
    pd.testing.assert_frame_equal(found("CUBIC", mixed), by_hand(mixed.data, score=osp.scores.BGe(degree=3)))
    assert not np.allclose(found("CODES", mixed), found("GROUPS", mixed))


def test_several_tables_are_averaged(monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.setattr(preparation, "COMPLETIONS", 3)
    sample, treatment = incomplete(), TREATMENTS["CHAINED-20"]
    tables = treatment.prepare(sample, seeds().spawn(2)[0])
    each = [osp.learn(table, check=False).edge_probabilities() for table in tables]
    pd.testing.assert_frame_equal(treatment.posterior(sample, 1.0, seeds()).edge_probabilities(), sum(each) / 3)


def test_measures_by_hand():
    sample = nonlinear_samples(5, 0)[0]
    posterior = osp.learn(sample.data, check=False)
    values = measure(posterior, sample).values
    found = {value.metric: value.value for value in values}
    probabilities, truth = posterior.edge_probabilities().to_numpy(), sample.truth.adjacency
    assert {value.n for value in values} == {300}
    assert found["brier-sum"] == pytest.approx(((probabilities - truth)[~np.eye(5, dtype=bool)] ** 2).sum())
    assert found["auroc"] == osp.metrics.auroc(posterior, sample.truth)
    assert found["average-precision"] == osp.metrics.average_precision(posterior, sample.truth)


@pytest.mark.parametrize("name", parameters(NAMES, quick=[], test=["missing"]))
def test_the_number_of_jobs_and_the_effort_change_nothing(small, tmp_path, name):
    methods = EXPERIMENTS[name].methods[:2]
    first = small(tmp_path / "1", name, d=4, runs=2, methods=methods)
    second = small(tmp_path / "2", name, d=4, runs=2, methods=methods, n_jobs=2, effort=2.0)
    assert first.rows == second.rows
    assert {row.n for row in first.rows} == ({200} if name == "missing" else {300, 1000})


@pytest.mark.thorough
def test_what_is_kept_is_not_computed_again(small, tmp_path, monkeypatch):
    first = small(tmp_path, "missing", d=4, methods=["FULL", "MEANS"])
    monkeypatch.setattr(runner, "run_cell", pytest.fail)
    assert small(tmp_path, "missing", d=4, methods=["MEANS", "FULL"]).summary != []
    assert small(tmp_path, "missing", d=4, methods=["FULL", "MEANS"]).rows == first.rows


@pytest.mark.parametrize("name", NAMES)
def test_usual_sizes(name):
    assert EXPERIMENTS[name].d == {"mixed": 9, "nonlinear": 9, "missing": 10}[name]


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("missing", {"methods": ["GADGET"]}, "unknown method 'GADGET'"),
        ("performance", {"methods": ["MEANS"]}, "unknown method 'MEANS'"),
        ("missing", {"d": 13}, "COMPLETE-ROWS is for up to 12 variables; got d=13"),
    ],
)
def test_mistakes_are_told_before_any_work(small, tmp_path, monkeypatch, name, arguments, message):
    monkeypatch.setattr(runner, "run_cell", pytest.fail)
    with pytest.raises(ValueError, match=message):
        small(tmp_path, name, **({"methods": None} | arguments))


def test_without_scikit_learn_its_methods_are_left_out(small, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingExtra, match="the method CHAINED needs scikit-learn: pip install scikit-learn"):
        small(tmp_path, "missing", methods=["CHAINED"])
    done = small(tmp_path, "missing", d=4, runs=1, methods=None)
    assert {row.method for row in done.rows} == {"FULL", "IMPUTED", "COMPLETE-ROWS", "MEANS"}
    assert [note.split(":")[0] for note in done.notes] == ["CHAINED is left out", "CHAINED-20 is left out"]
