"""Reading interventions: every form gives the same boolean table, and errors name the mistake."""

import hashlib

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orderspn as osp
from helpers.data import gaussian_data
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.data import intervention_entries
from orderspn.data.interventions import read_interventions
from reference import interventions as reference

NAMES = ["Raf", "Mek", "Erk"]
VALUES = gaussian_data(3, 6, seed=0)
SET = ["Mek", None, ("Raf", "Erk"), "", {"Erk"}, []]
MASK = np.array(
    [[False, True, False], [False] * 3, [True, False, True], [False] * 3, [False, False, True], [False] * 3]
)
SINGLE = ["Mek", None, "Raf", None, "Erk", None]
SINGLE_MASK = np.array([[name == entry for name in NAMES] for entry in SINGLE])
LABELS = ["u0126", "control", "both", "control", "other", "control"]
TARGETS = {"u0126": "Mek", "control": [], "both": ["Raf", "Erk"], "other": ("Erk",), "never": None}


def frame(**more):
    return pd.DataFrame(VALUES, columns=NAMES).assign(**more)


def read(interventions, data=None, targets=None, **arguments):
    table = frame() if data is None else data
    return osp.read_table(table, interventions=interventions, targets=targets, **arguments).intervened


SAME = {
    "list": lambda: read(SET),
    "tuple": lambda: read(tuple(SET)),
    "series of objects": lambda: read(pd.Series(SET)),
    "series, shuffled": lambda: read(pd.Series(SET)[[4, 2, 0, 5, 3, 1]]),
    "series of narwhals, shuffled": lambda: read(nw.from_native(pd.Series(SET)[[4, 2, 0, 5, 3, 1]], series_only=True)),
    "series beside an array": lambda: read(pd.Series(SET, index=list("uvwxyz")), VALUES, variables=NAMES),
    "equal labels in the same order": lambda: read(
        pd.Series(SET, index=[7, 7, 1, 2, 3, 4]), frame().set_axis([7, 7, 1, 2, 3, 4])
    ),
    "an index of text, shuffled": lambda: read(
        pd.Series(SET, index=list("uvwxyz"))[list("zxyuwv")], frame().set_axis(list("uvwxyz"))
    ),
    "array of objects": lambda: read(np.array([*SET, "Raf"], dtype=object)[:6]),
    "column": lambda: read("what", frame(what=SET)),
    "booleans": lambda: read(MASK),
    "booleans, other memory": lambda: read(np.asfortranarray(MASK)),
    "pandas booleans": lambda: read(pd.DataFrame(MASK, columns=NAMES)),
    "pandas booleans, rows shuffled": lambda: read(pd.DataFrame(MASK, columns=NAMES).iloc[::-1]),
    "pandas booleans as objects": lambda: read(pd.DataFrame(MASK, columns=NAMES).astype(object)),
    "booleans as objects": lambda: read(MASK.astype(object)),
    "pandas booleans that may be missing": lambda: read(pd.DataFrame(MASK, columns=NAMES).astype("boolean")),
    "pandas booleans, shuffled": lambda: read(pd.DataFrame(MASK, columns=NAMES)[["Erk", "Raf", "Mek"]]),
    "polars booleans": lambda: read(pl.DataFrame(MASK, schema=NAMES)),
    "array with names": lambda: read(SET, VALUES, variables=NAMES),
    "polars data": lambda: read(SET, pl.DataFrame(VALUES, schema=NAMES)),
    "labels": lambda: read(LABELS, targets=TARGETS),
    "column of labels": lambda: read("condition", frame(condition=LABELS), targets=TARGETS),
    "column of categories": lambda: read("condition", frame(condition=pd.Categorical(LABELS)), targets=TARGETS),
    "polars column": lambda: read(
        "condition", pl.DataFrame(VALUES, schema=NAMES).with_columns(condition=pl.Series(LABELS)), targets=TARGETS
    ),
    "polars series": lambda: read(pl.Series(LABELS), targets=TARGETS),
    "frozen table": lambda: read(SET, osp.read_table(frame())),
    "frozen table again": lambda: read(None, osp.read_table(frame(), interventions=SET)),
}


