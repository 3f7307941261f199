"""`learn(method="gadget")` from data to answers, against a list of all DAGs of four variables."""

import warnings

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from models.all_dags import every_dag
from orderspn.core.errors import InvalidValue
from orderspn.gadget.chains import MOVES
from orderspn.gadget.sampler import GadgetEffort
from orderspn.methods.gadget import FEWEST_GRAPHS, N_GRAPHS, default_n_graphs
from orderspn.models.dag_graphs import DagGraphs
from orderspn.models.sampled_graphs import SampledGraphs
from reference.enumeration import Enumeration
from reference.local_scores import all_mean_weights, local_scores

NAMES = letters(4)
VALUES = gaussian_data(4, 30, seed=27)
SMALL = {"method": "gadget", "effort": 0.02, "n_graphs": 80, "chains": 3}


def learn(values=VALUES, **arguments):
    return osp.learn(values, variables=letters(values.shape[1]), **{"n_jobs": 1, **SMALL, **arguments})


def learn_quietly(**arguments):
    """For so little effort that runs may disagree."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "independent searches|.* too few to tell")
        return learn(**arguments)


def deviations(posterior, expected):
    """How many standard errors each edge frequency is off, with what one draw more would change as the least."""
    frequencies = posterior.edge_probabilities().to_numpy()
    errors = np.zeros((4, 4))
    for i, j in zip(*np.nonzero(~np.eye(4, dtype=bool)), strict=True):
        errors[i, j] = posterior.standard_error(osp.Edges([(NAMES[i], NAMES[j])]))
    least = 2.0 / posterior.settings["diagnostics"]["ess_edges"]
    return np.abs(frequencies - expected) / np.fmax(errors, least)


CASES = {
    "fair": {"seed": 27},
    "uniform": {"prior": "uniform", "seed": 12},
    "two parents": {"max_parents": 2, "seed": 25},
}


@pytest.mark.parametrize("case", CASES)
def test_frequencies_are_those_of_dags_counted_once(case):
    arguments = dict(CASES[case])
    values = gaussian_data(4, 30, seed=arguments.pop("seed"))
    posterior = learn(values, effort=0.5, n_graphs=8000, chains=4, rng=3, **arguments)
    scores = local_scores(values, arguments.get("prior", "fair"), None, arguments.get("max_parents"))
    dags, orders = every_dag(scores), Enumeration.of(scores)
    assert isinstance(posterior.model, SampledGraphs)
    assert deviations(posterior, dags.edge_probabilities()).max() < 4.0
    assert deviations(posterior, orders.edge_probabilities()).max() > 6.0
    # Effects, the best graph and its score follow.
    estimate = posterior.estimate_effects(8000)
    off = np.abs(estimate.mean - dags.effects(all_mean_weights(values))).to_numpy()
    assert (off < 4.5 * estimate.standard_error.to_numpy() + 2e-3).all()
    best = posterior.most_probable_graph()
    assert best.log_score == pytest.approx(dags.best_log_weight(), abs=1e-8)
    assert np.exp(best.log_probability) == pytest.approx(dags.p.max(), abs=0.05)


def test_conditional_frequencies():
    posterior = learn(effort=0.5, n_graphs=8000, chains=4, rng=3)
    dags = every_dag(local_scores(VALUES))
    i, j = np.unravel_index(np.argmin(np.abs(dags.edge_probabilities() - 0.5)), (4, 4))
    given = dags.given([(i, j)]).edge_probabilities()
    condition = osp.Edges([(NAMES[i], NAMES[j])])
    k, m = np.unravel_index(np.argmin(np.abs(given - 0.5)), (4, 4))
    event = osp.Edges([(NAMES[k], NAMES[m])])
    error = posterior.standard_error(event, condition)
    assert 0.0 < error < 0.05
    assert abs(posterior.probability(event, condition) - given[k, m]) < 4 * error


def test_threads_do_not_change_the_answer_and_seeds_do():
    one, two, other = learn_quietly(rng=1), learn_quietly(rng=1, n_jobs=2), learn_quietly(rng=2)
    np.testing.assert_array_equal(one.model.adjacency, two.model.adjacency)
    np.testing.assert_array_equal(one.model.log_scores, two.model.log_scores)
    assert dict(one.settings) == dict(two.settings)
    assert not np.array_equal(one.model.adjacency, other.model.adjacency)


def test_settings():
    posterior = learn_quietly(rng=7)
    settings = posterior.settings
    assert (settings["method"], settings["target"], settings["seed"]) == ("gadget", "dag", 7)
    assert settings["n_graphs"] == len(posterior.model.adjacency) == 80
    assert (settings["runs"], settings["chains"]) == (4, 3)
    assert settings["iterations"] == GadgetEffort.usual(4, 0.02).iterations
    assert GadgetEffort.usual(4, 2.0).iterations == 100 * settings["iterations"]
    assert set(settings["acceptance"]) == set(MOVES)
    assert all(0.0 < rate < 1.0 for rate in settings["acceptance"].values())
    assert len(settings["swap_rates"]) == 2
    assert all(0.0 < rate <= 1.0 for rate in settings["swap_rates"])
    diagnostics = settings["diagnostics"]
    assert (diagnostics["runs"], diagnostics["orders"]) == (4, 80)
    assert posterior.model.n_runs == diagnostics["runs_kept"] == 4
    assert "time_limit_reached" not in settings
    assert "lost_share" not in settings
    assert "gadget" in repr(posterior)


def test_log_scores_are_those_of_the_graphs():
    posterior = learn_quietly()
    dags = every_dag(local_scores(VALUES))
    known = dict(zip(map(tuple, dags.masks.tolist()), dags.log_weight, strict=True))
    masks = np.einsum("sij,i->sj", posterior.model.adjacency, 1 << np.arange(4))
    expected = [known[tuple(row)] for row in masks.tolist()]
    np.testing.assert_allclose(posterior.model.log_scores, expected, rtol=0, atol=1e-9)


def test_candidates_and_outsiders_bound_the_graphs():
    posterior = learn_quietly(candidates=1, outsiders=1)
    allowed = {v: {*posterior.candidates[v], *posterior.outsiders[v]} for v in NAMES}
    frame = posterior.edge_probabilities()
    assert all(cause in allowed[effect] for cause in NAMES for effect in NAMES if frame.loc[cause, effect] > 0)
    assert posterior.model.adjacency.sum(axis=1).max() <= 2
    assert 0.0 <= posterior.settings["lost_share"] < 1.0
    assert posterior.settings["refinements"] >= 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_orders": 10}, r"n_orders belongs to method='trust'"),
        ({"block_size": 2}, r"block_size belongs to method='trust'"),
        ({"oracle": "random"}, r"oracle belongs to method='trust'"),
        ({"expansion": [2]}, r"expansion belongs to method='trust'"),
        ({"weights": "elbo"}, r"weights belongs to method='trust'"),
        ({"n_graphs": 0}, r"n_graphs must be .* at least 1; got 0"),
        ({"chains": 0}, r"chains must be .* at least 1; got 0"),
        ({"effort": 0.0}, r"effort must be"),
        ({"time_limit": -1.0}, r"time_limit must be"),
        ({"target": "order"}, r"method 'gadget' has target='dag'; got target='order'.*method='auto'"),
        ({"target": "graph"}, r"target must be one of"),
    ],
)
def test_arguments_that_do_not_belong_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        learn(**arguments)


@pytest.mark.parametrize("method", ["exact", "trust"])
@pytest.mark.parametrize("argument", ["n_graphs", "chains"])
def test_arguments_of_gadget_are_refused_elsewhere(method, argument):
    with pytest.raises(ValueError, match=f"{argument} belongs to method='gadget'.*; got {argument}=5"):
        osp.learn(VALUES, method=method, **{argument: 5})


def test_circuits_do_not_count_dags_once():
    with pytest.raises(ValueError, match=r"method 'trust' has target='order'; got target='dag'.*method='auto'"):
        osp.learn(VALUES, method="trust", target="dag")


def test_the_usual_target_may_be_named():
    assert learn_quietly(target="dag").settings["target"] == "dag"
    assert osp.learn(VALUES, method="exact", target="order").settings["target"] == "order"


def test_time_limit():
    """A search that would take longer ends with fewer graphs, which are graphs all the same."""
    posterior = learn_quietly(effort=4.0, n_graphs=4000, time_limit=0.1)
    assert posterior.settings["time_limit_reached"] is True
    assert posterior.settings["n_graphs"] == len(posterior.model.adjacency) < 4000
    assert len(posterior.model.adjacency) % posterior.model.n_runs == 0
    assert posterior.sample(5, rng=0).adjacency.shape == (5, 4, 4)


def test_a_time_limit_that_is_not_reached_changes_nothing():
    limited = learn_quietly(time_limit=600.0)
    assert limited.settings["time_limit_reached"] is False
    np.testing.assert_array_equal(limited.model.adjacency, learn_quietly().model.adjacency)


@pytest.mark.parametrize(("d", "method"), [(4, "exact"), (14, "exact"), (15, "gadget")])
def test_auto_chooses_for_dags(d, method, monkeypatch):
    """What is chosen, without the work of it."""
    chosen = []

    class Chosen(Exception):
        pass

    def stop(name):
        def solve(*_, **__):
            chosen.append(name)
            raise Chosen

        return solve

    monkeypatch.setattr("orderspn.learning.learn_exact_dags", stop("exact"))
    monkeypatch.setattr("orderspn.learning.learn_gadget", stop("gadget"))
    with pytest.raises(Chosen):
        osp.learn(gaussian_data(d, 40, seed=0), method="auto", target="dag")
    assert chosen == [method]


def test_auto_with_a_target():
    assert isinstance(osp.learn(VALUES, target="dag").model, DagGraphs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # hardly any search
        many = osp.learn(gaussian_data(15, 40, seed=0), target="dag", effort=0.002, n_graphs=16, chains=2, candidates=3)
    assert (many.settings["method"], many.settings["target"]) == ("gadget", "dag")
    assert isinstance(many.model, SampledGraphs)
    assert osp.learn(VALUES, target="order").settings["method"] == "exact"


def test_graphs_by_default():
    assert default_n_graphs(20, 2**32) == N_GRAPHS
    assert default_n_graphs(1000, 2**30) == 2**30 // (4 * 1000**2) < N_GRAPHS
    assert default_n_graphs(1000, 2**20) == FEWEST_GRAPHS


@pytest.mark.parametrize("settings", [{"n_graphs": 10**9}, {"chains": 10**8}, {"memory_limit": 1000}], ids=repr)
def test_what_does_not_fit_is_refused_before_any_work(settings):
    values = np.random.default_rng(0).normal(size=(20, 5))
    worked = []
    with pytest.raises(InvalidValue, match=r"take about .*; the limit is .*Lower n_graphs=, chains= or candidates="):
        osp.learn(values, method="gadget", progress=lambda *step: worked.append(step), **settings)
    assert not worked


def test_moves_are_those_made():
    """With more graphs than moves after the burn-in there is at least one move for each."""
    values = np.random.default_rng(0).normal(size=(20, 4))
    posterior = osp.learn(values, method="gadget", effort=0.01, n_graphs=8000)
    assert posterior.settings["iterations"] == round(0.01 * 2000 * 32) // 2 + 2000


@pytest.mark.parametrize("method", ["trust", "gadget", "dibs"])
def test_effort_beyond_all_patience(method):
    with pytest.raises(InvalidValue, match=r"effort must be at most 1e\+06 times the usual; got 1e\+308"):
        osp.learn(VALUES, method=method, effort=1e308)
