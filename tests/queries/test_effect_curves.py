"""Curves of effects: lines agree with `causal_effects`, and curves and levels with what the network says."""

import numpy as np
import pandas as pd
import pytest

import orderspn as osp
from helpers.mixed import mixed_data

CHAIN = "X -> M, M -> Y, M -> C, X !-> Y, X !-> C, Y !-> C, C !-> Y, Z !-> Y, Z !-> M, Z !-> C"


@pytest.fixture(scope="module")
def curved():
    """X drives M by a parabola, M drives Y and the category C; Z is alone."""
    rng = np.random.default_rng(0)
    x = rng.normal(3.0, 2.0, size=2000)
    m = (x - 3.0) ** 2 / 4.0 + rng.normal(scale=0.3, size=2000)
    data = pd.DataFrame(
        {
            "X": x,
            "M": m,
            "Y": 10.0 - 2.0 * m + rng.normal(scale=0.5, size=2000),
            "C": np.where(m + rng.normal(size=2000) > 1.5, "high", "low"),
            "Z": rng.normal(size=2000),
        }
    )
    return osp.learn(data, score=osp.scores.BGe(degree=2), knowledge=CHAIN, check=False)


def test_a_parabola_through_another_variable(curved):
    curve = curved.effect_curve("X", "Y", at=[0.0, 3.0, 6.0], n_samples=300)
    truth = 10.0 - 2.0 * (np.array([0.0, 3.0, 6.0]) - 3.0) ** 2 / 4.0
    np.testing.assert_allclose(curve["mean"], truth, atol=0.15)
    assert (curve["low"] < curve["mean"]).all()
    assert (curve["mean"] < curve["high"]).all()
    assert list(curve.index) == [0.0, 3.0, 6.0]
    assert curve.index.name == "X"


def test_levels_of_an_effect_are_probabilities(curved):
    curve = curved.effect_curve("X", "C", at=[3.0, 5.0, 7.0], n_samples=200)
    assert list(curve.index.names) == ["X", "C"]
    np.testing.assert_allclose(curve["mean"].groupby(level=0).sum(), 1.0)
    high = curve["mean"].xs("high", level="C")
    assert high.iloc[0] < high.iloc[1] < high.iloc[2]
    assert ((curve >= 0.0) & (curve <= 1.0)).all().all()


def test_what_does_not_follow_does_not_change(curved):
    for cause, effect in (("Y", "X"), ("Z", "Y"), ("C", "M")):
        curve = curved.effect_curve(cause, effect, given=f"{cause} !-> {effect}", n_samples=50)
        assert np.ptp(curve["mean"]) < 1e-9


def test_levels_of_a_cause():
    rng = np.random.default_rng(1)
    group = rng.choice(["a", "b", "c"], 1500)
    data = pd.DataFrame({"G": group, "Y": np.array([0.0, 3.0, -1.0])[np.searchsorted(list("abc"), group)]})
    data["Y"] += rng.normal(size=1500)
    posterior = osp.learn(data, knowledge="G -> Y")
    curve = posterior.effect_curve("G", "Y", n_samples=300)
    assert list(curve.index) == ["a", "b", "c"]
    np.testing.assert_allclose(curve["mean"], data.groupby("G")["Y"].mean(), atol=0.02)
    assert list(posterior.effect_curve("G", "Y", at=["c", "a"], n_samples=10).index) == ["c", "a"]


@pytest.mark.parametrize("evidence", [None, "Raf -> Mek"])
@pytest.mark.thorough
def test_lines_have_the_slopes_of_causal_effects(evidence):
    posterior = osp.learn(osp.load_sachs(log=True).data)
    exact = posterior.causal_effects(given=evidence)
    samples = posterior.effect_samples(3000, given=evidence, rng=5)
    for cause, effect in (("Raf", "Mek"), ("Erk", "Akt"), ("PKA", "Raf"), ("Plcg", "PIP2")):
        curve = posterior.effect_curve(cause, effect, given=evidence, n_samples=3000)
        slopes = np.diff(curve["mean"]) / np.diff(curve.index)
        np.testing.assert_allclose(slopes, slopes[0], rtol=1e-6, atol=1e-9)
        error = np.std(samples.of(cause, effect)) / np.sqrt(3000)
        assert abs(slopes[0] - exact.loc[cause, effect]) < 5 * error + 1e-9


@pytest.mark.thorough
def test_bands_are_those_of_effect_samples():
    posterior = osp.learn(osp.load_sachs(log=True).data, knowledge="Erk -> Akt")
    curve = posterior.effect_curve("Erk", "Akt", n_samples=4000, level=0.8)
    low, high = posterior.effect_samples(4000, rng=3).interval(0.8)
    width = curve.index[-1] - curve.index.to_numpy().mean()
    middle = curve["mean"].mean()
    assert (curve["low"].iloc[-1] - middle) / width == pytest.approx(low.loc["Erk", "Akt"], abs=0.01)
    assert (curve["high"].iloc[-1] - middle) / width == pytest.approx(high.loc["Erk", "Akt"], abs=0.01)


def test_seeds(curved):
    first, second = (curved.effect_curve("X", "Y", n_samples=20, rng=1) for _ in range(2))
    pd.testing.assert_frame_equal(first, second)
    assert not first.equals(curved.effect_curve("X", "Y", n_samples=20, rng=2))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("X", "Q"), "unknown variable 'Q'"),
        (("X", "X"), "cause and effect must be two variables"),
        (("X", "Y", ["a"]), "at must be a sequence of numbers that 'X' is set to"),
        (("X", "Y", []), "at must be a sequence of numbers"),
        (("X", "Y", [np.inf]), "at must hold finite numbers"),
        (("C", "Y", ["medium"]), "unknown level 'medium'"),
        (("C", "Y", "high"), "at must be a list of levels"),
    ],
)
def test_mistakes(curved, arguments, message):
    with pytest.raises((ValueError, TypeError, KeyError), match=message):
        curved.effect_curve(*arguments)


def test_posteriors_that_have_no_curves_say_so():
    with pytest.raises(ValueError, match=r"effect_curve\(\) needs numbers.*posterior\.interventional"):
        osp.learn(osp.load_asia().data).effect_curve("smoke", "dysp")
    centred = osp.load_sachs(log=True).data.apply(lambda column: column - column.mean())
    raw = osp.learn(centred, standardize=False, check=False)
    with pytest.raises(ValueError, match="learned with standardize=False"):
        raw.effect_curve("Raf", "Mek")
    grouped = osp.learn(mixed_data(), groups={"G": ["E", "F"]})
    with pytest.raises(ValueError, match="'G' is a group of several columns"):
        grouped.effect_curve("G", "A")
    with pytest.raises(ValueError, match=r"posterior\.effect_curve\('X', 'Y'\)"):
        grouped.causal_effects()
