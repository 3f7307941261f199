"""Descriptions of tables: what they say of each column, and what they do not depend on."""

import json
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.mixed import mixed_data
from orderspn.data.describing import described
from orderspn.data.distributions import restored


def distributions(table, missing=None):
    """The distributions, after a way through JSON."""
    return restored(json.loads(json.dumps(described(table, missing))))


@st.composite
def tables(draw, fewest=3):
    """Columns of numbers of different shapes and magnitudes, none of them constant, (N, d)."""
    n, rng = draw(st.integers(fewest, 40)), np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    columns = [
        rng.normal(size=n) * draw(st.sampled_from([1e-30, 1.0, 1e30])),
        rng.normal(size=n) + draw(st.sampled_from([0.0, 1e3, 1e8])),
        rng.integers(0, draw(st.sampled_from([2, 5, 300])), n) + draw(st.sampled_from([0.0, 1e6])),
        np.exp(3 * rng.normal(size=n)),
    ]
    values = np.column_stack(columns)
    values[1, 2] = values[0, 2] + 1.0
    return values


@given(tables())
def test_numbers(values):
    for column, found in zip(values.T, distributions(osp.read_table(values)).values(), strict=True):
        scale = np.ptp(column)
        assert (found.kind, found.observed, found.missing) == ("number", len(column), 0)
        assert 1 <= len(found.counts) <= 24
        assert found.minimum == pytest.approx(column.min(), abs=1e-8 * scale)
        assert found.maximum == pytest.approx(column.max(), abs=1e-8 * scale)
        assert found.mean == pytest.approx(column.mean(), abs=1e-7 * scale)
        assert found.sd == pytest.approx(column.std(), abs=1e-7 * scale)
        assert (found.edges[0], found.edges[-1]) == (found.first, found.last)


@given(st.integers(0, 2**32 - 1), st.integers(30, 200))
def test_counts_of_numbers_are_those_of_numpy(seed, n):
    values = gaussian_data(3, n, seed)
    for column, found in zip(values.T, distributions(osp.read_table(values)).values(), strict=True):
        beyond = 1e-6 * np.ptp(column)  # the ends are rounded
        edges = np.concatenate([[found.first - beyond], found.edges[1:-1], [found.last + beyond]])
        assert np.histogram(column, edges)[0].tolist() == list(found.counts)


@given(tables())
def test_standardizing_changes_nothing(values):
    plain, standard = (described(osp.read_table(values, standardize=how)) for how in (False, True))
    twice = described(osp.read_table(osp.read_table(values, standardize=True), standardize=True))
    for name, found in plain.items():
        for other in (standard[name], twice[name]):
            assert other["counts"] == found["counts"]
            for number in ("first", "last", "mean", "sd", "minimum", "maximum"):
                assert other[number] == pytest.approx(found[number], abs=1e-6 * (found["last"] - found["first"]))


def test_standardized_numbers_have_clean_digits():
    values = np.column_stack([np.arange(50) / 10, gaussian_data(2, 50, seed=0)])
    plain, standard = (described(osp.read_table(values, standardize=how)) for how in (False, True))
    assert plain == standard  # to the last digit, so that posteriors of both can be mixed with them
    assert (str(standard["X1"]["minimum"]), standard["X1"]["maximum"]) == ("0.0", 4.9)


@given(tables(), st.permutations(range(4)))
def test_permuting_columns_permutes_descriptions(values, order):
    names = letters(4)
    one = described(osp.read_table(values, names))
    other = described(osp.read_table(values[:, order], [names[place] for place in order]))
    assert one == other
    assert list(other) == [names[place] for place in order]


@given(st.data())
def test_missing_cells_are_left_out_and_counted(data):
    values = data.draw(tables(fewest=5))
    missing = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1))).random(values.shape) < 0.3
    missing[:2] = False
    found = distributions(osp.read_table(values), missing)
    for place, (column, distribution) in enumerate(zip(values.T, found.values(), strict=True)):
        gaps = missing[:, place]
        assert (distribution.observed, distribution.missing) == ((~gaps).sum(), gaps.sum())
        assert distribution.minimum == pytest.approx(column[~gaps].min(), abs=1e-8 * np.ptp(column))


@given(st.integers(2, 60), st.integers(2, 200), st.integers(0, 2**32 - 1))
def test_categories(n_levels, n, seed):
    codes = np.random.default_rng(seed).integers(0, n_levels, size=(n, 2))
    codes[:2] = [[0, 0], [1, 1]]
    table = osp.read_categories(codes, ["A", "B"])
    for place, found in enumerate(distributions(table).values()):
        counts = np.bincount(table.codes[:, place], minlength=len(table.levels[place]))
        assert found.observed == n
        assert found.counts == tuple(counts[table.levels[place].index(level)] for level in found.levels)
        assert len(found.levels) + found.other_levels == len(counts)
        assert len(found.levels) == min(24, len(counts))
        kept = [table.levels[place].index(level) for level in found.levels]
        assert kept == sorted(kept)
        left_out = np.delete(counts, kept)
        assert found.others == left_out.sum()
        assert left_out.max(initial=0) <= min(found.counts)


