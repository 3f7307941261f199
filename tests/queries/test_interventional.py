"""Interventional distributions against a sum over every assignment of all variables."""

import itertools

import numpy as np
import pandas as pd
import pytest

import orderspn as osp
from helpers.discrete import as_categories, discrete_data
from reference.bdeu import interventional as brute_force
from reference.bdeu import local_scores
from reference.dags import DagList, adjacency_of
from reference.local_scores import log_prior

NAMES = ["A", "B", "C", "D"]
ARITIES = (3, 2, 4, 2)
CODES = discrete_data(ARITIES, 60, seed=3)
DATA = as_categories(CODES, ARITIES, NAMES)

GRAPHS = {
    "empty": [],
    "chain": [(0, 1), (1, 2), (2, 3)],
    "backwards": [(3, 2), (2, 1), (1, 0)],
    "confounded": [(0, 1), (0, 3), (1, 3), (2, 3)],
    "collider": [(0, 2), (1, 2), (3, 2)],
    "complete": [(i, j) for i in range(4) for j in range(i + 1, 4)],
}
FIXED = [{}, {1: 0}, {0: 2}, {0: 1, 2: 3}]


@pytest.fixture(scope="module")
def posterior():
    return osp.learn(DATA, score=osp.scores.BDeu(2.0), method=osp.methods.Auto(target="dag"), n_jobs=1)


def whole(edges):
    """Evidence that leaves one graph."""
    names = {(NAMES[i], NAMES[j]) for i, j in edges}
    others = [pair for pair in itertools.permutations(NAMES, 2) if pair not in names]
    return osp.Edges(sorted(names), others)


def by_name(fixed):
    return {NAMES[v]: f"level {level}" for v, level in fixed.items()}


@pytest.mark.thorough
@pytest.mark.parametrize("fixed", FIXED, ids=str)
@pytest.mark.parametrize("name", GRAPHS)
def test_means_given_a_graph_are_exact(posterior, name, fixed):
    graph = np.zeros((4, 4), dtype=bool)
    for i, j in GRAPHS[name]:
        graph[i, j] = True
    for variable in set(range(4)) - set(fixed):
        answer = posterior.interventional(NAMES[variable], by_name(fixed), whole(GRAPHS[name]), n_graphs=3, rng=0)
        expected = brute_force(CODES, ARITIES, graph, variable, fixed, 2.0)
        np.testing.assert_allclose(answer["mean"], expected, atol=1e-12)
        assert answer.index.tolist() == list(DATA.levels[variable])
        assert answer.index.name == NAMES[variable]


def test_draws_of_tables_have_that_mean_and_beta_quantiles(posterior):
    """Without parents the probability of a level has a beta posterior, whose quantiles are known."""
    stats = pytest.importorskip("scipy.stats")
    answer = posterior.interventional("B", {"A": "level 0"}, whole([]), n_graphs=20_000, level=0.8, rng=1)
    ones = int(CODES[:, 1].sum())
    known = stats.beta(ones + 1.0, 60 - ones + 1.0)
    np.testing.assert_allclose(answer.loc["level 1", ["low", "high"]].tolist(), known.ppf([0.1, 0.9]), atol=0.003)


@pytest.mark.thorough
def test_averages_over_graphs(posterior):
    """All 543 graphs, each with its weight, beside sampled ones."""
    brute = DagList(local_scores(CODES, ARITIES, lambda size: log_prior("fair", size, 4), 2.0))
    likely = brute.p > 1e-7
    values = [brute_force(CODES, ARITIES, g, 2, {0: 1}, 2.0) for g in adjacency_of(brute.masks[likely])]
    expected = np.average(values, axis=0, weights=brute.p[likely])
    error = np.sqrt(np.average((np.array(values) - expected) ** 2, axis=0, weights=brute.p[likely]) / 4000)
    answer = posterior.interventional("C", {"A": "level 1"}, n_graphs=4000, rng=5)
    assert (np.abs(answer["mean"].to_numpy() - expected) < 5 * error + 1e-6).all()
    ordered = osp.learn(DATA, score=osp.scores.BDeu(2.0), n_jobs=1)
    weighted = ordered.interventional("C", {"A": "level 1"}, n_graphs=4000, rng=5, target="dag")
    assert (np.abs(weighted["mean"].to_numpy() - expected) < 10 * error + 1e-6).all()


