"""Lagged tables: rows of different series never mix, and nothing is lagged over a gap."""

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orderspn as osp
from orderspn.core.slices import Moment, moment_of
from reference.lagged import lagged_rows

lagged = osp.time_series.lagged


def frame_of(n, series=None, **columns):
    own = {"X": np.arange(n) * 1.0, "Y": 100.0 - np.arange(n) ** 2, **columns}
    return pd.DataFrame(own if series is None else {"patient": series, **own})


class TestTable:
    def test_columns_and_rows(self):
        table = lagged(frame_of(5), lags=2)
        assert table.data.columns.tolist() == ["X[t]", "Y[t]", "X[t-1]", "Y[t-1]", "X[t-2]", "Y[t-2]"]
        assert table.data["X[t]"].tolist() == [2.0, 3.0, 4.0]
        assert table.data["X[t-2]"].tolist() == [0.0, 1.0, 2.0]
        assert table.explained == ["X[t]", "Y[t]"]
        assert table.context == ["X[t-1]", "Y[t-1]", "X[t-2]", "Y[t-2]"]
        assert (table.lags, table.n_series, table.left_out) == (2, 1, 2)
        assert repr(table) == "<Lagged: 3 rows of 1 series, 2 variables explained by 4 in context, 2 steps back>"

    def test_series_do_not_mix(self):
        table = lagged(frame_of(6, series=["a", "b", "a", "b", "a", "b"]), lags=1, series="patient")
        assert table.data["X[t]"].tolist() == [2.0, 4.0, 3.0, 5.0]
        assert table.data["X[t-1]"].tolist() == [0.0, 2.0, 1.0, 3.0]
        assert table.n_series == 2

    def test_short_series_are_left_out(self):
        table = lagged(frame_of(6, series=["a", *["b"] * 5]), lags=2, series="patient")
        assert table.n_series == 1
        assert table.left_out == 3

    def test_rows_are_sorted_by_time(self):
        frame = frame_of(5, when=[3, 1, 2, 5, 4])
        assert lagged(frame, 1, time="when").data["X[t]"].tolist() == [2.0, 0.0, 4.0, 3.0]

    def test_gaps_split_series(self):
        frame = frame_of(7, when=[0, 1, 2, 4, 5, 6, 9])
        table = lagged(frame, 1, time="when")
        assert table.data["X[t]"].tolist() == [1.0, 2.0, 4.0, 5.0]
        assert lagged(frame, 2, time="when").data["X[t]"].tolist() == [2.0, 5.0]

    def test_missing_values_are_gaps(self):
        frame = frame_of(6)
        frame.loc[2, "Y"] = np.nan
        assert lagged(frame, 1).data["X[t]"].tolist() == [1.0, 4.0, 5.0]

    def test_context_without_lags(self):
        frame = frame_of(5, age=[50.0, 50.0, 51.0, 51.0, 52.0])
        table = lagged(frame, 1, context=["age"])
        assert table.explained == ["X[t]", "Y[t]"]
        assert table.context == ["X[t-1]", "Y[t-1]", "age"]
        assert table.data["age"].tolist() == [50.0, 51.0, 51.0, 52.0]

    def test_some_columns(self):
        assert lagged(frame_of(5), 1, variables=["Y"]).data.columns.tolist() == ["Y[t]", "Y[t-1]"]

    def test_polars(self):
        own = lagged(pl.from_pandas(frame_of(5)), 2)
        pd.testing.assert_frame_equal(own.data, lagged(frame_of(5), 2).data)

    def test_categories_stay_categories(self):
        frame = pd.DataFrame({"X": pd.Categorical(list("abab")), "Y": [True, False, False, True]})
        table = lagged(frame, 1).data
        assert isinstance(table["X[t-1]"].dtype, pd.CategoricalDtype)
        assert table["Y[t]"].dtype == bool

    def test_as_arguments(self):
        truth = osp.simulate.vector_autoregression(3, 100, rng=0)
        table = lagged(truth.data, 1)
        one, other = osp.learn(**table), osp.learn(table.data, context=table.context)
        assert one.edge_probabilities().equals(other.edge_probabilities())
        assert one.context == table.context
        with pytest.raises(KeyError):
            table["method"]


