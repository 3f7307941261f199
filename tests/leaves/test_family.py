"""A family: evidence, posteriors of parent sets, the best set, samples; with and without outsiders."""

import itertools

import numpy as np
import pytest

from helpers.chi_square import THRESHOLD, chi_square_p
from helpers.families import as_predecessors, parents_of, random_outsiders, random_weights, weights_of
from helpers.levels import parameters
from orderspn.leaves.family import Family, bit_marginals
from orderspn.leaves.transforms import split
from reference import transforms as reference
from reference.lattice import expected_weights, log_best_leaf, log_leaf

pytestmark = pytest.mark.kernels

D, CHILD = 10, 4
CANDIDATES = np.array([0, 2, 3, 6, 7])
RANKS = np.arange(D)
NO_VARIABLES = np.empty(0, dtype=np.int64)


def family(n_candidates=5, seed=0, impossible=0.0, at_once=0):
    rng = np.random.default_rng([seed, n_candidates, *[at_once] * bool(at_once)])
    candidates = CANDIDATES[:n_candidates]
    outsiders = random_outsiders(rng, D, CHILD, candidates.tolist(), at_once)
    log_score = rng.normal(scale=1.5, size=(1 + len(outsiders)) << n_candidates) - 300.0
    log_score[rng.random(log_score.size) < impossible] = -np.inf
    return Family(CHILD, candidates, log_score, 0.0, outsiders)


def scores(f):
    """{parents: log score}, for the reference."""
    return {CHILD: {parents_of(f, number): float(s) for number, s in enumerate(f.log_score)}}


def before(*variables):
    return as_predecessors(variables, D)


def masked(mask):
    """The candidates of a mask as predecessors."""
    return before(*CANDIDATES[(mask >> np.arange(5) & 1).astype(bool)])


@pytest.fixture(params=[0, 1, 2], ids=lambda n: f"outsiders: {n}")
def at_once(request):
    return request.param


# --- what it is made of -------------------------------------------------------------------------------------------


def test_mass_and_best_are_subset_transforms():
    f = family(impossible=0.3)
    np.testing.assert_allclose(f.log_mass, reference.subset_sum(f.log_score), rtol=1e-14)
    np.testing.assert_array_equal(f.log_best, reference.subset_max(f.log_score))
    assert f.log_mass is f.log_mass


@pytest.mark.parametrize("n_candidates", [0, 1, 3])
def test_mass_and_best_of_each_row(n_candidates, at_once):
    f = family(n_candidates, impossible=0.3, at_once=at_once)
    np.testing.assert_allclose(f.log_mass, reference.subset_sum(f.log_score, n_candidates), rtol=1e-14)
    np.testing.assert_array_equal(f.log_best, reference.subset_max(f.log_score, n_candidates))
    assert (f.log_mass is f.log_mass) == (at_once == 0)  # tables of many rows are too large to be kept


def test_rows_and_masks_are_counted():
    assert (family().n_rows, family().n_masks) == (1, 32)
    f = family(3, at_once=2)
    assert f.n_masks == 8
    assert f.n_rows == 1 + len(f.outsider_rows) > 10
    assert f.log_score.size == f.n_rows * f.n_masks


def test_members_are_those_of_the_row_and_of_the_mask(at_once):
    f = family(3, at_once=at_once)
    for number in range(f.log_score.size):
        found = f.members(number)
        assert found.tolist() == sorted(parents_of(f, number))
    # All parent sets are different ones, each with at most so many that are no candidates.
    sets = [frozenset(f.members(number).tolist()) for number in range(f.log_score.size)]
    assert len(set(sets)) == len(sets)
    assert {len(s - set(CANDIDATES[:3].tolist())) for s in sets} == set(range(at_once + 1))


def test_indicators_are_the_members(at_once):
    f = family(3, at_once=at_once)
    numbers = np.random.default_rng(0).permutation(f.log_score.size)
    inside = f.indicators(numbers, D)
    assert inside.dtype == bool
    assert inside.shape == (numbers.size, D)
    for number, row in zip(numbers.tolist(), inside, strict=True):
        assert set(np.flatnonzero(row).tolist()) == parents_of(f, number)


def test_indicators_of_the_last_variable():
    """It is next to the column of -1, which means no variable."""
    f = Family(0, np.array([1]), np.zeros(6), 0.0, np.array([[3, -1], [2, 3]]))
    inside = f.indicators(np.arange(6), 4)
    expected = [set(), {1}, {3}, {1, 3}, {2, 3}, {1, 2, 3}]
    assert [set(np.flatnonzero(row).tolist()) for row in inside] == expected