@pytest.mark.parametrize("name", SAME)
def test_every_way_to_say_it_gives_the_same(name):
    found = SAME[name]()
    np.testing.assert_array_equal(found, MASK)
    assert found.dtype == bool
    assert not found.flags.writeable


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, "", "  "])
def test_what_stands_for_nothing(missing):
    entries = [missing if entry is None else entry for entry in SINGLE]
    np.testing.assert_array_equal(read(entries), SINGLE_MASK)
    np.testing.assert_array_equal(read("what", frame(what=pd.Series(entries, dtype=object))), SINGLE_MASK)


@pytest.mark.parametrize("dtype", ["object", "string", "category"])
def test_columns_of_any_type(dtype):
    np.testing.assert_array_equal(read("what", frame(what=pd.Series(SINGLE, dtype=dtype))), SINGLE_MASK)
    table = pl.DataFrame(VALUES, schema=NAMES).with_columns(what=pl.Series(SINGLE))
    np.testing.assert_array_equal(read("what", table), SINGLE_MASK)


@pytest.mark.parametrize("labels", [[1, 0, 2, 0, 3, 0], [1.0, np.nan, 2.0, np.nan, 3.0, np.nan], list("102030")])
def test_labels_may_be_numbers(labels):
    targets = {1: "Mek", 2: ["Raf"], 3: ["Erk"], 0: []}
    as_text = {str(label): names for label, names in targets.items()}
    for mapping in (targets, as_text):
        np.testing.assert_array_equal(read(labels, targets=mapping), SINGLE_MASK)
        np.testing.assert_array_equal(read("c", frame(c=labels), targets=mapping), SINGLE_MASK)


def test_several_labels_in_a_row_act_together():
    targets = {"x": "Raf", "y": ["Mek", "Raf"], ("x", "y"): ["Erk"]}
    entries = [["x", "y"], ("x", "y"), {"x"}, ("y",), None, "y"]
    expected = [[1, 1, 0], [0, 0, 1], [1, 0, 0], [1, 1, 0], [0, 0, 0], [1, 1, 0]]
    np.testing.assert_array_equal(read(entries, targets=targets), np.array(expected, dtype=bool))


@pytest.mark.parametrize("key", [None, "", np.nan])
@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, "", " "])
def test_what_is_missing_may_have_targets_of_its_own(key, missing):
    assert read([missing] * 6, targets={key: "Mek"})[:, 1].all()
    assert read("c", frame(c=[missing] * 6), targets={key: "Mek", "x": "Raf"})[:, 1].all()


def test_missing_entries_mean_no_intervention():
    assert read([None] * 6, targets={"x": "Mek"}) is None


def test_columns_named_by_numbers():
    table = pd.DataFrame(VALUES)
    expected = np.array([[entry == v for v in range(3)] for entry in [0, None, 2, 1, None, 0]])
    np.testing.assert_array_equal(read([0, None, 2, 1, None, 0], table), expected)
    np.testing.assert_array_equal(read("s", table.assign(s=[0, None, 2, 1, None, 0])), expected)


@pytest.mark.parametrize("name", [9, np.int64(9), "9"])
def test_a_column_that_is_named_by_a_number(name):
    table = frame().set_axis([0, 1, 2], axis=1).assign(**{"x": SINGLE}).rename(columns={"x": 9})
    table[9] = table[9].map({"Raf": 0, "Mek": 1, "Erk": 2})
    np.testing.assert_array_equal(read(name, table), SINGLE_MASK)
    np.testing.assert_array_equal(read(name, table, variables=[0, 1, 2]), SINGLE_MASK)


