"""`learn(method="gadget")` from data to answers, against a list of all DAGs of four variables."""

import warnings

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.levels import parameters
from models.all_dags import every_dag
from orderspn.core.errors import InvalidValue
from orderspn.gadget.ladder import MOVES
from orderspn.gadget.sampler import GadgetEffort
from orderspn.methods.gadget import FEWEST_GRAPHS, N_GRAPHS, default_n_graphs
from orderspn.models.dag_graphs import DagGraphs
from orderspn.models.sampled_graphs import SampledGraphs
from reference.enumeration import Enumeration
from reference.local_scores import all_mean_weights, local_scores

NAMES = letters(4)
VALUES = gaussian_data(4, 30, seed=27)
SMALL = osp.methods.Gadget(effort=0.02, n_graphs=80, n_chains=3)
LONG = osp.methods.Gadget(effort=0.5, n_graphs=8000, n_chains=4)


def learn(values=VALUES, method=SMALL, n_jobs=1, **arguments):
    return osp.learn(
        values, variables=letters(values.shape[1]), method=method, n_jobs=n_jobs, **arguments, standardize=False
    )


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


@pytest.mark.thorough
@pytest.mark.parametrize("case", parameters(CASES, test=list(CASES)[:1]))
def test_frequencies_are_those_of_dags_counted_once(case):
    arguments = dict(CASES[case])
    values = gaussian_data(4, 30, seed=arguments.pop("seed"))
    posterior = learn(values, LONG, rng=3, **arguments)
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


@pytest.mark.thorough
def test_conditional_frequencies():
    posterior = learn(method=LONG, rng=3)
    dags = every_dag(local_scores(VALUES))
    i, j = np.unravel_index(np.argmin(np.abs(dags.edge_probabilities() - 0.5)), (4, 4))
    given = dags.given([(i, j)]).edge_probabilities()
    condition = osp.Edges([(NAMES[i], NAMES[j])])
    k, m = np.unravel_index(np.argmin(np.abs(given - 0.5)), (4, 4))
    event = osp.Edges([(NAMES[k], NAMES[m])])
    error = posterior.standard_error(event, condition)
    assert 0.0 < error < 0.05
    assert abs(posterior.probability(event, condition) - given[k, m]) < 4 * error


def test_settings():
    posterior = learn_quietly(rng=7)
    settings = posterior.settings
    assert (settings["method"], settings["target"], settings["seed"]) == ("gadget", "dag", 7)
    assert settings["n_graphs"] == len(posterior.model.adjacency) == 80
    assert (settings["n_runs"], settings["n_chains"], settings["effort"]) == (4, 3, 0.02)
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
    posterior = learn_quietly(candidates=1, method=SMALL.with_settings(outsiders=1))
    allowed = {v: {*posterior.candidates[v], *posterior.outsiders[v]} for v in NAMES}
    frame = posterior.edge_probabilities()
    assert all(cause in allowed[effect] for cause in NAMES for effect in NAMES if frame.loc[cause, effect] > 0)
    assert posterior.model.adjacency.sum(axis=1).max() <= 2
    assert 0.0 <= posterior.settings["lost_share"] < 1.0
    assert posterior.settings["refinements"] >= 1


def test_the_target_is_recorded():
    assert learn_quietly().settings["target"] == "dag"
    assert learn(method=osp.methods.Exact(target="order")).settings["target"] == "order"
    assert learn(method=osp.methods.Exact(target="dag")).settings["target"] == "dag"


def test_time_limit():
    """A search that would take longer ends with fewer graphs, which are graphs all the same."""
    posterior = learn_quietly(method=SMALL.with_settings(effort=4.0, n_graphs=4000), time_limit=0.1)
    assert posterior.settings["time_limit_reached"] is True
    assert posterior.settings["n_graphs"] == len(posterior.model.adjacency) < 4000
    assert len(posterior.model.adjacency) % posterior.model.n_runs == 0
    assert posterior.sample(5, rng=0).adjacency.shape == (5, 4, 4)


def test_a_time_limit_that_is_none():
    with pytest.raises(InvalidValue, match="time_limit must be"):
        learn(time_limit=-1.0)


def test_a_time_limit_that_is_not_reached_changes_nothing():
    limited = learn_quietly(time_limit=600.0)
    assert limited.settings["time_limit_reached"] is False
    np.testing.assert_array_equal(limited.model.adjacency, learn_quietly().model.adjacency)


@pytest.mark.parametrize(
    ("d", "method"), [(4, osp.methods.Exact(target="dag")), (14, osp.methods.Exact(target="dag")), (15, SMALL)]
)
def test_auto_chooses_for_dags(d, method):
    """What is chosen, without the work of it."""
    chosen = osp.methods.Auto(target="dag").resolved(d, 2**32)
    assert (chosen.name, chosen.target) == (method.name, "dag")


def test_auto_with_a_target():
    assert isinstance(learn(method=osp.methods.Auto(target="dag")).model, DagGraphs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # no time for more than the shortest search
        values = gaussian_data(15, 40, seed=0)
        many = osp.learn(
            values, method=osp.methods.Auto(target="dag"), candidates=3, time_limit=1e-9, standardize=False
        )
    assert (many.settings["method"], many.settings["target"]) == ("gadget", "dag")
    assert isinstance(many.model, SampledGraphs)
    assert learn(method=osp.methods.Auto(target="order")).settings["method"] == "exact"


def test_graphs_by_default():
    assert default_n_graphs(20, 2**32) == N_GRAPHS
    assert default_n_graphs(1000, 2**30) == 2**30 // (4 * 1000**2) < N_GRAPHS
    assert default_n_graphs(1000, 2**20) == FEWEST_GRAPHS


@pytest.mark.parametrize(
    ("method", "limit"),
    [(SMALL.with_settings(n_graphs=10**9), None), (SMALL.with_settings(n_chains=10**8), None), (SMALL, 1000)],
    ids=["graphs", "chains", "limit"],
)
def test_what_does_not_fit_is_refused_before_any_work(method, limit):
    values = np.random.default_rng(0).normal(size=(20, 5))
    worked = []
    with pytest.raises(InvalidValue, match=r"take about .*; the limit is .*Lower n_graphs=, n_chains= or candidates="):
        osp.learn(
            values, method=method, memory_limit=limit, progress=lambda *step: worked.append(step), standardize=False
        )
    assert not worked


def test_moves_are_those_made():
    """With more graphs than moves after the burn-in there is at least one move for each."""
    values = np.random.default_rng(0).normal(size=(20, 4))
    posterior = osp.learn(values, method=osp.methods.Gadget(effort=0.01, n_graphs=8000), standardize=False)
    assert posterior.settings["iterations"] == GadgetEffort.usual(4, 0.01).burn_in_moves + 2000


@pytest.mark.parametrize("method", [osp.methods.Trust, osp.methods.Gadget, osp.methods.DiBS])
def test_effort_beyond_all_patience(method):
    with pytest.raises(InvalidValue, match=r"effort must be at most 1e\+06 times the usual; got 1e\+308"):
        method(effort=1e308)
