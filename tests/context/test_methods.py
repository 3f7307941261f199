"""Context variables with every method, with outsiders, and with many of them."""

import numpy as np
import pytest

import orderspn as osp
from context.cases import case_of, masks_of
from helpers.chi_square import THRESHOLD, chi_square_p
from helpers.data import gaussian_data, letters
from orderspn.core.workers import Workers
from orderspn.leaves.context import context_first
from orderspn.leaves.family import Family
from orderspn.search.context_edges import context_edges
from reference.context import enumerated
from reference.local_scores import local_scores

M = osp.methods
CLOSE = {"rtol": 0, "atol": 1e-9}


@pytest.fixture(scope="module")
def case():
    return case_of("numbers")


def learned(case, method, **more):
    return osp.learn(case.data, context=case.context_names, method=method, **case.arguments, **more)


COMPLETE = {
    "one block": M.Trust(block_size=3),
    "all partitions": M.Trust(expansion=[3], block_size=2, weights="elbo"),
    "the paper's": M.Trust(oracle="enumeration", expansion=[3, 2], block_size=1, weights="elbo"),
}


@pytest.mark.parametrize("name", COMPLETE)
def test_circuits_of_all_orders_are_exact(case, name):
    circuit = learned(case, COMPLETE[name])
    np.testing.assert_allclose(circuit.edge_probabilities(), case.pairs.edge_probabilities(), **CLOSE)
    np.testing.assert_allclose(circuit.causal_effects(), case.pairs.effects(case.mean_weights), **CLOSE)
    assert circuit.log_evidence == pytest.approx(case.pairs.log_evidence, abs=1e-9)
    assert circuit.coverage().share == pytest.approx(1.0)
    assert circuit.most_probable_graph().log_score == pytest.approx(case.pairs.best_log_weight(), abs=1e-9)
    assert circuit.best_graph(rng=0).log_score == pytest.approx(case.pairs.best_log_weight(), abs=1e-9)
    draws = circuit.sample(2000, rng=3)
    pairs = zip(map(tuple, draws.orders.tolist()), masks_of(draws.adjacency), strict=True)
    assert chi_square_p(pairs, case.pairs.pair_probabilities()) > THRESHOLD


@pytest.mark.thorough
@pytest.mark.parametrize("candidates", ["auto", 2])
def test_circuits_of_sampled_orders(case, candidates):
    circuit = learned(case, M.Trust(block_size=2, n_orders=400), candidates=candidates)
    places = {name: v for v, name in enumerate(case.names)}
    chosen = {places[child]: [places[c] for c in causes] for child, causes in circuit.candidates.items()}
    outsiders = circuit.settings["outsiders"]
    truth = enumerated(local_scores(case.values, candidates=chosen, outsiders=outsiders), case.context)
    off = (circuit.edge_probabilities() - truth.edge_probabilities()).abs()
    errors = circuit.edge_standard_errors()
    assert (errors[case.context_names] == 0.0).all(axis=None)
    assert (off <= 5 * errors + 1e-9).all(axis=None)
    given = f"{case.context_names[0]} -> {case.names[case.explained[0]]}"
    assert 0.0 < circuit.probability(given) < 1.0
    assert circuit.standard_error(given) > 0.0


@pytest.mark.thorough
def test_gadget(case):
    sampled = learned(case, M.Gadget(n_graphs=4000, effort=0.3))
    np.testing.assert_allclose(sampled.edge_probabilities(), case.dags.edge_probabilities(), atol=0.06)
    assert (sampled.edge_probabilities()[case.context_names] == 0.0).all(axis=None)
    assert sampled.most_probable_graph().log_score == pytest.approx(case.dags.log_best, abs=1e-6)


@pytest.mark.thorough
def test_dibs(case):
    pytest.importorskip("jax")
    particles = learned(case, M.DiBS(n_particles=5, effort=0.02))
    edges = particles.edge_probabilities()
    assert edges.shape == (5, 5)
    assert (edges[case.context_names] == 0.0).all(axis=None)
    assert particles.context == case.context_names


