"""Draws under what is known about orders are exactly distributed, and so are effects and interventions made of them."""

import numpy as np
import pytest

import orderspn as osp
from helpers.cases import NAMES, both
from helpers.chi_square import THRESHOLD, chi_square_p
from helpers.discrete import as_categories, discrete_data
from helpers.order_evidence import ORDER_EVIDENCE, order_pairs
from reference.bdeu import interventional as brute_force
from reference.bdeu import local_scores
from reference.dags import adjacency_of
from reference.enumeration import Enumeration
from reference.local_scores import log_prior

N = 20_000
CASES = [
    "fair",
    "unequal candidates",
    "two candidates",
    "one outsider",
    "two outsiders, no candidates",
    "circuit of all orders",
    "one outsider, blocks",
    "part, sampled",
    "two outsiders, part, blocks",
    "sampled orders, one outsider",
]
CONDITIONS = ["one", "two before one", "without the edge", "mixed chain"]


def possible(case, evidence):
    return len(both(case).brute.given(*order_pairs(evidence, NAMES)).log_weight) > 0


@pytest.fixture(params=[(c, e) for c in CASES for e in CONDITIONS], ids=lambda p: f"{p[0]}: {p[1]}")
def twins(request):
    """A posterior and a list of all pairs, under the same evidence; None if, as it should, it refuses it."""
    case, evidence = request.param
    if not possible(case, evidence):
        with pytest.raises(osp.ImpossibleEvidence):
            both(case).posterior.given(ORDER_EVIDENCE[evidence])
        return None
    pairs = order_pairs(evidence, NAMES)
    return both(case).posterior.given(ORDER_EVIDENCE[evidence]), both(case).brute.given(*pairs), both(case).weights


def masks_of(samples):
    return [tuple(m) for m in np.einsum("sij,i->sj", samples.adjacency, 1 << np.arange(4)).tolist()]


def test_most_conditions_leave_something():
    left = [possible(case, evidence) for case in CASES for evidence in CONDITIONS]
    assert np.mean(left) > 0.8


@pytest.mark.thorough
def test_graphs_orders_and_pairs_have_their_exact_probabilities(twins):
    if twins is None:
        return
    posterior, brute, _ = twins
    samples = posterior.sample(N, rng=len(str(posterior.evidence)))
    orders, graphs = [tuple(o) for o in samples.orders.tolist()], masks_of(samples)
    assert chi_square_p(graphs, brute.graph_probabilities()) > THRESHOLD
    assert chi_square_p(orders, brute.order_probabilities()) > THRESHOLD
    assert chi_square_p(zip(orders, graphs, strict=True), brute.pair_probabilities()) > THRESHOLD


@pytest.mark.parametrize("evidence", CONDITIONS)
def test_the_check_rejects_what_is_not_conditioned(evidence):
    """As much as edges are conditioned on, places in the order are, too."""
    edges_only = order_pairs(evidence, NAMES)[:2]
    brute = both("fair").brute.given(*edges_only)
    samples = both("fair").posterior.sample(N, ORDER_EVIDENCE[evidence], 0)
    assert chi_square_p([tuple(o) for o in samples.orders.tolist()], brute.order_probabilities()) < THRESHOLD


@pytest.mark.thorough
def test_each_graph_counts_once_by_its_weight(twins):
    """Weighted shares are those of graphs with a possible order, for any number of these orders."""
    if twins is None:
        return
    posterior, brute, _ = twins
    samples = posterior.sample(N, rng=3, target="dag")
    families = posterior.model.learned
    table = np.full((4, 16), -np.inf)
    for f in families:
        table[f.child, f.indicators(np.arange(f.log_score.size), 4) @ (1 << np.arange(4))] = f.log_score
    different = np.unique(brute.masks, axis=0)
    log_scores = sum(table[child, different[:, child]] for child in range(4))
    shares = np.exp(log_scores - log_scores.max())
    exact = np.einsum("g,gij->ij", shares / shares.sum(), adjacency_of(different))
    centred = samples.adjacency - samples.edge_frequencies()
    errors = np.sqrt(np.einsum("n,nij->ij", samples.weights**2, centred**2))
    assert (np.abs(samples.edge_frequencies() - exact) <= 5 * (errors + samples.weights.max())).all()


@pytest.mark.thorough
def test_estimated_and_drawn_effects(twins):
    if twins is None:
        return
    posterior, brute, weights = twins
    exact = brute.effects(weights)
    estimate = posterior.estimate_effects(4000, rng=1)
    assert (np.abs(estimate.mean - exact) <= 5 * estimate.standard_error + 2e-3).to_numpy().all()
    drawn = posterior.effect_samples(4000, rng=2)
    errors = drawn.values.std(axis=0) / np.sqrt(4000)
    assert (np.abs(drawn.mean - exact) <= 5 * errors + 5e-3).to_numpy().all()


ARITIES = (3, 2, 2, 2)
CODES = discrete_data(ARITIES, 60, seed=5)


@pytest.mark.thorough
@pytest.mark.parametrize("evidence", ["one", "one, last to first", "without the edge", "mixed chain"])
def test_interventions(evidence):
    """The mean is that over all graphs, each with its probability under the evidence."""
    posterior = osp.learn(as_categories(CODES, ARITIES, NAMES), score=osp.scores.BDeu(2.0), n_jobs=1)
    scores = local_scores(CODES, ARITIES, lambda size: log_prior("fair", size, 4), 2.0)
    graphs = Enumeration.of(scores).given(*order_pairs(evidence, NAMES)).graph_probabilities()
    likely = {masks: q for masks, q in graphs.items() if q > 1e-6}
    p = np.fromiter(likely.values(), float)
    values = np.array([brute_force(CODES, ARITIES, g, 1, {0: 2}, 2.0) for g in adjacency_of(np.array(list(likely)))])
    expected = np.average(values, axis=0, weights=p)
    error = np.sqrt(np.average((values - expected) ** 2, axis=0, weights=p) / 4000)
    answer = posterior.interventional("B", {"A": "level 2"}, ORDER_EVIDENCE[evidence], n_graphs=4000, rng=0)
    assert (np.abs(answer["mean"].to_numpy() - expected) < 5 * error + 1e-5).all()
