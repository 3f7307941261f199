"""BGe against determinants, and the properties that make it a sound score."""

import itertools
import math

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from orderspn.data.dataset import read_table
from orderspn.scores.bge import BGe, FittedBGe
from orderspn.scores.local import LocalScore
from reference.bge import log_marginal_likelihood, mean_weights, posterior_matrix
from reference.local_scores import log_prior

pytestmark = pytest.mark.kernels

HYPERPARAMETERS = [
    {},
    {"alpha_mu": 0.1},
    {"alpha_mu": 3.0, "alpha_w": 12.0},
    {"t": 0.01},
    {"alpha_mu": 2.0, "alpha_w": 8.5, "t": 4.0},
]


def masks(candidates):
    for mask in range(1 << len(candidates)):
        yield mask, [c for b, c in enumerate(candidates) if mask >> b & 1]


@pytest.fixture(params=HYPERPARAMETERS, ids=lambda h: ", ".join(f"{k}={v}" for k, v in h.items()) or "defaults")
def hyperparameters(request):
    return request.param


@pytest.fixture(params=[(5, 40), (6, 4)], ids=["5 variables, 40 rows", "fewer rows than variables"])
def values(request):
    d, n = request.param
    return gaussian_data(d, n, seed=d) if d == 5 else gaussian_data(d, n, seed=d) * 2 - 1


def fitted(values, hyperparameters):
    return BGe(**{**hyperparameters}).fit(read_table(values))


def test_matrix(values, hyperparameters):
    expected, _, _ = posterior_matrix(values, **hyperparameters)
    np.testing.assert_allclose(fitted(values, hyperparameters).matrix_of(0), expected, rtol=1e-12)


@pytest.mark.parametrize("max_parents", [0, 1, 2, 5])
def test_all_subsets_equal_the_determinants(values, hyperparameters, max_parents):
    d = values.shape[1]
    score = fitted(values, hyperparameters)
    for child, candidates in [(0, list(range(1, d))), (d - 1, list(range(d - 1))), (2, [0, 3, 4]), (1, [])]:
        table = score.log_likelihoods(child, np.array(candidates, dtype=np.int64), max_parents)
        assert table.shape == (1 << len(candidates),)
        for mask, parents in masks(candidates):
            if len(parents) > max_parents:
                assert table[mask] == -np.inf
            else:
                expected = log_marginal_likelihood(values, child, parents, **hyperparameters)
                assert table[mask] == pytest.approx(expected, rel=1e-10, abs=1e-9)


@pytest.mark.parametrize("max_parents", [0, 1, 3, 5])
def test_expected_weights_solve_the_normal_equations(values, hyperparameters, max_parents):
    d = values.shape[1]
    score = fitted(values, hyperparameters)
    for child, candidates in [(0, list(range(1, d))), (3, [0, 1, 2, 4]), (2, [1]), (1, [])]:
        table = score.expected_weights(child, np.array(candidates, dtype=np.int64), max_parents)
        assert table.shape == (1 << len(candidates), len(candidates))
        for mask, parents in masks(candidates):
            expected = mean_weights(values, child, parents, **hyperparameters)[candidates]
            if len(parents) > max_parents:
                expected = np.zeros(len(candidates))
            np.testing.assert_allclose(table[mask], expected, rtol=1e-9, atol=1e-11)


ALWAYS = [
    (0, [1, 2], [3]),
    (0, [3], [2, 1]),
    (4, [0, 1, 3], [2]),
    (3, [1, 4], [0, 2]),
    (2, [], [4, 0]),
    (1, [0, 2, 3, 4], []),
]
"""Child, candidates, and who is always a parent besides."""


@pytest.mark.parametrize("max_parents", [0, 1, 2, 3, 5])
def test_subsets_with_others_always_present(values, hyperparameters, max_parents):
    score = fitted(values, hyperparameters)
    for child, candidates, always in ALWAYS:
        table = score.log_likelihoods(
            child, np.array(candidates, dtype=np.int64), max_parents, np.array(always, dtype=np.int64)
        )
        assert table.shape == (1 << len(candidates),)
        for mask, parents in masks(candidates):
            if len(parents) + len(always) > max_parents:
                assert table[mask] == -np.inf
            else:
                expected = log_marginal_likelihood(values, child, [*parents, *always], **hyperparameters)
                assert table[mask] == pytest.approx(expected, rel=1e-10, abs=1e-9)