class TestColumnsThatAreNotModelled:
    """Other columns may have been intervened on as well; that does not matter for the variables."""

    CHOSEN = ("Erk", "Mek")
    EXPECTED = SINGLE_MASK[:, [2, 1]]

    @pytest.mark.parametrize(
        ("interventions", "targets"),
        [
            (SINGLE, None),
            (LABELS, TARGETS | {"both": "Raf"}),
            (pd.DataFrame(SINGLE_MASK, columns=NAMES), None),
        ],
        ids=["names", "labels", "booleans"],
    )
    def test_they_are_known(self, interventions, targets):
        found = read(interventions, frame(), targets, variables=self.CHOSEN)
        np.testing.assert_array_equal(found, self.EXPECTED)

    def test_a_column_says_so(self):
        table = pl.DataFrame(VALUES, schema=NAMES).with_columns(what=pl.Series(SINGLE))
        np.testing.assert_array_equal(read("what", table, variables=self.CHOSEN), self.EXPECTED)

    @pytest.mark.parametrize(
        ("interventions", "targets", "message"),
        [
            (["Jnk", *SINGLE[1:]], None, "row 0 .*unknown variable 'Jnk'"),
            (LABELS, TARGETS | {"never": "Jnk"}, "targets of 'never': unknown variable 'Jnk'"),
            (pd.DataFrame({"Jnk": MASK[:, 0]}), None, "named by variables: unknown variable 'Jnk'"),
            ("what", None, "row 0 .*unknown variable 'what'"),
        ],
        ids=["names", "labels", "booleans", "the column itself"],
    )
    def test_others_are_not(self, interventions, targets, message):
        with pytest.raises(InvalidValue, match=message):
            read(interventions, frame(what="what"), targets, variables=self.CHOSEN)

    def test_arrays_have_no_others(self):
        with pytest.raises(InvalidValue, match=r"\(rows, variables\) = \(6, 2\)"):
            read(SINGLE_MASK, frame(), variables=self.CHOSEN)


ENTRIES = st.one_of(
    st.sampled_from([None, "", float("nan"), "0", "1", "2", 0, 1, 2]),
    st.lists(st.sampled_from(["0", "1", 2]), max_size=3),
    st.lists(st.sampled_from(["0", "1", 2]), max_size=3).map(tuple),
    st.sets(st.sampled_from(["0", "1", 2]), max_size=3),
)


@given(st.lists(ENTRIES, min_size=1, max_size=30), st.booleans(), st.booleans())
def test_entries_of_any_kind_row_by_row(entries, labelled, as_text):
    names = ["0", "1", "2"]
    targets = {str(k) if as_text else k: members for k, members in enumerate([["2", "1"], [], ["0"]])}
    expected = reference.mask_of_entries(entries, targets if labelled else None, names)
    found = read_interventions(entries, targets if labelled else None, names, len(entries))
    np.testing.assert_array_equal(np.zeros_like(expected) if found is None else found, expected)


@pytest.mark.parametrize(("entries", "row"), [([1, True], 1), ([True, 1], 0)])
def test_truth_values_are_no_numbers(entries, row):
    """Although True equals 1 and has the same hash."""
    with pytest.raises(InvalidType, match=f"got True in row {row}"):
        read_interventions(entries, None, ["1", "2"], 2)


def test_each_condition_is_looked_up_once(monkeypatch):
    asked = []
    members = intervention_entries._members
    monkeypatch.setattr(intervention_entries, "_members", lambda entry: asked.append(entry) or members(entry))
    assert read_interventions(["Raf", "", "Mek", float("nan")] * 100, None, NAMES, 400).sum() == 200
    assert len(asked) == 4


def test_variables_without_a_column_were_never_intervened_on():
    np.testing.assert_array_equal(read(pd.DataFrame({"Erk": MASK[:, 2]})), MASK & [False, False, True])


@pytest.mark.parametrize(
    "nothing", [None, [None] * 6, [[]] * 6, np.zeros((6, 3), dtype=bool), pd.DataFrame(index=range(6))]
)
def test_no_variable_intervened_on_is_no_intervention(nothing):
    table = osp.read_table(frame(), interventions=nothing)
    assert table.intervened is None
    assert table.fingerprint == osp.read_table(frame()).fingerprint


