"""The estimator: scikit-learn's own checks, the same answers as `learn`, and life without scikit-learn."""

import importlib.util
import inspect
import json
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import orderspn as osp
from orderspn.core.errors import InvalidValue


@pytest.fixture(scope="module")
def data():
    return osp.simulate.linear_gaussian(5, n_rows=120, rng=0).data


@pytest.fixture(scope="module")
def train(data):
    return data[:80]


@pytest.fixture(scope="module")
def test(data):
    return data[80:]


@pytest.fixture
def alone(monkeypatch):
    """The estimator where scikit-learn is not installed."""
    for module in [name for name in sys.modules if name.split(".")[0] == "sklearn"]:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    own = osp.OrderSPN.__module__
    for module in (own, "orderspn.estimator.parameters"):
        monkeypatch.delitem(sys.modules, module)
    return importlib.import_module(own).OrderSPN


# What the score says of the scale of their data, scikit-learn's checks do not want to hear. None is expected to fail.
@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([osp.OrderSPN(n_jobs=1), osp.OrderSPN(n_jobs=1, standardize=True, max_parents=1)])
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_parameters_are_those_of_learn():
    learn = dict(inspect.signature(osp.learn).parameters)
    for data in ("data", "interventions", "targets"):  # which go to fit
        del learn[data]
    expected = {"score_function" if name == "score" else name: p.default for name, p in learn.items()}
    own = {name: p.default for name, p in inspect.signature(osp.OrderSPN).parameters.items()}
    assert own == expected
    assert osp.OrderSPN().get_params() == expected


def test_parameters_arrive():
    data = osp.load_sachs().data.iloc[:, :5]
    settings = {
        "prior": "uniform",
        "max_parents": 2,
        "standardize": True,
        "method": osp.methods.Exact(target="dag"),
        "rng": 3,
        "check": False,
    }
    score = osp.scores.BGe(alpha_mu=0.5)
    model = osp.OrderSPN(score_function=score, **settings).fit(data)
    direct = osp.learn(data, score=score, **settings)
    assert model.posterior_.settings == direct.settings
    assert model.edge_probabilities_.equals(direct.edge_probabilities())


def test_names_and_numbers_of_columns(train):
    model = osp.OrderSPN().fit(train)
    assert list(model.feature_names_in_) == list(train.columns)
    assert model.n_features_in_ == 5
    again = model.fit(train.to_numpy())
    assert again is model
    assert not hasattr(model, "feature_names_in_")
    assert model.posterior_.variables == ["X1", "X2", "X3", "X4", "X5"]


@pytest.mark.thorough
@pytest.mark.parametrize("standardize", [False, True])
def test_score_is_the_predictive_density(train, test, standardize):
    model = osp.OrderSPN(standardize=standardize).fit(train)
    expected = osp.metrics.log_predictive_density(model.posterior_, train, test)
    assert model.score(test) == expected
    by_row = [model.score(test.iloc[[i]]) for i in range(len(test))]
    assert np.mean(by_row) == pytest.approx(expected)


def test_any_table_gets_the_same_score(train, test):
    expected = osp.OrderSPN().fit(train).score(test)
    assert osp.OrderSPN().fit(pl.from_pandas(train)).score(pl.from_pandas(test)) == expected
    assert osp.OrderSPN().fit(train.to_numpy()).score(test.to_numpy()) == expected
    assert osp.OrderSPN(variables=list("abcde")).fit(train.to_numpy()).score(test.to_numpy()) == expected
    numbered = [table.set_axis(range(5), axis=1) for table in (train, test)]
    assert osp.OrderSPN().fit(numbered[0]).score(numbered[1]) == expected


def test_chosen_columns(train, test):
    chosen = list(train.columns[[3, 1]])
    model = osp.OrderSPN(variables=chosen).fit(train)
    assert model.posterior_.variables == chosen
    assert model.n_features_in_ == 5
    expected = osp.OrderSPN().fit(train[chosen]).score(test[chosen])
    assert model.score(test) == expected
    with pytest.warns(UserWarning, match="feature names"):
        assert model.score(test.to_numpy()) == expected


