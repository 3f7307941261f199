"""What data can identify, against brute force over all graphs of four variables, and against each other."""

import itertools
import math
import warnings
from functools import cache

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import orderspn as osp
from helpers.cases import NAMES, at_levels, both
from helpers.data import gaussian_data, letters
from helpers.mixtures import case as mixture_case
from orderspn.core.dag import all_dags
from orderspn.core.equivalence import essential_graphs
from orderspn.core.equivalent_dags import equivalent_dags
from orderspn.queries.consensus import PairLoss, least_loss_dag
from orderspn.queries.cpdag_consensus import JoinedPairs, least_loss_cpdag
from reference import metrics as reference
from reference.equivalence import all_dags as reference_dags
from reference.equivalence import colliders, cpdag_by_meek, equivalence_class

pytestmark = pytest.mark.kernels

CASES = at_levels(["fair", "all at once", "circuit of all orders, blocks", "part, sampled", "one outsider"])
EVIDENCE = {"nothing": {}, "an edge": {"present": [(0, 1)]}, "an edge that is absent": {"absent": [(1, 2)]}}


def as_text(present=(), absent=()):
    edges = [f"{NAMES[c]} -> {NAMES[e]}" for c, e in present] + [f"{NAMES[c]} !-> {NAMES[e]}" for c, e in absent]
    return ", ".join(edges) or None


def by_class(adjacency, p):
    """Probability of each class by its key."""
    found = {}
    for dag, share in zip(adjacency, p, strict=True):
        key = equivalence_class(dag)
        found[key] = found.get(key, 0.0) + share
    return found


def matrix(graph, names):
    return nx.to_numpy_array(graph, nodelist=names, dtype=bool)


@pytest.fixture(params=CASES)
def pair(request):
    return both(request.param)


@pytest.fixture(params=EVIDENCE)
def evidence(request):
    return EVIDENCE[request.param]


def conditioned(pair, evidence):
    brute = pair.brute.given(**evidence)
    if not len(brute.masks):
        pytest.skip("no graph has it")
    return pair.posterior, as_text(**evidence), brute


class TestAgainstAllGraphs:
    def test_neighbours(self, pair, evidence):
        posterior, text, brute = conditioned(pair, evidence)
        expected = np.einsum("p,pij->ij", brute.p, brute.adjacency | brute.adjacency.transpose(0, 2, 1))
        found = posterior.adjacency_probabilities(text)
        np.testing.assert_allclose(found, expected, atol=1e-9)
        assert (found.to_numpy() == found.to_numpy().T).all()
        assert (list(found.index), list(found.columns)) == (NAMES, NAMES)

    def test_classes(self, pair, evidence):
        posterior, text, brute = conditioned(pair, evidence)
        expected = by_class(brute.adjacency, brute.p)
        found = posterior.cpdags(top=1000, given=text)
        assert found.basis == "all graphs"
        assert len(found) == sum(share > 0 for share in expected.values())
        for one in found:
            dag = matrix(one.representative, NAMES)
            assert one.probability == pytest.approx(expected[equivalence_class(dag)], abs=1e-9)
            assert (matrix(one.graph, NAMES) == cpdag_by_meek(dag)).all()
        shares = [one.probability for one in found]
        assert shares == sorted(shares, reverse=True)

    def test_v_structures(self, pair, evidence):
        posterior, text, brute = conditioned(pair, evidence)
        expected = {}
        for dag, share in zip(brute.adjacency, brute.p, strict=True):
            for a, b, c in colliders(dag):
                expected[NAMES[a], NAMES[c], NAMES[b]] = expected.get((NAMES[a], NAMES[c], NAMES[b]), 0.0) + share
        found = posterior.v_structure_probabilities(text, min_probability=1e-6)
        for row in found.itertuples():
            assert row.probability == pytest.approx(expected[row.a, row.collider, row.b], abs=1e-9)
        assert len(found) == sum(share >= 1e-6 for share in expected.values())
        assert found["probability"].is_monotonic_decreasing

    @pytest.mark.parametrize(
        "loss",
        ["shd", pytest.param("shd-cpdag", marks=pytest.mark.exhaustive), {"extra": 3, "missing": 0.5}],
    )
    def test_the_consensus_has_the_smallest_expected_loss(self, pair, evidence, loss):
        posterior, text, brute = conditioned(pair, evidence)
        found = posterior.consensus(loss, text)
        dags = reference_dags(4)
        if loss == "shd-cpdag":
            graphs, weights = distinct(brute)
            of_graphs = np.array([cpdag_by_meek(dag) for dag in graphs])
            losses = [weights @ distances(of_graphs, cpdag_by_meek(dag), {}) for dag in dags]
        else:
            p = np.einsum("p,pij->ij", brute.p, brute.adjacency)
            losses = [expected_loss(p, dag, {} if loss == "shd" else loss) for dag in dags]
        assert found.optimal
        assert found.expected_loss == pytest.approx(min(losses), abs=1e-9)
        chosen = matrix(found.graph, NAMES)
        if loss == "shd-cpdag":
            assert any((cpdag_by_meek(dag) == chosen).all() for dag in dags)
        else:
            assert nx.is_directed_acyclic_graph(found.graph)
            assert expected_loss(p, chosen, {} if loss == "shd" else loss) == pytest.approx(found.expected_loss)
        assert found.lower_bound <= found.expected_loss