def test_who_may_be_a_parent(at_once):
    f = family(3, at_once=at_once)
    possible = set().union(*(parents_of(f, number) for number in range(f.log_score.size)))
    assert [f.may_have(v) for v in range(D)] == [v in possible for v in range(D)]
    assert not f.may_have(CHILD)


def test_possible():
    assert family(3, at_once=1).possible
    f = family(3, at_once=1)
    f.log_score[:] = -np.inf
    assert not f.possible
    f.log_score[-1] = -1e6
    assert f.possible


def test_opened_by(at_once):
    f = family(3, at_once=at_once)
    rng = np.random.default_rng(0)
    predecessors = rng.random((200, D)) < 0.5
    predecessors[0], predecessors[1] = True, False
    masks, opened = f.opened_by(predecessors)
    assert masks.dtype == np.int64
    assert opened.shape == (200, f.n_rows)
    for row, mask, open_rows in zip(predecessors, masks.tolist(), opened, strict=True):
        placed = set(np.flatnonzero(row).tolist())
        assert parents_of(f, mask) == placed & set(f.candidates.tolist())
        needed = [parents_of(f, r << 3) for r in range(f.n_rows)]
        assert open_rows.tolist() == [s <= placed for s in needed]


# --- evidence -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("required", "forbidden"), [([], []), ([0], []), ([], [2, 3]), ([0, 6], [2]), ([0], [0]), ([3], [5, 9])]
)
def test_restricted(required, forbidden):
    f = family()
    under = f.restricted(np.array(required, dtype=np.int64), np.array(forbidden, dtype=np.int64))
    for mask in range(32):
        keep = parents_of(f, mask) >= set(required) and not parents_of(f, mask) & set(forbidden)
        assert under.log_score[mask] == (f.log_score[mask] if keep else -np.inf)
    assert np.isfinite(f.log_score).all()
    np.testing.assert_array_equal(under.candidates, f.candidates)


EVIDENCE = {
    "nothing": ([], []),
    "candidate required": ([2], []),
    "candidate forbidden": ([], [2]),
    "outsider required": ([5], []),
    "outsider forbidden": ([], [5]),
    "two outsiders required": ([9, 1], []),
    "three outsiders required": ([1, 5, 9], []),
    "all outsiders forbidden": ([], [1, 5, 6, 7, 8, 9]),
    "candidate and outsider required": ([8, 0], []),
    "one of each": ([1, 0], [2, 8]),
    "outsider required and forbidden": ([5], [5]),
    "candidate required and forbidden": ([0], [0]),
    "given twice": ([5, 5, 0, 0], [8, 8]),
}


@pytest.mark.parametrize("evidence", EVIDENCE)
def test_restricted_with_outsiders(evidence, at_once):
    required, forbidden = EVIDENCE[evidence]
    f = family(3, impossible=0.2, at_once=at_once)
    original = f.log_score.copy()
    under = f.restricted(np.array(required, dtype=np.int64), np.array(forbidden, dtype=np.int64))
    for number in range(f.log_score.size):
        parents = parents_of(f, number)
        keep = parents >= set(required) and not parents & set(forbidden)
        assert under.log_score[number] == (f.log_score[number] if keep else -np.inf)
    np.testing.assert_array_equal(f.log_score, original)
    np.testing.assert_array_equal(under.candidates, f.candidates)
    np.testing.assert_array_equal(under.outsider_rows, f.outsider_rows)
    assert (under.child, under.log_scale) == (f.child, f.log_scale)
    assert under.possible == np.isfinite(under.log_score).any()


def test_evidence_keeps_the_scale():
    f = Family(1, np.array([0]), np.array([0.0, -1.0]), -123.5)
    assert f.restricted(np.array([0]), NO_VARIABLES).log_scale == -123.5


