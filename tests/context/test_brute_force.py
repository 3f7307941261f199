"""Every query of a posterior with context variables against a list of all (order, graph) pairs."""

import numpy as np
import pytest

import orderspn as osp
from context.cases import CASES, case_of, masks_of
from helpers.chi_square import THRESHOLD, chi_square_p

CLOSE = {"rtol": 0, "atol": 1e-9}


@pytest.fixture(scope="module", params=CASES)
def case(request):
    return case_of(request.param)


@pytest.fixture(scope="module")
def posterior(case):
    return osp.learn(case.data, context=case.context_names, **case.arguments)


@pytest.fixture(scope="module")
def evidence(case):
    """An edge from context, an edge among explained variables and an absent edge, as far as there are any."""
    context, explained = case.context, case.explained
    present = [(context[0], explained[-1])]
    absent = [(context[-1], explained[0])]
    if len(explained) > 1:
        present.append((explained[0], explained[1]))
    return present, absent


def named(case, pairs):
    return [(case.names[a], case.names[b]) for a, b in pairs]


@pytest.fixture(scope="module")
def given(case, evidence):
    return osp.Edges(*(named(case, pairs) for pairs in evidence))


def test_names(case, posterior):
    assert posterior.context == case.context_names
    assert posterior.explained == [case.names[v] for v in case.explained]
    assert posterior.variables == case.names
    assert posterior.settings["context"] == case.context_names


def test_log_evidence_leaves_out_the_context(case, posterior, evidence, given):
    assert posterior.log_evidence == pytest.approx(case.pairs.log_evidence, abs=1e-9)
    expected = case.pairs.given(*evidence).log_evidence
    assert posterior.given(given).log_evidence == pytest.approx(expected, abs=1e-9)


def test_edges(case, posterior, evidence, given):
    np.testing.assert_allclose(posterior.edge_probabilities(), case.pairs.edge_probabilities(), **CLOSE)
    np.testing.assert_allclose(
        posterior.edge_probabilities(given), case.pairs.given(*evidence).edge_probabilities(), **CLOSE
    )
    assert (posterior.edge_probabilities()[case.context_names] == 0.0).all(axis=None)


def test_probability(case, posterior, evidence, given):
    assert posterior.probability(given) == pytest.approx(case.pairs.probability(*evidence), abs=1e-9)
    one, other = case.context[0], case.explained[0]
    event = f"{case.names[one]} -> {case.names[other]}"
    conditioned = case.pairs.given(*evidence)
    assert posterior.probability(event, given) == pytest.approx(conditioned.probability([(one, other)]), abs=1e-9)
    both = f"{case.names[one]} -- {case.names[other]}"
    assert posterior.probability(both) == pytest.approx(posterior.probability(event), abs=1e-12)
    assert posterior.probability(f"{case.names[other]} !-> {case.names[one]}") == 1.0


def test_parent_sets(case, posterior, evidence, given):
    for condition, pairs in ((None, case.pairs), (given, case.pairs.given(*evidence))):
        for child in case.explained:
            expected = {
                tuple(case.names[v] for v in sorted(parents)): p for parents, p in pairs.parent_sets(child).items()
            }
            table = posterior.parent_sets(case.names[child], condition)
            found = dict(zip(table["parents"], table["probability"], strict=True))
            assert found.keys() == expected.keys()
            assert all(found[parents] == pytest.approx(expected[parents], abs=1e-9) for parents in expected)
    of_context = posterior.parent_sets(case.context_names[0])
    assert of_context["parents"].tolist() == [()]
    assert of_context["probability"].tolist() == [1.0]


def test_most_probable_graph(case, posterior, evidence, given):
    for condition, pairs in ((None, case.pairs), (given, case.pairs.given(*evidence))):
        best = posterior.most_probable_graph(condition)
        assert best.log_score == pytest.approx(pairs.best_log_weight(), abs=1e-9)
        expected = pairs.best_log_weight() - pairs.log_evidence
        assert best.log_probability == pytest.approx(expected, abs=1e-9)
        assert best.order[: len(case.context)] == case.context_names
        assert sorted(best.order) == sorted(case.names)
        assert posterior.probability(best.edges, condition) > 0.0


