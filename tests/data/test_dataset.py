"""Reading tables: every kind gives the same frozen data set, and errors tell what is wrong with invalid ones."""

import hashlib

import numpy as np
import pandas as pd
import polars as pl
import pytest

import orderspn as osp
from helpers.data import gaussian_data

VALUES = gaussian_data(3, 12, seed=0)
NAMES = ["heart rate", "Größe °C", "x->y"]


def test_every_kind_of_table_gives_the_same_dataset():
    tables = [
        osp.read_table(pd.DataFrame(VALUES, columns=NAMES)),
        osp.read_table(pl.DataFrame(VALUES, schema=NAMES)),
        osp.read_table(VALUES, variables=NAMES),
        osp.read_table(VALUES.tolist(), variables=NAMES),
        osp.read_table(tuple(map(tuple, VALUES.tolist())), variables=tuple(NAMES)),
        osp.read_table(np.asfortranarray(VALUES), variables=NAMES),
        osp.read_table(osp.read_table(VALUES, variables=NAMES)),
    ]
    for table in tables:
        assert table.variables == tuple(NAMES)
        np.testing.assert_array_equal(table.values, VALUES)
        assert table.values.dtype == np.float64
        assert table.values.flags.c_contiguous
        assert table.fingerprint == tables[0].fingerprint
        assert (table.n_rows, table.n_variables, table.standardized) == (12, 3, False)


def test_posteriors_do_not_depend_on_the_kind_of_table():
    one = osp.learn(pd.DataFrame(VALUES, columns=NAMES))
    other = osp.learn(pl.DataFrame(VALUES, schema=NAMES))
    assert one.edge_probabilities().equals(other.edge_probabilities())
    assert one.settings == other.settings


def test_fingerprint_sees_names_values_and_shape():
    fingerprints = {
        osp.read_table(VALUES, variables=NAMES).fingerprint,
        osp.read_table(VALUES).fingerprint,
        osp.read_table(VALUES[:, [1, 0, 2]], variables=NAMES).fingerprint,
        osp.read_table(VALUES[::-1], variables=NAMES).fingerprint,
        osp.read_table(VALUES + 1e-12, variables=NAMES).fingerprint,
        osp.read_table(VALUES, variables=NAMES, standardize=True).fingerprint,
    }
    assert len(fingerprints) == 6
    assert all(len(f) == hashlib.sha256().digest_size * 2 for f in fingerprints)


def test_fingerprint_does_not_run_names_together():
    assert (
        osp.read_table(VALUES[:, :2], variables=["ab", "c"]).fingerprint
        != osp.read_table(VALUES[:, :2], variables=["a", "bc"]).fingerprint
    )


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8, np.float64])
def test_numbers_of_every_kind(dtype):
    values = np.arange(12).reshape(4, 3).astype(dtype)
    values[0, 0] = 7
    np.testing.assert_array_equal(osp.read_table(values).values, values.astype(np.float64))
    np.testing.assert_array_equal(osp.read_table(pd.DataFrame(values)).values, values.astype(np.float64))


def test_default_names_and_integer_column_names():
    assert osp.read_table(VALUES).variables == ("X1", "X2", "X3")
    assert osp.read_table(pd.DataFrame(VALUES)).variables == ("0", "1", "2")
    assert osp.read_table(VALUES, variables=[10, 20, 30]).variables == ("10", "20", "30")


def test_integer_names_can_be_asked_about():
    posterior = osp.learn(pd.DataFrame(VALUES))
    assert 0.0 <= posterior.probability("0 -> 2, 1 !-> 0") <= 1.0


def test_choosing_columns_of_a_frame():
    for frame in (pd.DataFrame(VALUES, columns=NAMES), pl.DataFrame(VALUES, schema=NAMES)):
        chosen = osp.read_table(frame, variables=[NAMES[2], NAMES[0]])
        assert chosen.variables == (NAMES[2], NAMES[0])
        np.testing.assert_array_equal(chosen.values, VALUES[:, [2, 0]])


def test_choosing_columns_with_integer_names():
    np.testing.assert_array_equal(osp.read_table(pd.DataFrame(VALUES), variables=[2, 0]).values, VALUES[:, [2, 0]])


def test_choosing_columns_leaves_the_others_unchecked():
    frame = pd.DataFrame({"A": [1.0, 2.0], "B": [3.0, 1.0], "label": ["x", "y"]})
    assert osp.read_table(frame, variables=["A", "B"]).n_variables == 2