# --- posteriors ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("impossible", [0.0, 0.5])
@pytest.mark.parametrize("required", [[], [3]])
def test_parent_set_probabilities(impossible, required):
    f = family(impossible=impossible).restricted(np.array(required, dtype=np.int64), NO_VARIABLES)
    rng = np.random.default_rng(5)
    placement = rng.random(32) * (rng.random(32) < 0.7) * np.isfinite(f.log_mass)
    placement /= placement.sum()
    expected = np.zeros(32)
    for mask, p in enumerate(placement):
        for parents in range(32):
            if parents & ~mask == 0 and p > 0 and np.isfinite(f.log_score[parents]):
                expected[parents] += p * np.exp(f.log_score[parents] - f.log_mass[mask])
    with np.errstate(divide="ignore", invalid="ignore"):
        log_ratio = np.where(placement > 0, np.log(placement) - f.log_mass, -np.inf)
    answer = f.parent_set_probabilities(*split(log_ratio))
    np.testing.assert_allclose(answer, expected, rtol=1e-11, atol=1e-300)
    assert answer.sum() == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("impossible", [0.0, 0.5])
def test_parent_set_probabilities_of_rows(impossible, at_once):
    """From the probability of each set of predecessors, collected by rows opened and candidates present."""
    f = family(3, impossible=impossible, at_once=at_once)
    f.log_score[0] = -300.0
    rng = np.random.default_rng(6)
    placements = {}
    for _ in range(60):
        placed = frozenset(np.flatnonzero(rng.random(D) < 0.5).tolist()) - {CHILD}
        placements[placed] = placements.get(placed, 0.0) + 1 / 60
    ratio, expected = np.zeros(f.log_score.size), np.zeros(f.log_score.size)
    for placed, p in placements.items():
        log_tau = log_leaf(scores(f), CHILD, placed)
        for number in range(f.log_score.size):
            if parents_of(f, number) <= placed:
                expected[number] += p * np.exp(f.log_score[number] - log_tau)
            row = parents_of(f, number >> 3 << 3)
            if row <= placed and parents_of(f, number & 7) == placed & set(CANDIDATES[:3].tolist()):
                ratio[number] += p * np.exp(-300.0 - log_tau)
    with np.errstate(divide="ignore"):
        answer = f.parent_set_probabilities(*split(np.log(ratio) + 300.0))
    np.testing.assert_allclose(answer, expected, rtol=1e-10, atol=1e-300)
    assert answer.sum() == pytest.approx(1.0, rel=1e-10)


def test_bit_marginals():
    p = np.random.default_rng(0).dirichlet(np.ones(32))
    expected = [sum(p[m] for m in range(32) if m >> b & 1) for b in range(5)]
    np.testing.assert_allclose(bit_marginals(p), expected, rtol=1e-13)
    assert bit_marginals(np.ones(1)).shape == (0,)


@pytest.mark.parametrize("n_candidates", [0, 1, 3])
def test_edge_marginals(n_candidates, at_once):
    f = family(n_candidates, at_once=at_once)
    p = np.random.default_rng(0).dirichlet(np.ones(f.log_score.size))
    expected = [sum(p[n] for n in range(p.size) if v in parents_of(f, n)) for v in range(D)]
    answer = f.edge_marginals(p, D)
    assert answer.shape == (D,)
    np.testing.assert_allclose(answer, expected, rtol=1e-12, atol=0)


def test_edge_marginals_of_the_last_variable():
    """It is next to the entry of -1, which means no variable."""
    f = Family(0, np.array([1]), np.zeros(6), 0.0, np.array([[3, -1], [2, 3]]))
    p = np.array([0.05, 0.1, 0.15, 0.2, 0.25, 0.25])
    np.testing.assert_allclose(f.edge_marginals(p, 4), [0.0, 0.55, 0.5, 0.85], rtol=1e-14)


# --- the best set -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_best_parents_without_ties(seed):
    f = family(seed=seed, impossible=0.3)
    f.log_score[0] = -310.0
    for allowed in range(32):
        within = [m for m in range(32) if m & ~allowed == 0]
        assert f.best_parents(masked(allowed), RANKS) == max(within, key=lambda m: f.log_score[m])


@pytest.mark.parametrize("seed", range(3))
def test_best_parents_with_outsiders(seed, at_once):
    f = family(3, seed=seed, impossible=0.3, at_once=at_once)
    f.log_score[0] = -310.0
    rng = np.random.default_rng(seed)
    for row in [before(), before(*range(D)), *(rng.random((60, D)) < 0.5)]:
        placed = frozenset(np.flatnonzero(row).tolist()) - {CHILD}
        best = f.best_parents(before(*placed), RANKS)
        assert parents_of(f, best) <= placed
        assert f.log_score[best] == log_best_leaf(scores(f), CHILD, placed)


