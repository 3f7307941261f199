"""Tables of categories: every kind gives the same codes, and nothing is guessed about integers."""

import datetime
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest

import orderspn as osp
from helpers.asia import ASIA_YES, simulate_asia
from orderspn.data.bundled import ASIA_PARENTS

COLOUR = ["red", "blue", "red", "green", "blue", "red"]
ILL = [True, False, False, True, True, False]
GRADE = [3, 1, 2, 3, 1, 1]
DOSE = [0.5, 1.0, 0.5, 2.0, 1.0, 0.25]


def frames(**columns):
    return [pd.DataFrame(columns), pl.DataFrame(columns)]


class TestReading:
    def test_every_kind_of_table_gives_the_same_categories(self):
        text = [[c, str(i)] for c, i in zip(COLOUR, ILL, strict=True)]
        names = ["colour", "ill"]
        columns = {"colour": COLOUR, "ill": [str(i) for i in ILL]}
        tables = [
            *(osp.read_categories(frame) for frame in frames(**columns)),
            osp.read_categories(pd.DataFrame(columns, dtype=object)),
            osp.read_categories(pd.DataFrame(columns).astype("category")),
            osp.read_categories(pl.DataFrame(columns).cast(pl.Categorical)),
            osp.read_categories(text, variables=names),
            osp.read_categories(np.array(text), variables=names),
            osp.read_categories(np.array(text, dtype=object), variables=names),
        ]
        for table in tables:
            assert table.variables == ("colour", "ill")
            assert table.levels == (("blue", "green", "red"), ("False", "True"))
            np.testing.assert_array_equal(table.codes[:, 0], [2, 0, 2, 1, 0, 2])
            np.testing.assert_array_equal(table.codes[:, 1], ILL)
            assert table.codes.dtype == np.uint16
            assert table.codes.flags.c_contiguous
            assert not table.codes.flags.writeable
            assert table.fingerprint == tables[0].fingerprint
            assert (table.n_rows, table.n_variables, table.standardized) == (6, 2, False)
            np.testing.assert_array_equal(table.arities, [3, 2])

    def test_booleans_and_integers(self):
        nullable = pd.DataFrame({"ill": ILL, "grade": GRADE}).convert_dtypes()
        for frame in [*frames(ill=ILL, grade=GRADE), nullable]:
            table = osp.read_categories(frame)
            assert table.levels == (("False", "True"), ("1", "2", "3"))
            np.testing.assert_array_equal(table.codes[:, 0], ILL)
            np.testing.assert_array_equal(table.codes[:, 1], np.array(GRADE) - 1)

    def test_integers_are_sorted_as_numbers(self):
        assert osp.read_categories([[10, 0], [9, 1], [-1, 1]]).levels == (("-1", "9", "10"), ("0", "1"))

    def test_arrays_of_truth_values(self):
        table = osp.read_categories(np.array([[True, False], [False, True]]))
        assert table.variables == ("X1", "X2")
        assert table.levels == (("False", "True"),) * 2

    def test_declared_levels_count_in_their_order(self):
        levels = ["low", "medium", "high", "never"]
        values = ["high", "low", "medium", "low"]
        ordered = pd.CategoricalDtype(levels, ordered=True)
        for frame in (
            pd.DataFrame({"a": pd.Series(values, dtype=ordered), "b": [True, False] * 2}),
            pl.DataFrame({"a": pl.Series(values, dtype=pl.Enum(levels)), "b": [True, False] * 2}),
        ):
            table = osp.read_categories(frame)
            assert table.levels[0] == tuple(levels)
            np.testing.assert_array_equal(table.codes[:, 0], [2, 0, 1, 0])

    def test_levels_of_unordered_categories_are_those_that_occur(self):
        values = pd.Categorical(["b", "a", "b"], categories=["c", "b", "a"])
        assert osp.read_categories(pd.DataFrame({"a": values, "b": ["x", "y", "x"]})).levels[0] == ("a", "b")

    def test_columns_can_be_chosen(self):
        for frame in frames(dose=DOSE, ill=ILL, colour=COLOUR):
            assert osp.read_categories(frame, ["colour", "ill"]).variables == ("colour", "ill")

    def test_categories_pass_through(self):
        table = osp.read_categories(pd.DataFrame({"a": COLOUR, "b": ILL}))
        assert osp.read_categories(table) is table

    def test_the_fingerprint_sees_names_levels_and_values(self):
        columns = {"a": COLOUR, "b": ILL}
        fingerprints = {
            osp.read_categories(pd.DataFrame(changed)).fingerprint
            for changed in (
                columns,
                {"A": COLOUR, "b": ILL},
                {"a": [c.upper() for c in COLOUR], "b": ILL},
                {"a": COLOUR[::-1], "b": ILL},
            )
        }
        assert len(fingerprints) == 4


