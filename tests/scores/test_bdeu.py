"""BDeu against its formula, and the properties that make it a sound score."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orderspn as osp
from helpers.discrete import as_categories, discrete_data
from orderspn.scores.bdeu import BDeu, FittedBDeu
from orderspn.scores.local import LocalScore
from reference.bdeu import by_prediction, log_marginal_likelihood, mean_table
from reference.local_scores import log_prior

pytestmark = pytest.mark.kernels

TABLES = {
    "binary": ((2, 2, 2, 2, 2), 60),
    "mixed": ((2, 3, 5, 2, 4), 40),
    "fewer rows than levels": ((7, 2, 9, 3, 2), 4),
    "two rows": ((2, 2, 2, 2, 2), 2),
    "many equal rows": ((2, 2, 3, 2, 2), 400),
}


def masks(candidates):
    for mask in range(1 << len(candidates)):
        yield mask, [c for b, c in enumerate(candidates) if mask >> b & 1]


@pytest.fixture(params=[1.0, 0.01, 25.0], ids=lambda size: f"ess {size}")
def strength(request):
    return request.param


@pytest.fixture(params=TABLES)
def table(request):
    arities, n = TABLES[request.param]
    return discrete_data(arities, n, seed=len(request.param)), arities


def fitted(codes, arities, strength=1.0):
    return BDeu(equivalent_sample_size=strength).fit(as_categories(codes, arities))


def test_the_twins_agree(table, strength):
    """The formula, and one row predicted after the other."""
    codes, arities = table
    for parents in ([], [0], [3, 0], [4, 0, 1]):
        one = log_marginal_likelihood(codes, arities, 2, parents, strength)
        assert one == pytest.approx(by_prediction(codes, arities, 2, parents, strength), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("max_parents", [0, 1, 2, 5])
def test_all_subsets_equal_the_formula(table, strength, max_parents):
    codes, arities = table
    score = fitted(codes, arities, strength)
    for child, candidates in [(0, [1, 2, 3, 4]), (2, [0, 3, 4]), (4, [1]), (1, [])]:
        found = score.log_likelihoods(child, np.array(candidates, dtype=np.int64), max_parents)
        assert found.shape == (1 << len(candidates),)
        for mask, parents in masks(candidates):
            if len(parents) > max_parents:
                assert found[mask] == -np.inf
            else:
                expected = log_marginal_likelihood(codes, arities, child, parents, strength)
                assert found[mask] == pytest.approx(expected, rel=1e-10, abs=1e-9)


@pytest.mark.parametrize("max_parents", [0, 1, 2, 3, 5])
def test_subsets_with_others_always_present(table, max_parents):
    codes, arities = table
    score = fitted(codes, arities)
    for child, candidates, always in [(0, [1, 2], [3]), (0, [3], [2, 1]), (3, [1, 4], [0, 2]), (2, [], [4, 0])]:
        found = score.log_likelihoods(child, np.array(candidates, dtype=np.int64), max_parents, np.array(always))
        assert found.shape == (1 << len(candidates),)
        for mask, parents in masks(candidates):
            if len(parents) + len(always) > max_parents:
                assert found[mask] == -np.inf
            else:
                expected = log_marginal_likelihood(codes, arities, child, [*parents, *always])
                assert found[mask] == pytest.approx(expected, rel=1e-10, abs=1e-9)


@given(
    st.lists(st.integers(2, 5), min_size=2, max_size=6),
    st.integers(2, 30),
    st.floats(0.01, 50.0),
    st.integers(0, 2**32 - 1),
)
def test_any_table_equals_the_formula(arities, n, strength, seed):
    codes = np.random.default_rng(seed).integers(0, arities, size=(n, len(arities))).astype(np.uint16)
    others = list(range(1, len(arities)))
    found = fitted(codes, arities, strength).log_likelihoods(0, np.array(others), len(arities))
    for mask, parents in masks(others):
        expected = by_prediction(codes, arities, 0, parents, strength)
        assert found[mask] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_one_more_parent_equals_the_formula(table, strength):
    codes, arities = table
    score = fitted(codes, arities, strength)
    for child, parents in [(0, []), (1, [4]), (3, [0, 2]), (2, [0, 1, 3, 4])]:
        grown = score.log_likelihoods_with_one_more(child, np.array(parents, dtype=np.int64))
        for v in range(5):
            if v == child or v in parents:
                assert grown[v] == -np.inf
            else:
                expected = log_marginal_likelihood(codes, arities, child, [*parents, v], strength)
                assert grown[v] == pytest.approx(expected, rel=1e-10, abs=1e-9)


def test_local_scores_of_rows_of_outsiders():
    arities = (2, 3, 2, 4, 2, 2)
    codes = discrete_data(arities, 50, seed=4)
    local = LocalScore(fitted(codes, arities), osp.scores.log_prior_by_size("fair", 6), 3)
    found = local.table(0, np.array([1, 4]), np.array([[5, -1], [2, 5]]))
    for row, always in enumerate([[], [5], [2, 5]]):
        for mask, chosen in masks([1, 4]):
            parents = [*chosen, *always]
            expected = log_marginal_likelihood(codes, arities, 0, parents) + log_prior("fair", len(parents), 6)
            assert found[4 * row + mask] == (pytest.approx(expected, rel=1e-10) if len(parents) <= 3 else -np.inf)


def graph_score(score, parents_of):
    return sum(
        score.log_likelihoods(child, np.array(sorted(parents), dtype=np.int64), len(parents))[-1]
        for child, parents in parents_of.items()
    )


@given(st.integers(0, 2**32 - 1), st.floats(0.05, 20.0))
def test_turning_covered_edges_keeps_the_score(seed, strength):
    """i -> j may turn where pa(j) = pa(i) + i, and every Markov-equivalent graph is reached in this way."""
    rng = np.random.default_rng(seed)
    arities = rng.integers(2, 5, size=5).tolist()
    score = fitted(rng.integers(0, arities, size=(30, 5)).astype(np.uint16), arities, strength)
    graph = {j: {i for i in range(j) if rng.random() < 0.7} for j in range(5)}
    graph[1] = {0}  # at least one edge can turn
    expected = graph_score(score, graph)
    for _ in range(8):
        covered = [(i, j) for j in graph for i in graph[j] if graph[j] == graph[i] | {i}]
        if not covered:
            break
        i, j = covered[rng.integers(len(covered))]
        graph[j].remove(i)
        graph[i].add(j)
        assert graph_score(score, graph) == pytest.approx(expected, rel=1e-11, abs=1e-9)


def test_graphs_that_are_not_equivalent_score_differently():
    score = fitted(discrete_data((2, 3, 2), 80, seed=1), (2, 3, 2))
    chain, collider = {0: [], 1: [0], 2: [1]}, {0: [], 1: [0, 2], 2: []}
    assert abs(graph_score(score, chain) - graph_score(score, collider)) > 1e-3


def test_the_next_row_has_probabilities_that_sum_to_one():
    arities, codes = (3, 2, 2), discrete_data((3, 2, 2), 20, seed=3)

    def log_likelihood(rows):
        return fitted(rows, arities).log_likelihoods(0, np.array([1, 2]), 2)

    ratios = [np.exp(log_likelihood(np.vstack([codes, [k, 1, 0]])) - log_likelihood(codes)) for k in range(3)]
    np.testing.assert_allclose(np.sum(ratios, axis=0), 1.0, rtol=1e-9)


def test_neither_the_order_of_rows_nor_names_of_levels_count():
    arities, codes = (2, 3, 4), discrete_data((2, 3, 4), 50, seed=5)
    one, other = fitted(codes, arities), fitted(codes[np.random.default_rng(0).permutation(50)], arities)
    np.testing.assert_array_equal(
        one.log_likelihoods(0, np.array([1, 2]), 2), other.log_likelihoods(0, np.array([1, 2]), 2)
    )
    renamed = codes.copy()
    renamed[:, 2] = 3 - renamed[:, 2]
    np.testing.assert_allclose(
        fitted(renamed, arities).log_likelihoods(0, np.array([1, 2]), 2),
        one.log_likelihoods(0, np.array([1, 2]), 2),
        rtol=1e-12,
    )


def test_a_level_that_never_occurs_counts():
    codes = discrete_data((2, 2), 30, seed=2)
    wider = fitted(codes, (2, 3)).log_likelihoods(0, np.array([1]), 1)
    assert wider[0] == fitted(codes, (2, 2)).log_likelihoods(0, np.array([1]), 1)[0]
    assert wider[1] == pytest.approx(log_marginal_likelihood(codes, (2, 3), 0, [1]), rel=1e-12)
    assert wider[1] != pytest.approx(log_marginal_likelihood(codes, (2, 2), 0, [1]), rel=1e-6)


def test_counts_given_parents():
    arities, codes = (2, 3, 4), discrete_data((2, 3, 4), 50, seed=5)
    score = fitted(codes, arities)
    counts = score.counts_given(1, np.array([0, 2]))
    assert counts.shape == (2, 4, 3)
    assert counts.sum() == score.n_rows == 50
    expected = mean_table(codes, arities, 1, [0, 2])
    for a, b in itertools.product(range(2), range(4)):
        strengths = counts[a, b] + 1 / 24
        np.testing.assert_allclose(strengths / strengths.sum(), expected[a, b], rtol=1e-12)


class TestRestoring:
    def test_it_is_the_same(self):
        arities, codes = (2, 3, 4), discrete_data((2, 3, 4), 50, seed=5)
        score = fitted(codes, arities, 2.5)
        again = FittedBDeu.restore(score.settings(), score.arrays())
        assert again.levels == score.levels
        assert again.settings() == score.settings()
        one, other = (s.log_likelihoods(0, np.array([1, 2]), 2) for s in (score, again))
        np.testing.assert_array_equal(one, other)

    def test_many_levels(self):
        codes = np.stack([np.arange(600) % 300, np.arange(600) % 2], axis=1).astype(np.uint16)
        score = fitted(codes, (300, 2))
        assert score.arrays()["bdeu_rows"].dtype == np.uint16
        np.testing.assert_array_equal(FittedBDeu.restore(score.settings(), score.arrays()).rows, score.rows)

    @pytest.mark.parametrize(
        ("name", "change", "message"),
        [
            ("bdeu_rows", lambda a: a[:, :2], "do not match"),
            ("bdeu_rows", lambda a: a[:0], "do not match"),
            ("bdeu_rows", lambda a: a.astype(float), "do not match"),
            ("bdeu_rows", lambda a: a + np.uint8(4), "levels that do not exist"),
            ("bdeu_counts", lambda a: a[1:], "counts do not match"),
            ("bdeu_counts", lambda a: a * 0, "counts do not match"),
            ("bdeu_counts", lambda a: a.astype(float), "counts do not match"),
            ("bdeu_counts", lambda a: a + 1, "do not match its number of rows"),
            ("bdeu_levels", lambda a: np.frombuffer(b'[["a", "a"], ["b", "c"], ["d", "e"]]', np.uint8), "categories"),
            ("bdeu_levels", lambda a: a[:-3], "."),
        ],
    )
    def test_damage_is_seen(self, name, change, message):
        score = fitted(discrete_data((2, 3, 4), 50, seed=5), (2, 3, 4))
        arrays = score.arrays()
        arrays[name] = change(arrays[name])
        with pytest.raises(ValueError, match=message):
            FittedBDeu.restore(score.settings(), arrays)

    def test_a_strength_that_cannot_be(self):
        score = fitted(discrete_data((2, 3), 20, seed=5), (2, 3))
        with pytest.raises(ValueError, match="equivalent_sample_size"):
            FittedBDeu.restore(score.settings() | {"equivalent_sample_size": -1.0}, score.arrays())


def test_family_scores_of_categories():
    frame = osp.load_asia().data[["smoke", "lung", "bronc"]]
    table = osp.scores.family_scores(frame, "bronc", score=BDeu(equivalent_sample_size=3.0), prior="uniform")
    codes = (frame == "yes").to_numpy().astype(np.uint16)
    assert sorted(table["parents"]) == [(), ("lung",), ("smoke",), ("smoke", "lung")]
    for row in table.itertuples():
        parents = [["smoke", "lung"].index(p) for p in row.parents]
        expected = log_marginal_likelihood(codes, (2, 2, 2), 2, parents, 3.0)
        assert row.log_likelihood == pytest.approx(expected, rel=1e-11)
        assert row.log_prior == pytest.approx(-2 * math.log(2))


class TestErrors:
    @pytest.mark.parametrize("value", [0.0, -1.0, math.inf, math.nan])
    def test_strength(self, value):
        with pytest.raises(ValueError, match=r"equivalent_sample_size must be a finite number greater than 0"):
            BDeu(equivalent_sample_size=value)

    def test_strength_of_the_wrong_type(self):
        with pytest.raises(TypeError, match="equivalent_sample_size must be a number"):
            BDeu(equivalent_sample_size="1")

    def test_numbers(self):
        with pytest.raises(TypeError, match=r"BDeu needs categories.*got Dataset"):
            BDeu().fit(osp.read_table([[0.0, 1.0], [1.0, 0.0]]))

    def test_columns_that_name_rows_are_warned_of(self):
        frame = pd.DataFrame({"patient": [f"P{i}" for i in range(30)], "ill": ["yes", "no"] * 15})
        with pytest.warns(UserWarning, match=r"values of 'patient' are different.*drop such columns") as caught:
            osp.scores.family_scores(frame, "ill")
        assert caught[0].filename == __file__
