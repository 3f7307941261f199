"""`learn` with missing values: what it says, what it keeps, and what it refuses."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import orderspn as osp
from helpers.levels import parameters as at_levels
from helpers.mixed import mixed_data

FEW = {"imputations": 4, "check": False}


def with_gaps(data, share=0.1, seed=0):
    return data.mask(np.random.default_rng(seed).random(data.shape) < share)


@pytest.fixture(scope="module")
def numbers():
    return osp.simulate.linear_gaussian(4, n_rows=60, rng=0).data


@pytest.fixture(scope="module")
def imputed(numbers):
    return osp.learn(with_gaps(numbers), **FEW)


def test_nothing_missing_changes_no_bit(numbers):
    for data in (numbers, osp.load_asia().data[:200], mixed_data()):
        plain, asked = (osp.learn(data, check=False, **more) for more in ({}, {"missing": "error"}))
        assert plain.settings == asked.settings
        assert "missing" not in plain.settings
        assert plain.edge_probabilities().equals(asked.edge_probabilities())


def test_settings_say_what_was_missing(numbers, imputed):
    gaps = with_gaps(numbers).isna()
    about = imputed.settings["missing"]
    assert about["handled"] == "imputed"
    assert about["cells"] == gaps.to_numpy().sum()
    assert about["columns"] == {name: int(n) for name, n in gaps.sum().items() if n}
    assert about["patterns"] == len(gaps[gaps.any(axis=1)].drop_duplicates())
    assert about["complete_rows"] == (~gaps.any(axis=1)).sum()
    assert about["assumption"] == "missing at random"
    assert (about["imputations"], about["chains"]) == (4, 2)
    assert imputed.settings["seed"] == 0
    assert len(imputed.components) == 4


def test_the_summary_says_it(imputed):
    text = str(imputed.summary())
    assert "missing" in text
    assert "imputed 4 times, missing at random" in " ".join(text.split())


def test_a_mean_of_posteriors(imputed):
    edges = [component.edge_probabilities() for component in imputed.components]
    assert not edges[0].equals(edges[1])
    pd.testing.assert_frame_equal(imputed.edge_probabilities(), sum(edges) / 4)


def test_same_seed_same_answer(numbers, imputed):
    again = osp.learn(with_gaps(numbers), **FEW, n_jobs=1)
    pd.testing.assert_frame_equal(again.edge_probabilities(), imputed.edge_probabilities(), check_exact=True)
    other = osp.learn(with_gaps(numbers), **FEW, rng=1)
    assert not other.edge_probabilities().equals(imputed.edge_probabilities())


@pytest.mark.parametrize("form", ["polars", "array", "masked", "file", "list"])
def test_every_form_of_missing_values(numbers, imputed, form, tmp_path):
    data = with_gaps(numbers)
    if form == "polars":
        given = pl.from_pandas(data)
    elif form == "array":
        given = data.to_numpy()
    elif form == "masked":
        given = np.ma.masked_invalid(data.to_numpy())
    elif form == "list":
        given = pd.DataFrame({name: [None if value != value else value for value in data[name]] for name in data})
    else:
        given = tmp_path / "data.csv"
        data.to_csv(given, index=False)
    found = osp.learn(given, **FEW)
    np.testing.assert_allclose(found.edge_probabilities(), imputed.edge_probabilities(), atol=1e-9)


def test_a_file_is_read_once(numbers, tmp_path, monkeypatch):
    """Pipes cannot be read twice."""
    from orderspn import learning

    with_gaps(numbers).to_csv(tmp_path / "data.csv", index=False)
    read = []
    monkeypatch.setattr(learning, "read_file", lambda path: read.append(path) or pd.read_csv(path))
    for missing in ("impute", "drop"):
        osp.learn(tmp_path / "data.csv", **FEW, missing=missing)
    assert len(read) == 2


def test_completed_tables(numbers, imputed):
    data = with_gaps(numbers)
    tables = imputed.imputations()
    assert len(tables) == 4
    pd.testing.assert_frame_equal(tables.missing, data.isna())
    for table in tables:
        assert not table.isna().any().any()
        pd.testing.assert_frame_equal(table.where(data.notna()), data)
    gaps = data.isna().to_numpy()
    assert (tables[0].to_numpy()[gaps] != tables[3].to_numpy()[gaps]).all()
    assert tables.missing.to_numpy().any()
    assert imputed.given("X1 !-> X2").imputations() is tables


def test_imputed_values_are_near_the_truth():
    """With a strong relation, what is imputed is nearer to the truth than the mean is."""
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"A": rng.normal(10.0, 3.0, size=200)})
    data["B"] = 100.0 - 4.0 * data["A"] + rng.normal(size=200)
    gaps = with_gaps(data, 0.2, seed=1)
    some = gaps.notna().any(axis=1)
    gaps, data = gaps[some], data[some]
    tables = osp.learn(gaps, **FEW).imputations()
    where = gaps["B"].isna()
    spread = np.abs(data["B"] - data["B"].mean())[where].mean()
    for table in tables:
        assert np.abs(table["B"] - data["B"])[where].mean() < 0.3 * spread


def test_files_keep_the_posterior_and_not_the_tables(imputed, tmp_path):
    imputed.save(tmp_path / "p.npz")
    loaded = osp.load(tmp_path / "p.npz")
    assert loaded.settings == imputed.settings
    assert loaded.edge_probabilities().equals(imputed.edge_probabilities())
    with pytest.raises(ValueError, match="has no completed tables"):
        loaded.imputations()


@pytest.mark.parametrize(
    "arguments",
    [{}, {"score": osp.scores.BGe(degree=2)}, {"groups": {"G": ["E", "F"]}}, {"kinds": {"C": "number"}}],
    ids=["mixed", "curves", "groups", "kinds"],
)
@pytest.mark.thorough
def test_mixed_tables(arguments):
    data = with_gaps(mixed_data(80), 0.08, seed=2)
    posterior = osp.learn(data, **FEW, **arguments)
    tables = posterior.imputations()
    for table in tables:
        assert not table.isna().any().any()
        assert set(table["B"]) <= {"high", "low", "none"}
        assert set(table["C"]) <= {True, False} or arguments
        for name in data:
            known = data[name].notna()
            assert (table[name][known].astype(str) == data[name][known].astype(str)).all() or name in "ADEF"
    assert posterior.settings["kinds"]["B"] == "category"


@pytest.mark.parametrize("degree", at_levels([2, "auto"], quick=[], test=[2]))
def test_curves_of_numbers_alone(degree):
    """A missing effect is near its curve, in the units of the data."""
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"A": rng.normal(size=150)})
    data["B"] = 500.0 + 40.0 * data["A"] ** 2 + 4.0 * rng.normal(size=150)
    gaps = data.mask(np.arange(150)[:, None] % 7 == [7, 3])
    tables = osp.learn(gaps, score=osp.scores.BGe(degree=degree), **FEW).imputations()
    where = gaps["B"].isna()
    spread = np.abs(data["B"] - data["B"].mean())[where].mean()
    for table in tables:
        assert np.abs(table["B"] - data["B"])[where].mean() < 0.4 * spread


def test_integers_stay_integers():
    """Pandas holds integers with gaps as real numbers: they are read like those without."""
    rng = np.random.default_rng(0)
    codes = pd.DataFrame({name: rng.integers(0, 3, 60) for name in "ABC"}).astype({"B": float})
    codes.iloc[3, 1] = np.nan
    with pytest.warns(UserWarning, match="integers in 'A', 'B', 'C' are read as categories"):
        posterior = osp.learn(codes, **FEW)
    assert posterior.settings["kinds"] == dict.fromkeys("ABC", "category")
    assert posterior.imputations()[0].loc[3, "B"] in {0, 1, 2}


def test_warnings_point_to_the_call():
    rng = np.random.default_rng(0)
    data = with_gaps(
        pd.DataFrame({"A": np.exp(3 * rng.normal(size=80)), "B": rng.integers(0, 4, 80), "C": rng.random(80)})
    )
    with pytest.warns(UserWarning, match=r"read as numbers|skewed") as caught:
        osp.learn(data, imputations=2)
    assert {"read as numbers", "skewed"} <= {
        text for text in ("read as numbers", "skewed") for w in caught if text in str(w.message)
    }
    assert {warning.filename for warning in caught} == {__file__}


def test_levels_that_were_declared():
    data = pd.DataFrame({"A": pd.Categorical(["a", "b", None] * 10, categories=["b", "a", "c"], ordered=True)})
    data["B"] = ["x", "y", "x", "x", "y"] * 6
    posterior = osp.learn(data, **FEW)
    assert posterior.components[0].model.score.likelihood.levels == (("b", "a", "c"), ("x", "y"))
    for table in posterior.imputations():
        assert list(table["A"].cat.categories) == ["b", "a", "c"]
        assert set(table["A"]) <= {"a", "b", "c"}


@pytest.mark.thorough
def test_interventions(numbers):
    data = with_gaps(numbers)
    data.loc[50:, "X2"] = 3.0
    posterior = osp.learn(data, interventions=[None] * 50 + ["X2"] * 10, **FEW)
    assert posterior.settings["interventions"] == 10
    named = osp.learn(data.assign(what=[""] * 50 + ["X2"] * 10), interventions="what", **FEW)
    assert named.edge_probabilities().equals(posterior.edge_probabilities())
    with pytest.raises(ValueError, match=r"value\(s\) of 'X3' are missing in rows in which they were intervened on"):
        osp.learn(data, interventions=["X3"] * 60, **FEW)


def test_knowledge_is_respected(numbers):
    posterior = osp.learn(with_gaps(numbers), knowledge="X1 -> X2, X3 !-> X4", **FEW)
    assert posterior.probability("X1 -> X2") == 1.0
    assert posterior.probability("X3 -> X4") == 0.0


@pytest.mark.parametrize(
    "method",
    [
        osp.methods.Exact(target="dag"),
        osp.methods.Trust(n_orders=20, effort=0.02, block_size=2),
        pytest.param(osp.methods.Gadget(effort=0.01), marks=pytest.mark.exhaustive),
    ],
)
@pytest.mark.filterwarnings("ignore:independent searches disagree")
@pytest.mark.thorough
def test_every_method(numbers, method):
    posterior = osp.learn(with_gaps(numbers), method=method, **FEW)
    edges = posterior.edge_probabilities().to_numpy()
    assert ((edges >= 0.0) & (edges <= 1.0)).all()


class TestDrop:
    def test_is_learning_from_complete_rows(self, numbers):
        data = with_gaps(numbers)
        found, expected = osp.learn(data, missing="drop", check=False), osp.learn(data.dropna(), check=False)
        assert found.log_evidence == expected.log_evidence
        about = found.settings["missing"]
        assert (about["handled"], about["complete_rows"]) == ("dropped", len(data.dropna()))
        assert found.settings["rows"] == len(data.dropna())
        assert "dropped" in str(found.summary())

    def test_with_interventions(self, numbers):
        data = with_gaps(numbers)
        entries = np.array([None] * 40 + ["X2"] * 20, dtype=object)
        rows = data.notna().all(axis=1).to_numpy()
        found = osp.learn(data, interventions=list(entries), missing="drop", check=False)
        expected = osp.learn(data[rows], interventions=list(entries[rows]), check=False)
        assert found.log_evidence == expected.log_evidence

    def test_a_column_of_which_nothing_is_known(self, numbers):
        with pytest.raises(ValueError, match="every value of 'X1' is missing"):
            osp.learn(numbers.assign(X1=np.nan), missing="drop")

    def test_too_few_rows(self, numbers):
        data = numbers.copy()
        data.iloc[:59, 0] = np.nan
        with pytest.raises(ValueError, match="data must have at least 2 rows; got 1"):
            osp.learn(data, missing="drop")


@pytest.mark.parametrize(
    ("change", "arguments", "message"),
    [
        (lambda d: d.assign(X1=np.nan), {}, "every value of 'X1' is missing"),
        (
            lambda d: d.mask(np.tile(np.arange(60)[:, None] == 5, (1, 4))),
            {},
            r"1 row\(s\) have no value at all, such as row 5",
        ),
        (with_gaps, {"missing": "error"}, r"column 'X1' has \d+ missing value\(s\)"),
        (with_gaps, {"missing": "ignore"}, "missing must be one of"),
        (with_gaps, {"imputations": 0}, "imputations must be an integer from 1"),
        (lambda d: with_gaps(d).assign(X2=[1.0, np.nan] * 30), {}, "column 'X2' is constant"),
    ],
)
def test_refused(numbers, change, arguments, message):
    with pytest.raises(ValueError, match=message):
        osp.learn(change(numbers), **{**FEW, **arguments})


def test_a_score_that_draws_nothing_says_so(numbers):
    class Own:
        def fit(self, data):
            return _Fitted(osp.scores.BGe().fit(data))

    class _Fitted:
        def __init__(self, inner):
            self.n_variables, self.log_likelihoods = inner.n_variables, inner.log_likelihoods
            self.log_likelihoods_with_one_more = inner.log_likelihoods_with_one_more

        def settings(self):
            return {"name": "own"}

    with pytest.raises(ValueError, match="missing values need a score that draws missing values"):
        osp.learn(with_gaps(numbers), score=Own(), **FEW)
