"""Effects of categories and of curves: a cause set from one value to another, against brute force and other answers."""

import numpy as np
import pandas as pd
import pytest

import orderspn as osp
from helpers.discrete import as_categories, discrete_data
from helpers.mixed import mixed_data
from orderspn.core.errors import UserError
from reference.bdeu import interventional as brute_force
from reference.bdeu import local_scores
from reference.dags import DagList, adjacency_of
from reference.local_scores import log_prior

NAMES = ["A", "B", "C", "D"]
ARITIES = (3, 2, 4, 2)
CODES = discrete_data(ARITIES, 60, seed=3)
DATA = as_categories(CODES, ARITIES, NAMES)


@pytest.fixture(scope="module")
def posterior():
    return osp.learn(DATA, score=osp.scores.BDeu(2.0), method=osp.methods.Exact(target="dag"), n_jobs=1)


@pytest.fixture(scope="module")
def all_graphs():
    brute = DagList(local_scores(CODES, ARITIES, lambda size: log_prior("fair", size, 4), 2.0))
    likely = brute.p > 1e-7
    return adjacency_of(brute.masks[likely]), brute.p[likely]


def connected(graph, i, j):
    return bool(sum(np.linalg.matrix_power(graph.astype(int), k)[i, j] for k in range(1, 4)))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("cause", "effect", "levels", "of"),
    [
        (0, 1, (0, 2), 1),
        pytest.param(1, 2, (0, 1), 3, marks=pytest.mark.exhaustive),
        pytest.param(3, 0, (1, 0), 0, marks=pytest.mark.exhaustive),
    ],
)
def test_risk_differences_are_sums_over_dags(posterior, all_graphs, cause, effect, levels, of):
    graphs, p = all_graphs
    ends = [[brute_force(CODES, ARITIES, g, effect, {cause: x}, 2.0)[of] for g in graphs] for x in levels]
    differences = np.array(ends[1]) - np.array(ends[0])
    mean = p @ differences / p.sum()
    without = np.array([not connected(graph, cause, effect) for graph in graphs])
    names = NAMES[cause], NAMES[effect]
    report = posterior.effect(
        *names, levels=[f"level {x}" for x in levels], of=f"level {of}", n_samples=4000, rng=cause
    )
    errors = report.standard_errors
    assert abs(report.mean - mean) < 4.5 * errors["mean"]
    assert abs(report.no_path - p @ without / p.sum()) < 4.5 * errors["no_path"]
    assert abs(report.structural - p @ (differences - mean) ** 2 / p.sum()) < 4.5 * errors["structural"]
    np.testing.assert_allclose(differences[without], 0.0, atol=1e-12)


def test_the_split_of_one_table_is_that_of_beta_distributions(posterior):
    """One graph, A -> B alone: the difference of two independent beta variables."""
    only = "A -> B, B !-> A, " + ", ".join(
        f"{x} !-> {y}" for x in NAMES for y in NAMES if {x, y} != {"A", "B"} and x != y
    )
    report = posterior.effect("A", "B", only, levels=("level 0", "level 2"), of="level 1", n_samples=20_000)
    variances, means = [], []
    for level in (0, 2):
        ones = int(CODES[CODES[:, 0] == level, 1].sum())
        zeros = int((CODES[:, 0] == level).sum()) - ones
        a, b = ones + 2.0 / 6, zeros + 2.0 / 6
        means.append(a / (a + b))
        variances.append(a * b / ((a + b) ** 2 * (a + b + 1)))
    assert report.mean == pytest.approx(means[1] - means[0], abs=1e-12)
    assert report.structural == pytest.approx(0.0, abs=1e-15)
    assert abs(report.parametric - sum(variances)) < 4.5 * report.standard_errors["parametric"]


def test_means_are_differences_of_interventional(posterior):
    levels = ("level 1", "level 2")
    ends = [posterior.interventional("C", {"A": x}, n_graphs=500, rng=3)["mean"]["level 3"] for x in levels]
    report = posterior.effect("A", "C", levels=levels, of="level 3", n_samples=500, rng=3)
    assert report.mean == pytest.approx(ends[1] - ends[0], abs=1e-12)
    back = posterior.effect("A", "C", levels=levels[::-1], of="level 3", n_samples=500, rng=3)
    assert back.mean == pytest.approx(-report.mean, abs=1e-12)
    assert back.structural == pytest.approx(report.structural)


def test_levels_of_an_effect_balance(posterior):
    reports = [posterior.effect("D", "A", of=f"level {k}", n_samples=300) for k in range(3)]
    assert sum(report.mean for report in reports) == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(sum(report.draws.values for report in reports), 0.0, atol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("A", "B"), {"message": "levels must be given, the two values that 'A' is set to: its levels are"}),
        (("B", "A"), {"message": "of must be given, the level of 'A' whose probability"}),
        (("A", "B"), {"levels": ("level 0", "level 9"), "message": "unknown level 'level 9' of 'A'"}),
        (("A", "B"), {"levels": ("level 0", "level 0"), "message": "levels must be two different values"}),
        (("A", "B"), {"levels": "level 0", "message": "levels must be two values"}),
        (("B", "D"), {"of": "level 7", "message": "unknown level 'level 7' of 'D'"}),
        (("B", "D"), {"units": "sd", "message": "units='sd' is for linear effects"}),
    ],
)
def test_mistakes_with_levels(posterior, arguments, message):
    expected = message.pop("message")
    with pytest.raises(UserError, match=expected):
        posterior.effect(*arguments, **message)


