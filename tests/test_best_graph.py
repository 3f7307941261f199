"""`best_graph`: tables are read as by `learn`, names survive, and the result says what was done."""

import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import orderspn as osp
from helpers.data import gaussian_data
from helpers.interventions import chain_of_numbers, one_at_a_time
from helpers.mixed import mixed_data
from orderspn.core.errors import InvalidType, InvalidValue

NAMES = ["A", "heart rate", "dose, mg", "größe", "B", "C"]


@pytest.fixture(scope="module")
def frame():
    return pd.DataFrame(gaussian_data(6, 120, seed=4), columns=NAMES)


@pytest.fixture(scope="module")
def best(frame):
    return osp.best_graph(frame, climbs=2, restarts=30)


def test_it_is_the_best_of_the_exact_posterior(frame, best):
    exact = osp.learn(frame).most_probable_graph()
    assert best.log_score == pytest.approx(exact.log_score, abs=1e-7)
    assert osp.metrics.structural_hamming_distance(best.cpdag, osp.metrics.cpdag(exact.graph)) == 0


def test_names_order_and_matrices(frame, best):
    assert best.variables == NAMES
    assert sorted(best.order) == sorted(NAMES)
    assert nx.is_directed_acyclic_graph(best.graph)
    assert all(best.order.index(cause) < best.order.index(effect) for cause, effect in best.graph.edges)
    assert [(NAMES[c], NAMES[e]) for c, e in np.argwhere(best.adjacency)] == sorted(
        best.graph.edges, key=lambda edge: (NAMES.index(edge[0]), NAMES.index(edge[1]))
    )
    assert set(best.edges.present) == set(best.graph.edges)
    assert len(best.edges.absent) == 30 - len(best.graph.edges)
    assert osp.learn(frame).log_probability(best.edges) < 0.0


def test_gains_are_losses_of_log_score(frame, best):
    """Learned without the edge, by knowledge: a graph with all other edges alone scores less by the gain."""
    table = best.to_frame()
    assert (table["gain"].diff().dropna() <= 0.0).all()
    assert set(zip(table["cause"], table["effect"], strict=True)) == set(best.graph.edges)
    local = osp.learn(frame).model.score
    for row in table.itertuples():
        cause, effect = NAMES.index(row.cause), NAMES.index(row.effect)
        parents = np.flatnonzero(best.adjacency[:, effect])
        lost = local.of_set(effect, parents) - local.of_set(effect, parents[parents != cause])
        assert row.gain == pytest.approx(lost, abs=1e-9)
        assert row.directed != best.cpdag.has_edge(row.effect, row.cause)
    assert (table["gain"] > 0.0).all()


def test_it_says_what_was_done(best):
    assert best.settings["restarts"] == 30
    assert best.settings["restarts_done"] == 60
    assert best.settings["climbs"] == 2
    assert best.settings["seed"] == 0
    assert best.settings["prior"] == "fair"
    assert not best.time_limit_reached
    assert best.climb_scores[0] == best.log_score
    assert best.agreement == 2
    text = best.summary()
    assert text.startswith(f"Best graph found: {best.graph.number_of_edges()} edges among 6 variables\n")
    assert "2 of 2 climbs ended with this score" in text
    assert repr(best).startswith(f"<FoundGraph: {best.graph.number_of_edges()} edges among 6 variables, log score ")
    assert "found by 2 of 2 climbs" in repr(best)
    assert "<table" in best._repr_html_()


def test_the_number_of_restarts_follows_that_of_variables(frame):
    assert osp.best_graph(frame).settings["restarts"] == 75
    wide = np.random.default_rng(0).normal(size=(60, 30))
    assert osp.best_graph(wide, check=False).settings["restarts"] == 90
    assert osp.best_graph(wide, check=False, context=["X1", "X2"]).settings["restarts"] == 84


def test_a_single_climb_does_not_speak_of_agreement(frame):
    alone = osp.best_graph(frame, restarts=1)
    assert "climbs" not in repr(alone)
    assert "agreement" not in alone.summary()


def test_it_goes_into_other_tools(frame, best):
    assert "heart rate" in osp.export.to_dot(best)
    assert set(osp.export.to_networkx(best).edges) == set(best.graph.edges)
    assert osp.metrics.structural_hamming_distance(best, best.graph) == 0


def test_the_same_seed_gives_the_same_graph(frame):
    one = osp.best_graph(frame, restarts=2, climbs=3, n_jobs=1, rng=5)
    other = osp.best_graph(frame, restarts=2, climbs=3, n_jobs=3, rng=5)
    assert one.climb_scores == other.climb_scores
    assert one.order == other.order


def test_scores_and_priors(frame):
    bic = osp.best_graph(frame, score="bic", restarts=30)
    assert bic.settings["prior"] == "uniform"
    assert bic.settings["score"]["penalty"] == 1.0
    exact = osp.learn(frame, score="bic", prior="uniform").most_probable_graph()
    assert bic.log_score == pytest.approx(exact.log_score, abs=1e-7)
    sparse = osp.best_graph(frame, score=osp.scores.BIC(penalty=20), restarts=5)
    assert sparse.graph.number_of_edges() < bic.graph.number_of_edges()
    assert osp.best_graph(frame, score="bic", prior="fair", restarts=1).settings["prior"] == "fair"
    custom = osp.best_graph(frame, prior=lambda size: 0.5**size, restarts=1)
    assert custom.settings["prior"] == "custom"


