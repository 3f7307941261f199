"""Drawn orders that are weighted anew: against loops, against learning again, and what they refuse."""

import importlib
from dataclasses import replace

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare

import orderspn as osp
from orderspn.design import drawn_orders
from orderspn.design.drawn_orders import draw_orders
from orderspn.design.experiment import Experiment
from orderspn.design.outcomes import outcomes_of
from orderspn.design.relearning import learned_again
from orderspn.queries.edges import Edges
from reference.drawn_orders import reweighted

SIX = osp.simulate.linear_gaussian(6, 40, rng=1)
QUESTIONS = ["graph", "orientation", "X1 -> X2", ("effect", "X1", "X3")]


@pytest.fixture(scope="module")
def six():
    return osp.learn(SIX.data, check=False)


@pytest.fixture(scope="module")
def drawn(six):
    return draw_orders(six.model, Edges(), (), np.random.SeedSequence(0))


def after_rows(model, rows=30):
    """Return a fitted score after rows of an experiment on the second variable, under a drawn graph."""
    graph = model.sample(1, 3).adjacency[0]
    scores = outcomes_of(model.score.likelihood, graph, np.random.default_rng(1))
    return scores([Experiment("do", (1,), ((-1.0, 1.0),), rows)], np.random.SeedSequence(2))


def few_orders(model, count):
    """Return the model of the first orders of another."""
    own = model.drawn
    log_drawn = own.log_drawn[:count] + np.log(count / len(own.orders))
    return replace(model, drawn=drawn_orders.DrawnOrders(own.orders[:count], own.places[:count], log_drawn))


def test_a_few_orders_agree_with_loops(six):
    model = few_orders(draw_orders(six.model, Edges(), (), np.random.SeedSequence(0)), 5)
    likelihood = after_rows(model)
    after = model.after(likelihood, Edges())
    orders = [order.tolist() for order in model.drawn.orders]
    candidates = [own.tolist() for own in model.candidates]
    for other in (model, after):
        log_mean, entropy, edges = reweighted(model.score, other.score, candidates, orders, 6)
        assert other.log_evidence - model.log_evidence == pytest.approx(log_mean, abs=1e-9)
        np.testing.assert_allclose(other.edge_matrix(), edges, atol=1e-9)
        # `entropy` of the reference leaves out the evidence of the posterior that the orders were drawn from.
        assert other.entropy() == pytest.approx(entropy + six.log_evidence, abs=1e-8)


def test_events_and_orders_agree_with_the_shares_of_orders(six, drawn):
    first, second = six.variables[:2]
    places = drawn.drawn.places
    share = (places[:, 0] < places[:, 1]).mean()
    assert np.exp(drawn.log_probability(Edges(), Edges(before=((first, second),)))) == pytest.approx(share)
    edge = Edges(present=((first, second),))
    assert np.exp(drawn.log_probability(Edges(), edge)) == pytest.approx(drawn.edge_matrix()[0, 1])


def test_many_orders_are_the_posterior(six, drawn):
    # Given an order an edge is a probability: its standard error is at most that of as many drawn graphs.
    error = np.sqrt(0.25 / drawn_orders.ORDERS)
    assert np.abs(drawn.edge_matrix() - six.edge_probabilities().to_numpy()).max() < 5 * error
    assert drawn.log_evidence == pytest.approx(six.log_evidence, abs=1e-9)


def test_the_mean_of_the_weights_is_the_probability_of_the_rows(six, drawn):
    likelihood = after_rows(drawn)
    known = learned_again(six.model, likelihood, Edges())
    after = drawn.after(likelihood, Edges())
    error = np.sqrt(1.0 / after.effective_orders - 1.0 / drawn_orders.ORDERS)
    assert abs(after.log_evidence - known.log_evidence) < 4 * error
    assert np.abs(after.edge_matrix() - known.edge_matrix()).max() < 5 * np.sqrt(0.25 / after.effective_orders)