class TestErrors:
    @pytest.mark.parametrize(
        "frame",
        [
            pd.DataFrame({"a": ["x", None, "y"], "b": [True, False, True]}),
            pd.DataFrame({"a": ["x", np.nan, "y"], "b": [True, False, True]}, dtype=object),
            pd.DataFrame({"a": pd.Categorical(["x", None, "y"]), "b": [True, False, True]}),
            pd.DataFrame({"a": pd.Categorical(["x", None, "y"], ordered=True), "b": [True, False, True]}),
            pd.DataFrame({"a": pd.array([True, None, False], dtype="boolean"), "b": [True, False, True]}),
            pd.DataFrame({"a": pd.Series([True, None, False], dtype=object), "b": [True, False, True]}),
            pl.DataFrame({"a": ["x", None, "y"], "b": [True, False, True]}),
            pl.DataFrame({"a": [True, None, False], "b": [True, False, True]}),
            pl.DataFrame({"a": pl.Series(["x", None, "y"], dtype=pl.Enum(["x", "y"])), "b": [True, False, True]}),
        ],
    )
    def test_missing_values(self, frame):
        for read in (osp.read_categories, partial(osp.learn, missing="error")):
            with pytest.raises(ValueError, match=r"'a' has 1 missing value\(s\)\. Drop those rows or fill them in"):
                read(frame)
        completed = osp.learn(frame, imputations=2, check=False).imputations()
        assert set(completed[0]["a"]) <= {"x", "y", True, False}

    def test_constant_columns(self):
        for frame in frames(a=["x", "x"], b=["u", "v"]):
            with pytest.raises(ValueError, match=r"'a' is constant \(always x\).*Drop it"):
                osp.learn(frame)

    def test_real_numbers(self):
        for frame in frames(dose=DOSE, ill=ILL):
            with pytest.raises(TypeError, match=r"'dose' holds real numbers \(dtype Float64\).*pandas\.cut"):
                osp.learn(frame, score="bdeu")

    def test_dates(self):
        days = [datetime.date(2020, 1, day) for day in range(1, 7)]
        frame = pl.DataFrame({"day": days, "ill": ILL})
        for score in ("auto", "bdeu"):
            with pytest.raises(TypeError, match=r"'day' holds neither numbers nor categories \(dtype Date\)\. Drop it"):
                osp.learn(frame, score=score)

    def test_text_beside_numbers_in_one_list(self):
        assert osp.read_categories([["a", 1], ["b", 2]]).levels == (("a", "b"), ("1", "2"))
        with pytest.raises(TypeError, match="'X2' holds neither numbers nor categories"):
            osp.read_categories([["a", 1], ["b", "x"]])

    def test_levels_that_read_alike(self):
        frame = pd.DataFrame({"a": pd.Categorical([1, "1", 1]), "b": ["x", "y", "x"]})
        with pytest.raises(ValueError, match=r"'a' has two levels with the same text"):
            osp.read_categories(frame)

    def test_too_many_levels(self):
        frame = pd.DataFrame({"a": range(1025), "b": [True] + 1024 * [False]})
        with pytest.raises(ValueError, match=r"'a' has 1025 levels; at most 1024.*drop the column if it names rows"):
            osp.read_categories(frame)
        assert osp.read_categories(frame[:-1]).arities[0] == 1024

    def test_shapes(self):
        with pytest.raises(ValueError, match="at least 2 variables; got 1"):
            osp.read_categories(pd.DataFrame({"a": ["x", "y"]}))
        with pytest.raises(ValueError, match="at least 2 rows; got 1"):
            osp.read_categories([["x", "y"]])

    def test_tables_of_the_other_kind(self):
        numbers = osp.read_table([[0.0, 1.0], [1.0, 0.0]])
        categories = osp.read_categories([["x", "y"], ["y", "x"]])
        with pytest.raises(TypeError, match="a Dataset holds numbers, not categories"):
            osp.learn(numbers, score="bdeu")
        with pytest.raises(TypeError, match=r"the data are Categories.*score='bdeu'"):
            osp.learn(categories, score="bge")
        with pytest.raises(ValueError, match="variables cannot be given together with Categories"):
            osp.learn(categories, variables=["a", "b"])

    def test_categories_have_no_unit(self):
        for arguments in ({}, {"score": "bdeu"}):
            with pytest.raises(ValueError, match="standardize=True is for numbers"):
                osp.learn(pd.DataFrame({"a": COLOUR, "b": ILL}), standardize=True, **arguments)