def test_knowledge_and_numbers_of_parents(frame):
    known = osp.Knowledge(required=[("C", "A")], forbidden=[("A", "B")], tiers=[["C", "B", "größe"], NAMES[:3]])
    found = osp.best_graph(frame, knowledge=known, max_parents=2, restarts=20)
    assert found.graph.has_edge("C", "A")
    assert not any(found.graph.has_edge(late, early) for late in NAMES[:3] for early in ("C", "B", "größe"))
    assert max(degree for _, degree in found.graph.in_degree) <= 2
    exact = osp.learn(frame, knowledge=known, max_parents=2).most_probable_graph()
    assert found.log_score == pytest.approx(exact.log_score, abs=1e-7)
    frames = found.to_frame().set_index(["cause", "effect"])
    assert frames.loc[("C", "A"), "gain"] == np.inf


def test_knowledge_that_nothing_satisfies_is_an_error(frame):
    with pytest.raises(InvalidValue, match=r"cycle|contradict"):
        osp.best_graph(frame, knowledge="A -> B, B -> A")


def test_context(frame):
    found = osp.best_graph(frame, context=["B", "größe"], restarts=20)
    assert not any(found.graph.in_degree(name) for name in ("B", "größe"))
    assert set(found.order[:2]) == {"B", "größe"}
    exact = osp.learn(frame, context=["B", "größe"]).most_probable_graph()
    assert found.log_score == pytest.approx(exact.log_score, abs=1e-7)
    for cause, effect in found.graph.edges:
        if cause in ("B", "größe"):
            assert not found.cpdag.has_edge(effect, cause)


def test_interventions_tell_directions():
    mask = one_at_a_time(100, 60, 4)
    values = chain_of_numbers(mask, np.random.default_rng(0))
    found = osp.best_graph(values, interventions=mask, standardize=True, restarts=10)
    assert set(found.graph.edges) == {("X1", "X2"), ("X2", "X3"), ("X3", "X4")}
    assert found.settings["interventions"] == 240


@pytest.mark.parametrize("data", [osp.load_asia().data.head(300), mixed_data(80)[["A", "B", "C", "D"]]])
def test_categories_and_mixed_tables(data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, exact = osp.best_graph(data, restarts=20), osp.learn(data).most_probable_graph()
    assert found.log_score == pytest.approx(exact.log_score, abs=1e-7)


def test_missing_values(frame):
    gaps = frame.copy()
    gaps.loc[[3, 8], "A"] = np.nan
    with pytest.raises(
        InvalidValue, match=r"2 values are missing, in 'A'. Pass missing='drop' to use the 118 complete"
    ):
        osp.best_graph(gaps)
    dropped = osp.best_graph(gaps, missing="drop", restarts=3)
    assert dropped.settings["missing"]["complete_rows"] == 118
    assert dropped.log_score == pytest.approx(osp.best_graph(gaps.dropna(), restarts=3).log_score, abs=1e-9)


def test_files_and_arrays(frame, tmp_path):
    frame.to_csv(tmp_path / "data.csv", index=False)
    assert osp.best_graph(tmp_path / "data.csv", restarts=0).variables == NAMES
    assert osp.best_graph(frame.to_numpy(), variables=NAMES, restarts=0).variables == NAMES


def test_findings_are_warned_of_and_kept():
    skewed = pd.DataFrame(np.exp(3 * gaussian_data(3, 200, seed=0)), columns=["A", "B", "C"])
    with pytest.warns(UserWarning, match="skew"):
        found = osp.best_graph(skewed, restarts=0)
    assert any("skew" in message for message in found.settings["warnings"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert osp.best_graph(skewed, restarts=0, check=False).settings["warnings"] == []


def test_a_time_limit_is_told(frame):
    found = osp.best_graph(frame, restarts=10**9, time_limit=0.05)
    assert found.time_limit_reached
    assert found.settings["restarts_done"] < 10**9
    assert "cut short by the time limit" in found.summary()
    assert "cut short by the time limit" in repr(found)


@pytest.mark.parametrize(
    ("argument", "value", "error"),
    [
        ("restarts", -1, InvalidValue),
        ("restarts", 1.5, InvalidType),
        ("climbs", 0, InvalidValue),
        ("time_limit", 0.0, InvalidValue),
        ("missing", "impute", InvalidValue),
        ("score", "aic", InvalidValue),
        ("prior", "flat", InvalidValue),
        ("max_parents", -1, InvalidValue),
        ("check", "yes", InvalidType),
        ("rng", -1, InvalidValue),
    ],
)
def test_wrong_arguments_are_named(frame, argument, value, error):
    with pytest.raises(error, match=argument):
        osp.best_graph(frame, **{argument: value})


def test_a_degree_that_is_left_open_is_for_learn(frame):
    with pytest.raises(InvalidValue, match="learn"):
        osp.best_graph(frame, score=osp.scores.BGe(degree="auto"))


def test_an_uncorrelated_table_has_no_edges():
    found = osp.best_graph(np.random.default_rng(0).normal(size=(500, 4)), score=osp.scores.BIC(penalty=3))
    assert found.graph.number_of_edges() == 0
    assert found.to_frame().empty
    assert repr(found).startswith("<FoundGraph: 0 edges among 4 variables")


@pytest.mark.thorough
def test_many_variables_are_close_to_the_truth():
    simulated = osp.simulate.linear_gaussian(60, 2000, expected_degree=4, rng=1)
    found = osp.best_graph(simulated.data, restarts=30)
    distance = osp.metrics.structural_hamming_distance(found.cpdag, osp.metrics.cpdag(simulated.adjacency))
    assert distance < 0.25 * simulated.adjacency.sum()