def test_graphs_are_drawn_by_the_weights(drawn):
    after = few_orders(drawn, 4).after(after_rows(drawn), Edges())
    graphs = after.sample(3000, 0)
    order_of = {tuple(order): place for place, order in enumerate(after.drawn.orders.tolist())}
    seen = np.bincount([order_of[tuple(order)] for order in graphs.orders.tolist()], minlength=4)
    assert len(order_of) == 4
    assert chisquare(seen, 3000 * after.weights).pvalue > 1e-4
    errors = np.sqrt(after.edge_matrix() * (1 - after.edge_matrix()) / 3000)
    assert (np.abs(graphs.edge_frequencies() - after.edge_matrix()) <= 5 * errors + 1e-9).all()


def test_what_is_known_stays_on_average(drawn):
    before = drawn.edge_matrix()
    changes = []
    for seed, graph in enumerate(drawn.sample(150, rng=1).adjacency):
        scores = outcomes_of(drawn.score.likelihood, graph, np.random.default_rng(seed))
        likelihood = scores([Experiment("do", (0,), ((-1.0, 1.0),), 20)], np.random.SeedSequence(seed))
        changes.append(drawn.after(likelihood, Edges()).edge_matrix() - before)
    errors = np.std(changes, axis=0) / np.sqrt(len(changes))
    assert (np.abs(np.mean(changes, axis=0)) <= 4 * errors + 1e-9).all()


@pytest.mark.parametrize(
    "question", [QUESTIONS[0], *(pytest.param(q, marks=pytest.mark.exhaustive) for q in QUESTIONS[1:])]
)
def test_values_are_those_of_learning_again(six, question):
    settings = {"rows": 30, "draws": 128, "targets": ["X1", "X2", "X3"]}
    known = osp.design.experiments(six, question, method="simulate", **settings)
    table = osp.design.experiments(six, question, method="reweight", rng=1, **settings).loc[known.index]
    assert table.attrs["method"] == "simulated, orders reweighted"
    assert table.attrs["now"] == pytest.approx(known.attrs["now"], rel=0.1)  # of effects from draws
    assert table.attrs["effective_orders"] > 50
    error = np.hypot(table["standard_error"], known["standard_error"])
    apart = (table["reduction"] - known["reduction"]).abs()
    assert (apart <= 4 * error + 0.02 * known["reduction"].max()).all()


def test_a_variable_without_part_in_an_edge_tells_no_more_than_observing():
    network = osp.simulate.LinearGaussianNetwork([[0, 1, 0], [0, 0, 1], [0, 0, 0]], variables=["A", "B", "C"])
    data = network.sample(100, rng=0)
    data["D"] = np.random.default_rng(1).normal(size=100)
    apart = ", ".join(f"{v} !-> D, D !-> {v}" for v in "ABC")
    posterior = osp.learn(data, knowledge=apart, check=False)
    table = osp.design.experiments(posterior, "A -> B", rows=30, method="reweight", draws=128)
    row, observed = table.loc["do(D)"], table.loc["observe"]
    error = np.hypot(row["standard_error"], observed["standard_error"])
    assert abs(row["reduction"] - observed["reduction"]) <= 4 * error
    assert table.loc["do(A)", "reduction"] > observed["reduction"] + 4 * table.loc["do(A)", "standard_error"]


def test_what_is_certain_has_no_value():
    posterior = osp.learn(SIX.data, knowledge="X1 -> X2", check=False)
    table = osp.design.experiments(posterior, "X1 -> X2", draws=40, method="reweight")
    assert (table["reduction"].abs() < 1e-9).all()


def test_evidence_is_kept(six):
    given = six.given("X1 -> X2, X3 < X4")
    model = draw_orders(given.model, given.evidence, (), np.random.SeedSequence(0))
    for own in (model, model.after(after_rows(model), given.evidence)):
        assert own.edge_matrix()[0, 1] == pytest.approx(1.0)
        graphs = own.sample(50, 0)
        assert all(order.index(2) < order.index(3) for order in graphs.orders.tolist())
    assert np.abs(model.edge_matrix() - given.edge_probabilities().to_numpy()).max() < 0.06


