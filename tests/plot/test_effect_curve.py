"""Pictures of effect curves: what is drawn is what the posterior answers."""

import numpy as np
import pandas as pd
import pytest

import orderspn as osp

matplotlib = pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def posterior():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    data = pd.DataFrame({"X": x, "Y": x**2 + 0.3 * rng.normal(size=300)})
    data["C"] = np.where(data["Y"] > 1.0, "high", "low")
    return osp.learn(data, score=osp.scores.BGe(degree=2), knowledge="X -> Y, Y -> C", check=False)


def test_a_line_with_its_band(posterior):
    ax = osp.plot.effect_curve(posterior, "X", "Y", n=50)
    curve = posterior.effect_curve("X", "Y", n_samples=50)
    (line,) = ax.lines
    np.testing.assert_allclose(line.get_ydata(), curve["mean"])
    np.testing.assert_allclose(line.get_xdata(), curve.index)
    (band,) = ax.collections
    assert ax.get_title(loc="left").startswith("band: 90%")
    assert band.get_paths()[0].get_extents().y1 == pytest.approx(curve["high"].max())
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("X, set to", "mean of Y")


def test_levels_of_the_effect_are_lines(posterior):
    ax = osp.plot.effect_curve(posterior, "X", "C", n=50)
    assert [line.get_label() for line in ax.lines] == ["high", "low"]
    np.testing.assert_allclose(sum(line.get_ydata() for line in ax.lines), 1.0)
    assert ax.get_legend().get_title().get_text() == "C"


def test_levels_of_the_cause_are_points(posterior):
    ax = osp.plot.effect_curve(posterior, "C", "X", n=50)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["high", "low"]
    low, high = ax.get_ylim()
    assert high - low >= 2.0  # a level line is not drawn as noise


def test_axes_of_the_user(posterior):
    from matplotlib.figure import Figure

    own = Figure().add_subplot()
    assert osp.plot.effect_curve(posterior, "X", "Y", at=[0.0, 1.0], n=20, ax=own) is own
    assert len(own.lines[0].get_xdata()) == 2
