"""Every check warns of a made flaw, says what to do, and is silent on clean data."""

import numpy as np
import pandas as pd
import pytest
from benchmarks.data_checks import FLAWS, KINDS, clean

import orderspn as osp
from helpers.levels import parameters
from orderspn.checks.suite import findings_in


def checks_of(table, severity="warning", **arguments):
    return [found.check for found in osp.check_data(table, **arguments) if found.severity == severity]


def rows(d=6, n_rows=400, rng=0):
    return osp.simulate.linear_gaussian(d, n_rows=n_rows, rng=rng).data


@pytest.mark.thorough
@pytest.mark.parametrize("kind", parameters([kind for kind in KINDS if kind != "in groups"], test=list(KINDS)[:2]))
def test_clean_data_have_no_warnings(kind):
    for number in range(12, 24):
        assert checks_of(clean(number, kind)) == []


@pytest.mark.parametrize("name", FLAWS)
def test_every_flaw_is_found_by_its_check(name):
    check, flaw = FLAWS[name]
    flawed = flaw(rows(d=12), np.random.default_rng(1))
    (found,) = [found for found in osp.check_data(flawed, score="bge") if found.severity == "warning"]
    assert found.check == check
    assert found.remedy.endswith(".")
    assert "\n" not in str(found)
    if found.variables:
        assert {"X1"} <= set(found.variables) <= set(flawed.columns)


class TestSkewness:
    def remedy(self, column):
        (found,) = osp.check_data(rows().assign(X1=column))
        assert (found.check, found.variables) == ("skewness", ("X1",))
        return found.remedy

    def test_the_remedy_fits_the_signs(self):
        normal = np.random.default_rng(0).normal(size=400)
        assert "(np.log)" in self.remedy(np.exp(2 * normal))
        assert "(np.log1p)" in self.remedy(np.floor(np.exp(2 * normal)))
        assert "both signs" in self.remedy(np.sinh(3 * normal))
        assert "would not help" in self.remedy(30.0 - np.exp(normal))  # logarithms make a left tail longer

    @pytest.mark.parametrize("transform", [np.log, lambda x: x.rank()])
    def test_the_remedy_helps(self, transform):
        data = np.exp(2 * rows())
        assert checks_of(data) == ["skewness"]
        assert checks_of(transform(data)) == []

    def test_proteins_only_as_amounts(self):
        assert checks_of(osp.load_sachs().data) == ["skewness"]
        assert checks_of(osp.load_sachs(log=True).data) == []
        every = osp.load_sachs(interventions=True, log=True)
        assert checks_of(every.data, interventions="condition", targets=every.targets) == []

    def test_rows_under_intervention_do_not_count(self):
        data = rows()
        data.loc[:9, "X1"] = 1e4  # the variable was set to a high value
        assert checks_of(data) == ["skewness"]
        assert checks_of(data, interventions=["X1"] * 10 + [None] * 390) == []


class TestCopies:
    def test_groups(self):
        data = rows().assign(A=lambda own: -own["X1"], B=lambda own: own["X1"] / 3, C=lambda own: own["X2"] + 1)
        (found,) = osp.check_data(data)
        assert found.variables == ("X1", "A", "B", "X2", "C")
        assert "'X1', 'A', 'B'; 'X2', 'C'" in found.message

    def test_shares_that_sum_to_one(self):
        parts = np.random.default_rng(0).uniform(1.0, 2.0, size=(300, 4))
        shares = pd.DataFrame(parts / parts.sum(axis=1, keepdims=True), columns=list("ABCD"))
        (found,) = osp.check_data(shares.join(rows(n_rows=300)))
        assert (found.check, found.variables) == ("linear combination", ("A", "B", "C", "D"))

    def test_two_totals_are_two_findings(self):
        data = rows().assign(A=lambda own: own["X1"] + own["X2"], B=lambda own: own["X3"] - 2 * own["X4"])
        assert [found.variables for found in osp.check_data(data)] == [("X1", "X2", "A"), ("X3", "X4", "B")]

    def test_few_rows_are_no_copies(self):
        assert checks_of(np.random.default_rng(0).normal(size=(4, 200))) == ["few rows"]


