"""Which columns are numbers and which are categories, what users can say about it, and groups of columns."""

import datetime
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

import orderspn as osp
from helpers.mixed import mixed_data

N = 40
RNG = np.random.default_rng(0)
REAL = RNG.normal(size=N)
TEXT = RNG.choice(["u", "v", "w"], N)
CODES = RNG.integers(0, 4, N)
AGES = RNG.permutation(np.arange(20, 20 + N))
BOOLEAN = RNG.random(N) > 0.5


def kinds_of(columns, **arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [osp.learn(frame(columns), **arguments).settings["kinds"] for frame in (pd.DataFrame, pl.DataFrame)]
    assert found[0] == found[1]
    return "".join(found[0][name][0] for name in columns)


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"a": REAL, "b": TEXT}, "nc"),
        ({"a": REAL, "b": BOOLEAN}, "nn"),
        ({"a": REAL, "b": BOOLEAN, "c": TEXT}, "ncc"),
        ({"a": REAL, "b": CODES, "c": TEXT}, "nnc"),
        ({"a": AGES, "b": TEXT}, "nc"),
        ({"a": AGES, "b": CODES, "c": BOOLEAN}, "nnn"),
        ({"a": CODES, "b": TEXT}, "cc"),
        ({"a": CODES, "b": BOOLEAN}, "cc"),
    ],
)
def test_kinds_of_columns(columns, expected):
    assert kinds_of(columns) == expected
    pairs = {name: {"n": "number", "c": "category"}[kind] for name, kind in zip(columns, expected, strict=True)}
    assert kinds_of(columns, kinds=pairs) == expected


