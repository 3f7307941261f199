"""A family: evidence, posteriors of parent sets, the best set, samples."""

import numpy as np
import pytest

from helpers.chi_square import THRESHOLD, chi_square_p
from helpers.families import members
from orderspn.leaves.family import Family, edge_marginals
from reference import transforms as reference

pytestmark = pytest.mark.kernels

CANDIDATES = np.array([0, 2, 3, 6, 7])


def family(n_candidates=5, seed=0, impossible=0.0):
    rng = np.random.default_rng([seed, n_candidates])
    log_score = rng.normal(scale=1.5, size=1 << n_candidates) - 300.0
    log_score[rng.random(log_score.size) < impossible] = -np.inf
    return Family(4, CANDIDATES[:n_candidates], log_score)


def test_mass_and_best_are_subset_transforms():
    f = family(impossible=0.3)
    np.testing.assert_allclose(f.log_mass, reference.subset_sum(f.log_score), rtol=1e-14)
    np.testing.assert_array_equal(f.log_best, reference.subset_max(f.log_score))
    assert f.log_mass is f.log_mass


def test_mask_of_takes_candidates_only():
    f = family()
    assert f.mask_of(np.array([0, 3, 5, 4])) == 0b00101
    assert f.mask_of(np.empty(0, dtype=np.int64)) == 0
    assert f.mask_of(np.arange(10)) == 0b11111


@pytest.mark.parametrize(("required", "forbidden"), [(0, 0), (0b1, 0), (0, 0b110), (0b1001, 0b10), (0b1, 0b1)])
def test_restricted(required, forbidden):
    f = family()
    under = f.restricted(required, forbidden)
    for mask in range(32):
        keep = all(mask >> b & 1 for b in range(5) if required >> b & 1) and not mask & forbidden
        assert under.log_score[mask] == (f.log_score[mask] if keep else -np.inf)
    assert np.isfinite(f.log_score).all()
    np.testing.assert_array_equal(under.candidates, f.candidates)


@pytest.mark.parametrize("impossible", [0.0, 0.5])
@pytest.mark.parametrize("required", [0, 0b100])
def test_parent_set_probabilities(impossible, required):
    f = family(impossible=impossible).restricted(required, 0)
    rng = np.random.default_rng(5)
    placement = rng.random(32) * (rng.random(32) < 0.7) * np.isfinite(f.log_mass)
    placement /= placement.sum()
    expected = np.zeros(32)
    for before, p in enumerate(placement):
        for parents in range(32):
            if parents & ~before == 0 and p > 0 and np.isfinite(f.log_score[parents]):
                expected[parents] += p * np.exp(f.log_score[parents] - f.log_mass[before])
    answer = f.parent_set_probabilities(placement)
    np.testing.assert_allclose(answer, expected, rtol=1e-11, atol=1e-300)
    assert answer.sum() == pytest.approx(1.0, rel=1e-12)


def test_edge_marginals():
    p = np.random.default_rng(0).dirichlet(np.ones(32))
    expected = [sum(p[m] for m in range(32) if m >> b & 1) for b in range(5)]
    np.testing.assert_allclose(edge_marginals(p), expected, rtol=1e-13)
    assert edge_marginals(np.ones(1)).shape == (0,)


@pytest.mark.parametrize("seed", range(5))
def test_best_parents_without_ties(seed):
    f = family(seed=seed, impossible=0.3)
    f.log_score[0] = -310.0
    ranks = np.arange(10)
    for allowed in range(32):
        within = [m for m in range(32) if m & ~allowed == 0]
        assert f.best_parents(allowed, ranks) == max(within, key=lambda m: f.log_score[m])


def test_best_is_not_the_branch_with_the_larger_sum():
    log_score = np.log(np.array([0.05, 0.05, 0.3, 0.3, 0.4, 0.01, 0.01, 0.01]))
    assert Family(4, CANDIDATES[:3], log_score).best_parents(0b111, np.arange(10)) == 0b100