def distinct(brute):
    graphs, which = np.unique(brute.adjacency, axis=0, return_inverse=True)
    return graphs, np.bincount(which.ravel(), brute.p)


def distances(graphs, one, _):
    return np.array([reference.hamming(graph, one) for graph in graphs])


def expected_loss(p, dag, loss):
    total = 0.0
    for i, j in itertools.combinations(range(len(p)), 2):
        none = 1 - p[i, j] - p[j, i]
        if not (dag[i, j] or dag[j, i]):
            total += loss.get("missing", 1) * (p[i, j] + p[j, i])
        else:
            other = p[j, i] if dag[i, j] else p[i, j]
            total += loss.get("extra", 1) * none + loss.get("reversed", 1) * other
    return total


def test_losses_decide_how_many_edges_there_are():
    posterior = both("fair").posterior
    sizes = [len(posterior.consensus({"extra": x}).graph.edges) for x in (100, 1, 0)]
    assert sizes[0] < sizes[2]
    assert sizes == sorted(sizes)


class TestMembersOfClasses:
    def test_all_of_them_are_found(self):
        dags = reference_dags(4)
        keys = [equivalence_class(dag) for dag in dags]
        for dag, key in list(zip(dags, keys, strict=True))[::29]:
            members, _ = equivalent_dags(dag, 1000)
            assert {member.tobytes() for member in members} == {
                other.tobytes() for other, own in zip(dags, keys, strict=True) if own == key
            }
            assert len(members) == 1 or not equivalent_dags(dag, len(members) - 1)[1]
            assert equivalent_dags(dag, len(members))[1]

    @pytest.mark.parametrize("context", [[], [0], [3], [1, 2]])
    def test_with_context_they_are_those_with_the_same_parts(self, context):
        """What data given the context tell: the same neighbours and colliders, if context variables are joined."""
        dags = all_dags(4)
        dags = dags[~dags[:, :, context].any(axis=(1, 2))]
        joined = dags.copy()
        for a, b in itertools.combinations(context, 2):
            joined[:, a, b] = True
        classes = {}
        for place, graph in enumerate(joined):
            classes.setdefault(equivalence_class(graph), []).append(place)
        essential = essential_graphs(dags, context)
        for places in classes.values():
            assert (essential[places] == dags[places].any(axis=0)).all()
            members, _ = equivalent_dags(dags[places[0]], 1000, context)
            assert {m.tobytes() for m in members} == {dags[place].tobytes() for place in places}


@given(st.integers(0, 2**32 - 1))
def test_the_search_for_a_cpdag_is_near_the_best(seed):
    """Given a few graphs only, the search goes on from them; the best of all CPDAGs is at most a little better."""
    dags = all_dags(4)
    weights = np.random.default_rng(seed).dirichlet(np.full(len(dags), 0.02))
    pairs = JoinedPairs.of(essential_graphs(dags), weights)
    exact = least_loss_cpdag(pairs, dags, all_of_them=True)
    found = least_loss_cpdag(pairs, dags[np.argsort(-weights)[:6]])
    assert exact.optimal
    assert exact.expected_loss - 1e-9 <= found.expected_loss <= exact.expected_loss + 0.15
    assert found.lower_bound <= exact.expected_loss + 1e-9
    if found.optimal:
        assert found.expected_loss == pytest.approx(exact.expected_loss)


@given(st.integers(2, 4), st.integers(0, 2**32 - 1), st.floats(0.1, 4.0), st.floats(0.1, 4.0), st.floats(0.1, 4.0))
def test_the_dag_is_the_best_for_any_probabilities_and_losses(d, seed, extra, missing, reverse):
    dags = reference_dags(d)
    weights = np.random.default_rng(seed).dirichlet(np.full(len(dags), 0.1))
    p = np.einsum("n,nij->ij", weights, dags)
    loss = {"extra": extra, "missing": missing, "reversed": reverse}
    found = least_loss_dag(p, PairLoss(**loss), letters(d))
    assert found.expected_loss == pytest.approx(min(expected_loss(p, dag, loss) for dag in dags), abs=1e-7)


NAMES_7 = letters(7)