def test_an_improbable_edge_that_is_asked_for_stays(six, monkeypatch):
    monkeypatch.setattr(drawn_orders, "CANDIDATES", 1)
    least = six.edge_probabilities().to_numpy()[:, 0]
    cause = six.variables[1 + int(least[1:].argmin())]
    without = draw_orders(six.model, Edges(), (), np.random.SeedSequence(0))
    kept = draw_orders(six.model, Edges(), ((cause, six.variables[0]),), np.random.SeedSequence(0))
    place = six.variables.index(cause)
    assert without.edge_matrix()[place, 0] == 0.0
    assert kept.edge_matrix()[place, 0] > 0.0
    assert all(own.size == 1 for own in kept.candidates)


@pytest.mark.parametrize("question", ["graph", pytest.param(("effect", "X1", "X3"), marks=pytest.mark.thorough)])
def test_threads_change_nothing(six, question):
    one, two = (
        osp.design.experiments(six, question, method="reweight", draws=40, n_jobs=n, targets=["X1"]) for n in (1, 2)
    )
    pd.testing.assert_frame_equal(one, two)


def test_a_backend_changes_nothing(six):
    settings = {"method": "reweight", "draws": 8, "targets": ["X1"]}
    here = osp.design.experiments(six, n_jobs=1, **settings)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        away = osp.design.experiments(six, **settings)
    pd.testing.assert_frame_equal(here, away)


@pytest.mark.exhaustive
def test_categories_are_reweighted():
    rng = np.random.default_rng(0)
    cause = rng.random(40) < 0.5
    columns = {name: np.where(rng.random(40) < 0.8, cause, ~cause) for name in "BC"}
    data = pd.DataFrame({"A": cause, **columns}).replace({True: "yes", False: "no"}).astype("category")
    posterior = osp.learn(data, check=False)
    settings = {"rows": 10, "draws": 128}
    known = osp.design.experiments(posterior, method="simulate", **settings)
    table = osp.design.experiments(posterior, method="reweight", rng=1, **settings).loc[known.index]
    error = np.hypot(table["standard_error"], known["standard_error"])
    assert ((table["reduction"] - known["reduction"]).abs() <= 4 * error + 0.02 * known["reduction"].max()).all()


def test_few_orders_that_keep_their_weight_are_told(six, monkeypatch):
    monkeypatch.setattr(drawn_orders, "ORDERS", 15)
    with pytest.warns(UserWarning, match="keep their weight"):
        osp.design.experiments(six, method="reweight", rows=500, draws=8, targets=["X1"])


@pytest.mark.exhaustive
def test_circuits_are_reweighted_by_default():
    data = osp.simulate.linear_gaussian(7, 40, rng=2).data
    exact = osp.learn(data, check=False)
    circuit = osp.learn(data, method=osp.methods.Trust(effort=0.1), check=False)
    settings = {"rows": 30, "draws": 128, "targets": ["X1", "X2"]}
    table = osp.design.experiments(circuit, **settings)
    assert table.attrs["method"] == "simulated, orders reweighted"
    known = osp.design.experiments(exact, method="simulate", **settings).loc[table.index]
    # A circuit of 7 variables covers nearly all orders, but not all.
    error = np.hypot(table["standard_error"], known["standard_error"])
    assert ((table["reduction"] - known["reduction"]).abs() <= 4 * error + 0.1 * known["reduction"].max()).all()


def test_what_has_no_orders_is_refused(six):
    for posterior in (osp.learn(SIX.data, method=osp.methods.Exact(target="dag"), check=False), six.given("X1 ~> X2")):
        with pytest.raises(ValueError, match="method='reweight' needs sums over orders"):
            osp.design.experiments(posterior, method="reweight")


def test_the_default_beyond_quick_posteriors(six, monkeypatch):
    # The package has a function of the name of the module.
    monkeypatch.setattr(importlib.import_module("orderspn.design.experiments"), "QUICK_ORDERS", 5)
    found = {
        question: osp.design.experiments(six, question, draws=8, targets=["X1"]).attrs["method"]
        for question in ("graph", "X1 -> X2", "X1 ~> X2")
    }
    assert [name.split(",")[0] for name in found.values()] == ["simulated", "simulated", "limit of many rows"]
