"""The distributions of the data that a posterior keeps: of what was observed, in files and mixtures, or not at all."""

import json
import logging

import numpy as np
import pandas as pd
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.each import check_each
from helpers.files import forge
from helpers.mixed import mixed_data
from orderspn.data.describing import described

VALUES = gaussian_data(4, 50, seed=3) * [1.0, 20.0, 0.1, 3.0] + [0.0, 100.0, 0.0, -5.0]
NUMBERS = pd.DataFrame(VALUES, columns=letters(4))


@pytest.fixture(scope="module")
def posterior():
    return osp.learn(NUMBERS)


def again(posterior, folder):
    posterior.save(folder / "p.npz")
    return osp.load(folder / "p.npz", n_jobs=1)


TABLES = {
    "numbers": (NUMBERS, {}),
    "numbers, not standardized": (NUMBERS, {"standardize": False}),
    "an array": (VALUES, {}),
    "a table that was read": (osp.read_table(NUMBERS, standardize=True), {}),
    "categories": (osp.load_asia().data[["smoke", "bronc", "dysp"]][:100], {}),
    "a mixed table": (mixed_data(), {"groups": {"EF": ["E", "F"]}}),
    "curves": (NUMBERS, {"score": osp.scores.BGe(degree="auto")}),
    "interventions": (NUMBERS, {"interventions": ["A"] * 10 + [None] * 40}),
    "context": (NUMBERS, {"context": ["B"]}),
    "a sample of graphs": (NUMBERS, {"method": osp.methods.Gadget(n_graphs=20, effort=0.02)}),
    "a circuit": (NUMBERS, {"method": osp.methods.Trust(expansion=[2], block_size=2)}),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TABLES)
def test_every_way_of_learning_keeps_them(name, tmp_path):
    data, arguments = TABLES[name]
    learned = osp.learn(data, check=False, **arguments)
    found = learned.distributions()
    assert list(found) == learned.variables
    assert {name: own.kind for name, own in found.items()} == learned.settings["kinds"]
    assert json.loads(json.dumps(learned.settings["distributions"])) == learned.settings["distributions"]
    for column in found.values():
        for own in column.columns.values() if column.kind == "group" else [column]:
            assert (own.observed, own.missing) == (learned.settings["rows"], 0)
    for other in (learned.given(f"{learned.variables[0]} !-> {learned.variables[2]}"), again(learned, tmp_path)):
        assert other.distributions() == found
        assert other.settings == learned.settings


def test_they_are_in_the_units_of_the_data(posterior):
    for name, found in posterior.distributions().items():
        column = NUMBERS[name]
        assert (found.minimum, found.maximum) == pytest.approx((column.min(), column.max()))
        assert (found.mean, found.sd) == pytest.approx((column.mean(), column.std(ddof=0)))


def test_time_series():
    lagged = osp.time_series.lagged(osp.load_macro().data.iloc[:60, -3:], lags=1)
    learned = osp.learn(lagged.data, context=lagged.context, check=False)
    assert list(learned.distributions()) == list(lagged.data.columns)


@pytest.fixture(scope="module")
def gaps():
    data = mixed_data(40)
    return data.mask(np.random.default_rng(0).random(data.shape) < 0.1)


@pytest.fixture(scope="module")
def imputed(gaps):
    return osp.learn(gaps, imputations=2, check=False, groups={"EF": ["E", "F"]})