def test_frozen_and_independent_of_the_caller():
    mine = VALUES.copy()
    table = osp.read_table(mine)
    with pytest.raises(ValueError, match="read-only"):
        table.values[0, 0] = 0.0
    with pytest.raises(AttributeError):
        table.values = mine
    mine[0, 0] = 99.0
    assert table.values[0, 0] == VALUES[0, 0]
    assert mine.flags.writeable
    frame = pd.DataFrame(VALUES.copy(), columns=NAMES)
    again = osp.read_table(frame, standardize=True)
    frame.iloc[0, 0] = 99.0
    assert np.abs(again.values).max() < 20.0
    np.testing.assert_array_equal(frame.iloc[1:].to_numpy(), VALUES[1:])


def test_standardising():
    table = osp.read_table(VALUES * [1e-5, 3.0, 1e5] + [5.0, 0.0, -2e5], standardize=True)
    assert table.standardized
    np.testing.assert_allclose(table.values.mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose((table.values**2).mean(axis=0), 1.0, rtol=1e-9)  # population, not sample
    plain = osp.read_table(VALUES, standardize=True)
    np.testing.assert_allclose(table.values, plain.values, atol=1e-8)
    assert osp.read_table(plain).standardized
    np.testing.assert_allclose(osp.read_table(plain, standardize=True).values, plain.values, atol=1e-12)


def test_pandas_nullable_and_arrow_like_columns():
    frame = pd.DataFrame({"A": pd.array([1, 2, 3], dtype="Int64"), "B": pd.array([1.5, 2.0, 0.0], dtype="Float64")})
    np.testing.assert_array_equal(osp.read_table(frame).values, [[1, 1.5], [2, 2.0], [3, 0.0]])


@pytest.mark.parametrize(
    "table",
    [
        np.array([[1.0, 2.0], [2.0, np.nan], [3.0, 1.0]]),
        pd.DataFrame({"A": [1.0, 2.0, 3.0], "B": [2.0, None, 1.0]}),
        pd.DataFrame({"A": [1, 2, 3], "B": pd.array([2, None, 1], dtype="Int64")}),
        pd.DataFrame({"A": [1, 2, 3], "B": pd.array([2.0, None, 1.0], dtype="Float64")}),
        pl.DataFrame({"A": [1.0, 2.0, 3.0], "B": [2.0, None, 1.0]}),
        pl.DataFrame({"A": [1, 2, 3], "B": [2, None, 1]}),
        pl.DataFrame({"A": [1.0, 2.0, 3.0], "B": [2.0, float("nan"), 1.0]}),
    ],
    ids=["NumPy", "pandas", "pandas Int64", "pandas Float64", "polars", "polars integers", "polars NaN"],
)
def test_missing_values_are_counted_and_named(table):
    variables = ["A", "B"] if isinstance(table, np.ndarray) else None
    with pytest.raises(ValueError, match=r"'B' has 1 missing value\(s\) \(NaN\).*Drop those rows or fill"):
        osp.read_table(table, variables)


def test_infinite_values():
    with pytest.raises(ValueError, match=r"'X2' has 2 infinite value\(s\).*Drop or replace"):
        osp.read_table([[1.0, np.inf], [2.0, -np.inf], [3.0, 1.0]])


def test_constant_columns():
    with pytest.raises(ValueError, match=r"'B' is constant \(always 4\).*Drop it"):
        osp.read_table(pd.DataFrame({"A": [1, 2], "B": [4, 4]}))


def test_values_too_large_to_square_are_refused_or_survive():
    """Squares of 1e200 overflow; an answer must not be NaN."""
    values = gaussian_data(3, 20, seed=1) * [1.0, 1e200, 1.0]
    posterior = osp.learn(values, standardize=True)
    assert np.isfinite(posterior.edge_probabilities().to_numpy()).all()


def test_values_too_large_for_the_score_are_refused():
    with pytest.raises(ValueError, match="X2"):
        osp.learn(gaussian_data(3, 20, seed=1) * [1.0, 1e200, 1.0], standardize=False)


def test_values_too_small_to_square_can_be_standardised():
    values = gaussian_data(3, 20, seed=1)
    table = osp.read_table(values * [1.0, 1e-200, 1.0], standardize=True)
    np.testing.assert_allclose(table.values, osp.read_table(values, standardize=True).values, atol=1e-9)


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"A": [1.0, 2.0], "B": ["x", "y"]}),
        pd.DataFrame({"A": [1.0, 2.0], "B": pd.to_datetime(["2020-01-01", "2020-01-02"])}),
        pd.DataFrame({"A": [1.0, 2.0], "B": pd.Categorical(["u", "v"])}),
        pl.DataFrame({"A": [1.0, 2.0], "B": ["x", "y"]}),
    ],
    ids=["text", "dates", "categories", "polars text"],
)
def test_columns_that_are_not_numeric(table):
    with pytest.raises(TypeError, match=r"column 'B' is not numeric.*Drop it, or convert"):
        osp.read_table(table)


