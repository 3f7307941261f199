"""Every query of mixtures over four variables against the list of all that their components are made of."""

import itertools
import math

import numpy as np
import pytest

import orderspn as osp
from helpers.chi_square import THRESHOLD, chi_square_p
from helpers.mixtures import MAKERS, NAMES, WITH_ORDERS, case
from models.all_dags import masks_of
from orderspn.core.dag import all_dags

EVIDENCE = {
    "none": {},
    "edge": {"present": [(0, 1)]},
    "edges": {"present": [(1, 3)], "absent": [(2, 3), (0, 2)]},
    "neighbours": {"adjacent": [(0, 2)], "absent": [(1, 0)]},
}
ORDERED = {
    "constraint": {"before": [(0, 2)]},
    "constraints and an edge": {"before": [(3, 1), (1, 0)], "present": [(3, 0)]},
}
EVENTS = [
    {"present": [(1, 2)]},
    {"absent": [(3, 2)], "present": [(0, 3)]},
    {"present": [(0, 1), (1, 2)], "absent": [(0, 2)]},
    {"present": [(0, 1), (1, 0)]},
    {"adjacent": [(1, 3), (0, 2)]},
]


def edges(indices):
    return osp.Edges(**{kind: [(NAMES[i], NAMES[j]) for i, j in pairs] for kind, pairs in indices.items()})


def questions(name):
    """The posterior and the list under each piece of evidence that they allow."""
    mixture, brute = case(name).mixture, case(name).brute
    for evidence in (EVIDENCE | (ORDERED if name in WITH_ORDERS else {})).values():
        if brute.probability(**evidence) > 0.0:
            yield (mixture.given(edges(evidence)), brute.given(**evidence)) if evidence else (mixture, brute)


@pytest.fixture(scope="module", params=MAKERS)
def asked(request):
    found = list(questions(request.param))
    assert len(found) >= 3
    return found


def test_weights(asked):
    for posterior, brute in asked:
        np.testing.assert_allclose(posterior.weights, brute.weights(len(posterior.components)), rtol=0, atol=1e-9)


def test_probabilities(asked):
    for posterior, brute in asked:
        for event in EVENTS:
            expected = brute.probability(**event)
            assert posterior.probability(edges(event)) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_edges(asked):
    for posterior, brute in asked:
        frame = posterior.edge_probabilities()
        assert list(frame.index) == list(frame.columns) == NAMES
        np.testing.assert_allclose(frame, brute.edge_probabilities(), rtol=0, atol=1e-9)


def test_parent_sets(asked):
    for posterior, brute in asked:
        for child, name in enumerate(NAMES):
            table = posterior.parent_sets(name)
            found = {frozenset(NAMES.index(p) for p in names): q for names, q in table.itertuples(index=False)}
            expected = brute.parent_sets(child)
            assert all(found[parents] == pytest.approx(q, abs=1e-9) for parents, q in expected.items())
            assert sum(found.values()) == pytest.approx(1.0, abs=1e-9)
            assert table["probability"].is_monotonic_decreasing
            assert all(list(names) == sorted(names) for names in table["parents"])
            assert posterior.parent_sets(name, top=2).equals(table.head(2))


def test_probabilities_of_single_graphs(asked):
    for posterior, brute in asked:
        expected = brute.graph_probabilities()
        graphs = all_dags(4)
        found = np.exp(posterior.model.log_weights_of(graphs))
        np.testing.assert_allclose(found, [expected.get(masks, 0.0) for masks in masks_of(graphs)], rtol=0, atol=1e-9)