class TestMissing:
    def test_what_was_observed(self, imputed, gaps):
        found = imputed.distributions()
        assert found["B"].counts == tuple(gaps["B"].value_counts().sort_index())
        columns = {"A": found["A"], "D": found["D"], **found["EF"].columns}
        for name, own in columns.items():
            assert (own.observed, own.missing) == (gaps[name].count(), gaps[name].isna().sum())
            assert (own.minimum, own.maximum) == pytest.approx((gaps[name].min(), gaps[name].max()))
            assert own.mean == pytest.approx(gaps[name].mean())
        assert (found["B"].missing, found["C"].missing) == (gaps["B"].isna().sum(), gaps["C"].isna().sum())

    def test_once_for_all_completed_tables(self, imputed, tmp_path):
        assert all("distributions" not in own for own in imputed.settings["components"])
        assert all(own.distributions() == imputed.distributions() for own in imputed.components)
        loaded = again(imputed, tmp_path)
        assert loaded.distributions() == imputed.distributions()
        assert loaded.settings == imputed.settings
        assert [own.settings for own in loaded.components] == [own.settings for own in imputed.components]
        assert (tmp_path / "p.npz").read_bytes().count(b'"minimum"') == 4

    def test_of_complete_rows(self, gaps):
        learned = osp.learn(gaps, missing="drop", check=False)
        complete = gaps.dropna().infer_objects()
        assert learned.settings["distributions"] == osp.learn(complete, check=False).settings["distributions"]

    def test_integers_and_standardized_numbers(self):
        data = pd.DataFrame({"A": [0.0, 1.0, 2.0, np.nan, 1.0, 0.0] * 5, "B": gaussian_data(1, 30, seed=0)[:, 0]})
        found = osp.learn(data, imputations=2, check=False, kinds={"A": "number"}).distributions()["A"]
        assert (found.first, found.last, found.counts, found.missing) == (-0.5, 2.5, (10, 10, 5), 5)


class TestMixtures:
    def test_of_the_same_data(self, posterior, tmp_path):
        curved = osp.learn(NUMBERS[["D", "B", "A", "C"]], score=osp.scores.BGe(degree=2))
        plain = osp.learn(NUMBERS, standardize=False, score=osp.scores.BGe(t=1e-3))
        mixture = osp.mix([posterior, plain, curved], "equal")
        assert mixture.distributions() == posterior.distributions()
        assert list(mixture.distributions()) == letters(4)
        assert again(mixture, tmp_path).distributions() == posterior.distributions()
        assert mixture.given("A -> B").distributions() == posterior.distributions()
        assert osp.mix([mixture, posterior], "equal").distributions() == posterior.distributions()

    def test_of_other_data(self, posterior, tmp_path):
        mixture = osp.mix([posterior, osp.learn(NUMBERS[:40])], "equal")
        for one in (mixture, again(mixture, tmp_path)):
            with pytest.raises(osp.UserError, match=r"ask posterior\.components one by one"):
                one.distributions()
            assert [own.distributions()["A"].observed for own in one.components] == [50, 40]
            assert [own["distributions"]["A"]["kind"] for own in one.settings["components"]] == ["number"] * 2

    def test_of_some_without(self, posterior, tmp_path):
        mixture = osp.mix([posterior, osp.learn(NUMBERS, distributions=False)], "equal")
        for one in (mixture, again(mixture, tmp_path)):
            assert "distributions" not in one.settings
            assert ["distributions" in own.settings for own in one.components] == [True, False]

    def test_they_are_in_memory_once(self, posterior):
        mixture = osp.mix([posterior] * 3, "equal")
        assert len({id(own.settings["distributions"]) for own in mixture.model.components}) == 1


class TestLeftOut:
    def test_nothing_else_changes(self, posterior, tmp_path):
        without = osp.learn(NUMBERS, distributions=False)
        kept = dict(posterior.settings)
        del kept["distributions"]
        for one in (without, again(without, tmp_path)):
            assert dict(one.settings) == kept
            assert one.edge_probabilities().equals(posterior.edge_probabilities())
            with pytest.raises(osp.UserError, match="learned with distributions=False"):
                one.distributions()

    def test_of_imputed_tables(self):
        gaps = NUMBERS.mask(np.arange(200).reshape(50, 4) % 17 == 0)
        without = osp.learn(gaps, imputations=2, check=False, distributions=False)
        assert "distributions" not in json.dumps(dict(without.settings))

    def test_the_argument_is_checked(self):
        with pytest.raises(TypeError, match="distributions must be True or False; got 'no'"):
            osp.learn(NUMBERS, distributions="no")

    def test_the_estimator_knows_it(self):
        fitted = osp.OrderSPN(distributions=False).fit(NUMBERS)
        assert "distributions" not in fitted.posterior_.settings


