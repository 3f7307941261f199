"""The degree that `learn` chooses."""

import numpy as np
import pandas as pd
import pytest

import orderspn as osp
from helpers.mixed import mixed_data
from reference import group_bge as reference

AUTO = osp.scores.BGe(degree="auto")


def parabola(power, n=200):
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    return pd.DataFrame({"X": x, "Y": x**power + 0.2 * rng.normal(size=n), "Z": rng.normal(size=n)})


@pytest.mark.parametrize(("data", "expected"), [(parabola(1), 1), (parabola(2), 2), (parabola(3), 3)], ids=[1, 2, 3])
def test_the_degree_of_the_curve(data, expected):
    posterior = osp.learn(data, score=AUTO, check=False)
    assert posterior.settings["score"].get("degree", 1) == expected
    fixed = osp.learn(data, score=osp.scores.BGe(degree=expected), check=False)
    assert posterior.edge_probabilities().equals(fixed.edge_probabilities())


def test_evidence_of_numbers_is_a_chain_of_regressions():
    """The first column of each number, given all columns of its parents."""
    data = mixed_data()[["A", "B", "D"]]
    fitted = osp.scores.BGe(degree=2).fit(osp.read_mixed(data))
    graph = np.array([[False, True, True], [False, False, True], [False, False, False]])
    groups = [reference.polynomials(data["A"].to_numpy(), 2), reference.indicators(data["B"]),
              reference.polynomials(data["D"].to_numpy(), 2)]  # fmt: skip
    a, b, d = map(reference.whitened, groups)
    n = a.shape[1] + b.shape[1] + d.shape[1]
    first = [(own - own.mean()) / own.std() for own in (data["A"].to_numpy(), data["D"].to_numpy())]

    def gain(below, column):
        above = np.column_stack([below, column])
        return reference.log_marginal(above, n) - reference.log_marginal(below, n)

    nothing = np.empty((len(data), 0))
    expected = gain(nothing, first[0]) + gain(a, b) + gain(np.column_stack([a, b]), first[1])
    assert fitted.log_evidence_of_numbers(graph) == pytest.approx(expected, abs=1e-9)


@pytest.mark.thorough
def test_beside_categories_and_missing_values():
    data = parabola(2).assign(C=lambda d: np.where(d["Y"] > 1.0, "high", "low"))
    assert osp.learn(data, score=AUTO, check=False).settings["score"]["degree"] >= 2
    gaps = data.mask(np.random.default_rng(1).random(data.shape) < 0.05)
    assert osp.learn(gaps, score=AUTO, check=False, imputations=2).settings["score"]["degree"] >= 2


def test_a_score_of_an_open_degree_cannot_be_fitted():
    for score in (AUTO, osp.scores.GroupBGe(degree="auto")):
        with pytest.raises(ValueError, match="degree='auto' is for learn"):
            score.fit(osp.read_table(parabola(1)))