def test_most_probable_graph(asked):
    """It is the best of the components' best; its probability is exact."""
    for posterior, brute in asked:
        ordered = posterior.model.target == "order"
        of = brute.pair_probabilities() if ordered else brute.graph_probabilities()

        def key(best, ordered=ordered):
            masks = tuple(sum(1 << NAMES.index(c) for c in best.graph.predecessors(name)) for name in NAMES)
            return (tuple(NAMES.index(name) for name in best.order), masks) if ordered else masks

        best = posterior.most_probable_graph()
        assert math.exp(best.log_probability) == pytest.approx(of[key(best)], rel=1e-9)
        parts = zip(posterior.weights, posterior.components, strict=True)
        candidates = [key(part.most_probable_graph()) for weight, part in parts if weight > 0.0]
        assert of[key(best)] == pytest.approx(max(of[candidate] for candidate in candidates), rel=1e-9)


@pytest.mark.thorough
def test_best_graph_satisfies_the_evidence(asked):
    for posterior, brute in asked:
        added = {"absent": [(2, 1)]}
        if not brute.probability(**added):
            continue
        best = posterior.best_graph(given=edges(added))
        assert not best.graph.has_edge("C", "B")
        masks = tuple(sum(1 << NAMES.index(c) for c in best.graph.predecessors(name)) for name in NAMES)
        assert brute.given(**added).graph_probabilities()[masks] > 0.0


@pytest.mark.thorough
def test_samples(asked):
    for posterior, brute in asked:
        samples = posterior.sample(4000, rng=7)
        assert chi_square_p(masks_of(samples.adjacency), brute.graph_probabilities()) > THRESHOLD
        places = np.argsort(samples.orders, axis=1)
        assert (places[:, :, None] < places[:, None, :])[samples.adjacency].all()


@pytest.mark.thorough
def test_draws_of_neighbouring_places_are_independent(asked):
    """Components are shuffled: the first half is like the second."""
    posterior, brute = asked[0]
    drawn = masks_of(posterior.sample(4000, rng=3).adjacency)
    for half in (drawn[:2000], drawn[2000:]):
        assert chi_square_p(half, brute.graph_probabilities()) > THRESHOLD


@pytest.mark.parametrize("name", WITH_ORDERS)
def test_orders(name):
    for posterior, brute in questions(name):
        frame = posterior.precedence()
        np.testing.assert_allclose(frame, brute.precedence(), rtol=0, atol=1e-9)
        for order in list(itertools.permutations(range(4)))[::5]:
            pairs = list(itertools.pairwise(order))
            event = osp.Edges(before=[(NAMES[i], NAMES[j]) for i, j in pairs])
            assert posterior.probability(event) == pytest.approx(brute.probability(before=pairs), abs=1e-9)


@pytest.mark.parametrize("name", WITH_ORDERS)
def test_orders_of_samples(name):
    brute = case(name).brute
    orders = list(map(tuple, case(name).mixture.sample(3000, rng=5).orders.tolist()))
    expected = {}
    for (order, _), q in brute.pair_probabilities().items():
        expected[order] = expected.get(order, 0.0) + q
    assert chi_square_p(orders, expected) > THRESHOLD


@pytest.mark.parametrize("name", [name for name in MAKERS if name != "dags and circuit"])
def test_effects(name):
    for posterior, brute in itertools.islice(questions(name), 3):
        expected = brute.effects(case(name).mean_weights)
        np.testing.assert_allclose(posterior.causal_effects(), expected, rtol=0, atol=1e-9)


@pytest.mark.thorough
def test_estimated_and_drawn_effects(asked):
    posterior, brute = asked[1]
    expected = brute.effects(case_of(posterior).mean_weights)
    estimate = posterior.estimate_effects(2000, rng=2)
    error = np.nan_to_num(estimate.standard_error.to_numpy(), nan=0.0)
    assert (np.abs(estimate.mean - expected) <= 5 * error + 0.02).to_numpy().all()
    drawn = posterior.effect_samples(4000, rng=2)
    deviation = drawn.values.std(axis=0)
    assert (error <= 0.5 * deviation + 1e-9).all()  # also where evidence leaves a dozen graphs of a sample
    spread = deviation / math.sqrt(4000)
    assert (np.abs(drawn.mean - expected) <= 5 * spread + 1e-9).to_numpy().all()