def test_levels_that_do_not_occur_are_there():
    answers = pd.Categorical(["no", "yes", "no"], categories=["no", "perhaps", "yes"], ordered=True)
    table = osp.read_categories(pd.DataFrame({"A": answers, "B": [True, False, True]}))
    found = distributions(table)
    assert (found["A"].levels, found["A"].counts) == (("no", "perhaps", "yes"), (2, 0, 1))
    assert (found["B"].levels, found["B"].counts) == (("False", "True"), (1, 2))


def test_numbers_categories_and_groups():
    data = mixed_data()
    table = osp.read_mixed(data, groups={"EF": ["E", "F"]})
    found = distributions(table)
    assert {name: distribution.kind for name, distribution in found.items()} == dict(table.kinds)
    assert found["B"].counts == tuple(data["B"].value_counts().sort_index())
    alone = distributions(osp.read_table(data[["A", "E", "F"]], standardize=True))
    assert found["A"] == alone["A"]
    assert found["EF"].columns == {"E": alone["E"], "F": alone["F"]}
    assert described(table)["EF"]["columns"]["E"] == described(osp.read_table(data[["A", "E"]]))["E"]


def test_missing_cells_of_groups_and_categories():
    table = osp.read_mixed(mixed_data(), groups={"EF": ["E", "F"]})
    missing = np.zeros((table.n_rows, 6), dtype=bool)
    for place in range(6):
        missing[: place + 1, place] = True
    found = distributions(table, missing)
    assert [found[name].missing for name in "ABCD"] == [1, 2, 3, 4]
    assert [found["EF"].columns[name].missing for name in "EF"] == [5, 6]
    assert found["B"].observed == table.n_rows - 2


def test_rows_under_interventions_count():
    values = gaussian_data(3, 20, seed=1)
    plain = described(osp.read_table(values, letters(3)))
    for standardize in (False, True):
        assert described(osp.read_table(values, letters(3), standardize=standardize, interventions=["B"] * 20)) == plain


EXTREME = {
    "the largest numbers": [-1.7e308, 0.0, 1.7e308, 1e308],
    "the largest number": [0.0, np.finfo(float).max, 1.0, 2.0],
    "the smallest numbers": [0.0, 5e-324, 1e-320, 3e-322],
    "far from 0": [1e15, 1e15 + 1, 1e15 + 2, 1e15 + 1],
    "an outlier": [0.0, 1.0, 2.0, 1e300],
    "nearly constant": [1.0, 1.0, 1.0 + 2e-16, 1.0],
    "negative": [-3.0, -2.0, -3.0, -7.0],
}


@pytest.mark.parametrize("name", EXTREME)
def test_extreme_numbers(name):
    values = np.array(EXTREME[name])
    table = osp.read_table(np.column_stack([values, [1.0, 2.0, 4.0, 3.0]]), standardize=True)
    found = distributions(table)["X1"]
    assert found.observed == 4
    assert np.isfinite(found.edges).all()
    assert (np.diff(found.edges) >= 0.0).all()
    spread = values.max() / 2 - values.min() / 2
    assert found.minimum / 2 == pytest.approx(values.min() / 2, abs=max(1e-6 * spread, 1e-15 * np.abs(values).max()))
    assert found.maximum / 2 == pytest.approx(values.max() / 2, abs=max(1e-6 * spread, 1e-15 * np.abs(values).max()))


def test_integers_far_from_zero_have_bars_of_their_own():
    table = osp.read_table(np.array([[1e15, 1.0], [1e15 + 1, 2.0], [1e15 + 2, 4.0]]), standardize=True)
    assert distributions(table)["X1"].counts == (1, 1, 1)


@pytest.mark.parametrize("value", [0.0, 3.0, -1e-300, 1e308])
def test_what_was_observed_of_a_column_may_be_constant(value):
    """Not in tables that can be learned from, but nobody has to rely on that."""
    table = osp.Dataset(("A", "B"), np.array([[value, 1.0], [7.0, 2.0], [value, 3.0]]))
    found = distributions(table, np.array([[False, False], [True, False], [False, False]]))["A"]
    assert (found.counts, found.mean, found.sd, found.missing) == ((2,), value, 0.0, 1)
    assert found.first < value < found.last


def test_names_that_no_file_can_have():
    table = osp.read_categories([["\ud800", "b"], ["a", "c"]], ["\udfff", "B"])
    assert described(table)["\udfff"]["levels"] == ["a", "\ud800"]


@pytest.mark.thorough
def test_it_takes_no_time():
    table = osp.read_table(np.random.default_rng(0).normal(size=(10_000, 500)), standardize=True)
    times = []
    for _ in range(3):
        start = time.perf_counter()
        described(table)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.3  # 0.06 on an idle core
    assert len(json.dumps(described(table))) < 500 * 350