def test_best_is_not_the_branch_with_the_larger_sum():
    log_score = np.log(np.array([0.05, 0.05, 0.3, 0.3, 0.4, 0.01, 0.01, 0.01]))
    assert Family(4, CANDIDATES[:3], log_score).best_parents(masked(0b111), RANKS) == 0b100


def test_best_is_not_the_row_with_the_larger_sum():
    log_score = np.log(np.array([0.3, 0.3, 0.02, 0.38]))
    f = Family(4, CANDIDATES[:1], log_score, 0.0, np.array([[9]]))
    assert f.best_parents(before(0, 9), RANKS) == 0b11
    assert f.best_parents(before(9), RANKS) == 0
    assert f.best_parents(before(0), RANKS) in {0, 1}


def test_ties_go_to_the_smallest_set_and_then_by_rank():
    log_score = np.full(32, -20.0)
    f = Family(4, CANDIDATES, log_score)
    assert f.best_parents(masked(0b11111), RANKS) == 0
    log_score = np.full(32, -20.0)
    log_score[[0b00011, 0b00100, 0b01000]] = -5.0
    f = Family(4, CANDIDATES, log_score)
    assert f.best_parents(masked(0b11111), RANKS) == 0b00100
    assert f.best_parents(masked(0b11111), RANKS[::-1].copy()) == 0b01000
    assert f.best_parents(masked(0b11011), RANKS) == 0b01000
    assert f.best_parents(masked(0b00011), RANKS) == 0b00011


def test_ties_between_rows_go_by_size_and_rank_too():
    """Candidates 2 and 3, rows {}, {9}, {1}, {1, 9}: ranks do not depend on which variables are candidates."""
    outsiders = np.array([[9, -1], [1, -1], [1, 9]])
    log_score = np.full(16, -20.0)
    log_score[[0b01, 0b10, 4, 8, 12]] = -5.0  # {2}, {3}, {9}, {1}, {1, 9}
    f = Family(4, np.array([2, 3]), log_score, 0.0, outsiders)
    everyone = before(1, 2, 3, 9)
    assert f.members(f.best_parents(everyone, RANKS)).tolist() == [1]
    assert f.members(f.best_parents(everyone, RANKS[::-1].copy())).tolist() == [9]
    assert f.members(f.best_parents(before(2, 3, 9), RANKS)).tolist() == [2]
    log_score[[0b01, 0b10, 4, 8]] = -20.0
    log_score[3] = -5.0  # {2, 3} against {1, 9}
    f = Family(4, np.array([2, 3]), log_score, 0.0, outsiders)
    assert f.members(f.best_parents(everyone, RANKS)).tolist() == [1, 9]
    assert f.members(f.best_parents(everyone, RANKS[::-1].copy())).tolist() == [1, 9]
    assert f.members(f.best_parents(before(2, 3, 9), RANKS)).tolist() == [2, 3]


def test_rounding_does_not_decide_a_tie():
    log_score = np.full(8, -50_000.0)
    log_score[0b010] = -1234.5
    log_score[0b001] = np.nextafter(-1234.5, -np.inf)
    f = Family(4, CANDIDATES[:3], log_score)
    assert f.best_parents(masked(0b111), RANKS) == 0b001
    log_score[0b001] = -1234.5 - 1e-5  # a real difference
    assert Family(4, CANDIDATES[:3], log_score).best_parents(masked(0b111), RANKS) == 0b010


# --- samples ------------------------------------------------------------------------------------------------------


def exact_parent_sets(f, placed):
    """Number of each parent set within predecessors -> probability."""
    within = [n for n in range(f.log_score.size) if parents_of(f, n) <= placed and np.isfinite(f.log_score[n])]
    weights = np.exp(f.log_score[within] - f.log_score[within].max())
    return dict(zip(within, weights / weights.sum(), strict=True))


def wrong_draws(f, placed, n, rng):
    """A fault once published: Gumbel noise added to probabilities, not to their logarithms."""
    exact = exact_parent_sets(f, placed)
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
    f = f.restricted(np.flatnonzero(masked(required)), np.flatnonzero(masked(forbidden)))
    rng = np.random.default_rng([3, n_candidates])
    for allowed in sorted({full, required, full & ~1 | required, 0b01110 & full | required}):
        draws = f.sample_parents(np.tile(masked(allowed), (3000, 1)), rng).tolist()
        placed = parents_of(f, allowed)
        exact = exact_parent_sets(f, placed)
        assert chi_square_p(draws, exact) > THRESHOLD
        if len(exact) > 3:
            assert chi_square_p(wrong_draws(f, placed, 3000, rng), exact) < THRESHOLD