@pytest.mark.parametrize("max_parents", [0, 1, 2, 3, 5])
def test_expected_weights_with_others_always_present(values, hyperparameters, max_parents):
    score = fitted(values, hyperparameters)
    for child, candidates, always in ALWAYS:
        table = score.expected_weights(
            child, np.array(candidates, dtype=np.int64), max_parents, np.array(always, dtype=np.int64)
        )
        assert table.shape == (1 << len(candidates), len(candidates) + len(always))
        for mask, parents in masks(candidates):
            expected = mean_weights(values, child, [*parents, *always], **hyperparameters)[[*candidates, *always]]
            if len(parents) + len(always) > max_parents:
                expected = np.zeros(len(candidates) + len(always))
            np.testing.assert_allclose(table[mask], expected, rtol=1e-9, atol=1e-11)


def test_who_is_always_present_might_as_well_be_a_candidate(values, hyperparameters):
    """The same numbers, from the part of the larger table that has the bit."""
    score = fitted(values, hyperparameters)
    larger = score.log_likelihoods(0, np.array([1, 2, 3, 4]), 4)
    has = (np.arange(16) >> 3 & 1) == 1
    np.testing.assert_allclose(score.log_likelihoods(0, np.array([1, 2, 3]), 4, np.array([4])), larger[has], rtol=1e-11)
    weights = score.expected_weights(0, np.array([1, 2, 3, 4]), 4)
    np.testing.assert_allclose(
        score.expected_weights(0, np.array([1, 2, 3]), 4, np.array([4])), weights[has], rtol=1e-9, atol=1e-12
    )


@pytest.mark.filterwarnings("ignore:the values of .* (vary so much|are linear functions)")
@pytest.mark.parametrize("scale", [1.0, 1e6, 1e9])
def test_the_same_column_twice_keeps_scores_finite(scale):
    """The second of two equal columns leaves rounding only, which is held at t, also among those always present."""
    values = gaussian_data(5, 30, seed=2) * scale
    values[:, 3] = values[:, 1]
    score = fitted(values, {})
    for always in ([1, 3], [3, 1], [1], [3]):
        candidates = np.array([c for c in (1, 2, 3) if c not in always], dtype=np.int64)
        table = score.log_likelihoods(0, candidates, 4, np.array(always))
        assert np.isfinite(table).all()
        assert np.isfinite(score.expected_weights(0, candidates, 4, np.array(always))).all()
        for mask, parents in masks(candidates.tolist()):
            members = np.array([*parents, *always])
            again = score.log_likelihoods(0, np.sort(members), 4)[-1]
            assert table[mask] == pytest.approx(again, abs=1e-12 * scale + 1e-9)


@pytest.mark.parametrize("max_parents", [1, 2, 4])
def test_local_scores_of_rows(max_parents):
    """Prior and likelihood of every set of every row, and its weights; -1 stands for none."""
    values = gaussian_data(6, 25, seed=4)
    local = LocalScore(BGe().fit(read_table(values)), osp.scores.log_prior_by_size("fair", 6), max_parents)
    candidates, outsiders = np.array([1, 4]), np.array([[5, -1], [2, -1], [2, 5], [3, 2]])
    table = local.table(0, candidates, outsiders)
    weights = local.expected_weights(0, candidates, outsiders)
    assert table.shape == (20,)
    assert weights.shape == (20, 4)
    for row, always in enumerate([[], [5], [2], [2, 5], [3, 2]]):
        for mask, chosen in masks([1, 4]):
            parents, number = [*chosen, *always], 4 * row + mask
            if len(parents) > max_parents:
                assert table[number] == -np.inf
                np.testing.assert_array_equal(weights[number], 0.0)
                continue
            expected = log_marginal_likelihood(values, 0, parents) + log_prior("fair", len(parents), 6)
            assert table[number] == pytest.approx(expected, rel=1e-10)
            twin = mean_weights(values, 0, parents)[[1, 4, *always]]
            np.testing.assert_allclose(weights[number, : 2 + len(always)], twin, rtol=1e-9, atol=1e-11)
            np.testing.assert_array_equal(weights[number, 2 + len(always) :], 0.0)