def test_ties_go_to_the_smallest_set_and_then_by_rank():
    log_score = np.full(32, -20.0)
    f = Family(4, CANDIDATES, log_score)
    assert f.best_parents(0b11111, np.arange(10)) == 0
    log_score = np.full(32, -20.0)
    log_score[[0b00011, 0b00100, 0b01000]] = -5.0
    f = Family(4, CANDIDATES, log_score)
    assert f.best_parents(0b11111, np.arange(10)) == 0b00100
    assert f.best_parents(0b11111, np.arange(10)[::-1].copy()) == 0b01000
    assert f.best_parents(0b11011, np.arange(10)) == 0b01000
    assert f.best_parents(0b00011, np.arange(10)) == 0b00011


def test_rounding_does_not_decide_a_tie():
    log_score = np.full(8, -50_000.0)
    log_score[0b010] = -1234.5
    log_score[0b001] = np.nextafter(-1234.5, -np.inf)
    f = Family(4, CANDIDATES[:3], log_score)
    assert f.best_parents(0b111, np.arange(10)) == 0b001
    log_score[0b001] = -1234.5 - 1e-5  # a real difference
    assert Family(4, CANDIDATES[:3], log_score).best_parents(0b111, np.arange(10)) == 0b010


def exact_parent_sets(f, allowed):
    within = [m for m in range(f.log_score.size) if m & ~allowed == 0 and np.isfinite(f.log_score[m])]
    weights = np.exp(f.log_score[within] - f.log_score[within].max())
    return dict(zip(within, weights / weights.sum(), strict=True))


def wrong_draws(f, allowed, n, rng):
    """A fault once published: Gumbel noise added to probabilities, not to their logarithms."""
    exact = exact_parent_sets(f, allowed)
    noisy = np.array(list(exact.values())) + rng.gumbel(size=(n, len(exact)))
    return np.array(list(exact))[noisy.argmax(axis=1)].tolist()


RESTRICTIONS = [(0, 0), (0b00010, 0), (0, 0b10001), (0b10000, 0b00100)]


@pytest.mark.parametrize("n_candidates", [0, 1, 2, 3, 5])
@pytest.mark.parametrize("restriction", RESTRICTIONS)
def test_sampled_parents_are_exactly_distributed(n_candidates, restriction):
    full = (1 << n_candidates) - 1
    required, forbidden = (r & full for r in restriction)
    f = family(n_candidates, seed=2, impossible=0.2)
    f.log_score[required] = -299.0
    f = f.restricted(required, forbidden)
    rng = np.random.default_rng([3, n_candidates])
    for allowed in sorted({full, required, full & ~1 | required, 0b01110 & full | required}):
        draws = f.sample_parents(np.full(3000, allowed), rng).tolist()
        exact = exact_parent_sets(f, allowed)
        assert chi_square_p(draws, exact) > THRESHOLD
        if len(exact) > 3:
            assert chi_square_p(wrong_draws(f, allowed, 3000, rng), exact) < THRESHOLD


def test_sampling_takes_each_row_of_allowed_sets_by_itself():
    f = family(5, seed=4)
    allowed = np.random.default_rng(1).integers(0, 32, size=4000)
    drawn = f.sample_parents(allowed, np.random.default_rng(2))
    assert (drawn & ~allowed == 0).all()
    for mask in (0b11111, 0b00111, 0b10000):
        assert chi_square_p(drawn[allowed == mask].tolist(), exact_parent_sets(f, mask)) > THRESHOLD


def test_sampling_with_scores_thousands_of_nats_apart():
    f = Family(4, CANDIDATES[:3], np.array([-9000.0, -np.inf, -3.0, -3.0, -8000.0, -8000.0, -np.inf, -5000.0]))
    rng = np.random.default_rng(0)
    assert set(f.sample_parents(np.full(500, 0b111), rng).tolist()) == {0b010, 0b011}
    assert set(f.sample_parents(np.full(500, 0b101), rng).tolist()) == {0b100, 0b101}
    assert set(f.sample_parents(np.full(500, 0b001), rng).tolist()) == {0b000}


def test_expected_weights():
    f = family(4, seed=1, impossible=0.2)
    weights = np.random.default_rng(0).normal(size=(16, 4))
    np.testing.assert_allclose(
        f.expected_weights(weights), reference.subset_expectation(f.log_score, weights), atol=1e-11
    )


def test_members_helper_reads_masks_as_the_family_does():
    f = family(3)
    assert f.mask_of(np.array(sorted(members(0b101, f.candidates)))) == 0b101
