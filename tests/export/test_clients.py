"""The tools that graphs are exported to, at work on them."""

import sys
import types

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest

import orderspn as osp
from orderspn.core.errors import InvalidType, InvalidValue, MissingExtra
from orderspn.export import to_arviz, to_causal_learn, to_dot, to_gml, to_networkx, to_pgmpy, to_xarray

AGE, PRICE, DOSE, OUTCOME = "age in years", "price", "dose α", "outcome"
WEIGHTS = {(AGE, DOSE): 1.0, (PRICE, DOSE): 0.8, (AGE, OUTCOME): 1.2, (DOSE, OUTCOME): -0.9}
"""All directions follow from the data, and age confounds dose and outcome."""

# What these packages do with theirs that is no longer done.
parses_dot = pytest.mark.filterwarnings("ignore:'\\w+' deprecated - use:DeprecationWarning")
copies_frames = pytest.mark.filterwarnings("ignore:The copy keyword is deprecated:DeprecationWarning")
loads_estimators = pytest.mark.filterwarnings("ignore:`pgmpy.estimators:FutureWarning")


@pytest.fixture(scope="module")
def truth():
    weights = pd.DataFrame(0.0, index=[AGE, PRICE, DOSE, OUTCOME], columns=[AGE, PRICE, DOSE, OUTCOME])
    for (cause, effect), weight in WEIGHTS.items():
        weights.loc[cause, effect] = weight
    return osp.simulate.LinearGaussianNetwork(weights)


@pytest.fixture(scope="module")
def data(truth):
    return truth.sample(3000, rng=0)


@pytest.fixture(scope="module")
def posterior(data):
    return osp.learn(data)


@pytest.fixture(scope="module")
def best(posterior):
    found = posterior.most_probable_graph()
    assert set(found.graph.edges) == set(WEIGHTS)
    return found


def tolerance(data, cause, effect, causes):
    """Five standard errors of a weight, by least squares."""
    columns = data[[cause, *causes]].to_numpy() - data[[cause, *causes]].to_numpy().mean(axis=0)
    noise = data[effect].to_numpy() - data[effect].mean()
    noise = noise - columns @ np.linalg.lstsq(columns, noise, rcond=None)[0]
    return 5 * np.sqrt(noise.var() * np.linalg.inv(columns.T @ columns)[0, 0])


@pytest.mark.thorough
@parses_dot
@copies_frames
@pytest.mark.parametrize("form", [to_gml, to_dot, to_networkx])
def test_dowhy_finds_the_true_effect(form, truth, data, posterior, best):
    from dowhy import CausalModel

    model = CausalModel(data=data, treatment=DOSE, outcome=OUTCOME, graph=form(best, posterior))
    estimand = model.identify_effect(proceed_when_unidentifiable=True)
    estimate = model.estimate_effect(estimand, method_name="backdoor.linear_regression").value
    allowed = tolerance(data, DOSE, OUTCOME, [AGE])
    assert estimate == pytest.approx(WEIGHTS[DOSE, OUTCOME], abs=allowed)
    # Without the confounder, which the graph tells it of, it would be far off.
    alone = np.cov(data[DOSE], data[OUTCOME])[0, 1] / data[DOSE].var()
    assert abs(alone - WEIGHTS[DOSE, OUTCOME]) > 5 * allowed


@pytest.mark.thorough
def test_dowhy_reads_names_of_any_kind_from_gml():
    from dowhy.causal_graph import CausalGraph

    graph = nx.DiGraph(
        [('the "real" α', "a.dot"), ("a.dot", "graph {b}"), ("back\\", "graph {b}"), ("x.txt", "back\\")]
    )
    read = CausalGraph("a.dot", "graph {b}", graph=to_gml(graph), observed_node_names=list(graph))
    assert set(read._graph.edges) == set(graph.edges)


def test_pgmpy_fits_weights_to_our_structure(data, best):
    network = to_pgmpy(best)
    network.fit(data)
    assert type(network).__name__ == "LinearGaussianBayesianNetwork"
    for factor in network.cpds:
        for cause, weight in zip(factor.evidence, factor.beta[1:], strict=True):
            others = [other for other in factor.evidence if other != cause]
            allowed = tolerance(data, cause, factor.variable, others)
            assert weight == pytest.approx(WEIGHTS[cause, factor.variable], abs=allowed)
    assert sum(len(factor.evidence) for factor in network.cpds) == len(WEIGHTS)


def test_pgmpy_fits_tables_to_our_structure(data, best):
    states = (data > data.mean()).astype(int)
    network = to_pgmpy(best, "discrete")
    network.fit(states)
    assert network.check_model()
    table = network.get_cpds(PRICE).values
    assert table[1] == pytest.approx(states[PRICE].mean())


def test_causal_learn_has_arrows_and_undirected_edges():
    graph = nx.DiGraph([("a", "c"), ("b", "c"), ("x", "y")])
    dag = to_causal_learn(graph)
    assert dag.get_node_names() == list(graph)
    assert {str(edge) for edge in dag.get_graph_edges()} == {"a --> c", "b --> c", "x --> y"}
    essential = to_causal_learn(osp.metrics.cpdag(graph))
    assert {str(edge) for edge in essential.get_graph_edges()} == {"a --> c", "b --> c", "x --- y"}


def test_causal_learn_compares_its_graphs_with_ours(data, best):
    from causallearn.graph.SHD import SHD
    from causallearn.search.ConstraintBased.PC import pc

    found = pc(data.to_numpy(), alpha=0.001, node_names=list(data.columns), show_progress=False).G
    assert SHD(to_causal_learn(osp.metrics.cpdag(best.graph)), found).get_shd() == 0