class TestSequence:
    def test_sorting_is_no_dependence(self):
        data = rows(d=8, n_rows=2000).sort_values("X1", ignore_index=True)
        assert data.drop(columns="X1").apply(lambda column: column.autocorr()).max() > 0.5  # which alone would mislead
        assert list(osp.check_data(data)) == []
        (found,) = osp.check_data(data.drop(columns="X1"))  # sorted by what is no longer there
        assert (found.check, found.severity) == ("order of rows", "note")

    def test_shuffled_walks_are_independent(self):
        walks = pd.DataFrame(np.cumsum(np.random.default_rng(0).normal(size=(300, 5)), axis=0))
        assert checks_of(walks) == ["dependent rows"]
        assert "dependent rows" not in checks_of(walks.sample(frac=1.0, random_state=0))
        assert checks_of(walks.diff().dropna()) == []  # the remedy

    def test_dates_alone_are_no_problem(self):
        assert list(osp.check_data(rows().set_index(pd.date_range("2020-01-01", periods=400)))) == []

    def test_states_that_last(self):
        rng = np.random.default_rng(0)
        lasting = np.cumsum(rng.random((500, 3)) < 0.1, axis=0) % 2
        switching = pd.DataFrame(lasting, columns=list("ABC")).astype(str)
        assert checks_of(switching) == ["dependent rows"]
        assert checks_of(switching.sort_values(["A", "B", "C"])) == []
        assert checks_of(switching.sort_values("B")) in ([], ["dependent rows"])
        assert checks_of(switching.sample(frac=1.0, random_state=0)) == []

    def test_groups_within_groups_are_no_dependence(self):
        groups = [
            (site, season) for site in "BAC" for season in ("summer", "autumn", "spring")
        ]  # in any order, but in one piece each
        table = pd.DataFrame(groups, columns=["site", "season"]).loc[np.repeat(np.arange(9), 40)]
        measured = table.reset_index(drop=True).join(rows(d=3, n_rows=360))
        assert "dependent rows" not in checks_of(measured)
        again = pd.concat([measured, measured], ignore_index=True)  # every group comes twice
        assert "dependent rows" in checks_of(again)


class TestCategories:
    def table(self, n_rows=300):
        rng = np.random.default_rng(0)
        return pd.DataFrame({name: rng.choice(["no", "yes", "?"], n_rows) for name in "ABC"})

    def test_clean_ones(self):
        assert list(osp.check_data(self.table())) == []
        assert list(osp.check_data(osp.load_asia().data)) == []

    def test_flaws(self):
        data = self.table()
        named = data.assign(D=[f"patient {number}" for number in range(300)])
        assert [found.variables for found in osp.check_data(named)] == [("D",)]
        assert checks_of(named) == ["identifier"]
        copied = data.assign(D=data["A"].map({"no": "nein", "yes": "ja", "?": "weiß nicht"}))
        assert [(found.check, found.variables) for found in osp.check_data(copied)] == [("copies", ("A", "D"))]
        assert checks_of(data.assign(D=["x", "x"] + ["y"] * 298)) == ["nearly constant"]
        assert checks_of(pd.DataFrame(np.random.default_rng(0).choice(["a", "b"], (6, 40)))) == ["few rows"]


def test_ranks_are_no_identifiers():
    assert checks_of(rows().rank()) == []
    assert checks_of(rows().assign(patient_id=np.random.default_rng(0).permutation(10**6)[:400] * 1.0)) == [
        "identifier"
    ]


def test_notes_are_hints_only():
    rng = np.random.default_rng(0)
    data = rows().assign(code=rng.integers(0, 3, 400) * 1.0, kinds=rng.normal(size=400) + rng.choice([-4.0, 4.0], 400))
    assert [(found.check, found.variables, found.severity) for found in osp.check_data(data)] == [
        ("few values", ("code",), "note"),
        ("two groups", ("kinds",), "note"),
    ]


def test_extreme_units_and_sizes_are_no_problem():
    data = rows()
    assert findings_in(osp.read_table(data * [1e-150, 1e90, 1.0, 1e-9, 1e9, 1.0])) == []
    assert findings_in(osp.read_table(np.array([[1.0, 2.0], [2.0, 1.0]]))) == []
    tall = np.random.default_rng(0).normal(size=(60_000, 20))
    assert findings_in(osp.read_table(tall)) == []