def settings(**changes):
    return lambda _, manifest: manifest["settings"].update(changes)


def named(change):
    """A change of the distributions by name."""
    return lambda _, manifest: change(manifest["settings"]["distributions"])


FORGED = {
    "no mapping": (settings(distributions=[1]), "settings.distributions"),
    "None": (settings(distributions=None), "settings.distributions"),
    "one too few": (named(lambda own: own.pop("A")), "not those of its variables"),
    "one too many": (named(lambda own: own.update(E=own["A"])), "not those of its variables"),
    "another name": (named(lambda own: own.update(E=own.pop("A"))), "not those of its variables"),
    "other rows": (named(lambda own: own["A"].update(missing=1)), "number of rows of the distribution of 'A'"),
    "another kind": (
        named(lambda own: own.update(A={"kind": "category", "levels": ["no"], "counts": [50]})),
        "distribution of 'A' is not one of its kind",
    ),
    "an infinite number": (named(lambda own: own["A"].update(mean=1e999)), "manifest cannot be read"),
    "too many bars": (named(lambda own: own["A"].update(counts=[2] * 25)), "length <= 24"),
}


def assert_refused(posterior, folder, change, reason):
    """Its file is refused for this reason after the change."""
    posterior.save(folder / "p.npz")
    forge(folder / "p.npz", change)
    with pytest.raises(osp.UnreadableFile) as problem:
        osp.load(folder / "p.npz")
    assert reason in str(problem.value)


class TestFiles:
    def test_files_without_them(self, posterior, tmp_path):
        """Versions before did not write them."""
        posterior.save(tmp_path / "p.npz")
        forge(tmp_path / "p.npz", lambda _, manifest: manifest["settings"].pop("distributions"))
        loaded = osp.load(tmp_path / "p.npz")
        assert loaded.edge_probabilities().equals(posterior.edge_probabilities())
        with pytest.raises(osp.UserError, match="from a file of an earlier version"):
            loaded.distributions()

    def test_forgeries(self, posterior, tmp_path):
        check_each(lambda forged: assert_refused(posterior, tmp_path, *forged), FORGED)

    def test_forgeries_of_mixtures(self, posterior, tmp_path):
        mixture = osp.mix([posterior, osp.learn(NUMBERS, prior="uniform")], "equal")
        forged = {
            "no mapping": (lambda _, m: m.update(distributions=1), "distributions"),
            "one too few": (lambda _, m: m["distributions"].pop("A"), "not those of its variables"),
            "other rows": (lambda _, m: m["distributions"]["A"].update(missing=1), "distribution of 'A'"),
            "kinds of one component": (
                lambda _, m: m["components"][1]["settings"].pop("kinds"),
                "do not share",
            ),
            "twice": (
                lambda _, m: m["components"][0]["settings"].update(distributions=m["distributions"]),
                "distributions of their own",
            ),
        }

        check_each(lambda one: assert_refused(mixture, tmp_path, *one), forged)


class TestWhatIsPrinted:
    def test_logs_leave_them_out(self, caplog):
        with caplog.at_level(logging.DEBUG, logger="orderspn"):
            osp.learn(NUMBERS)
        assert any("'data_fingerprint'" in record.getMessage() for record in caplog.records)
        assert not any("'counts'" in record.getMessage() for record in caplog.records)

    def test_summaries_leave_them_out(self, posterior):
        without = osp.learn(NUMBERS, distributions=False)
        assert posterior.summary() == without.summary()
        assert posterior._repr_html_() == without._repr_html_()


def test_settings_are_a_copy(posterior):
    posterior.settings["distributions"]["A"]["counts"].clear()
    assert posterior.distributions()["A"].observed == 50
    assert posterior.settings["distributions"] == described(osp.read_table(NUMBERS))