@pytest.mark.parametrize(
    ("columns", "kinds", "expected"),
    [
        ({"a": REAL, "b": CODES}, {"b": "category"}, "nc"),
        ({"a": REAL, "b": BOOLEAN}, {"b": "category"}, "nc"),
        ({"a": CODES, "b": CODES[::-1]}, {"a": "number"}, "nn"),
        ({"a": CODES, "b": TEXT}, {"a": "number"}, "nc"),
        ({"a": CODES.astype(float), "b": TEXT}, {"a": "category"}, "cc"),
        ({"a": CODES.astype(float), "b": REAL}, {"a": "category"}, "cn"),
        ({"a": AGES // 3, "b": TEXT}, {"a": "category"}, "cc"),
    ],
)
def test_users_decide(columns, kinds, expected):
    assert kinds_of(columns, kinds=kinds) == expected
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        settled = {name: {"n": "number", "c": "category"}[kind] for name, kind in zip(columns, expected, strict=True)}
        osp.learn(pd.DataFrame(columns), kinds=settled, check=False)


def test_codes_have_levels_without_decimals():
    data = pd.DataFrame({"a": CODES.astype(float), "b": REAL})
    described = osp.learn(data, kinds={"a": "category"}).settings["score"]["variables"]
    assert described[0] == {"kind": "category", "columns": ["a"], "levels": ["0", "1", "2", "3"]}


def test_the_reading_of_few_integers_is_told():
    data = pd.DataFrame({"a": REAL, "parity": CODES, "b": BOOLEAN.astype(int)})
    with pytest.warns(UserWarning, match=r"integers in 'parity' are read as numbers.*kinds=\{'parity': 'category'\}"):
        posterior = osp.learn(data)
    assert any("'parity'" in message for message in posterior.warnings)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # two values have one reading, as number and as category
        osp.learn(data[["a", "b"]])
        osp.learn(data, score="bge")
        osp.learn(data, kinds={"parity": "number"})


def test_the_summary_names_kinds():
    text = str(osp.learn(pd.DataFrame({"a": REAL, "b": TEXT, "c": REAL[::-1]})).summary())
    assert "numbers a, c; categories b" in text
    assert "categories" not in str(osp.learn(pd.DataFrame({"a": REAL, "c": REAL[::-1]})).summary())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kinds": {"x": "number"}}, "unknown column 'x'"),
        ({"kinds": {"A": "real"}}, "kinds must say 'number' or 'category'; got 'real' for 'A'"),
        ({"kinds": ["A"]}, "kinds must map names of columns"),
        ({"kinds": {"B": "number"}}, "kinds says that 'B' is a number, and the column holds text"),
        ({"kinds": {"A": "number"}, "score": "bdeu"}, "kinds says that 'A' hold numbers"),
        ({"groups": [["E", "F"]]}, "groups must map names of variables to lists of columns"),
        ({"groups": {"G": ["E", "x"]}}, "unknown column 'x'"),
        ({"groups": {"G": []}}, r"groups\['G'\] must name at least one column"),
        ({"groups": {"G": ["E", "F"], "H": ["F", "A"]}}, "column 'F' is in the groups 'G' and 'H'"),
        ({"groups": {"A": ["E", "F"]}}, "'A' is a column beside them"),
        ({"groups": {"G": ["A", "B"]}}, "column 'B' is not numeric"),
        ({"groups": {"G": ["E", "F"]}, "score": "bdeu"}, "groups are measured columns"),
        ({"kinds": {"E": "number"}, "groups": {"G": ["E", "F"]}}, "unknown column 'E'"),
        ({"standardize": False}, "standardize=False is for numbers alone"),
        ({"score": osp.scores.BGe(alpha_w=4)}, "alpha_w must be greater than d \\+ 1 = 8 for 7 columns"),
    ],
)
def test_mistakes(arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        osp.learn(mixed_data(), **arguments)


def test_a_category_of_many_levels_is_refused():
    data = pd.DataFrame({"a": RNG.normal(size=1000), "name": [f"patient {i}" for i in range(1000)]})
    with pytest.raises(ValueError, match="'name' is a category of 1000 levels; at most 100 can be used beside numbers"):
        osp.learn(data)


def test_two_kinds_in_one_column_are_refused():
    data = pd.DataFrame({"a": REAL, "b": ["x", 1] * (N // 2)})
    with pytest.raises(TypeError, match="column 'b' holds neither numbers nor categories"):
        osp.learn(data)


def test_a_group_has_the_place_of_its_first_column_and_may_have_its_name():
    data = mixed_data()
    assert osp.learn(data, groups={"G": ["F", "A"]}).variables == list("GBCDE")
    assert osp.learn(data, groups={"E": ["E", "F"]}).variables == list("ABCDE")


def test_interventions_name_groups_and_their_columns():
    data = mixed_data()
    groups = {"G": ["E", "F"]}
    by_group = osp.learn(data, groups=groups, interventions=[None] * 50 + ["G"] * 10)
    by_column = osp.learn(data, groups=groups, interventions=[None] * 50 + ["F"] * 5 + [("E", "G")] * 5)
    assert by_group.settings["interventions"] == by_column.settings["interventions"] == 10
    assert by_group.log_evidence == by_column.log_evidence != osp.learn(data, groups=groups).log_evidence


def test_interventions_on_categories():
    data = mixed_data()
    posterior = osp.learn(data, interventions=[None] * 50 + ["B"] * 10)
    np.testing.assert_array_equal(posterior.model.score.likelihood.n_interventions, [0, 10, 0, 0, 0, 0])


def test_frozen_tables():
    data = mixed_data()
    table = osp.read_mixed(data, interventions=[None] * 50 + ["B"] * 10)
    assert repr(table) == "<MixedTable: 60 rows of 6 variables>"
    expected = osp.learn(data, interventions=[None] * 50 + ["B"] * 10)
    found = osp.learn(table)
    assert found.log_evidence == expected.log_evidence
    assert found.settings["data_fingerprint"] == expected.settings["data_fingerprint"]
    with pytest.raises(ValueError, match="has its variables and interventions already"):
        osp.learn(table, interventions=[None] * 60)
    with pytest.raises(ValueError, match="kinds and groups are for a table that is not read yet"):
        osp.learn(table, kinds={"A": "number"})
    with pytest.raises(ValueError, match="reads a column of numbers for each variable"):
        osp.learn(table, score=OfNumbers())


class OfNumbers:
    def fit(self, data):
        raise NotImplementedError


def test_fingerprints_differ():
    data = mixed_data()
    tables = [
        osp.read_mixed(data),
        osp.read_mixed(data, kinds={"C": "number"}),
        osp.read_mixed(data, groups={"E": ["E", "F"]}),
        osp.read_mixed(data.assign(A=data["A"] + 1.0)),
        osp.read_mixed(data, interventions=["A"] + [None] * 59),
    ]
    assert len({table.fingerprint for table in tables}) == len(tables)
    assert osp.read_mixed(pl.from_pandas(data)).fingerprint == tables[0].fingerprint


def test_values_cannot_be_changed():
    table = osp.read_mixed(mixed_data())
    for part in table.parts:
        with pytest.raises(ValueError, match="read-only"):
            part.values[0] = 0.0


class TestObjects:
    """Columns of Python objects, as from databases and arrays of rows."""

    def kinds(self, values):
        return osp.read_mixed(pd.DataFrame({"a": REAL, "b": pd.Series(values, dtype=object)})).kinds["b"]

    def test_numbers(self):
        assert self.kinds([1.5, 2] * (N // 2)) == "number"
        assert self.kinds([np.float64(1.5), np.int64(2)] * (N // 2)) == "number"
        assert self.kinds([1, 2] * (N // 2)) == "number"

    def test_others(self):
        assert self.kinds(["x", "y"] * (N // 2)) == "category"
        assert self.kinds([True, False] * (N // 2)) == "category"
        for values in ([1j, 2], ["x", 1], [[1], [2]], [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)]):
            with pytest.raises(TypeError, match="column 'b' holds neither numbers nor categories"):
                self.kinds(values * (N // 2))

    def test_with_and_without_missing_values(self):
        rows = [[value, value**2, "x" if value > 0 else "y"] for value in REAL.tolist()]
        complete = osp.learn(np.array(rows, dtype=object), check=False)
        rows[3][0] = None
        imputed = osp.learn(np.array(rows, dtype=object), check=False, imputations=2)
        assert complete.settings["kinds"] == imputed.settings["kinds"]
        assert imputed.settings["missing"]["cells"] == 1

    def test_dates_are_told_what_to_do(self):
        dates = pd.DataFrame({"a": REAL, "b": pd.date_range("2020-01-01", periods=N)})
        with pytest.raises(TypeError, match=r"days since the first date; osp\.time_series\.lagged\(data, time='b'\)"):
            osp.learn(dates)
        assert "days since the first date" in osp.check_data(dates)[0].remedy


class TestNumbersAsText:
    def table(self, column):
        return pd.DataFrame({"a": REAL, "b": column})

    def test_a_warning(self):
        table = self.table(["1.5", "2"] * (N // 2 - 1) + ["n/a", "3"])
        with pytest.warns(UserWarning, match="'b' holds numbers as text, besides 'n/a', and is read as a category"):
            osp.learn(table)
        (found,) = [found for found in osp.check_data(table) if found.check == "column type"]
        assert (found.severity, found.variables) == ("warning", ("b",))
        assert "pandas.to_numeric" in found.remedy

    @pytest.mark.filterwarnings("ignore:column 'b'")
    def test_many_of_them_are_refused(self):
        data = pd.DataFrame(RNG.normal(size=(300, 3)), columns=["a", "b", "c"])
        data["b"] = [f"{value:.3f}" for value in data["b"]]
        (found,) = osp.check_data(data)
        assert (found.severity, found.variables) == ("error", ("b",))
        with pytest.raises(ValueError, match="'b' is a category of"):
            osp.learn(data)

    @pytest.mark.parametrize(
        "column", [["x", "1"] * (N // 2), pd.Categorical(["1", "2"] * (N // 2)), [True, False] * 20]
    )
    def test_categories_that_are_meant(self, column):
        assert osp.learn(self.table(column), check=False).warnings == ()

    def test_confirmed(self):
        table, kinds = self.table(["1", "2"] * (N // 2)), {"b": "category"}
        assert osp.learn(table, kinds=kinds, check=False).warnings == ()
        assert "column type" not in {found.check for found in osp.check_data(table, kinds=kinds)}
        assert osp.learn(table[["b"]].assign(c=TEXT), check=False).warnings == ()  # nothing is measured
