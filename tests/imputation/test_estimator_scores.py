"""`OrderSPN.score` after rows with gaps: every component of the posterior predicts from its own completed table."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import GridSearchCV

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


def with_gaps(table, share=0.1):
    return table.mask(np.random.default_rng(0).random(table.shape) < share)


def estimator(**settings):
    return osp.OrderSPN(**{"imputations": 4, "check": False, "n_jobs": 1, **settings})


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.default_rng(1)
    dose = rng.normal(size=160)
    ward = np.where(dose + rng.normal(size=160) > 0, "a", "b")
    return pd.DataFrame({"dose": dose, "ward": ward, "response": dose + (ward == "a") + 0.5 * rng.normal(size=160)})


def test_mean_over_completed_tables(train, test):
    """The definition, by hand: the mean over components of the density given each completed table."""
    model = estimator().fit(with_gaps(train))
    densities = []
    for row in range(5):
        each = [
            osp.metrics.log_predictive_density(as_complete(own), table, test[row : row + 1], n_samples=4000)
            for own, table in zip(model.posterior_.components, model.posterior_.imputations(), strict=True)
        ]
        densities.append(np.log(np.mean(np.exp(each))))
    assert model.score(test[:5]) == pytest.approx(np.mean(densities), abs=0.05)


def test_no_gaps_but_one(train, test):
    complete = estimator().fit(train).score(test)
    one = train.copy()
    one.iloc[0, 0] = np.nan
    model = estimator().fit(one)
    assert model.score(test) == pytest.approx(complete, abs=0.05)
    assert model.score(test) == model.score(test)


@pytest.mark.parametrize("kind", ["frame", "array", "polars"])
def test_tables_of_any_kind(train, test, kind):
    convert = {"frame": lambda t: t, "array": lambda t: t.to_numpy(), "polars": pl.from_pandas}[kind]
    model = estimator().fit(convert(with_gaps(train)))
    expected = estimator().fit(with_gaps(train)).score(test)
    assert model.score(convert(test)) == pytest.approx(expected, abs=1e-9)


def test_numbers_and_categories(mixed):
    rows, unseen = with_gaps(mixed[:120]), mixed[120:]
    model = estimator()
    none = estimator(max_parents=0)
    assert model.fit(rows).score(unseen) > none.fit(rows).score(unseen)


def test_categories():
    patients = osp.load_asia().data[["smoke", "lung", "bronc"]]
    rows, unseen = with_gaps(patients[:500]), patients[500:900]
    found = osp.OrderSPN(imputations=4, n_jobs=1).fit(rows).score(unseen)
    assert found == pytest.approx(osp.OrderSPN(n_jobs=1).fit(patients[:500]).score(unseen), abs=0.1)


def test_groups_of_columns(train, test):
    model = estimator(groups={"pair": ["X1", "X2"]})
    assert np.isfinite(model.fit(with_gaps(train)).score(test))


def test_interventions(train, test):
    labelled = with_gaps(train).assign(what=["X1"] * 20 + ["none"] * 60)
    labelled.loc[labelled["what"] == "X1", "X1"] = 0.0
    about = {"interventions": "what", "targets": {"X1": "X1", "none": []}}
    model = estimator().fit(labelled, **about)
    assert np.isfinite(model.score(test.assign(what="none")))
    with pytest.raises(InvalidValue, match="needs the interventions in X"):
        estimator().fit(labelled.drop(columns="what"), interventions=["X1"] * 20 + [None] * 60).score(test)


def test_dropped_rows(train, test):
    rows = with_gaps(train)
    dropped = estimator(missing="drop").fit(rows)
    complete = estimator().fit(rows.dropna())
    assert dropped.score(test) == pytest.approx(complete.score(test), abs=1e-9)


def test_refusals(train, test):
    with pytest.raises(InvalidValue, match="missing"):
        osp.OrderSPN(missing="error").fit(with_gaps(train))
    with pytest.raises(InvalidValue, match="missing"):
        osp.OrderSPN(missing="error").fit(with_gaps(train).to_numpy())
    model = estimator(imputations=2).fit(with_gaps(train))
    with pytest.raises(InvalidValue, match=r"test .*missing.*Drop those rows"):
        model.score(with_gaps(test))


def test_cross_validation(data):
    search = GridSearchCV(estimator(imputations=2), {"max_parents": [0, 2]}, cv=WithComplete(data)).fit(
        with_gaps(data, 0.02)
    )
    assert search.best_params_ == {"max_parents": 2}


class WithComplete:
    """Folds whose test rows are complete."""

    def __init__(self, data):
        self.n_rows = len(data)

    def split(self, X, y=None, groups=None):
        complete = np.flatnonzero(X.notna().all(axis=1).to_numpy())
        for test in np.array_split(complete, 3):
            yield np.setdiff1d(np.arange(self.n_rows), test), test

    def get_n_splits(self, X=None, y=None, groups=None):
        return 3


def as_complete(posterior):
    """A posterior of a completed table that does not know of missing values."""
    settings = {name: value for name, value in posterior.settings.items() if name != "missing"}
    return osp.Posterior(posterior.model, settings, units=posterior.units)


def test_pickles(train, test):
    model = estimator(imputations=2).fit(with_gaps(train))
    again = pickle.loads(pickle.dumps(model))
    assert again.score(test) == model.score(test)
    assert again.posterior_.settings == model.posterior_.settings


def test_metrics_say_which_rows_they_need(train, test):
    posterior = osp.learn(with_gaps(train), imputations=2, check=False, n_jobs=1)
    with pytest.raises(InvalidValue, match=r"train must be posterior\.imputations\(\)"):
        osp.metrics.log_predictive_density(posterior, train, test)
    other = osp.learn(with_gaps(train), imputations=3, check=False, n_jobs=1)
    with pytest.raises(InvalidValue, match="train has 3 completed tables, and graphs 2"):
        osp.metrics.log_predictive_density(posterior, other.imputations(), test)
