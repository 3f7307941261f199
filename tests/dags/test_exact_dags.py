"""The posterior that counts every graph once, against a list of all graphs and against laws."""

import math
import tracemalloc

import numpy as np
import pytest

from helpers.chi_square import THRESHOLD, chi_square_p
from helpers.families import parents_of, random_candidates, random_families, scores_of
from orderspn.core.errors import ImpossibleEvidence
from orderspn.core.linear_extensions import log_linear_extensions
from orderspn.core.workers import Workers
from orderspn.dags import layers
from orderspn.dags.exact_dags import ExactDags, dag_bytes
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.leaves.family import Family
from reference.dags import DagList, adjacency_of, all_dags, log_mass_by_layers, number_of_dags

ONE, TWO = Workers(1), Workers(2)
NO_VARIABLES = np.empty(0, dtype=np.int64)


def all_others(d):
    return [[v for v in range(d) if v != child] for child in range(d)]


def by_steps(families, rng, step, impossible=0.0):
    """Scores an integer number of steps apart, so that many graphs are as good as the best, and others far from it."""
    changed = []
    for f in families:
        log_score = rng.normal(size=f.log_score.size) - step * rng.integers(0, 6, size=f.log_score.size)
        log_score[rng.random(log_score.size) < impossible] = -np.inf
        changed.append(Family(f.child, f.candidates, log_score, 0.0, f.outsider_rows))
    return changed


def full(d, spread=2.0, impossible=0.0, seed=0):
    rng = np.random.default_rng([seed, d])
    return random_families(rng, all_others(d), spread, impossible)


def sparse(d, largest=2, at_once=0, impossible=0.0, seed=0):
    rng = np.random.default_rng([seed, d, largest, at_once])
    return random_families(rng, random_candidates(rng, d, largest), 2.0, impossible, at_once)


def stepped(families, step, impossible=0.0):
    return by_steps(families, np.random.default_rng(7), step, impossible)


CASES = {
    "one variable": full(1),
    "two variables": full(2),
    "three variables": full(3),
    "four variables": full(4),
    "four, impossible sets": full(4, impossible=0.5),
    "four, thousands apart": full(4, spread=3000.0),
    "four, thousands apart, impossible sets": full(4, spread=3000.0, impossible=0.4),
    "four, in steps of thousands": stepped(full(4), 3000.0),
    "four, in steps of thousands, impossible sets": stepped(full(4), 3000.0, 0.4),
    "four, in steps of hundreds": stepped(full(4), 300.0),
    "four, few candidates": sparse(4),
    "four, one outsider": sparse(4, 1, 1),
    "four, two outsiders": sparse(4, 1, 2),
    "four, two outsiders, in steps": stepped(sparse(4, 1, 2), 1000.0),
    "four, no candidates": sparse(4, 0),
}


@pytest.fixture(params=CASES)
def families(request):
    return CASES[request.param]


def assert_equal_to_list(model, listed):
    assert model.log_mass == pytest.approx(listed.log_mass, rel=1e-12, abs=1e-10)
    for family, probabilities in zip(model.families, model.parent_set_probabilities(), strict=True):
        expected = [listed.parent_set(family.child, parents_of(family, i)) for i in range(family.log_score.size)]
        np.testing.assert_allclose(probabilities, expected, rtol=0, atol=1e-10)


def draws(model, n, seed):
    adjacency = model.sample(n, np.random.default_rng(seed))
    assert adjacency.shape == (n, len(model.families), len(model.families))
    assert adjacency.dtype == bool
    masks = np.einsum("ncj,c->nj", adjacency, 1 << np.arange(len(model.families)))
    return map(tuple, masks.tolist())


@pytest.mark.kernels
def test_masses_and_parent_sets(families):
    assert_equal_to_list(ExactDags(families), DagList(scores_of(families)))


@pytest.mark.kernels
def test_samples(families):
    exact = DagList(scores_of(families)).graph_probabilities()
    assert chi_square_p(draws(ExactDags(families), 4000, 1), exact) > THRESHOLD