def test_local_scores_without_outsiders():
    values = gaussian_data(4, 25, seed=4)
    local = LocalScore(BGe().fit(read_table(values)), osp.scores.log_prior_by_size("fair", 4), 3)
    assert local.table(0, np.array([1, 2, 3])).shape == (8,)
    assert local.expected_weights(0, np.array([1, 2, 3])).shape == (8, 3)
    assert local.table(0, np.empty(0, dtype=np.int64)).shape == (1,)


def test_one_more_parent_equals_the_table(values, hyperparameters):
    d = values.shape[1]
    score = fitted(values, hyperparameters)
    for child in range(d):
        others = np.array([v for v in range(d) if v != child])
        table = score.log_likelihoods(child, others, d)
        for mask, parents in masks(others):
            grown = score.log_likelihoods_with_one_more(child, np.array(parents, dtype=np.int64))
            for v in range(d):
                bit = 1 << int(np.flatnonzero(others == v)[0]) if v != child else 0
                if v == child or mask & bit:
                    assert grown[v] == -np.inf
                else:
                    assert grown[v] == pytest.approx(table[mask | bit], rel=1e-10, abs=1e-9)


def graph_score(score, parents_of):
    total = 0.0
    for child, parents in parents_of.items():
        candidates = np.array(sorted(parents), dtype=np.int64)
        total += score.log_likelihoods(child, candidates, len(parents))[-1]
    return total


def reverse_covered_edges(parents_of, rng, steps):
    """A random walk within the Markov equivalence class: i -> j may turn where pa(j) = pa(i) + i."""
    graph = {child: set(parents) for child, parents in parents_of.items()}
    turned = 0
    for _ in range(steps):
        covered = [(i, j) for j in graph for i in graph[j] if graph[j] == graph[i] | {i}]
        if not covered:
            break
        i, j = covered[rng.integers(len(covered))]
        graph[j].remove(i)
        graph[i].add(j)
        turned += 1
    return graph, turned


EQUIVALENT = [
    ({0: [], 1: [0]}, {0: [1], 1: []}),
    ({0: [], 1: [0], 2: [1]}, {0: [1], 1: [2], 2: []}),
    ({0: [], 1: [0], 2: [1]}, {0: [1], 1: [], 2: [1]}),
    ({0: [], 1: [0], 2: [0, 1]}, {0: [1, 2], 1: [2], 2: []}),
    ({0: [], 1: [0], 2: [1], 3: [2], 4: [3]}, {0: [1], 1: [2], 2: [], 3: [2], 4: [3]}),
]


