"""The report lists all problems at once, also those that `learn` refuses, in the order of their severity."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import orderspn as osp


def messy(n_rows=200):
    rng = np.random.default_rng(0)
    data = osp.simulate.linear_gaussian(4, n_rows=n_rows, rng=0).data
    return data.assign(
        gaps=np.where(np.arange(n_rows) < 7, np.nan, rng.normal(size=n_rows)),
        infinite=np.where(np.arange(n_rows) == 3, np.inf, rng.normal(size=n_rows)),
        same=1.5,
        text=rng.choice(["a", "b"], n_rows),
        numbers=[f"{value:.4f}" for value in rng.normal(size=n_rows - 1)] + ["n/a"],
        when=pd.date_range("2020-01-01", periods=n_rows),
        skewed=np.exp(2 * rng.normal(size=n_rows)),
    )


def test_everything_at_once():
    report = osp.check_data(messy())
    assert [(found.severity, found.check, found.variables) for found in report] == [
        ("error", "column type", ("numbers",)),
        ("error", "column type", ("when",)),
        ("error", "infinite values", ("infinite",)),
        ("error", "constant column", ("same",)),
        ("warning", "skewness", ("skewed",)),
        ("note", "missing values", ("gaps",)),
    ]
    assert (report.n_rows, report.n_variables, report.read_as) == (200, 11, "numbers and categories")
    assert "besides 'n/a'" in report[0].message
    assert "1 infinite" in report[2].message
    assert "7 missing value(s) (3.5%)" in report[-1].message


@pytest.mark.parametrize("name", ["infinite", "same", "when"])
def test_errors_are_what_learn_refuses(name):
    data = messy()[["X1", "X2", "X3", name]]
    assert [found.severity for found in osp.check_data(data)] == ["error"]
    with pytest.raises((ValueError, TypeError)):
        osp.learn(data)


def test_the_remedies_make_it_learnable():
    repaired = messy().drop(columns=["same", "numbers", "when"]).replace(np.inf, np.nan).dropna()
    repaired["skewed"] = np.log(repaired["skewed"])
    assert list(osp.check_data(repaired)) == []
    assert osp.learn(repaired, standardize=True).warnings == ()


def test_mostly_missing_columns_do_not_cost_rows():
    data = osp.simulate.linear_gaussian(4, n_rows=200, rng=0).data
    data = data.assign(X1=np.exp(3 * data["X1"]), empty=np.where(np.arange(200) < 150, np.nan, 1.0 * np.arange(200)))
    assert [(f.severity, f.variables) for f in osp.check_data(data)] == [("warning", ("X1",)), ("note", ("empty",))]
    nothing = osp.check_data(pd.DataFrame({"A": [np.nan, np.nan], "B": [np.nan, 2.0]}))
    assert "error" in {found.severity for found in nothing}
    assert nothing.read_as is None


class OfNumbers:
    """A score of users that reads a column of numbers for each variable."""

    def fit(self, data):
        raise NotImplementedError


def test_scores_decide_what_is_refused():
    data = osp.load_asia().data
    assert list(osp.check_data(data)) == []
    assert list(osp.check_data(data, score="bge")) == []
    assert [found.check for found in osp.check_data(data, score=OfNumbers())] == ["column type"] * 9
    real = osp.check_data(messy()[["X1", "X2"]], score=osp.scores.BDeu())
    assert "not categories" in real[0].message
    with pytest.raises(ValueError, match="score must be one of"):
        osp.check_data(data, score="aic")


def test_every_kind_of_table():
    data = np.exp(2 * osp.simulate.linear_gaussian(4, n_rows=100, rng=0).data)
    expected = list(osp.check_data(data))
    assert [found.check for found in expected] == ["skewness"]
    for table in (pl.DataFrame(data), data.to_numpy(), data.to_numpy().tolist(), osp.read_table(data)):
        assert list(osp.check_data(table)) == expected
    assert [found.variables for found in osp.check_data(pl.DataFrame(data), ["X2", "X3"])] == [("X2", "X3")]
    gaps = pl.DataFrame(data).with_columns(X1=pl.when(pl.col("X1") > 1e9).then(pl.col("X1")))
    assert osp.check_data(gaps)[0].check == "missing values"


def test_interventions_reach_the_rows_that_are_left():
    data = osp.simulate.linear_gaussian(3, n_rows=100, rng=0).data
    data.loc[:4, "X1"], data.loc[5:7, "X2"] = 500.0, np.nan
    labels = ["set"] * 5 + ["free"] * 95
    about = {"interventions": labels, "targets": {"set": ["X1"], "free": []}}
    assert [found.check for found in osp.check_data(data, **about)] == ["missing values"]
    assert [found.check for found in osp.check_data(data)] == ["skewness", "missing values"]


class TestShown:
    def test_as_text(self):
        report = osp.check_data(messy())
        lines = str(report).splitlines()
        assert lines[0] == "200 rows, 11 variables, read as numbers and categories: 4 errors, 1 warning, 1 note."
        assert max(map(len, lines)) <= 110
        assert repr(report) == str(report)
        column = lines[2].index("finding")
        assert all(line[column - 2 : column] == "  " for line in lines[3:])  # aligned
        assert "-> Take logarithms of it (np.log)." in str(report)

    def test_without_findings(self):
        report = osp.check_data(osp.load_asia().data)
        assert str(report).startswith(
            "2000 rows, 8 variables, read as categories: no findings.\nChecked: missing values"
        )
        assert "no findings" in report._repr_html_()
        assert len(report.to_frame()) == 0

    def test_as_a_frame(self):
        frame = osp.check_data(messy()).to_frame()
        assert list(frame.columns) == ["severity", "check", "variables", "message", "remedy"]
        assert frame["variables"].iloc[-1] == ["gaps"]

    def test_as_html_with_names_escaped(self):
        data = messy()[["X1", "X2", "skewed"]].rename(columns={"skewed": "<b>"})
        html = osp.check_data(data)._repr_html_()
        assert html.count("<tr>") == 2
        assert "&lt;b&gt;" in html
        assert "<b>" not in html


def test_missing_values_of_several_columns_are_one_finding():
    data = osp.simulate.linear_gaussian(8, n_rows=200, rng=0).data
    for number, name in enumerate(data.columns[1:], 1):
        data.loc[:number, name] = np.nan
    (found,) = osp.check_data(data)
    assert (found.check, found.severity, len(found.variables)) == ("missing values", "note", 7)
    assert found.message.startswith("7 columns have 35 missing values: 'X8' 8 (4.0%), 'X7' 7 (3.5%)")
    assert found.message.endswith("and 2 more.")
    empty = osp.check_data(data.assign(nothing=np.nan))
    assert [(f.severity, len(f.variables)) for f in empty] == [("error", 1), ("note", 7)]


@pytest.mark.parametrize("kind", ["numbers", "mixed", "array", "polars"])
def test_gaps_in_most_rows(kind):
    data = osp.simulate.linear_gaussian(12, n_rows=200, rng=0).data
    data = data.assign(
        X1=np.exp(3 * data["X1"]), X2=np.where(data["X2"] > 0, "a", "b") if kind == "mixed" else data["X2"]
    )
    gaps = data.mask(np.random.default_rng(0).random(data.shape) < 0.1)
    assert gaps.notna().all(axis=1).mean() < 0.5
    table = gaps.to_numpy() if kind == "array" else pl.from_pandas(gaps) if kind == "polars" else gaps
    report = osp.check_data(table)
    assert [(f.severity, f.check) for f in report] == [("warning", "skewness"), ("note", "missing values")]
    assert report[0].variables == ("X1",)


class TestKinds:
    def table(self):
        return osp.simulate.linear_gaussian(3, n_rows=60, rng=0).data.assign(site=np.arange(60) % 3)

    def test_as_for_learn(self):
        assert {found.severity for found in osp.check_data(self.table())} == {"note"}
        report = osp.check_data(self.table(), kinds={"site": "category"})
        assert (list(report), report.read_as) == ([], "numbers and categories")

    def test_of_columns_that_are_left_out(self):
        report = osp.check_data(self.table().assign(site=1), kinds={"site": "category"})
        assert [found.check for found in report] == ["constant column"]

    def test_refusals(self):
        with pytest.raises(osp.UserError, match="sight"):
            osp.check_data(self.table(), kinds={"sight": "category"})
        with pytest.raises(osp.UserError, match="'number' or 'category'"):
            osp.check_data(self.table(), kinds={"site": "code"})

    def test_a_table_that_was_read_before(self):
        read = osp.read_mixed(self.table(), kinds={"site": "category"})
        assert list(osp.check_data(read)) == []
        assert osp.check_data(read).n_variables == 4