def test_samples_of_all_graphs_on_four_variables():
    """Every graph has a separate cell."""
    families = full(4, spread=0.3)
    exact = DagList(scores_of(families)).graph_probabilities()
    assert len(exact) == number_of_dags(4)
    assert chi_square_p(draws(ExactDags(families), 40_000, 2), exact) > THRESHOLD


@pytest.mark.kernels
def test_samples_would_fail_the_check_if_wrong():
    families = CASES["four variables"]
    exact = DagList(scores_of(families)).graph_probabilities()
    elsewhere = draws(ExactDags(full(4, seed=1)), 4000, 1)
    assert chi_square_p(elsewhere, exact) < THRESHOLD


@pytest.mark.kernels
def test_the_cases_have_what_their_names_say():
    for name, families in CASES.items():
        listed = DagList(scores_of(families))
        possible = listed.log_weights[np.isfinite(listed.log_weights)]
        assert (max(f.n_rows for f in families) > 1) == ("outsider" in name)
        assert (np.ptp(possible) > 1000.0) == ("thousands" in name or "steps" in name)
        if "steps" in name and "impossible" not in name:
            assert (possible > possible.max() - 10.0).sum() > 1
        if "impossible" in name:
            assert possible.size < 0.5 * len(listed.masks)


def test_five_variables():
    for families in (full(5), full(5, impossible=0.4), stepped(full(5), 3000.0), sparse(5, 2, 2)):
        assert_equal_to_list(ExactDags(families), DagList(scores_of(families)))


@pytest.mark.kernels
@pytest.mark.parametrize(("d", "at_once"), [(5, 0), (5, 2), (6, 1)])
def test_mass_by_layers_in_plain_python(d, at_once):
    families = sparse(d, 3, at_once, impossible=0.2)
    assert ExactDags(families).log_mass == pytest.approx(log_mass_by_layers(scores_of(families)), abs=1e-10)


@pytest.mark.kernels
def test_work_in_pieces(monkeypatch):
    monkeypatch.setattr(layers, "SMALLEST_TO_DIVIDE", 4)
    families = CASES["four variables"]
    assert max(map(len, layers.sets_by_size(4))) > 1
    assert_equal_to_list(ExactDags(families, TWO), DagList(scores_of(families)))


@pytest.mark.parametrize("d", range(1, 12))
def test_number_of_graphs(d):
    families = [Family(f.child, f.candidates, np.zeros_like(f.log_score)) for f in full(d)]
    assert ExactDags(families, TWO).log_mass == pytest.approx(math.log(number_of_dags(d)), abs=1e-11)


@pytest.mark.parametrize(("d", "step"), [(8, 0.0), (9, 2000.0), (10, 0.0), (11, 300.0)])
def test_parent_sets_add_up_to_one(d, step):
    families = by_steps(full(d), np.random.default_rng(d), step, 0.2)
    for probabilities in ExactDags(families, TWO).parent_set_probabilities():
        assert probabilities.min() >= 0.0
        assert probabilities.sum() == pytest.approx(1.0, abs=1e-11)


@pytest.mark.parametrize("d", [6, 10])
def test_mass_of_graphs_with_a_parent_set(d):
    """Its posterior is the share of the mass that is left when the variable must have it."""
    model = ExactDags(full(d, impossible=0.1), TWO)
    probabilities = model.parent_set_probabilities()
    for child in (0, d - 1):
        family = model.families[child]
        for chosen in (0, int(probabilities[child].argmax()), family.log_score.size - 1):
            only = np.full_like(family.log_score, -np.inf)
            only[chosen] = family.log_score[chosen]
            under = list(model.families)
            under[child] = Family(child, family.candidates, only)
            share = math.exp(model.with_families(under).log_mass - model.log_mass)
            assert probabilities[child][chosen] == pytest.approx(share, rel=1e-10, abs=1e-14)