@pytest.mark.parametrize(("one", "other"), EQUIVALENT)
def test_equivalent_graphs_score_alike(one, other, hyperparameters):
    score = fitted(gaussian_data(5, 50, seed=1), hyperparameters)
    assert graph_score(score, one) == pytest.approx(graph_score(score, other), rel=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_turning_covered_edges_keeps_the_score(seed, hyperparameters):
    rng = np.random.default_rng(seed)
    score = fitted(gaussian_data(7, 60, seed=seed), hyperparameters)
    graph = {j: {i for i in range(j) if rng.random() < 0.7} for j in range(7)}
    turned_graph, turned = reverse_covered_edges(graph, rng, steps=12)
    assert turned > 0
    assert graph_score(score, turned_graph) == pytest.approx(graph_score(score, graph), rel=1e-12)


def test_graphs_that_are_not_equivalent_score_differently():
    score = fitted(gaussian_data(5, 50, seed=1), {})
    chain, collider = {0: [], 1: [0], 2: [1]}, {0: [], 1: [0, 2], 2: []}
    assert abs(graph_score(score, chain) - graph_score(score, collider)) > 1e-3


@pytest.mark.filterwarnings("ignore:the values of .* vary so much")
def test_one_more_row_has_a_predictive_density():
    """Adding a row multiplies the likelihood by the density of that row, which integrates to 1."""
    values = np.random.default_rng(3).normal(size=(4, 2))
    no_variables = np.empty(0, dtype=np.int64)

    def log_likelihood(rows):
        return fitted(rows, {}).log_likelihoods(0, no_variables, 0)[0]

    points, step = np.linspace(-100.0, 100.0, 2001, retstep=True)
    density = [np.exp(log_likelihood(np.vstack([values, [x, 0.5]])) - log_likelihood(values)) for x in points]
    assert np.sum(density) * step == pytest.approx(1.0, abs=1e-3)


def test_restored_score_is_the_same():
    score = fitted(gaussian_data(4, 20, seed=0), {"alpha_mu": 0.3})
    again = FittedBGe.restore(score.settings(), score.arrays())
    others = np.array([0, 1, 2])
    np.testing.assert_array_equal(again.log_likelihoods(3, others, 3), score.log_likelihoods(3, others, 3))


def weight_by_size(size):
    return (size + 1.0) ** -2


@pytest.mark.parametrize("prior", ["fair", "uniform", weight_by_size])
@pytest.mark.parametrize("d", [2, 3, 7, 20, 60])
def test_priors_are_normalised_over_parent_sets(prior, d):
    by_size = osp.scores.log_prior_by_size(prior, d)
    assert by_size.shape == (d,)
    assert sum(math.comb(d - 1, k) * math.exp(by_size[k]) for k in range(d)) == pytest.approx(1.0, rel=1e-11)
    np.testing.assert_allclose(by_size, [log_prior(prior, k, d) for k in range(d)], rtol=1e-11)


def test_fair_prior_gives_every_size_the_same_mass():
    by_size = osp.scores.log_prior_by_size("fair", 6)
    mass = [math.comb(5, k) * math.exp(by_size[k]) for k in range(6)]
    np.testing.assert_allclose(mass, 1 / 6, rtol=1e-12)


def test_prior_weight_zero_rules_a_size_out():
    by_size = osp.scores.log_prior_by_size(lambda k: 1.0 if k < 2 else 0.0, 4)
    np.testing.assert_array_equal(np.isfinite(by_size), [True, True, False, False])


@pytest.mark.parametrize("max_parents", [None, 2])
@pytest.mark.parametrize("candidates", [None, ["D", "A"], []])
def test_family_scores_table(max_parents, candidates):
    values, names = gaussian_data(5, 30, seed=8), letters(5)
    table = osp.scores.family_scores(
        values,
        "B",
        candidates,
        prior="uniform",
        max_parents=max_parents,
        variables=names,
        score=BGe(alpha_mu=0.4),
        standardize=False,
    )
    may_be = [n for n in names if n != "B"] if candidates is None else sorted(candidates)
    sets = [
        parents
        for size in range(len(may_be) + 1)
        for parents in itertools.combinations(may_be, size)
        if max_parents is None or size <= max_parents
    ]
    assert sorted(table["parents"]) == sorted(sets)
    assert table["log_score"].is_monotonic_decreasing
    for row in table.itertuples():
        expected = log_marginal_likelihood(values, 1, [names.index(p) for p in row.parents], alpha_mu=0.4)
        assert row.log_likelihood == pytest.approx(expected, rel=1e-11)
        assert row.log_prior == pytest.approx(log_prior("uniform", len(row.parents), 5), rel=1e-12)
        assert row.log_score == pytest.approx(row.log_likelihood + row.log_prior, rel=1e-14)


def test_standardize_in_family_scores():
    values = gaussian_data(3, 30, seed=8) * 7 + 2
    plain = (values - values.mean(axis=0)) / np.std(values, axis=0)
    one = osp.scores.family_scores(values, "X1", standardize=True)
    other = osp.scores.family_scores(plain, "X1", standardize=False)
    assert one["parents"].tolist() == other["parents"].tolist()
    np.testing.assert_allclose(one["log_score"], other["log_score"], rtol=1e-12)