class TestWhichScore:
    """Real numbers are for BGe, categories for BDeu; integers and booleans go with the other columns."""

    @pytest.mark.parametrize(
        ("columns", "name"),
        [
            ({"a": DOSE, "b": DOSE[::-1]}, "bge"),
            ({"a": COLOUR, "b": ILL}, "bdeu"),
            ({"a": ILL, "b": ILL[::-1]}, "bdeu"),
        ],
    )
    def test_of_columns_of_one_kind(self, columns, name):
        for frame in frames(**columns):
            assert osp.learn(frame).settings["score"]["name"] == name
            assert osp.learn(frame, score=name).log_evidence == osp.learn(frame).log_evidence

    def test_of_arrays(self):
        assert osp.learn(np.array([DOSE, DOSE[::-1]]).T).settings["score"]["name"] == "bge"
        assert osp.learn(np.array([ILL, ILL[::-1]]).T).settings["score"]["name"] == "bdeu"
        assert osp.learn(np.array([COLOUR, COLOUR[::-1]]).T).settings["score"]["name"] == "bdeu"

    def test_of_tables_that_were_read(self):
        assert osp.learn(osp.read_table(np.array([GRADE, DOSE]).T)).settings["score"]["name"] == "bge"
        assert osp.learn(osp.read_categories(np.array([GRADE, GRADE[::-1]]).T)).settings["score"]["name"] == "bdeu"

    @pytest.mark.parametrize("other", [GRADE, ILL], ids=["integers", "booleans"])
    def test_integers_and_booleans_beside_real_numbers_are_numbers(self, other):
        for frame in frames(a=DOSE, b=other):
            found, expected = (
                osp.learn(frame, kinds={"b": "number"}),
                osp.learn(pd.DataFrame({"a": DOSE, "b": np.array(other, dtype=float)})),
            )
            assert found.log_evidence == expected.log_evidence
            assert found.settings["score"]["name"] == "bge"

    @pytest.mark.parametrize("columns", [{"b": GRADE[::-1]}, {"b": COLOUR}, {"b": ILL}, {}], ids=len)
    def test_few_integers_are_categories_and_it_is_said(self, columns):
        for frame in frames(a=GRADE, c=GRADE[::-1], **columns):
            with pytest.warns(UserWarning, match=r"integers in 'a'.* read as categories.*score='bdeu' to confirm"):
                found = osp.learn(frame)
            assert found.log_evidence == osp.learn(frame, score="bdeu").log_evidence

    def test_many_integers_are_numbers_and_it_is_said(self):
        ages = np.random.default_rng(0).integers(20, 90, size=(50, 2))
        ages[:, 1] = ages[:, 1] > 50
        with pytest.warns(UserWarning, match=r"read as numbers, because 'X1' has more than 10 different values"):
            found = osp.learn(ages)
        assert found.log_evidence == osp.learn(ages, score="bge").log_evidence

    @pytest.mark.filterwarnings("ignore:the (means|values) of")
    def test_of_integers_can_be_given(self):
        whole = np.array([GRADE, GRADE[::-1]]).T
        for data in (whole, pd.DataFrame(whole, columns=["X1", "X2"])):
            as_numbers, as_categories = osp.learn(data, score="bge"), osp.learn(data, score="bdeu")
            assert as_numbers.log_evidence == osp.learn(whole.astype(float)).log_evidence
            assert as_categories.log_evidence == osp.learn(whole.astype(str)).log_evidence

    def test_only_columns_in_use_are_asked_about(self):
        frame = pd.DataFrame({"a": GRADE, "b": ILL, "c": COLOUR})
        assert osp.learn(frame, variables=["b", "c"]).settings["score"]["name"] == "bdeu"


class TestAsia:
    def test_the_bundled_rows_are_those_of_the_network(self):
        asia = osp.load_asia()
        expected = pd.DataFrame({name: np.where(yes, "yes", "no") for name, yes in simulate_asia().items()})
        pd.testing.assert_frame_equal(asia.data, expected, check_dtype=False)
        assert asia.network == [(cause, effect) for effect, causes in ASIA_PARENTS.items() for cause in causes]

    def test_frequencies_are_the_probabilities_of_the_network(self):
        drawn = simulate_asia(200_000, seed=1)
        for name, parents in ASIA_PARENTS.items():
            table = np.asarray(ASIA_YES[name])
            for configuration in np.ndindex(table.shape):
                inside = np.ones(200_000, dtype=bool)
                for parent, value in zip(parents, configuration, strict=True):
                    inside &= drawn[parent] == bool(value)
                p, n = table[configuration], inside.sum()
                assert abs(drawn[name][inside].mean() - p) <= 5 * np.sqrt(p * (1 - p) / n)

    def test_it_is_fresh_each_time(self):
        mine = osp.load_asia()
        mine.data.loc[0, "asia"] = "maybe"
        mine.network.clear()
        assert len(osp.load_asia().network) == 8
        assert osp.load_asia().data.loc[0, "asia"] != "maybe"