@pytest.mark.parametrize("d", [4, 10])
def test_numbering_of_variables_does_not_matter(d):
    families = full(d, impossible=0.1)
    new = np.random.default_rng(d).permutation(d)  # variable v becomes new[v]
    renamed = [None] * d
    for f in families:
        candidates = np.sort(new[f.candidates])
        bits = np.searchsorted(candidates, new[f.candidates])  # where each old bit goes
        masks = np.arange(f.n_masks)
        moved = ((masks[:, None] >> np.arange(bits.size) & 1) << bits).sum(axis=1)
        log_score = np.empty_like(f.log_score)
        log_score[moved] = f.log_score
        renamed[new[f.child]] = (Family(int(new[f.child]), candidates, log_score), moved)
    model, other = ExactDags(families), ExactDags([family for family, _ in renamed])
    assert other.log_mass == pytest.approx(model.log_mass, abs=1e-11)
    answers = other.parent_set_probabilities()
    for v, probabilities in enumerate(model.parent_set_probabilities()):
        np.testing.assert_allclose(answers[new[v]][renamed[new[v]][1]], probabilities, rtol=1e-10, atol=1e-14)


def test_orders_of_sampled_and_listed_graphs_link_both_posteriors():
    """The mass of all pairs of an order and a graph is that of all graphs, times the mean number of their orders."""
    families = full(4)
    listed = DagList(scores_of(families))
    log_orders = log_linear_extensions(adjacency_of(all_dags(4)))
    mean = listed.p @ np.exp(log_orders)
    gap = ExactOrders.over_all(families, ONE).log_mass - ExactDags(families).log_mass
    assert gap == pytest.approx(math.log(mean), abs=1e-11)


def test_edges_of_samples_have_their_probabilities():
    d, n = 10, 10_000
    model = ExactDags(full(d), TWO)
    probabilities = model.parent_set_probabilities()
    edges = np.stack([f.edge_marginals(p, d) for f, p in zip(model.families, probabilities, strict=True)], axis=1)
    seen = model.sample(n, np.random.default_rng(5)).mean(axis=0)
    errors = np.sqrt(edges * (1 - edges) / n) + 1.0 / n
    assert (np.abs(seen - edges) / errors).max() < 5.0


def test_threads_do_not_change_a_bit():
    families = full(11)
    one, two = ExactDags(families, ONE), ExactDags(families, TWO)
    assert one.log_mass == two.log_mass
    for a, b in zip(one.parent_set_probabilities(), two.parent_set_probabilities(), strict=True):
        np.testing.assert_array_equal(a, b)
    a, b = (model.sample(300, np.random.default_rng(3)) for model in (one, two))
    np.testing.assert_array_equal(a, b)
    assert (a != one.sample(300, np.random.default_rng(4))).any()


@pytest.mark.kernels
def test_evidence_replaces_families():
    families = full(4)
    under = list(families)
    under[1] = under[1].restricted(np.array([0]), np.array([3]))
    model = ExactDags(families).with_families(under)
    assert_equal_to_list(model, DagList(scores_of(under)))
    adjacency = model.sample(200, np.random.default_rng(0))
    assert adjacency[:, 0, 1].all()
    assert not adjacency[:, 3, 1].any()


@pytest.mark.kernels
def test_evidence_without_a_graph():
    families = full(3)
    circle = [families[v].restricted(np.array([(v + 1) % 3]), NO_VARIABLES) for v in range(3)]
    nothing = [*families[:2], families[2].restricted(NO_VARIABLES, NO_VARIABLES)]
    nothing[2].log_score[:] = -np.inf
    for impossible in (circle, nothing):
        model = ExactDags(impossible)
        assert model.log_mass == -math.inf
        with pytest.raises(ImpossibleEvidence, match="got none"):
            model.parent_set_probabilities()
        with pytest.raises(ImpossibleEvidence, match="got none"):
            model.sample(1, np.random.default_rng(0))


@pytest.mark.kernels
def test_no_samples():
    assert ExactDags(full(3)).sample(0, np.random.default_rng(0)).shape == (0, 3, 3)


def test_progress_is_told():
    told = []
    model = ExactDags(full(5), Workers(1, lambda work, done, total: told.append((work, done, total))))
    model.parent_set_probabilities()
    assert [work for work, done, total in told if done == total] == ["scores of all sets", "graphs", "parent sets"]


def test_memory_is_foreseen():
    families = full(12)
    model = ExactDags(families)
    tracemalloc.start()
    try:
        model.parent_set_probabilities()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert 0.5 * dag_bytes(12) < peak <= dag_bytes(12)