@pytest.mark.parametrize("evidence", [([], []), ([5], []), ([0], [8]), ([], [1, 5])], ids=str)
@pytest.mark.parametrize("n_candidates", parameters([0, 1, 4], quick=[1]))
@pytest.mark.parametrize("outsiders", [1, 2])
def test_sampled_parents_with_outsiders_are_exactly_distributed(n_candidates, outsiders, evidence):
    required, forbidden = (np.array(e, dtype=np.int64) for e in evidence)
    f = family(n_candidates, seed=2, impossible=0.2, at_once=outsiders)
    allowed = [n for n in range(f.log_score.size) if parents_of(f, n) >= set(required.tolist())]
    smallest = min(allowed, key=lambda n: len(parents_of(f, n)))
    f.log_score[smallest] = -299.0
    f = f.restricted(required, forbidden)
    rng = np.random.default_rng([4, n_candidates, outsiders])
    for others in ([*range(D)], [0, 5, 9], [1, 2, 5, 8], []):
        placed = frozenset({*others, *parents_of(f, smallest)} - {CHILD})
        draws = f.sample_parents(np.tile(before(*placed), (3000, 1)), rng).tolist()
        exact = exact_parent_sets(f, placed)
        assert chi_square_p(draws, exact) > THRESHOLD
        if len(exact) > 3:
            assert chi_square_p(wrong_draws(f, placed, 3000, rng), exact) < THRESHOLD


def test_sampling_takes_each_row_of_allowed_sets_by_itself():
    f = family(5, seed=4)
    allowed = np.random.default_rng(1).integers(0, 32, size=4000)
    drawn = f.sample_parents(np.stack([masked(mask) for mask in allowed]), np.random.default_rng(2))
    assert (drawn & ~allowed == 0).all()
    for mask in (0b11111, 0b00111, 0b10000):
        exact = exact_parent_sets(f, parents_of(f, mask))
        assert chi_square_p(drawn[allowed == mask].tolist(), exact) > THRESHOLD


@pytest.mark.parametrize("outsiders", [1, 2])
def test_sampling_with_outsiders_takes_each_row_by_itself(outsiders):
    f = family(2, seed=4, at_once=outsiders)
    choices = [frozenset(c) for size in range(4) for c in itertools.combinations([0, 2, 5, 9], size)]
    which = np.random.default_rng(1).integers(0, len(choices), size=8000)
    drawn = f.sample_parents(np.stack([before(*choices[i]) for i in which]), np.random.default_rng(2))
    for number, placed in enumerate(choices):
        assert chi_square_p(drawn[which == number].tolist(), exact_parent_sets(f, placed)) > THRESHOLD


def test_sampling_with_scores_thousands_of_nats_apart():
    f = Family(4, CANDIDATES[:3], np.array([-9000.0, -np.inf, -3.0, -3.0, -8000.0, -8000.0, -np.inf, -5000.0]))
    rng = np.random.default_rng(0)

    def drawn_within(mask):
        return set(f.sample_parents(np.tile(masked(mask), (500, 1)), rng).tolist())

    assert drawn_within(0b111) == {0b010, 0b011}
    assert drawn_within(0b101) == {0b100, 0b101}
    assert drawn_within(0b001) == {0b000}


def test_sampling_rows_thousands_of_nats_apart():
    """Candidate 0; rows {}, {1}, {5}, {1, 5}."""
    log_score = np.array([-9000.0, -9000.0, -3.0, -np.inf, -5000.0, -5000.0, -np.inf, -2.0])
    f = Family(4, np.array([0]), log_score, 0.0, np.array([[1, -1], [5, -1], [1, 5]]))
    rng = np.random.default_rng(0)

    def drawn_within(*placed):
        return set(f.sample_parents(np.tile(before(*placed), (500, 1)), rng).tolist())

    assert drawn_within() == {0}
    assert drawn_within(0) == {0, 1}
    assert drawn_within(0, 1) == {2}
    assert drawn_within(0, 5) == {4, 5}
    assert drawn_within(5) == {4}
    assert drawn_within(1, 5) == {2}
    assert drawn_within(0, 1, 5) == {2, 7}