def test_precedence_and_entropy(case, posterior):
    expected = case.pairs.precedence()
    expected[np.ix_(case.context, case.context)] = 0.0  # not ordered among each other
    np.testing.assert_allclose(posterior.precedence(), expected, **CLOSE)
    assert posterior.entropy() == pytest.approx(case.pairs.entropy(), abs=1e-9)


def test_effects(case, posterior, evidence, given):
    if case.kind == "categories":
        with pytest.raises(osp.UserError):
            posterior.causal_effects()
        return
    np.testing.assert_allclose(posterior.causal_effects(), case.pairs.effects(case.mean_weights), **CLOSE)
    conditioned = case.pairs.given(*evidence).effects(case.mean_weights)
    np.testing.assert_allclose(posterior.causal_effects(given), conditioned, **CLOSE)
    into = posterior.causal_effects()[case.context_names].to_numpy()
    np.testing.assert_array_equal(into, np.eye(case.d)[:, case.context])
    estimate = posterior.estimate_effects(200, rng=0)
    off = (estimate.mean - posterior.causal_effects()).abs() - 6 * estimate.standard_error
    assert (off < 1e-9).all(axis=None)


def test_samples(case, posterior):
    samples = posterior.sample(4000, rng=7)
    np.testing.assert_array_equal(samples.orders[:, : len(case.context)], np.tile(case.context, (4000, 1)))
    draws = zip(map(tuple, samples.orders.tolist()), masks_of(samples.adjacency), strict=True)
    assert chi_square_p(draws, case.pairs.pair_probabilities()) > THRESHOLD


@pytest.mark.thorough
def test_weighted_samples_count_graphs_once(case, posterior):
    samples = posterior.sample(4000, rng=8, target="dag")
    np.testing.assert_allclose(samples.edge_frequencies(), case.dags.edge_probabilities(), atol=0.06)


@pytest.fixture(scope="module")
def once(case):
    method = osp.methods.Exact(target="dag")
    return osp.learn(case.data, context=case.context_names, method=method, **case.arguments)


class TestGraphsCountedOnce:
    def test_sums(self, case, once):
        assert once.log_evidence == pytest.approx(case.dags.log_mass, abs=1e-9)
        np.testing.assert_allclose(once.edge_probabilities(), case.dags.edge_probabilities(), **CLOSE)
        assert once.most_probable_graph().log_score == pytest.approx(case.dags.log_best, abs=1e-9)

    def test_knowledge_of_roots_is_the_same(self, case, once, given):
        roots = osp.Knowledge(roots=case.context_names)
        other = osp.learn(case.data, knowledge=roots, method=osp.methods.Exact(target="dag"), **case.arguments)
        np.testing.assert_allclose(once.edge_probabilities(given), other.edge_probabilities(given), **CLOSE)
        assert once.probability(given) == pytest.approx(other.probability(given), abs=1e-9)
        for name in case.names:
            one, two = once.parent_sets(name, given), other.parent_sets(name, given)
            found, expected = (dict(zip(t["parents"], t["probability"], strict=True)) for t in (one, two))
            assert found == pytest.approx(expected, abs=1e-9)

    def test_samples(self, case, once):
        samples = once.sample(4000, rng=9)
        assert chi_square_p(masks_of(samples.adjacency), case.dags.graph_probabilities()) > THRESHOLD


@pytest.mark.parametrize("name", ["numbers", "categories"])
def test_tiers_and_what_comes_first_are_the_same(name):
    """Context is the first tier without edges in it, if orders are known to begin with it."""
    case = case_of(name)
    posterior = osp.learn(case.data, context=case.context_names, **case.arguments)
    explained = [case.names[v] for v in case.explained]
    known = osp.Knowledge(tiers=[case.context_names, explained], roots=case.context_names)
    first = osp.Edges(before=[(c, e) for c in case.context_names for e in explained])
    tiers = osp.learn(case.data, knowledge=known, **case.arguments).given(first)
    np.testing.assert_allclose(posterior.edge_probabilities(), tiers.edge_probabilities(), **CLOSE)
    evidence = f"{explained[0]} -> {explained[1]}, {case.context_names[0]} !-> {explained[1]}"
    np.testing.assert_allclose(posterior.edge_probabilities(evidence), tiers.edge_probabilities(evidence), **CLOSE)
    if case.kind == "numbers":
        np.testing.assert_allclose(posterior.causal_effects(), tiers.causal_effects(), **CLOSE)