def test_intervals_hold_the_mean_and_grow_with_the_level(posterior):
    narrow, wide = (posterior.interventional("D", {"B": "level 0"}, level=p, rng=2) for p in (0.5, 0.95))
    assert (wide["low"] < narrow["low"]).all()
    assert (narrow["low"] < narrow["mean"]).all()
    assert (narrow["mean"] < narrow["high"]).all()
    assert (narrow["high"] < wide["high"]).all()
    assert narrow["mean"].sum() == pytest.approx(1.0)


def test_the_same_seed_gives_the_same_answer():
    one, other = (osp.learn(DATA, n_jobs=jobs) for jobs in (1, 2))
    asked = {"variable": "D", "do": {"A": "level 0"}, "n_graphs": 50}
    assert one.interventional(**asked, rng=4).equals(other.interventional(**asked, rng=4))
    assert not one.interventional(**asked, rng=4).equals(one.interventional(**asked, rng=5))


def test_levels_may_be_given_as_they_were():
    data = [[True, 3], [False, 1], [True, 1], [False, 3], [True, 3]]
    frame = pd.DataFrame(data, columns=["ill", "grade"])
    posterior = osp.learn(frame, score="bdeu")
    one = posterior.interventional("ill", {"grade": 3}, rng=0)
    assert one.equals(posterior.interventional("ill", {"grade": "3"}, rng=0))
    assert posterior.interventional("grade", {"ill": True}, rng=0).index.tolist() == ["1", "3"]


def test_prior_weights_near_zero_do_not_underflow():
    """Most configurations never occur, and a gamma variable with strength 1e-5 would be 0."""
    posterior = osp.learn(DATA, score=osp.scores.BDeu(1e-4), n_jobs=1)
    answer = posterior.interventional("D", {}, whole(GRAPHS["complete"]), n_graphs=50, rng=0)
    assert np.isfinite(answer.to_numpy()).all()
    assert answer["mean"].sum() == pytest.approx(1.0)


class TestErrors:
    def test_names_and_levels(self, posterior):
        with pytest.raises(ValueError, match="unknown variable 'Z'"):
            posterior.interventional("Z", {})
        with pytest.raises(ValueError, match="unknown variable 'Y'"):
            posterior.interventional("A", {"Y": "level 0"})
        with pytest.raises(ValueError, match=r"unknown level 'level 5' of 'B': did you mean 'level (0|1)'"):
            posterior.interventional("A", {"B": "level 5"})
        with pytest.raises(ValueError, match="do must not contain the queried variable; got 'A'"):
            posterior.interventional("A", {"A": "level 0"})

    def test_arguments(self, posterior):
        with pytest.raises(TypeError, match=r"do must be a mapping such as \{'X': 'level'\}; got 'B'"):
            posterior.interventional("A", "B")
        with pytest.raises(ValueError, match="level must be between 0 and 1"):
            posterior.interventional("A", {}, level=1.5)
        with pytest.raises(ValueError, match="n_graphs must be an integer at least 1"):
            posterior.interventional("A", {}, n_graphs=0)

    def test_numbers(self):
        with pytest.raises(
            ValueError, match=r"interventional\(\) needs the tables .* of categories.*causal_effects\(\)"
        ):
            osp.learn(np.random.default_rng(0).normal(size=(20, 3))).interventional("X1", {})

    def test_tables_too_large(self, posterior, monkeypatch):
        monkeypatch.setattr("orderspn.queries.interventional.LARGEST_TABLE", 20)
        with pytest.raises(ValueError, match=r"so many parents at once.*max_parents="):
            posterior.interventional("D", {}, whole(GRAPHS["complete"]))
