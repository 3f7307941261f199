"""`learn` warns its caller of data that do not fit, once for each finding, and the posterior keeps the warnings."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import orderspn as osp
from orderspn.methods.registry import report_of


@pytest.fixture(scope="module")
def skewed():
    return np.exp(2 * osp.simulate.linear_gaussian(4, n_rows=100, rng=0).data)


def learned(data, **arguments):
    """The posterior, and the warnings that point at this file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        posterior = osp.learn(data, **arguments)
    assert {(warning.filename, warning.category) for warning in caught} <= {(__file__, UserWarning)}
    return posterior, tuple(str(warning.message) for warning in caught)


@pytest.mark.parametrize("standardize", [False, True])
def test_warnings_are_kept_and_shown(skewed, standardize, tmp_path):
    posterior, told = learned(skewed, standardize=standardize)
    assert told == posterior.warnings
    assert "strongly skewed" in told[0]
    assert told[0].endswith("Take logarithms of them (np.log).")  # also if they were standardized after reading
    posterior.save(tmp_path / "posterior.npz")
    assert osp.load(tmp_path / "posterior.npz").warnings == told
    summary = posterior.given("X1 -> X2").summary()
    assert sum(line.split()[0] == "warning" for line in summary.splitlines()) == len(told)
    assert told[0] in summary


def test_units_of_a_frozen_table(skewed):
    _, told = learned(osp.read_table(skewed), standardize=True)
    assert "(np.log)" in told[0]
    _, told = learned(osp.read_table(skewed, standardize=True))
    assert "(np.log)" in told[0]


def test_warnings_of_scores_are_kept(skewed):
    far = np.log(skewed) + 1e3
    posterior, told = learned(far, standardize=False)
    assert told == posterior.warnings
    assert "means of" in told[0]
    always, told = learned(np.log(skewed), interventions=["X1"] * 100)
    assert told == always.warnings
    assert "intervened on in every row" in told[0]


def test_warnings_of_methods_are_kept(skewed, monkeypatch):
    learn = osp.methods.Exact.learn
    monkeypatch.setattr(osp.methods.Exact, "learn", lambda *own: replace(learn(*own), warnings=("runs disagree.",)))
    posterior, told = learned(skewed, standardize=True)
    assert told == posterior.warnings
    assert told[1:] == ("runs disagree.",)


def test_no_checks(skewed):
    posterior, told = learned(skewed, standardize=True, check=False)
    assert told == posterior.warnings == ()
    assert "warning" not in posterior.summary()
    with pytest.raises(TypeError, match="check must be True or False; got 'no'"):
        osp.learn(skewed, check="no")


def test_warnings_as_errors_stop_before_the_work(skewed):
    with pytest.raises(UserWarning, match="skewed"):
        osp.learn(skewed, progress=lambda *_: pytest.fail("it went on"))


def test_categories(tmp_path):
    data = osp.load_asia().data[["smoke", "lung", "bronc"]]
    posterior, told = learned(data.assign(again=data["smoke"]))
    assert "'smoke', 'again'" in told[0]
    assert posterior.warnings == told
    assert learned(data)[1] == ()


def test_other_warnings_pass_through():
    class Score(osp.scores.BGe):
        def fit(self, data):
            warnings.warn("old", DeprecationWarning, stacklevel=1)
            return super().fit(data)

    data = osp.simulate.linear_gaussian(3, n_rows=50, rng=0).data
    with pytest.warns(DeprecationWarning, match="old"):
        posterior = osp.learn(data, score=Score())
    assert posterior.warnings == ()


def test_warnings_of_files_are_checked(skewed):
    settings = dict(osp.learn(skewed, check=False, standardize=True).settings)
    assert report_of({**settings, "warnings": ["one"]}).warnings == ["one"]
    for forged in ("one", [1], ["x" * 200_000], ["x"] * 2000):
        with pytest.raises(ValueError, match="warnings"):
            report_of({**settings, "warnings": forged})