@given(
    rows=st.lists(
        st.tuples(st.sampled_from("ab"), st.integers(0, 8), st.one_of(st.none(), st.integers(0, 9))),
        min_size=2,
        max_size=14,
        unique_by=lambda row: row[:2],
    ),
    lags=st.integers(1, 3),
    timed=st.booleans(),
)
def test_against_the_definition(rows, lags, timed):
    listed = [{"series": s, "time": t, "X": x} for s, t, x in rows]
    frame = pd.DataFrame(listed).astype({"X": float})
    times = [t for _, t, _ in rows]
    distances = [b - a for s in "ab" for a, b in _neighbours(sorted(t for own, t, _ in rows if own == s))]
    arguments = {"time": "time"} if timed else {"variables": ["X"]}
    expected = lagged_rows(listed, ["X"], lags, "series", "time" if timed else None)
    step = min(distances, default=1)
    if timed and any(distance % step for distance in distances):
        with pytest.raises(ValueError, match="time must be regular"):
            lagged(frame, lags, "series", **arguments)
        return
    if timed and step > 1:  # a step is the shortest distance
        shifted = [
            {**row, "time": (row["time"] - min(t for s, t, _ in rows if s == row["series"])) // step} for row in listed
        ]
        expected = lagged_rows(shifted, ["X"], lags, "series", "time")
    if len(expected) < 2:
        with pytest.raises(ValueError, match="series are too short"):
            lagged(frame, lags, "series", **arguments)
        return
    found = lagged(frame, lags, "series", **arguments)
    assert len(times) == len(found.data) + found.left_out
    assert found.data.to_dict("records") == expected


def _neighbours(values):
    return list(itertools.pairwise(values))


TIMES = {
    "quarters": pd.date_range("2000-01-01", periods=6, freq="QS"),
    "month ends": pd.date_range("2000-01-31", periods=6, freq="ME"),
    "days": pd.date_range("2000-01-30", periods=6, freq="D"),
    "hours": pd.date_range("2000-01-01 05:30", periods=6, freq="h"),
    "periods": pd.period_range("2000Q3", periods=6, freq="Q"),
    "fractions": np.arange(6) * 0.1,
}


@pytest.mark.parametrize("name", TIMES)
def test_regular_times(name):
    assert len(lagged(frame_of(6, when=TIMES[name]), 1, time="when").data) == 5


def test_a_quarter_left_out_is_a_gap():
    dates = pd.date_range("2000-01-01", periods=7, freq="QS").delete(3)
    assert lagged(frame_of(6, when=dates), 1, time="when").data["X[t]"].tolist() == [1.0, 2.0, 4.0, 5.0]


REFUSED = {
    "no frame": (lambda: lagged(np.zeros((5, 2))), "frame must be a DataFrame"),
    "no lags": (lambda: lagged(frame_of(5), 0), "lags must be"),
    "unknown series": (lambda: lagged(frame_of(5), series="patient"), "unknown column 'patient'"),
    "unknown time": (lambda: lagged(frame_of(5), time="when"), "unknown column 'when'"),
    "unknown variable": (lambda: lagged(frame_of(5), variables=["Z"]), "unknown column 'Z'"),
    "variable in context": (lambda: lagged(frame_of(5), variables=["X"], context=["X"]), "'X' is in variables="),
    "nothing left": (lambda: lagged(frame_of(5), context=["X", "Y"]), "no column is left"),
    "irregular": (
        lambda: lagged(frame_of(4, when=[0.0, 1.0, 2.5, 3.5]), 1, time="when"),
        r"from 1.0 to 2.5 it is 1.500 steps. Resample",
    ),
    "twice": (lambda: lagged(frame_of(4, when=[0, 1, 1, 2]), 1, time="when"), "got 1 twice in column 'when'"),
    "missing time": (lambda: lagged(frame_of(3, when=[0, None, 2]), 1, time="when"), "has missing values"),
    "infinite time": (lambda: lagged(frame_of(3, when=[0, 1, np.inf]), 1, time="when"), "must be finite"),
    "text as time": (lambda: lagged(frame_of(3, when=list("abc")), 1, time="when"), "numbers, dates or periods"),
    "missing series": (lambda: lagged(frame_of(4, series=["a", None, "a", "a"]), 1, "patient"), "has missing values"),
    "too short": (lambda: lagged(frame_of(3), 2), "longest stretch without a gap has 3 rows. Lower lags="),
    "lagged already": (lambda: lagged(lagged(frame_of(9), 1).data, 1), "columns are lagged already: 'X"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    make, message = REFUSED[name]
    with pytest.raises(osp.UserError, match=message):
        make()


@pytest.mark.parametrize("name", ["X[t]", "X[t-1]", "a b[t-12]", "X[u][t]"])
def test_names_of_moments(name):
    assert moment_of(name).name == name


@pytest.mark.parametrize("name", ["X", "X[t-0]", "X[t+1]", "[t]", "X[t-1] ", "X[t-01]"])
def test_other_names(name):
    assert moment_of(name) is None
    assert Moment(name, 3).name == f"{name}[t-3]"


def test_times_that_go_on_from_one_series_to_the_next_do_not_join_them():
    frame = pd.DataFrame({"who": ["a"] * 4 + ["b"] * 4, "when": range(8), "X": np.arange(8.0) ** 2})
    table = lagged(frame, 1, series="who", time="when").data
    assert list(zip(table["X[t-1]"], table["X[t]"], strict=True)) == [
        (0.0, 1.0), (1.0, 4.0), (4.0, 9.0), (16.0, 25.0), (25.0, 36.0), (36.0, 49.0)
    ]  # fmt: skip