@copies_frames
def test_a_polars_frame_leads_to_the_same_effect(data, best):
    from dowhy import CausalModel

    found = osp.learn(pl.from_pandas(data)).most_probable_graph()
    assert found.edges == best.edges
    effects = []
    for graph in (found, best):
        model = CausalModel(data=data, treatment=DOSE, outcome=OUTCOME, graph=to_gml(graph))
        estimand = model.identify_effect(proceed_when_unidentifiable=True)
        effects.append(model.estimate_effect(estimand, method_name="backdoor.linear_regression").value)
    assert effects[0] == effects[1]


@pytest.mark.parametrize("score", ["bge", "bdeu"])
def test_a_polars_frame_gives_the_same_answers(data, score):
    frame = data if score == "bge" else osp.load_asia().data[["smoke", "lung", "bronc", "dysp"]]
    by_pandas, by_polars = osp.learn(frame, score=score), osp.learn(pl.DataFrame(frame.to_dict("list")), score=score)
    assert by_polars.log_evidence == by_pandas.log_evidence
    assert by_polars.edge_probabilities().equals(by_pandas.edge_probabilities())
    assert by_polars.settings == by_pandas.settings


@pytest.fixture(scope="module")
def patients():
    return osp.load_asia().data[["smoke", "lung", "bronc", "dysp"]]


@pytest.fixture(scope="module")
def illness(patients):
    """The posterior of one graph, the most probable one."""
    posterior = osp.learn(patients, score=osp.scores.BDeu(4.0))
    return posterior.given(posterior.most_probable_graph().edges)


def fitted_by_pgmpy(illness, patients):
    from pgmpy.parameter_estimator import DiscreteBayesianEstimator

    network = to_pgmpy(illness.most_probable_graph(), "discrete")
    return network.fit(patients, DiscreteBayesianEstimator(prior_type="BDeu", equivalent_sample_size=4.0))


def test_pgmpy_finds_the_tables_behind_our_score(illness, patients):
    """A variable whose parents are all set has the row of its table for these levels."""
    network = fitted_by_pgmpy(illness, patients)
    rows = 0
    for name in patients.columns:
        factor = network.get_cpds(name)
        causes = factor.variables[1:]
        for place in np.ndindex(*factor.cardinality[1:].tolist()):
            do = {cause: factor.state_names[cause][level] for cause, level in zip(causes, place, strict=True)}
            ours = illness.interventional(name, do, n_graphs=2, rng=0)["mean"]
            theirs = pd.Series(factor.values[(slice(None), *place)], factor.state_names[name])
            np.testing.assert_allclose(ours[theirs.index], theirs, rtol=1e-10)
            rows += 1
    assert rows > len(patients.columns)


@loads_estimators
def test_pgmpy_finds_our_distributions_under_interventions(illness, patients):
    from pgmpy.inference import CausalInference

    network = fitted_by_pgmpy(illness, patients)
    pairs = [(cause, effect) for cause in network for effect in nx.descendants(network, cause)]
    assert pairs
    for cause, effect in pairs:
        for level in ("no", "yes"):
            factor = CausalInference(network).query([effect], do={cause: level}, show_progress=False)
            ours = illness.interventional(effect, {cause: level}, n_graphs=2, rng=0)["mean"]
            np.testing.assert_allclose(ours[factor.state_names[effect]], factor.values, rtol=1e-10)


class Structure(nx.DiGraph):
    """What both classes of pgmpy are beneath."""


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (["DiscreteBayesianNetwork", "BayesianNetwork"], "DiscreteBayesianNetwork"),
        (["BayesianNetwork"], "BayesianNetwork"),
    ],
)
def test_old_names_of_pgmpy_are_known(monkeypatch, offered, chosen):
    models = types.ModuleType("pgmpy.models")
    for name in offered:
        setattr(models, name, type(name, (Structure,), {}))
    monkeypatch.setitem(sys.modules, "pgmpy", types.ModuleType("pgmpy"))
    monkeypatch.setitem(sys.modules, "pgmpy.models", models)
    network = to_pgmpy(pd.DataFrame([[0, 1], [0, 0]], index=["a", "b"], columns=["a", "b"]), "discrete")
    assert type(network).__name__ == chosen
    assert list(network.edges) == [("a", "b")]


def test_pgmpy_gets_no_cycles():
    with pytest.raises(InvalidType, match="both directions between 'a' and 'b'"):
        to_pgmpy(nx.DiGraph([("a", "b"), ("b", "a")]))
    with pytest.raises(InvalidValue, match="the cycle"):
        to_pgmpy(nx.DiGraph([("a", "b"), ("b", "c"), ("c", "a")]))
    with pytest.raises(InvalidValue, match="kind must be one of 'gaussian', 'discrete'"):
        to_pgmpy(nx.DiGraph([("a", "b")]), "other")


@pytest.mark.parametrize(
    ("function", "module", "command"),
    [
        (to_pgmpy, "pgmpy.models", "pip install pgmpy"),
        (to_causal_learn, "causallearn.graph.GraphNode", "pip install causal-learn"),
        (lambda _: to_xarray(drawn()), "xarray", "pip install xarray"),
        (lambda _: to_arviz(drawn()), "xarray", "pip install xarray"),
    ],
)
def test_a_missing_client_is_named_with_the_command_that_installs_it(monkeypatch, function, module, command):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=command):
        function(nx.DiGraph([("a", "b")]))


def drawn():
    return osp.GraphSamples(["a", "b"], np.zeros((1, 2, 2), dtype=bool), np.zeros((1, 2), dtype=np.int64))