def test_categories():
    states = pd.DataFrame(np.random.default_rng(0).choice(["no", "yes"], size=(50, 3)), columns=list("abc"))
    model = osp.OrderSPN().fit(states)
    assert model.posterior_.settings["score"]["name"] == "bdeu"
    assert model.edge_probabilities_.equals(osp.learn(states).edge_probabilities())
    codes = (states == "yes").to_numpy().astype(int)
    same = osp.OrderSPN(score_function="bdeu").fit(codes).edge_probabilities_
    assert np.allclose(same, model.edge_probabilities_)
    assert model.score(states) == osp.metrics.log_predictive_density(model.posterior_, states, states)


@pytest.mark.parametrize("standardize", [False, True])
def test_tables_that_were_read_before(alone, train, test, standardize):
    expected = osp.OrderSPN(standardize=standardize).fit(train).score(test)
    for estimator in (osp.OrderSPN, alone):
        model = estimator(standardize=standardize).fit(osp.read_table(train))
        assert list(model.feature_names_in_) == list(train.columns)
        assert model.n_features_in_ == 5
        shuffled = osp.read_table(test[test.columns[::-1]])
        for rows in (test, osp.read_table(test), shuffled):
            assert model.score(rows) == pytest.approx(expected, rel=1e-12)
        by_position = estimator(standardize=standardize).fit(train.to_numpy())
        assert by_position.score(osp.read_table(test.set_axis(list("abcde"), axis=1))) == expected
        with pytest.raises(InvalidValue, match="X must have the variables of fit: unknown variable"):
            model.score(osp.read_table(test.rename(columns={"X2": "other"})))
        with pytest.raises(InvalidValue, match="X must have the variables of fit: unknown variable"):
            by_position.score(osp.read_table(test.iloc[:, :4]))
        with pytest.raises(InvalidValue, match="test must be in the original units of the data"):
            model.score(osp.read_table(test, standardize=True))


def test_tables_that_were_standardised_before(train, test):
    model = osp.OrderSPN().fit(osp.read_table(train, standardize=True))
    assert model.edge_probabilities_.equals(osp.OrderSPN(standardize=True).fit(train).edge_probabilities_)
    assert model.score(test) == pytest.approx(osp.OrderSPN().fit(train).score(test), rel=1e-10)


def test_categories_that_were_read_before():
    states = pd.DataFrame(np.random.default_rng(0).choice(["no", "yes"], size=(50, 3)), columns=list("abc"))
    model = osp.OrderSPN().fit(osp.read_categories(states[:40]))
    expected = osp.OrderSPN().fit(states[:40]).score(states[40:])
    assert model.score(states[40:]) == model.score(osp.read_categories(states[40:])) == expected
    with pytest.raises(TypeError, match="categories; got a Dataset"):
        model.score(osp.read_table(pd.DataFrame(np.eye(3), columns=list("abc"))))


def test_any_frame_after_an_array(train, test):
    model = osp.OrderSPN().fit(train.to_numpy())
    expected = model.score(test.to_numpy())
    for table in (pl.from_pandas(test).rename(str.lower), test.set_axis(list("abcde"), axis=1)):
        with pytest.warns(UserWarning, match="feature names"):
            assert model.score(table) == expected


def test_categories_under_interventions():
    rng = np.random.default_rng(1)
    states = pd.DataFrame(rng.choice(["no", "yes"], size=(60, 3)), columns=list("abc"))
    states["set"] = rng.choice(["a", ""], size=60)
    train, test = states[:40], states[40:]
    model = osp.OrderSPN().fit(train, interventions="set")
    known, rows = (osp.read_categories(part, interventions="set") for part in (train, test))
    assert model.score(test) == osp.metrics.log_predictive_density(model.posterior_, known, rows)
    assert np.isfinite(model.score(test[:1]))  # of one row every column is constant


class Renamed:
    """BGe by another name, which predicts nothing."""

    def fit(self, data):
        fitted = osp.scores.BGe().fit(data)
        object.__setattr__(fitted, "settings", lambda: {"name": "own"})
        object.__setattr__(fitted, "predictive", None)
        return fitted


def test_a_score_of_ones_own_predicts_nothing(train):
    with pytest.raises(InvalidValue, match="needs a score that predicts rows; the score 'own' does not"):
        osp.OrderSPN(score_function=Renamed()).fit(train).score(train)


def test_arrays_of_integers_are_numbers(alone):
    counts = np.random.default_rng(0).integers(0, 9, size=(50, 3)) - 4
    for estimator in (osp.OrderSPN, alone):
        model = estimator().fit(counts)
        assert model.posterior_.settings["score"]["name"] == "bge"
        assert model.score(counts) == estimator().fit(counts.astype(float)).score(counts)