@pytest.mark.parametrize("at_once", [1, 2])
def test_outsiders_may_be_context(at_once):
    """Two candidates, and others beside them: one of everything that was left out."""
    values, context = gaussian_data(5, 40, seed=11), (0, 3)
    posterior = osp.learn(
        values,
        variables=letters(5),
        context=["A", "D"],
        candidates=1,
        method=M.Exact(outsiders=at_once),
        standardize=False,
    )
    candidates = {v: [letters(5).index(c) for c in posterior.candidates[name]] for v, name in enumerate(letters(5))}
    truth = enumerated(local_scores(values, candidates=candidates, outsiders=at_once), context)
    np.testing.assert_allclose(posterior.edge_probabilities(), truth.edge_probabilities(), **CLOSE)
    assert posterior.log_evidence == pytest.approx(truth.log_evidence, abs=1e-9)
    once = osp.learn(
        values,
        variables=letters(5),
        context=["A", "D"],
        candidates=1,
        method=M.Exact(outsiders=at_once, target="dag"),
        standardize=False,
    )
    roots = osp.learn(
        values,
        variables=letters(5),
        knowledge=osp.Knowledge(roots=["A", "D"]),
        candidates={name: posterior.candidates[name] for name in letters(5)},
        method=M.Exact(outsiders=at_once, target="dag"),
        standardize=False,
    )
    np.testing.assert_allclose(once.edge_probabilities(), roots.edge_probabilities(), **CLOSE)


def test_edges_from_context_given_an_order():
    """By definition: one minus the share of the mass of the parent sets without the cause."""
    values, names = gaussian_data(5, 40, seed=12), letters(5)
    posterior = osp.learn(
        values, variables=names, context=["A", "D"], candidates=1, method=M.Exact(outsiders=1), standardize=False
    )
    families = posterior.model.families
    orders = context_first(np.array([[1, 2, 4], [4, 2, 1]]), 5)
    found = context_edges(orders, families, Workers())
    for child in (1, 2, 4):
        expected = np.zeros(5)
        for order in orders.tolist():
            before = set(order[: order.index(child)])
            sets = [set(families[child].members(s).tolist()) for s in range(families[child].log_score.size)]
            weights = np.array(
                [
                    np.exp(w) if members <= before else 0.0
                    for members, w in zip(sets, families[child].log_score, strict=True)
                ]
            )
            for cause in (0, 3):
                inside = np.array([cause in members for members in sets])
                expected[cause] += weights[inside].sum() / weights.sum() / 2
        np.testing.assert_allclose(found[:, child], expected, atol=1e-9)


def simulated(n_explained, n_context, rows=300):
    rng = np.random.default_rng(0)
    context = rng.normal(size=(rows, n_context))
    explained = rng.normal(size=(rows, n_explained))
    for j in range(n_explained):
        explained[:, j] += context[:, j] - context[:, -1 - j]
        if j:
            explained[:, j] += 0.8 * explained[:, j - 1]
    names = [f"C{k}" for k in range(n_context)], [f"X{k}" for k in range(n_explained)]
    return np.hstack([context, explained]), *names