def test_a_row_that_is_closed_does_not_count_however_heavy_it_is():
    """Rows {}, {1}, {5}, by a thousand nats apart: in units of the last one the others are nothing."""
    f = Family(4, NO_VARIABLES, np.array([-3.0, -9000.0, 1000.0]), 0.0, np.array([[1], [5]]))
    rng = np.random.default_rng(0)
    assert set(f.sample_parents(np.tile(before(1), (100, 1)), rng).tolist()) == {0}
    assert set(f.sample_parents(np.tile(before(1, 5), (100, 1)), rng).tolist()) == {2}


def test_the_largest_random_numbers_draw_no_impossible_set():
    class Last:
        def random(self, shape):
            return np.full(shape, np.nextafter(1.0, 0.0))

    log_score = np.array([0.0, -0.3, -np.inf, -0.1, -0.7, -np.inf, -np.inf, -np.inf])
    f = Family(4, np.array([0]), log_score, 0.0, np.array([[1], [5], [8]]))
    for placed in ([], [0], [1], [0, 1], [0, 1, 5, 8], [8], [0, 8]):
        drawn = f.sample_parents(before(*placed)[None], Last())
        assert parents_of(f, int(drawn[0])) <= set(placed)
        assert np.isfinite(f.log_score[drawn[0]])


# --- weights ------------------------------------------------------------------------------------------------------


def test_expected_weights():
    f = family(4, seed=1, impossible=0.2)
    weights = np.random.default_rng(0).normal(size=(16, 4))
    np.testing.assert_allclose(
        f.expected_weights(weights), reference.subset_expectation(f.log_score, weights), atol=1e-11
    )


def test_expected_weights_of_each_row(at_once):
    f = family(3, seed=1, impossible=0.2, at_once=at_once)
    weights = np.random.default_rng(0).normal(size=(f.log_score.size, 5))
    np.testing.assert_allclose(
        f.expected_weights(weights), reference.subset_expectation(f.log_score, weights, 3), atol=1e-11
    )


@pytest.mark.parametrize("n_candidates", [0, 1, 3])
def test_expected_weights_given_predecessors(n_candidates, at_once):
    """Mean over the rows that are open, each with its mass."""
    rng = np.random.default_rng([7, n_candidates])
    f = family(n_candidates, seed=1, impossible=0.3, at_once=at_once)
    f.log_score[0] = -300.0
    table = random_weights(rng, [f])[0]
    without_parents = [Family(v, NO_VARIABLES, np.zeros(1)) for v in range(D)]
    full = [*without_parents[:CHILD], f, *without_parents[CHILD + 1 :]]
    tables = [np.zeros((1, 0))] * CHILD + [table] + [np.zeros((1, 0))] * (D - CHILD - 1)
    known = weights_of(full, tables)
    all_scores = {**{v: {frozenset(): 0.0} for v in range(D)}, **scores(f)}
    predecessors = rng.random((80, D)) < 0.5
    predecessors[:, CHILD] = False
    predecessors[0], predecessors[1] = before(), before(*(v for v in range(D) if v != CHILD))
    answer = f.expected_weights_given(predecessors, table)
    for row, found in zip(predecessors, answer, strict=True):
        placed = frozenset(np.flatnonzero(row).tolist())
        np.testing.assert_allclose(found, expected_weights(all_scores, known, CHILD, placed), rtol=1e-10, atol=1e-11)
        assert (found[~row] == 0.0).all()


@pytest.mark.parametrize("n_outsiders", [0, 2])
@pytest.mark.parametrize("seed", range(4))
def test_largest_set_and_what_is_possible_after(seed, n_outsiders):
    """Against a list of all sets, most of which are ruled out."""
    rng = np.random.default_rng(seed)
    rows = np.array([[4, -1], [5, -1], [4, 5]]) if n_outsiders else np.empty((0, 0), dtype=np.int64)
    log_score = np.where(rng.random(8 * (1 + len(rows))) < 0.85, -np.inf, 0.0)
    family = Family(3, np.array([0, 1, 2]), log_score, 0.0, rows)
    left = [set(family.members(number).tolist()) for number in np.flatnonzero(log_score > -np.inf)]
    assert family.largest_size == max(map(len, left), default=0)
    for mask in range(64):
        before = (mask >> np.arange(6) & 1).astype(bool)
        assert family.possible_after(before) == any(members <= set(np.flatnonzero(before)) for members in left)