@pytest.mark.parametrize("values", [np.array([["1", "2"], ["3", "4"]]), [[1j, 2], [3, 4]]])
def test_arrays_that_hold_no_numbers(values):
    with pytest.raises(TypeError, match=r"data must hold numbers; got an array of dtype.*astype"):
        osp.read_table(values)


def test_numbers_with_none_are_missing_values():
    with pytest.raises(ValueError, match="column 'X2' has 1 missing value"):
        osp.read_table(np.array([[1, None], [2, 3]]))


def test_names_given_twice():
    frame = pd.DataFrame(VALUES, columns=["A", "B", "A"])
    with pytest.raises(ValueError, match=r"its own name; got 'A' more than once.*Rename"):
        osp.read_table(frame)
    with pytest.raises(ValueError, match=r"its own name; got 'A' more than once.*Rename"):
        osp.read_table(VALUES, variables=["A", "B", "A"])
    with pytest.raises(ValueError, match=r"its own name; got '1' more than once.*Rename"):
        osp.read_table(pd.DataFrame(VALUES[:, :2], columns=[1, "1"]))


def test_shapes():
    with pytest.raises(ValueError, match=r"two dimensions \(rows, variables\); got an array of shape \(3,\)"):
        osp.read_table(np.arange(3.0))
    with pytest.raises(ValueError, match=r"two dimensions \(rows, variables\); got an array of shape \(2, 2, 2\)"):
        osp.read_table(np.zeros((2, 2, 2)))
    with pytest.raises(ValueError, match="at least 2 rows; got 1"):
        osp.read_table(VALUES[:1])
    with pytest.raises(ValueError, match="at least 2 rows; got 0"):
        osp.read_table(pd.DataFrame(VALUES[:0], columns=NAMES))
    with pytest.raises(ValueError, match="at least 2 variables; got 1"):
        osp.read_table(VALUES[:, :1])
    with pytest.raises(ValueError, match="at least 2 variables; got 0"):
        osp.read_table(pd.DataFrame(index=range(3)))


def test_rows_of_unequal_length():
    with pytest.raises(ValueError, match="data"):
        osp.read_table([[1.0, 2.0], [3.0]])


def test_a_lazy_frame_must_be_collected():
    with pytest.raises(TypeError, match=r"data must be.*got LazyFrame.*collected"):
        osp.read_table(pl.DataFrame(VALUES, schema=NAMES).lazy())


@pytest.mark.parametrize("data", [None, 5, {"A": [1.0, 2.0]}, []])
def test_things_that_are_no_tables(data):
    with pytest.raises(TypeError, match=r"data must be a pandas or polars DataFrame.*got "):
        osp.read_table(data)


def test_a_series_is_no_table():
    with pytest.raises((TypeError, ValueError), match="data must be"):
        osp.read_table(pd.Series([1.0, 2.0], name="A"))


def test_wrong_variables():
    with pytest.raises(ValueError, match="variables must name each of the 3 columns of data; got 2 names"):
        osp.read_table(VALUES, variables=["A", "B"])
    with pytest.raises(TypeError, match="variables must be a sequence of names; got 'ABC'"):
        osp.read_table(VALUES, variables="ABC")
    with pytest.raises(ValueError, match=r"unknown column 'heartrate': did you mean 'heart rate'\?"):
        osp.read_table(pd.DataFrame(VALUES, columns=NAMES), variables=["heartrate", "x->y"])
    with pytest.raises(ValueError, match=r"needs a name; got an empty one\. Rename"):
        osp.read_table(VALUES, variables=["A", " ", "C"])
    with pytest.raises(ValueError, match="variables cannot be given together with a Dataset"):
        osp.read_table(osp.read_table(VALUES), variables=["A", "B", "C"])
    with pytest.raises(TypeError, match="standardize must be True or False; got 'yes'"):
        osp.read_table(VALUES, standardize="yes")


def test_bundled_data_is_fresh_each_time():
    mine = osp.load_sachs()
    mine.data.loc[0, mine.data.columns[0]] = -1.0
    mine.consensus.clear()
    assert len(osp.load_sachs().consensus) == 17
    assert osp.load_sachs().data.iloc[0, 0] != -1.0
