"""Which cells are missing, and how they are filled."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import orderspn as osp
from helpers.mixed import mixed_data
from orderspn.data.columns import read_columns
from orderspn.missing.cells import cells_of
from orderspn.missing.filling import check_columns, check_rows, filled
from orderspn.missing.tables import cells_in, columns_in, owners, refilled, with_cells

FRAME = pd.DataFrame(
    {
        "real": [1.5, np.nan, 2.0, 0.5],
        "whole": [1.0, 2.0, np.nan, 5.0],
        "text": ["a", None, "b", "b"],
        "flag": pd.array([True, None, False, True], dtype="boolean"),
        "level": pd.Categorical(["u", "v", None, "u"], categories=["v", "u", "w"], ordered=True),
        "full": [1, 2, 3, 4],
    }
)


@pytest.mark.parametrize("frame", [FRAME, pl.from_pandas(FRAME.astype({"level": str, "flag": object}))[:, :2]])
def test_counts(frame):
    cells = cells_of(read_columns(frame, None))
    expected = FRAME[list(cells.columns)].isna()
    np.testing.assert_array_equal(cells.missing, expected)
    assert cells.n_missing == expected.to_numpy().sum()
    assert cells.by_column == {name: 1 for name in cells.columns if name != "full"}
    assert cells.n_patterns == len(expected[expected.any(axis=1)].drop_duplicates())
    assert cells.n_complete_rows == (~expected.any(axis=1)).sum()


def test_filled_columns_keep_their_kinds_and_known_values():
    columns = read_columns(FRAME, None)
    found = filled(columns, cells_of(columns), np.random.default_rng(0), FRAME.index)
    assert [found[name].dtype.kind for name in ("real", "whole", "flag", "full")] == list("fibi")
    assert list(found["level"].cat.categories) == ["v", "u", "w"]
    for name in FRAME:
        known = FRAME[name].notna()
        assert list(found[name][known]) == list(FRAME[name][known])
        assert set(found[name]) <= set(FRAME[name][known])


def test_filling_draws_from_the_column():
    columns = {"A": np.array([0.25, np.nan, 0.75] * 500)}
    found = filled(columns, cells_of(columns), np.random.default_rng(0))["A"]
    assert found[1::3].mean() == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"A": [np.nan, np.nan], "B": [1.0, 2.0]}, "every value of 'A' is missing.*about it. Drop such columns"),
        ({"A": [np.nan, 1.0], "B": [np.nan, 2.0]}, r"1 row\(s\) have no value at all, such as row 0"),
    ],
)
def test_nothing_known(frame, message):
    check = check_columns if "column" in message else check_rows
    with pytest.raises(ValueError, match=message):
        check(cells_of(read_columns(pd.DataFrame(frame), None)))


@pytest.mark.parametrize(
    "table",
    [
        osp.read_table(np.random.default_rng(0).normal(size=(20, 3))),
        osp.read_categories(osp.load_asia().data[:100][["smoke", "bronc"]]),
        osp.read_mixed(mixed_data(), groups={"G": ["A", "F"]}),
    ],
    ids=["numbers", "categories", "mixed"],
)
def test_cells_of_tables(table):
    cells = cells_in(table)
    assert cells.shape == (table.n_rows, len(columns_in(table)))
    assert owners(table).max() == table.n_variables - 1
    np.testing.assert_array_equal(cells_in(with_cells(table, cells)), cells)
    assert with_cells(table, cells).fingerprint == table.fingerprint
    missing = np.random.default_rng(1).random(cells.shape) < 0.3
    again = cells_in(refilled(table, missing, np.random.default_rng(2)))
    np.testing.assert_array_equal(again[~missing], cells[~missing])
    for column in range(cells.shape[1]):
        assert set(again[:, column]) <= set(cells[~missing[:, column], column])
    assert (again != cells).any()