def test_the_column_is_no_variable():
    table = osp.read_table(frame(what=SINGLE), interventions="what")
    assert table.variables == tuple(NAMES)
    chosen = osp.read_table(frame(what=["Mek", *[None] * 5]), ["Erk", "Mek"], interventions="what")
    assert chosen.variables == ("Erk", "Mek")
    np.testing.assert_array_equal(chosen.intervened[0], [False, True])
    assert osp.learn(frame(what=SINGLE), interventions="what").variables == NAMES


def test_columns_are_standardised_over_the_rows_without_intervention_on_them():
    table = osp.read_table(frame(), standardize=True, interventions=SET)
    np.testing.assert_allclose(table.values, reference.standardized(VALUES, MASK), rtol=1e-12)
    again = osp.read_table(osp.read_table(frame(), interventions=SET), standardize=True)
    np.testing.assert_array_equal(again.values, table.values)
    assert table.standardized
    learned = osp.learn(frame(), standardize=True, interventions=SET)
    assert learned.settings["data_fingerprint"] == table.fingerprint


def test_the_caller_keeps_what_is_the_callers():
    own = MASK.copy()
    table = osp.read_table(frame(), interventions=own)
    own[:] = False
    np.testing.assert_array_equal(table.intervened, MASK)
    assert own.flags.writeable


def categories():
    return pd.DataFrame({"Raf": list("aabbab"), "Mek": list("xyxyxx"), "Erk": [True, False, True, True, False, True]})


def test_categories_read_them_alike():
    table = osp.read_categories(categories().assign(c=LABELS), interventions="c", targets=TARGETS)
    np.testing.assert_array_equal(table.intervened, MASK)
    assert table.variables == tuple(NAMES)
    plain = osp.read_categories(categories())
    assert osp.read_categories(plain) is plain
    again = osp.read_categories(plain, interventions=SET)
    np.testing.assert_array_equal(again.intervened, MASK)
    assert again.fingerprint == table.fingerprint != plain.fingerprint
    assert plain.intervened is None


def test_fingerprints_of_observations_are_what_they_were():
    """Files keep them."""
    table = osp.read_table(frame())
    digest = hashlib.sha256("\x1f".join(NAMES).encode())
    digest.update(np.array([6, 3], dtype="<i8").tobytes() + VALUES.astype("<f8").tobytes())
    assert table.fingerprint == digest.hexdigest()


def test_fingerprints_see_interventions():
    found = {
        osp.read_table(frame(), interventions=entries).fingerprint
        for entries in (None, SET, SINGLE, SET[::-1], [*SET[:-1], "Raf"])
    }
    assert len(found) == 5
    assert osp.read_table(frame(c=LABELS), interventions="c", targets=TARGETS).fingerprint in found


@given(st.lists(st.sets(st.sampled_from(NAMES)), min_size=1, max_size=20), st.integers(0, 4))
def test_any_sets_of_names(sets, form):
    expected = np.array([[name in members for name in NAMES] for members in sets])
    names = {frozenset(members): f"condition {k}" for k, members in enumerate(sets)}
    targets = {label: list(members) for members, label in names.items()}
    given_as = [
        lambda: read_interventions(sets, None, NAMES, len(sets)),
        lambda: read_interventions([tuple(members) for members in sets], None, NAMES, len(sets)),
        lambda: read_interventions(expected, None, NAMES, len(sets)),
        lambda: read_interventions(pd.DataFrame(expected, columns=NAMES), None, NAMES, len(sets)),
        lambda: read_interventions([names[frozenset(m)] for m in sets], targets, NAMES, len(sets)),
    ]
    found = given_as[form]()
    if expected.any():
        np.testing.assert_array_equal(found, expected)
    else:
        assert found is None