class TestManyContextVariables:
    def test_all_explained_are_candidates_where_they_are_few(self):
        values, context, explained = simulated(4, 40)
        posterior = osp.learn(values, variables=[*context, *explained], context=context, candidates=8)
        assert posterior.settings["candidates"] == 8
        assert posterior.settings["explained_candidates"] == "all"
        for name in explained:
            assert set(explained) - {name} < set(posterior.candidates[name])
            assert len(posterior.candidates[name]) == 8
        assert all(posterior.candidates[name] == [] for name in context)
        edges = posterior.edge_probabilities()
        assert min(edges.loc[f"C{j}", f"X{j}"] for j in range(4)) > 0.99
        assert min(edges.loc[f"X{j - 1}", f"X{j}"] for j in range(1, 4)) > 0.99

    @pytest.mark.thorough
    def test_they_are_chosen_where_they_are_many(self):
        values, context, explained = simulated(12, 40)
        posterior = osp.learn(values, variables=[*context, *explained], context=context, candidates=10)
        assert posterior.settings["method"] == "exact"
        assert posterior.settings["explained_candidates"] == "chosen"
        edges = posterior.edge_probabilities()
        assert min(edges.loc[f"C{j}", f"X{j}"] for j in range(12)) > 0.9
        assert "context variables    40" in str(posterior.summary())

    @pytest.mark.thorough
    def test_limits_count_explained_variables(self):
        values, context, explained = simulated(3, 60)
        posterior = osp.learn(values, variables=[*context, *explained], context=context, candidates=6)
        assert posterior.settings["method"] == "exact"
        assert posterior.size.log_number_of_orders == pytest.approx(np.log(6))
        once = osp.learn(
            values,
            variables=[*context, *explained],
            context=context,
            candidates=6,
            method=M.Auto(target="dag"),
        )
        assert once.settings["method"] == "exact"
        roots = posterior.sample(500, rng=0, target="dag").edge_frequencies()
        assert np.abs(roots - once.edge_probabilities().to_numpy()).max() < 0.15

    @pytest.mark.exhaustive
    def test_twenty_explained_and_two_hundred_in_context(self):
        values, context, explained = simulated(20, 200, rows=1000)
        posterior = osp.learn(values, variables=[*context, *explained], context=context)
        assert posterior.settings["method"] == "exact"
        edges = posterior.edge_probabilities()
        assert min(edges.loc[f"C{j}", f"X{j}"] for j in range(20)) > 0.9

    @pytest.mark.thorough
    def test_searching_methods_refine_candidates_among_them(self):
        values, context, explained = simulated(6, 40)
        for method in (M.Trust(n_orders=64, block_size=3, effort=0.2), M.Gadget(n_graphs=200, effort=0.05)):
            posterior = osp.learn(
                values, variables=[*context, *explained], context=context, candidates=5, method=method
            )
            assert all(f"C{j}" in posterior.candidates[f"X{j}"] for j in range(6))
            edges = posterior.edge_probabilities()
            assert min(edges.loc[f"C{j}", f"X{j}"] for j in range(6)) > 0.9
            assert 0.0 <= posterior.settings["lost_share"] < 0.5


def test_marked_families_come_first():
    nothing = np.empty(0, dtype=np.int64)
    families = [Family(0, np.array([1]), np.zeros(2)), Family(1, nothing, np.zeros(1), is_context=True)]
    from orderspn.lattice.exact_orders import ExactOrders

    orders = ExactOrders.over_all(families, Workers())
    assert (orders.before.tolist(), orders.variables.tolist()) == ([1], [0])
    assert orders.log_mass == pytest.approx(np.log(2.0))


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:.*independent searches|only one of")  # that is little on a busy machine
@pytest.mark.parametrize("method", ["trust", "gadget"])
def test_time_limits(method):
    values, context, explained = simulated(8, 30)
    posterior = osp.learn(
        values, variables=[*context, *explained], context=context, method=method, time_limit=0.6, check=False
    )
    assert posterior.settings["time_limit_reached"]
    assert posterior.edge_probabilities().loc["C3", "X3"] > 0.5


def test_estimator():
    values, context, explained = simulated(3, 4)
    model = osp.OrderSPN(context=["x0", "x1"], variables=[f"x{k}" for k in range(7)], check=False)
    assert model.get_params()["context"] == ["x0", "x1"]
    fitted = model.fit(values)
    assert fitted.posterior_.context == ["x0", "x1"]
    assert np.isfinite(fitted.score(values))
    assert len(context) + len(explained) == 7


def test_the_default_number_of_graphs_counts_all_variables():
    gadget = M.Auto(target="dag").resolved_beside(400, 20, 2**30)
    assert gadget.n_graphs == M.Gadget().resolved(420, 2**30).n_graphs < M.Gadget().resolved(20, 2**30).n_graphs
    assert M.Trust().resolved_beside(400, 20, 2**30) == M.Trust().resolved(20, 2**30)