def test_a_frame_of_categories():
    posterior = osp.learn(osp.load_asia().data[["smoke", "bronc", "dysp"]], n_jobs=1)
    frame = posterior.effects_frame("smoke -> bronc", n_samples=200)
    assert len(frame) == 6
    row = frame.set_index(["cause", "effect"]).loc[("smoke", "bronc")]
    report = posterior.effect("smoke", "bronc", "smoke -> bronc", n_samples=200)
    assert row["mean"] == report.mean
    assert row["no_path"] == 0.0
    assert list(frame.columns) == list(osp.learn(np.random.default_rng(0).normal(size=(20, 2))).effects_frame().columns)


def test_a_frame_needs_two_levels(posterior):
    with pytest.raises(UserError, match=r"'A' has 3 levels\. Ask for one pair after the other"):
        posterior.effects_frame()


@pytest.fixture(scope="module")
def mixed():
    return osp.learn(mixed_data()[["A", "B", "C", "D"]], check=False, n_jobs=1)


def test_curves_are_contrasts_of_the_same_draws(mixed):
    curve = mixed.effect_curve("A", "D", at=[-1.0, 1.0], n_samples=200, rng=4)
    report = mixed.effect("A", "D", levels=(-1.0, 1.0), n_samples=200, rng=4)
    assert report.mean == pytest.approx(curve["mean"].diff().iloc[1], abs=1e-12)
    assert report.about == "change of the mean of D when A is set from -1.0 to 1.0"
    of_level = mixed.effect("A", "B", levels=(-1.0, 1.0), of="high", n_samples=200, rng=4)
    curve = mixed.effect_curve("A", "B", at=[-1.0, 1.0], n_samples=200, rng=4)["mean"]
    assert mixed.effect("A", "D", levels=("-1", "1"), n_samples=200, rng=4).mean == report.mean
    assert of_level.mean == pytest.approx(curve[1.0, "high"] - curve[-1.0, "high"], abs=1e-12)
    assert mixed.effect("C", "D", n_samples=50).about.endswith("when C is set from False to True")
    assert "contribution" not in mixed.paths("A", "D", n_samples=50)


def test_numbers_with_curves_need_values(mixed):
    with pytest.raises(UserError, match=r"'A' is set to: it has no single slope.*effect_curve"):
        mixed.effect("A", "D")
    with pytest.raises(UserError, match=r"'D' is a number\. Leave it out"):
        mixed.effect("A", "D", levels=(0.0, 1.0), of="high")
    with pytest.raises(UserError, match="levels must be two numbers that 'A' is set to; got 'low'"):
        mixed.effect("A", "D", levels=("low", 1.0))
    with pytest.raises(UserError, match="levels must be two finite numbers that 'A' is set to; got inf"):
        mixed.effect("A", "D", levels=(0.0, np.inf))
    with pytest.raises(UserError, match="'A' is a number without a single slope"):
        mixed.effects_frame()


def test_contrasts_of_lines_are_slopes():
    data = pd.DataFrame(np.random.default_rng(1).normal(size=(40, 3)) @ [[1, 0.8, 0], [0, 1, 0.5], [0, 0, 1]])
    posterior = osp.learn(data.rename(columns=str), check=False, n_jobs=1)
    contrast = posterior.effect("0", "2", levels=(1.0, 3.0), n_samples=300, rng=2)
    slope = posterior.effect("0", "2", n_samples=300, rng=2)
    assert contrast.draws.means.mean() == pytest.approx(2.0 * slope.draws.means.mean())
    assert contrast.structural == pytest.approx(4.0 * slope.structural)


def test_mixtures_of_categories():
    data = osp.load_asia().data[["smoke", "bronc", "dysp"]]
    parts = [osp.learn(data[:200], n_jobs=1), osp.learn(data[["dysp", "smoke", "bronc"]][:400], n_jobs=1)]
    mixture = osp.mix(parts, weights=[1, 3])
    report = mixture.effect("bronc", "dysp", n_samples=3000)
    own = [part.effect("bronc", "dysp", n_samples=3000) for part in parts]
    mean = 0.25 * own[0].mean + 0.75 * own[1].mean
    assert abs(report.mean - mean) < 4.5 * (report.standard_errors["mean"] + own[1].standard_errors["mean"])
    assert abs(report.no_path - 0.25 * own[0].no_path - 0.75 * own[1].no_path) < 0.05
    assert len(mixture.effects_frame(n_samples=20)) == 6


def test_context_of_categories():
    data = osp.load_asia().data[["smoke", "bronc", "dysp"]]
    one = osp.learn(data, context=["smoke"], n_jobs=1)
    assert one.effect("smoke", "dysp", n_samples=500).positive > 0.9
    with pytest.raises(UserError, match=r"depends on context variables.*'smoke'.*interventional"):
        one.effect("bronc", "dysp")
    with pytest.raises(UserError, match="'smoke' is context"):
        one.effect("bronc", "smoke")