def test_the_error_of_an_estimate_is_that_of_all_draws_together():
    one = case("orders and circuit").parts[0].posterior
    error = osp.mix([one, one], "equal").estimate_effects(2000, rng=1).standard_error.to_numpy()
    expected = one.estimate_effects(2000, rng=2).standard_error.to_numpy()
    uncertain = expected > 1e-6
    np.testing.assert_allclose(error[uncertain], expected[uncertain], rtol=0.15)


def case_of(posterior):
    return next(c for c in map(case, MAKERS) if c.mixture.settings == posterior.settings)


def test_bounds_of_the_entropy():
    for name in WITH_ORDERS:
        for posterior, brute in questions(name):
            lower, upper = posterior.entropy_bounds()
            assert lower - 1e-9 <= brute.entropy(brute.pair_probabilities()) <= upper + 1e-9
            with pytest.raises(ValueError, match=rf"no closed form; it is between {lower:.6g} and {upper:.6g} nats"):
                posterior.entropy()


def test_the_upper_bound_is_reached_by_components_that_share_nothing():
    one = case("orders and circuit").parts[0].posterior
    apart = osp.mix([one.given("A -> B"), one.given("A !-> B")], [one.probability(e) for e in ("A -> B", "A !-> B")])
    assert apart.entropy_bounds()[1] == pytest.approx(one.entropy(), abs=1e-9)


def test_log_evidence_is_that_of_the_mean():
    mixed = case("two exact, by evidence")
    expected = np.logaddexp.reduce([part.log_evidence for part in mixed.parts]) - math.log(2)
    assert mixed.mixture.log_evidence == pytest.approx(expected, abs=1e-9)
    under = mixed.mixture.given("A -> B")
    assert under.log_evidence == pytest.approx(expected + math.log(mixed.mixture.probability("A -> B")), abs=1e-9)


def test_samples_for_the_other_target():
    """Each component is drawn for it, and keeps its weight."""
    mixed = case("orders, sample and nothing")
    samples = mixed.mixture.sample(6000, rng=1, target="dag")
    parts = mixed.parts
    dags = parts[2].posterior.edge_probabilities().to_numpy()  # what the first is if every graph counts once
    expected = 0.25 * dags + 0.75 * parts[1].posterior.edge_probabilities().to_numpy()
    np.testing.assert_allclose(samples.edge_frequencies(), expected, rtol=0, atol=0.03)
    assert samples.weights.sum() == pytest.approx(1.0)
    assert 3000 < samples.quality.effective_sample_size <= 6000


def test_total_variation():
    for name in MAKERS:
        brute, one = case(name).brute.graph_probabilities(), case("two exact, by evidence").brute.graph_probabilities()
        expected = sum(abs(brute.get(g, 0.0) - one.get(g, 0.0)) for g in {*brute, *one}) / 2
        other = case("two exact, by evidence").mixture
        assert osp.metrics.total_variation(case(name).mixture, other) == pytest.approx(expected, abs=1e-9)


def test_standard_errors_are_those_of_a_weighted_mean():
    mixed = case("samples")
    one, other = (part.posterior for part in mixed.parts)
    edges = [part.edge_probabilities() for part in (one, other)]
    # Of an edge that no draw has, or every one, the error is unknown.
    cause, effect = next(pair for pair in itertools.permutations("ABCD", 2) if all(0 < p.loc[pair] < 1 for p in edges))
    event = f"{cause} -> {effect}"
    expected = math.hypot(0.6 * one.standard_error(event), 0.4 * other.standard_error(event))
    assert 0.0 < mixed.mixture.standard_error(event) == pytest.approx(expected)
    errors = mixed.mixture.edge_standard_errors()
    assert errors.loc[cause, effect] == pytest.approx(expected)
    assert math.isnan(mixed.mixture.given("A -- C").standard_error(event))  # the weights are estimates then
    assert math.isnan(osp.mix([mixed.mixture.given("A -- C"), one], "equal").standard_error(event))
    assert case("two exact, by evidence").mixture.given("A -- C").standard_error(event) == 0.0