def test_samples_are_those_of_the_posterior(train):
    model = osp.OrderSPN().fit(train)
    drawn = model.sample(20, rng=1)
    assert np.array_equal(drawn.adjacency, model.posterior_.sample(20, rng=1).adjacency)


def test_clones_and_pickles(train, test):
    model = osp.OrderSPN(max_parents=1, prior="uniform").fit(train)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "posterior_")
    assert pickle.loads(pickle.dumps(model)).score(test) == model.score(test)


def test_search_over_parameters_in_a_pipeline(data):
    pipeline = make_pipeline(StandardScaler(), osp.OrderSPN(n_jobs=1))
    search = GridSearchCV(pipeline, {"orderspn__max_parents": [0, 3]}, cv=3).fit(data)
    assert search.best_params_ == {"orderspn__max_parents": 3}
    assert search.best_estimator_[-1].posterior_.settings["max_parents"] == 3


def test_settings_of_the_method_are_nested_parameters(data):
    model = osp.OrderSPN(method="trust").set_params(method__effort=2, method__block_size=3)
    assert model.method == osp.methods.Trust(effort=2.0, block_size=3)
    assert model.get_params()["method__effort"] == 2.0
    assert clone(model).method == model.method
    assert model.set_params(method="exact").method == "exact"
    with pytest.raises(InvalidValue, match="Exact has no setting 'effort': its settings are target, outsiders"):
        model.set_params(method__effort=1)
    search = GridSearchCV(osp.OrderSPN(n_jobs=1), {"method__target": ["order", "dag"]}, cv=2).fit(data)
    assert search.best_estimator_.posterior_.settings["target"] == search.best_params_["method__target"]


def test_a_setting_of_a_method_is_not_a_parameter():
    with pytest.raises(TypeError, match=r"'n_graphs' is not a parameter.*method=methods.Gadget\(n_graphs=500\)"):
        osp.OrderSPN(n_graphs=5)


def test_unfitted_it_says_so():
    for question in (lambda m: m.score([[1.0, 2.0]]), lambda m: m.sample(3)):
        with pytest.raises(NotFittedError, match="call fit"):
            question(osp.OrderSPN())


@pytest.mark.thorough
def test_the_package_does_not_load_scikit_learn():
    code = "import json, sys, orderspn; orderspn.learn; orderspn.export; print(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in json.loads(done.stdout)}
    assert loaded.isdisjoint({"sklearn", "xarray", "pgmpy", "causallearn", "dowhy", "pydot"})


def test_without_scikit_learn_answers_are_the_same(alone, train, test):
    assert alone.__mro__[2].__name__ == "Parameters"
    for fitted, judged in ((train, test), (train.to_numpy(), test.to_numpy()), (train, test.to_numpy())):
        model = alone().fit(fitted)
        with_sklearn = osp.metrics.log_predictive_density(osp.learn(train), train, test)
        assert model.score(judged) == with_sklearn
        assert model.n_features_in_ == 5
        assert hasattr(model, "feature_names_in_") == isinstance(fitted, pd.DataFrame)
    assert len(model.sample(3, rng=0)) == 3


def test_without_scikit_learn_parameters_work(alone):
    model = alone(max_parents=2)
    assert repr(model) == "OrderSPN(max_parents=2)"
    assert model.set_params(max_parents=3, method="exact") is model
    assert model.get_params() == {**alone().get_params(), "max_parents": 3, "method": "exact"}
    with pytest.raises(InvalidValue, match="'depth' is not a parameter of OrderSPN"):
        model.set_params(depth=1)
    assert model.set_params(method="gadget", method__n_graphs=8).method == osp.methods.Gadget(n_graphs=8)
    assert model.get_params()["method__n_graphs"] == 8
    assert "method__n_graphs" not in model.get_params(deep=False)


def test_without_scikit_learn_wrong_tables_are_refused(alone, train, test):
    with pytest.raises(InvalidValue, match="call fit"):
        alone().score(test)
    with pytest.raises(InvalidValue, match="two dimensions"):
        alone().fit([1.0, 2.0])
    model = alone().fit(train)
    with pytest.raises(InvalidValue, match="the 5 columns of fit; got 4"):
        model.score(test.iloc[:, :4])
    with pytest.raises(InvalidValue, match="got 'X5' instead of 'X1'"):
        model.score(test.iloc[:, ::-1])
    model.fit(train.to_numpy())
    assert not hasattr(model, "feature_names_in_")