WRONG = {
    "another index": (lambda: read(pd.Series(SET, index=range(1, 7))), r"no row 0\. .*interventions.to_numpy\(\)"),
    "another index of booleans": (
        lambda: read(pd.DataFrame(MASK, columns=NAMES, index=list("uvwxyz"))),
        r"no row 0\. .*interventions.to_numpy\(\)",
    ),
    "labels that occur twice": (
        lambda: read(pd.Series(SET, index=[7, 7, 1, 2, 3, 4]), frame().set_axis([1, 7, 7, 2, 3, 4])),
        "occur more than once",
    ),
    "too few rows, another index": (lambda: read(pd.Series(SET[:5], index=range(1, 6))), "each of the 6 rows; got 5"),
    "labels with the same text": (lambda: read(LABELS, targets={1: "Mek", "1": "Raf"}), "same text.*got '1'"),
    "missing booleans as objects": (
        lambda: read(pd.DataFrame({"Raf": [True, None, np.nan, False, True, True]}, dtype=object)),
        "column 'Raf' of interventions has 2 missing",
    ),
    "no such column": (lambda: read("conditoin", frame(condition=LABELS)), "unknown column.*'condition'"),
    "no such column, chosen ones": (
        lambda: read("conditoin", frame(condition=LABELS), variables=NAMES),
        "unknown column.*'condition'",
    ),
    "a column of an array": (lambda: read("what", VALUES), "column of a DataFrame.*ndarray.*one entry per row"),
    "a column of a Dataset": (lambda: read("what", osp.read_table(frame())), "column of a DataFrame.*Dataset"),
    "a column that is a variable": (
        lambda: read("Mek", frame(), variables=NAMES),
        "cannot be one of the variables. Leave it out",
    ),
    "given twice": (lambda: read(SET, osp.read_table(frame(), interventions=SET)), "has them already. Leave them out"),
    "too few entries": (lambda: read(SET[:5]), "one entry for each of the 6 rows; got 5"),
    "too many entries": (lambda: read([*SET, None]), "one entry for each of the 6 rows; got 7"),
    "no variable": (lambda: read(["Mekk", *SET[1:]]), "row 0 .*unknown variable 'Mekk': did you mean 'Mek'.*targets="),
    "no variable among several": (lambda: read([*SET[:5], ["Raf", "Jnk"]]), "row 5 .*unknown variable 'Jnk'"),
    "labels without targets": (lambda: read(LABELS), "unknown variable 'u0126'.*targets= with the variables"),
    "labels that targets lack": (
        lambda: read(LABELS, targets={"u0126": "Mek"}),
        "got none for 'control', 'both', 'other'. An empty list means an observational condition",
    ),
    "targets that are no variables": (
        lambda: read(LABELS, targets=TARGETS | {"never": ["erk"]}),
        "targets of 'never': unknown variable 'erk': did you mean .*'Erk'",
    ),
    "targets alone": (lambda: read(None, targets=TARGETS), "interventions were not given"),
    "targets alone, frozen": (lambda: read(None, osp.read_table(frame()), TARGETS), "interventions were not given"),
    "targets of booleans": (lambda: read(MASK, targets=TARGETS), "targets belong to .* labels"),
    "too few rows": (lambda: read(MASK[:5]), r"\(rows, variables\) = \(6, 3\); got an array of shape \(5, 3\)"),
    "transposed": (lambda: read(MASK.T), r"\(6, 3\); got an array of shape \(3, 6\)"),
    "three dimensions": (lambda: read(MASK[None]), r"got an array of shape \(1, 6, 3\)"),
    "masked": (lambda: read(np.ma.masked_array(MASK, mask=MASK)), "masked"),
    "too few rows of a table": (lambda: read(pd.DataFrame(MASK[:5], columns=NAMES)), "each of the 6 of data; got 5"),
    "a table of others": (lambda: read(pd.DataFrame(MASK, columns=["Raf", "Mek", "Erc"])), "did you mean 'Erk'"),
    "missing booleans": (
        lambda: read(pl.DataFrame({"Raf": [True, None, None, False, True, True]})),
        "column 'Raf' of interventions has 2 missing",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_values(name):
    attempt, message = WRONG[name]
    with pytest.raises(InvalidValue, match=message):
        attempt()


WRONG_TYPES = {
    "numbers": (lambda: read(MASK.astype(int)), r"dtype int64.*interventions.astype\(bool\)"),
    "fractions": (lambda: read(MASK.astype(float)), r"dtype float64.*interventions.astype\(bool\)"),
    "a table of numbers": (lambda: read(pd.DataFrame(MASK.astype(int), columns=NAMES)), r"'Raf'.*\.astype\(bool\)"),
    "objects that are no booleans": (lambda: read(MASK.astype(int).astype(object)), "dtype object"),
    "a table of such objects": (
        lambda: read(pd.DataFrame(MASK.astype(int), columns=NAMES).astype(object)),
        "'Raf' of interventions must hold booleans",
    ),
    "a table of names": (lambda: read(pd.DataFrame({"Raf": SINGLE})), "pass the column itself"),
    "rows of booleans": (lambda: read(MASK.tolist()), "got False in row 0.*NumPy array of shape"),
    "one boolean per row": (lambda: read(MASK[:, 0]), "got False in row 0"),
    "a mapping": (lambda: read({0: "Mek"}), "got dict"),
    "a set": (lambda: read({"Mek"}), "got set"),
    "a number": (lambda: read(3), "got int"),
    "targets as a list": (lambda: read(LABELS, targets=["Mek"]), "targets must be a mapping.*got list"),
    "labels that cannot be looked up": (lambda: read([[["u0126"]], *LABELS[1:]], targets=TARGETS), "labels of cond"),
}


@pytest.mark.parametrize("name", WRONG_TYPES)
def test_wrong_types(name):
    attempt, message = WRONG_TYPES[name]
    with pytest.raises(InvalidType, match=message):
        attempt()


class TestProteins:
    def test_all_rows(self):
        proteins = osp.load_sachs(interventions=True)
        alone = osp.load_sachs()
        assert proteins.data.shape == (7466, 12)
        assert list(proteins.data.columns) == [*alone.data.columns, "condition"]
        assert proteins.consensus == alone.consensus
        assert set(proteins.data["condition"]) == set(proteins.targets)
        assert alone.targets == {}

    def test_observational_rows_are_the_first_condition(self):
        proteins, alone = osp.load_sachs(interventions=True).data, osp.load_sachs().data
        observed = proteins[proteins["condition"] == "cd3cd28"].drop(columns="condition")
        pd.testing.assert_frame_equal(observed.reset_index(drop=True), alone)

    def test_rows_by_target(self):
        proteins = osp.load_sachs(interventions=True)
        table = osp.read_table(proteins.data, interventions="condition", targets=proteins.targets)
        by_condition = proteins.data["condition"].value_counts()
        for place, name in enumerate(table.variables):
            expected = sum(by_condition[label] for label, names in proteins.targets.items() if name in names)
            assert table.intervened[:, place].sum() == expected
        assert (table.intervened.sum(axis=1) <= 1).all()

    def test_targets_are_the_callers_own(self):
        osp.load_sachs(interventions=True).targets["u0126"].append("Raf")
        assert osp.load_sachs(interventions=True).targets["u0126"] == ["Mek"]

    def test_only_truth_values(self):
        with pytest.raises(InvalidType, match="True or False; got 'condition'"):
            osp.load_sachs(interventions="condition")
        with pytest.raises(InvalidType, match="log must be True or False; got 'e'"):
            osp.load_sachs(log="e")

    @pytest.mark.parametrize("interventions", [False, True])
    def test_logarithms_of_the_amounts_alone(self, interventions):
        raw, logs = osp.load_sachs(interventions), osp.load_sachs(interventions, log=True)
        amounts = list(osp.load_sachs().data.columns)
        assert list(logs.data.columns) == list(raw.data.columns)
        np.testing.assert_allclose(np.exp(logs.data[amounts]), raw.data[amounts])
        assert (logs.targets, logs.consensus) == (raw.targets, raw.consensus)
        if interventions:
            assert logs.data["condition"].equals(raw.data["condition"])