@cache
def seven(kind):
    methods = {
        "orders": osp.methods.Exact(),
        "dags": osp.methods.Exact(target="dag"),
        "circuit": osp.methods.Trust(n_orders=200, effort=0.1),
        "sample": osp.methods.Gadget(n_graphs=2000, effort=0.2),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # such short chains cannot agree
        return osp.learn(gaussian_data(7, 60, seed=4), variables=NAMES_7, method=methods[kind], n_jobs=1, rng=0)


class TestMoreVariables:
    @pytest.mark.parametrize("kind", ["orders", "dags"])
    def test_probabilities_are_exact_after_a_screen(self, kind):
        posterior = seven(kind)
        found = posterior.cpdags(top=4, rng=1)
        assert found.basis == "sampled, then exact"
        draws = posterior.sample(20_000, rng=3).adjacency
        keys = [m.tobytes() for m in essential_graphs(draws)]
        for one in found:
            share = keys.count(matrix(one.graph, NAMES_7).tobytes()) / len(keys)
            assert one.standard_error == 0.0
            assert one.probability == pytest.approx(share, abs=0.02)
            members, _ = equivalent_dags(matrix(one.representative, NAMES_7), 10_000)
            assert one.n_members == len(members)
        again = posterior.cpdags(top=4, rng=2)
        assert [one.probability for one in again] == pytest.approx([one.probability for one in found], abs=1e-12)

    @pytest.mark.parametrize("kind", ["circuit", "sample"])
    def test_shares_have_standard_errors(self, kind):
        one = seven(kind).cpdags(top=1)[0]
        assert 0.0 < one.standard_error < 0.2
        table = seven(kind).v_structure_probabilities(top=3)
        assert (table["standard_error"] > 0.0).all()
        found = seven(kind).consensus("shd-cpdag")
        assert 0.0 < found.standard_error < 1.0
        assert math.isnan(seven(kind).consensus().standard_error)

    @pytest.mark.parametrize("kind", ["orders", "dags", "circuit", "sample"])
    def test_v_structures_are_events(self, kind):
        posterior = seven(kind)
        given = "A -- B"
        for row in posterior.v_structure_probabilities(given, top=3, min_probability=0.05).itertuples():
            event = f"{row.a} -> {row.collider}, {row.b} -> {row.collider}, {row.a} !-- {row.b}"
            off = 5 * row.standard_error if kind == "circuit" else 1e-9
            assert row.probability == pytest.approx(posterior.probability(event, given), abs=off + 1e-9)

    def test_every_graph_may_count_once(self):
        weighted = seven("orders").cpdags(top=2, target="dag", n_samples=20_000)
        exact = {matrix(one.graph, NAMES_7).tobytes(): one.probability for one in seven("dags").cpdags(top=50)}
        for one in weighted:
            near = pytest.approx(exact[matrix(one.graph, NAMES_7).tobytes()], abs=5 * one.standard_error)
            assert one.probability == near
            assert one.standard_error > 0.0

    def test_large_classes_have_the_shares_of_draws(self, monkeypatch):
        exact = {frozenset(one.graph.edges): one.probability for one in seven("orders").cpdags(top=20)}
        monkeypatch.setattr("orderspn.models.class_shares.COUNTED_UP_TO", 0)
        found = seven("orders").cpdags(top=2)
        assert found.basis == "sampled graphs"
        for one in found:
            assert one.n_members is None or one.n_members == 1
            assert 0.0 < one.standard_error < 0.02
            near = pytest.approx(exact[frozenset(one.graph.edges)], abs=5 * one.standard_error)
            assert one.probability == near

    def test_many_classes_are_not_counted(self, monkeypatch):
        monkeypatch.setattr("orderspn.models.class_shares.LISTED_TOGETHER", 1)
        found = seven("orders").cpdags(top=3)
        assert found.basis == "sampled graphs"
        assert [one.n_members is None for one in found] == [False, True, True]

    def test_evidence_is_heeded(self):
        posterior = seven("orders")
        for one in posterior.cpdags(given="C -> A"):
            assert one.graph.has_edge("C", "A")
        assert posterior.consensus("shd-cpdag", "C -> A").graph.has_edge("C", "A")
        assert posterior.adjacency_probabilities("C -> A").loc["A", "C"] == pytest.approx(1.0)

    def test_the_loss_is_that_of_the_metrics(self):
        posterior = seven("orders")
        one = posterior.consensus()
        assert one.expected_loss == pytest.approx(osp.metrics.expected_shd(posterior, one.graph, "dag"), abs=1e-9)
        best = posterior.most_probable_graph().graph
        assert one.expected_loss <= osp.metrics.expected_shd(posterior, best, "dag") + 1e-9
        other = posterior.consensus("shd-cpdag", n_samples=500, rng=3)
        representative = posterior.cpdags(top=1)[0].representative
        samples = posterior.sample(500, rng=3)
        assert other.expected_loss <= osp.metrics.expected_shd(samples, representative) + 1e-9


@settings(max_examples=7)
@given(st.permutations(range(4)))
def test_names_decide_among_equals_not_the_order_of_columns(order):
    values = gaussian_data(4, 30, seed=9)
    plain = osp.learn(values, variables=NAMES, n_jobs=1)
    shuffled = osp.learn(values[:, order], variables=[NAMES[v] for v in order], n_jobs=1)
    assert set(plain.consensus().graph.edges) == set(shuffled.consensus().graph.edges)
    one, other = plain.cpdags(top=1)[0], shuffled.cpdags(top=1)[0]
    assert set(one.graph.edges) == set(other.graph.edges)
    assert one.probability == pytest.approx(other.probability)


@pytest.mark.parametrize("name", ["other order of columns", "dags and circuit", "samples"])
def test_mixtures_are_weighted_means(name):
    posterior = mixture_case(name).mixture
    expected = {}
    for weight, component in zip(posterior.weights, posterior.components, strict=True):
        for one in component.cpdags(top=1000):
            key = frozenset(one.graph.edges)
            expected[key] = expected.get(key, 0.0) + weight * one.probability
    found = {frozenset(one.graph.edges): one.probability for one in posterior.cpdags(top=1000)}
    assert found == pytest.approx({key: share for key, share in expected.items() if key in found})
    assert sum(found.values()) == pytest.approx(1.0)
    assert posterior.consensus().expected_loss >= posterior.consensus().lower_bound


def test_context_variables_are_causes():
    posterior = osp.learn(gaussian_data(6, 80, seed=2), variables=letters(6), context=["A", "D"], n_jobs=1)
    joined = posterior.adjacency_probabilities()
    assert joined.loc["A", "D"] == 0.0
    found = posterior.cpdags(top=3)
    assert found.basis == "sampled, then exact"
    for one in found:
        assert not any(effect in ("A", "D") for _, effect in one.graph.edges)
    table = posterior.v_structure_probabilities(min_probability=0.0)
    assert not ((table["a"] == "A") & (table["b"] == "D")).any()
    assert not table["collider"].isin(["A", "D"]).any()
    consensus = posterior.consensus("shd-cpdag")
    assert not any(effect in ("A", "D") for _, effect in consensus.graph.edges)


def test_what_is_shown():
    posterior = both("fair").posterior
    found = posterior.cpdags(top=2)
    assert len(found) == len(found[:]) == len(found.to_frame()) == 2
    assert f"{found[0].probability:.4f}" in repr(found)
    assert "Equivalence classes" in found._repr_html_()
    assert repr(found[0]).startswith("<EquivalenceClass: probability")
    one = posterior.consensus()
    assert "expected loss (shd)" in repr(one)
    assert "Consensus graph" in one._repr_html_()
    probabilities = posterior.edge_probabilities()
    for cause, effect, probability in one.graph.edges(data="probability"):
        assert probability == probabilities.loc[cause, effect]


WRONG = {
    "top": (lambda p: p.cpdags(top=0), "top must be an integer at least 1; got 0"),
    "top of v-structures": (lambda p: p.v_structure_probabilities(top=0), "top must be an integer at least 1"),
    "least": (lambda p: p.v_structure_probabilities(min_probability=2), "min_probability must be a number from 0 to 1"),
    "target": (lambda p: p.cpdags(target="order2"), "target must be one of 'dag'"),
    "draws": (lambda p: p.consensus(n_samples=0), "n_samples must be an integer at least 1"),
    "loss": (lambda p: p.consensus("hamming"), "loss must be 'shd', 'shd-cpdag', or a mapping.*; got 'hamming'"),
    "kind of loss": (lambda p: p.consensus(3), "loss must be .*; got 3 of type int"),
    "name in a loss": (lambda p: p.consensus({"more": 1}), "'extra', 'missing', 'reversed'; got 'more'"),
    "negative loss": (lambda p: p.consensus({"extra": -1}), "at least 0; got -1 for 'extra'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(name):
    call, message = WRONG[name]
    with pytest.raises((ValueError, TypeError), match=message):
        call(both("fair").posterior)


def test_evidence_of_ancestors():
    posterior = both("fair").posterior
    found = posterior.cpdags(top=1000, given="A ~> B")
    assert found.basis == "listed graphs"
    assert sum(one.probability for one in found) == pytest.approx(1.0)
    joint = sum(
        share
        for dag, share in zip(both("fair").brute.adjacency, both("fair").brute.p, strict=True)
        if nx.has_path(nx.from_numpy_array(dag, create_using=nx.DiGraph), 0, 1) and dag[0, 2] | dag[2, 0]
    )
    expected = joint / posterior.probability("A ~> B")
    assert posterior.adjacency_probabilities("A ~> B").loc["A", "C"] == pytest.approx(expected, abs=0.05)
