"""Laws of probability and symmetries that hold for any data."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.examples import costly

PRIORS = {"fair": "fair", "uniform": "uniform", "sparse": lambda k: 0.3**k}


@st.composite
def problems(draw, smallest=3, largest=5, circuits=False):
    """Data, and how to learn from it: exactly or, with `circuits`, also from a few sampled orders."""
    d = draw(st.integers(smallest, largest))
    values = gaussian_data(d, draw(st.integers(12, 60)), seed=draw(st.integers(0, 10_000)))
    arguments = {
        "prior": PRIORS[draw(st.sampled_from(sorted(PRIORS)))],
        "max_parents": draw(st.sampled_from([None, 1, 2])),
    }
    if draw(st.booleans()):
        method = osp.methods.Exact(outsiders=draw(st.sampled_from([1, 2])))
        arguments |= {"candidates": draw(st.integers(0, d - 2)), "method": method}
    if circuits and draw(st.booleans()):
        arguments["method"] = circuit_like(arguments, draw(st.sampled_from(CIRCUITS)))
    return values, arguments


CIRCUITS = [
    osp.methods.Trust(n_orders=12, effort=0.01, block_size=2, refine=0),
    osp.methods.Trust(n_orders=12, effort=0.01, block_size=1, refine=1, weights="elbo"),
    osp.methods.Trust(n_orders=30, effort=0.01, block_size=3, refine=0, weights="uniform"),
]


def circuit_like(arguments, circuit):
    """A circuit with the outsiders that the arguments ask for."""
    return circuit.with_settings(outsiders=arguments["method"].outsiders) if "method" in arguments else circuit


@st.composite
def evidences(draw, d, most=3, orders=True):
    """Edges and, with `orders`, places that do not contradict each other: all of them follow one order."""
    order = draw(st.permutations(range(d)))
    pairs = list(itertools.combinations(order, 2))
    chosen = draw(st.lists(st.sampled_from(pairs), max_size=most, unique=True))
    names = letters(d)
    present, absent, before = [], [], []
    for cause, effect in chosen:
        kind = draw(st.sampled_from(["present", "absent", "absent the other way", *["before"] * orders]))
        if kind == "present":
            present.append((names[cause], names[effect]))
        elif kind == "before":
            before.append((names[cause], names[effect]))
        elif kind == "absent":
            absent.append((names[cause], names[effect]))
        else:
            absent.append((names[effect], names[cause]))
    return osp.Edges(present, absent, before)


def learn(values, **arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # so few orders cannot agree
        return osp.learn(values, variables=letters(values.shape[1]), n_jobs=1, **{"standardize": False, **arguments})


@costly
@given(st.data())
def test_permuting_columns_permutes_every_answer(data):
    values, arguments = data.draw(problems())
    d = values.shape[1]
    names = letters(d)
    shuffled = data.draw(st.permutations(range(d)))
    one = learn(values, **arguments)
    other = osp.learn(values[:, shuffled], variables=[names[i] for i in shuffled], **arguments, standardize=False)
    evidence = data.draw(evidences(d, most=2))
    assume(one.probability(evidence) > 1e-9)
    assert other.log_evidence == pytest.approx(one.log_evidence, abs=1e-9)
    assert other.probability(evidence) == pytest.approx(one.probability(evidence), abs=1e-9)
    for condition in (None, evidence if evidence else None):
        for query in ("edge_probabilities", "causal_effects", "precedence"):
            mine, theirs = getattr(one, query)(condition), getattr(other, query)(condition)
            np.testing.assert_allclose(theirs.loc[names, names], mine, rtol=1e-7, atol=1e-9)
        assert other.entropy(condition) == pytest.approx(one.entropy(condition), abs=1e-8)
        best, again = one.most_probable_graph(condition), other.most_probable_graph(condition)
        assert set(best.graph.edges) == set(again.graph.edges)
        assert best.order == again.order
        assert again.log_probability == pytest.approx(best.log_probability, abs=1e-8)


@pytest.mark.thorough
@costly
@given(st.data())
def test_an_edge_is_there_or_not(data):
    values, arguments = data.draw(problems(circuits=True))
    posterior = learn(values, **arguments)
    evidence = data.draw(evidences(values.shape[1]))
    assume(posterior.probability(evidence) > 0.0)
    under = posterior.given(evidence)
    for cause, effect in itertools.permutations(letters(values.shape[1]), 2):
        there = under.probability(osp.Edges([(cause, effect)]))
        not_there = under.probability(osp.Edges(absent=[(cause, effect)]))
        assert 0.0 <= there <= 1.0
        assert there + not_there == pytest.approx(1.0, abs=1e-10)
        assert under.edge_probabilities().loc[cause, effect] == pytest.approx(there, abs=1e-10)


@costly
@given(st.data())
def test_conditioning_in_two_steps(data):
    values, arguments = data.draw(problems(circuits=True))
    d = values.shape[1]
    posterior = learn(values, **arguments)
    first, second = data.draw(evidences(d, 2)), data.draw(evidences(d, 2))
    assume(posterior.probability(first & second) > 1e-12)
    at_once, in_steps = posterior.given(first & second), posterior.given(first).given(second)
    assert in_steps.evidence == at_once.evidence
    assert posterior.given(first).edge_probabilities(second).equals(in_steps.edge_probabilities())
    if not at_once.evidence.before:  # which may make candidates in another order, and so round differently
        assert in_steps.log_evidence == at_once.log_evidence
        assert in_steps.edge_probabilities().equals(at_once.edge_probabilities())
    assert in_steps.log_evidence == pytest.approx(at_once.log_evidence, abs=1e-10)
    np.testing.assert_allclose(in_steps.edge_probabilities(), at_once.edge_probabilities(), rtol=0, atol=1e-10)
    assert posterior.given(second).given(first).log_evidence == pytest.approx(at_once.log_evidence, abs=1e-10)


@pytest.mark.thorough
@costly
@given(st.data())
def test_neighbours_are_joined_in_one_direction_or_not_at_all(data):
    values, arguments = data.draw(problems(circuits=True))
    names = letters(values.shape[1])
    posterior = learn(values, **arguments)
    evidence = data.draw(evidences(len(names), most=2))
    first, second = data.draw(st.lists(st.sampled_from(list(itertools.combinations(names, 2))), min_size=2, max_size=2))
    joined, more = osp.Edges(adjacent=[first]), osp.Edges(adjacent=[second])
    assume(posterior.probability(evidence & joined & more) > 1e-9)
    under = posterior.given(evidence)
    p = under.probability(joined)
    apart = osp.Edges.parse("{} !-- {}".format(*first))
    assert p + under.probability(apart) == pytest.approx(1.0, abs=1e-10)
    assert p == pytest.approx(under.probability([first]) + under.probability([first[::-1]]), abs=1e-10)
    at_once, in_steps = posterior.given(evidence & joined & more), under.given(more).given(joined)
    assert in_steps.log_evidence == pytest.approx(at_once.log_evidence, abs=1e-9)
    np.testing.assert_allclose(in_steps.edge_probabilities(), at_once.edge_probabilities(), rtol=0, atol=1e-9)
    # Bayes' rule, with neighbours on both sides.
    assert under.probability(more, joined) * p == pytest.approx(under.probability(joined & more), abs=1e-9)


@costly
@given(st.data())
def test_chain_rule(data):
    values, arguments = data.draw(problems(circuits=True))
    d = values.shape[1]
    posterior = learn(values, **arguments)
    first, second = data.draw(evidences(d, 2)), data.draw(evidences(d, 2))
    assume(posterior.probability(first) > 1e-12)
    joint = posterior.log_probability(first & second)
    chained = posterior.log_probability(first) + posterior.log_probability(second, given=first)
    assert chained == pytest.approx(joint, abs=1e-9)


@costly
@given(st.data())
def test_total_probability(data):
    values, arguments = data.draw(problems(circuits=True))
    d = values.shape[1]
    posterior = learn(values, **arguments)
    names = letters(d)
    cause, effect = data.draw(st.permutations(names))[:2]
    p = posterior.probability(osp.Edges([(cause, effect)]))
    assume(1e-9 < p < 1 - 1e-9)
    there, not_there = osp.Edges([(cause, effect)]), osp.Edges(absent=[(cause, effect)])
    for query in ("edge_probabilities", "precedence", "causal_effects"):
        mixed = p * getattr(posterior, query)(there) + (1 - p) * getattr(posterior, query)(not_there)
        np.testing.assert_allclose(mixed, getattr(posterior, query)(), rtol=1e-7, atol=1e-9)


@pytest.mark.thorough
@costly
@given(st.data())
def test_covering_less_never_adds_evidence(data):
    values, arguments = data.draw(problems())
    d = values.shape[1]
    names = letters(d)
    exact = learn(values, prior=arguments["prior"])
    evidence = -np.inf
    for cap in range(d):
        capped = learn(values, prior=arguments["prior"], max_parents=cap).log_evidence
        assert capped >= evidence - 1e-10
        evidence = capped
    assert evidence == pytest.approx(exact.log_evidence, abs=1e-10)
    smaller = {n: data.draw(st.lists(st.sampled_from([m for m in names if m != n]), unique=True)) for n in names}
    covered = learn(values, prior=arguments["prior"], candidates=smaller)
    assert covered.log_evidence <= exact.log_evidence + 1e-10
    for size in range(d):
        assert learn(values, prior=arguments["prior"], candidates=size).log_evidence <= exact.log_evidence + 1e-10
    # What is covered is what the exact posterior has when the other edges are known to be absent.
    absent = [(m, n) for n in names for m in names if m != n and m not in smaller[n]]
    assert covered.log_evidence == pytest.approx(exact.given(osp.Edges(absent=absent)).log_evidence, abs=1e-9)


@costly
@given(st.data())
def test_outsiders_never_lose_evidence(data):
    """Each more allows more parent sets; with as many as there are others beside the candidates, all of them."""
    values, arguments = data.draw(problems())
    d = values.shape[1]
    common = {"prior": arguments["prior"], "max_parents": arguments["max_parents"]}
    exact = learn(values, **common)
    size = data.draw(st.integers(0, d - 1))
    evidence = -np.inf
    for outsiders in (0, 1, 2):
        covered = learn(values, candidates=size, method=osp.methods.Exact(outsiders=outsiders), **common)
        assert evidence - 1e-10 <= covered.log_evidence <= exact.log_evidence + 1e-10
        evidence = covered.log_evidence
        if size + outsiders >= d - 1 or outsiders >= (common["max_parents"] or d):
            assert evidence == pytest.approx(exact.log_evidence, abs=1e-9)
            np.testing.assert_allclose(covered.edge_probabilities(), exact.edge_probabilities(), atol=1e-9)
            np.testing.assert_allclose(covered.causal_effects(), exact.causal_effects(), rtol=1e-7, atol=1e-9)


@costly
@given(st.data())
def test_orders_left_out_never_add_evidence(data):
    values, arguments = data.draw(problems())
    everything = learn(values, **arguments)
    method = circuit_like(arguments, data.draw(st.sampled_from(CIRCUITS)).with_settings(refine=0))
    circuit = learn(values, **{**arguments, "method": method})
    assert circuit.candidates == everything.candidates
    assert circuit.log_evidence <= everything.log_evidence + 1e-10
    coverage = circuit.coverage()
    assert coverage.share == pytest.approx(np.exp(circuit.log_evidence - everything.log_evidence), rel=1e-9)
    assert coverage.elbo <= coverage.log_covered + 1e-10


@costly
@given(st.data())
def test_a_forbidden_outsider_might_as_well_be_none(data):
    """Evidence removes parent sets: with all outsiders absent the posterior is that of the candidates alone."""
    values, arguments = data.draw(problems())
    names = letters(values.shape[1])
    size = data.draw(st.integers(0, len(names) - 1))
    common = {"prior": arguments["prior"], "max_parents": arguments["max_parents"], "candidates": size}
    walled, open_to = (learn(values, method=osp.methods.Exact(outsiders=n), **common) for n in (0, 2))
    absent = [(c, e) for e in names for c in names if c != e and c not in walled.candidates[e]]
    closed = open_to.given(osp.Edges(absent=absent)) if absent else open_to
    assert open_to.candidates == walled.candidates
    assert closed.log_evidence == pytest.approx(walled.log_evidence, abs=1e-9)
    for query in ("edge_probabilities", "precedence", "causal_effects"):
        np.testing.assert_allclose(getattr(closed, query)(), getattr(walled, query)(), rtol=1e-7, atol=1e-9)


@costly
@given(st.data())
def test_precedence_is_a_tournament_and_bounds_the_edges(data):
    values, arguments = data.draw(problems(circuits=True))
    d = values.shape[1]
    posterior = learn(values, **arguments)
    evidence = data.draw(evidences(d))
    assume(posterior.probability(evidence) > 0.0)
    before = posterior.precedence(evidence or None).to_numpy()
    np.testing.assert_allclose(before + before.T, 1.0 - np.eye(d), atol=1e-10)
    edges = posterior.edge_probabilities(evidence or None).to_numpy()
    assert (edges <= before + 1e-10).all()
    assert (edges + edges.T <= 1.0 + 1e-10).all()
    for first, second in (*evidence.present, *evidence.before):
        assert posterior.precedence(evidence).loc[first, second] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.thorough
@costly
@given(st.data())
def test_one_of_two_comes_first(data):
    values, arguments = data.draw(problems(circuits=True))
    posterior = learn(values, **arguments)
    evidence = data.draw(evidences(values.shape[1]))
    assume(posterior.probability(evidence) > 0.0)
    under = posterior.given(evidence)
    before, edges = under.precedence(), under.edge_probabilities()
    for one, other in itertools.permutations(letters(values.shape[1]), 2):
        first, last = (under.probability(osp.Edges(before=[pair])) for pair in ((one, other), (other, one)))
        assert first + last == pytest.approx(1.0, abs=1e-10)
        assert first == pytest.approx(before.loc[one, other], abs=1e-10)
        # An edge needs its place and adds nothing to it.
        assert under.probability(osp.Edges([(one, other)], before=[(one, other)])) == pytest.approx(
            edges.loc[one, other], abs=1e-10
        )
        assert under.probability(osp.Edges([(one, other)], before=[(other, one)])) == 0.0


@costly
@given(st.data())
def test_all_orders_together_are_everything(data):
    """Chains of all variables exclude each other, and one of them holds."""
    values, arguments = data.draw(problems(largest=4, circuits=True))
    posterior = learn(values, **arguments)
    event = data.draw(evidences(values.shape[1], most=2))
    chains = [osp.Edges(before=itertools.pairwise(order)) for order in itertools.permutations(posterior.variables)]
    parts = [posterior.probability(event & chain) for chain in chains]
    assert sum(parts) == pytest.approx(posterior.probability(event), abs=1e-10)


@costly
@given(st.data())
def test_places_in_the_order_leave_less_evidence_on_fewer_orders(data):
    values, arguments = data.draw(problems())
    everything = learn(values, **arguments)
    method = circuit_like(arguments, data.draw(st.sampled_from(CIRCUITS)).with_settings(refine=0, weights="elbo"))
    circuit = learn(values, **{**arguments, "method": method})
    evidence = data.draw(evidences(values.shape[1]))
    assume(circuit.probability(evidence) > 0.0)
    covered, exact = circuit.given(evidence).log_evidence, everything.given(evidence).log_evidence
    assert covered <= exact + 1e-10
    assert exact <= everything.log_evidence + 1e-10


@costly
@given(st.data())
def test_what_is_known_is_certain(data):
    values, arguments = data.draw(problems(circuits=True))
    posterior = learn(values, **arguments)
    evidence = data.draw(evidences(values.shape[1]))
    assume(evidence)
    assume(posterior.probability(evidence) > 0.0)
    edges = posterior.edge_probabilities(evidence)
    for cause, effect in evidence.present:
        assert edges.loc[cause, effect] == pytest.approx(1.0, abs=1e-12)
        assert edges.loc[effect, cause] == 0.0
    for cause, effect in evidence.absent:
        assert edges.loc[cause, effect] == 0.0
    for first, second in evidence.before:
        assert edges.loc[second, first] == 0.0
    assert posterior.probability(evidence, given=evidence) == pytest.approx(1.0, abs=1e-12)


@costly
@given(st.data())
def test_best_graph_is_at_least_as_good_as_any_sample(data):
    values, arguments = data.draw(problems())
    posterior = learn(values, **arguments)
    best = posterior.most_probable_graph()
    assert best.log_probability <= 0.0
    n_orders = 24 * 5
    for graph in posterior.sample(5, rng=data.draw(st.integers(0, 99))):
        absent = [e for e in itertools.permutations(posterior.variables, 2) if not graph.has_edge(*e)]
        whole = posterior.log_probability(osp.Edges(graph.edges, absent))
        # A graph counts once per order, the best pair once.
        assert whole <= best.log_probability + np.log(n_orders) + 1e-9


@costly
@given(st.data())
def test_parent_sets_are_a_distribution_with_the_edges_as_marginals(data):
    values, arguments = data.draw(problems(circuits=True))
    posterior = learn(values, **arguments)
    edges = posterior.edge_probabilities()
    for child in posterior.variables:
        table = posterior.parent_sets(child)
        assert table["probability"].sum() == pytest.approx(1.0, abs=1e-10)
        for cause in posterior.variables:
            summed = sum(p for s, p in zip(table["parents"], table["probability"], strict=True) if cause in s)
            assert edges.loc[cause, child] == pytest.approx(summed, abs=1e-10)


@costly
@given(problems(), st.floats(0.01, 100.0), st.booleans())
@pytest.mark.filterwarnings("ignore:the values of .* vary so much")
def test_scale_is_a_matter_of_units(problem, factor, flip):
    """Data times c with the prior scale t times c**2 is the same model in other units."""
    values, arguments = problem
    factor = -factor if flip else factor
    one = learn(values, score=osp.scores.BGe(t=0.5), **arguments)
    other = learn(values * factor, score=osp.scores.BGe(t=0.5 * factor**2), **arguments)
    jacobian = values.size * np.log(abs(factor))
    assert other.log_evidence == pytest.approx(one.log_evidence - jacobian, rel=1e-9, abs=1e-7)
    np.testing.assert_allclose(other.edge_probabilities(), one.edge_probabilities(), atol=1e-7)
    np.testing.assert_allclose(other.causal_effects(), one.causal_effects(), rtol=1e-6, atol=1e-7)


@costly
@given(st.data())
def test_signs_of_columns_do_not_matter(data):
    values, arguments = data.draw(problems())
    signs = np.array(data.draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=5, max_size=5)))[: values.shape[1]]
    one, other = learn(values, **arguments), learn(values * signs, **arguments)
    assert other.log_evidence == pytest.approx(one.log_evidence, abs=1e-9)
    np.testing.assert_allclose(other.edge_probabilities(), one.edge_probabilities(), atol=1e-9)
    turned = one.causal_effects().to_numpy() * np.outer(signs, signs)
    np.testing.assert_allclose(other.causal_effects(), turned, rtol=1e-7, atol=1e-9)


@costly
@given(problems(), st.floats(0.01, 100.0), st.floats(-50.0, 50.0))
def test_standardised_data_has_no_units(problem, factor, shift):
    values, arguments = problem
    one = learn(values, standardize=True, **arguments)
    other = learn(values * factor + shift, standardize=True, **arguments)
    assert other.log_evidence == pytest.approx(one.log_evidence, rel=1e-8)
    np.testing.assert_allclose(other.edge_probabilities(), one.edge_probabilities(), atol=1e-6)


@costly
@given(problems(), st.integers(0, 1000))
def test_the_order_of_rows_does_not_matter(problem, seed):
    values, arguments = problem
    shuffled = np.random.default_rng(seed).permutation(values)
    one, other = learn(values, **arguments), learn(shuffled, **arguments)
    assert other.log_evidence == pytest.approx(one.log_evidence, abs=1e-9)
    np.testing.assert_allclose(other.edge_probabilities(), one.edge_probabilities(), atol=1e-9)


@costly
@given(problems())
def test_effects_of_two_ways_to_say_the_same(problem):
    """Given a whole graph, the effect is (I - B)^-1 of its weights: one edge's effect is its weight."""
    values, arguments = problem
    posterior = learn(values, **arguments)
    names = letters(values.shape[1])
    absent = [(c, e) for c, e in itertools.permutations(names, 2) if (c, e) != ("A", "B")]
    effects = posterior.causal_effects(osp.Edges([("A", "B")], absent))
    x, y = values[:, 0], values[:, 1]
    n = len(x)
    squares = 0.5 + ((x - x.mean()) ** 2).sum() + n / (n + 1) * x.mean() ** 2
    products = ((x - x.mean()) * (y - y.mean())).sum() + n / (n + 1) * x.mean() * y.mean()
    expected = np.eye(len(names))
    expected[0, 1] = products / squares
    np.testing.assert_allclose(effects, expected, rtol=1e-9, atol=1e-12)
