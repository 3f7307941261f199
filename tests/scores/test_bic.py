"""BIC against least squares, and the properties that make it a sound score."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.interventions import random_mask
from orderspn.core.dag import all_dags
from orderspn.data.dataset import Dataset
from orderspn.scores.bic import BIC, FittedBIC

pytestmark = pytest.mark.kernels

D, N = 5, 60
VALUES = gaussian_data(D, N, seed=3)


def of_least_squares(values, child, parents, penalty=1.0, intervened=None):
    """The largest log likelihood of a regression with a constant, less the penalty for all its parameters."""
    if intervened is not None:
        values = values[~intervened[:, child]]
    n = len(values)
    if n == 0:
        return 0.0
    design = np.column_stack([np.ones(n), values[:, list(parents)]])
    weights = np.linalg.lstsq(design, values[:, child], rcond=None)[0]
    variance = np.mean((values[:, child] - design @ weights) ** 2)
    return -n / 2 * (math.log(2 * math.pi * variance) + 1) - penalty / 2 * math.log(n) * (len(parents) + 2)


def weights_of_least_squares(values, child, parents):
    centred = values - values.mean(axis=0)
    return np.linalg.lstsq(centred[:, list(parents)], centred[:, child], rcond=None)[0]


def fitted(values=VALUES, penalty=1.0, intervened=None):
    return BIC(penalty).fit(Dataset(tuple(letters(values.shape[1])), values, intervened=intervened))


def subsets(candidates):
    for mask in range(1 << len(candidates)):
        yield mask, [c for b, c in enumerate(candidates) if mask >> b & 1]


@pytest.mark.parametrize("penalty", [1.0, 2.0, 0.3])
@pytest.mark.parametrize("max_parents", [0, 2, 4])
def test_all_subsets_equal_least_squares(penalty, max_parents):
    score = fitted(penalty=penalty)
    for child, candidates, always in [(0, [1, 2, 3, 4], []), (4, [0, 2], [1, 3]), (2, [], [0]), (1, [], [])]:
        table = score.log_likelihoods(child, np.array(candidates, dtype=np.int64), max_parents, np.array(always, int))
        for mask, chosen in subsets(candidates):
            parents = [*always, *chosen]
            if len(parents) > max_parents:
                assert table[mask] == -np.inf
            else:
                assert table[mask] == pytest.approx(of_least_squares(VALUES, child, parents, penalty), abs=1e-9)


def test_with_one_more():
    score = fitted()
    for parents in ([], [3], [1, 4], [1, 3, 4]):
        found = score.log_likelihoods_with_one_more(0, np.array(parents, dtype=np.int64))
        for new in range(D):
            if new == 0 or new in parents:
                assert found[new] == -np.inf
            else:
                assert found[new] == pytest.approx(of_least_squares(VALUES, 0, [*parents, new]), abs=1e-9)


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_rows_with_interventions_are_left_out(share):
    intervened = random_mask(np.random.default_rng(0), N, D, share)
    score = fitted(intervened=intervened)
    assert score.n_interventions.tolist() == intervened.sum(axis=0).tolist()
    for child in range(D):
        others = np.array([v for v in range(D) if v != child])
        table = score.log_likelihoods(child, others, D - 1)
        for mask, parents in subsets(others.tolist()):
            assert table[mask] == pytest.approx(of_least_squares(VALUES, child, parents, 1.0, intervened), abs=1e-9)


@pytest.mark.filterwarnings("ignore:there are no more rows than variables")
def test_a_variable_that_was_always_set_scores_all_sets_alike():
    intervened = np.zeros((N, D), dtype=bool)
    intervened[:, 2] = True
    assert not fitted(intervened=intervened).log_likelihoods(2, np.array([0, 1]), 2).any()


def test_weights_are_those_of_least_squares():
    score = fitted(VALUES * [1.0, 1e4, 1e-3, 1.0, 7.0])
    values = VALUES * [1.0, 1e4, 1e-3, 1.0, 7.0]
    for child, candidates, always in [(0, [1, 2, 3], []), (1, [0, 4], [2]), (4, [0], [3, 1]), (3, [], [])]:
        found = score.expected_weights(child, np.array(candidates, dtype=np.int64), 4, np.array(always, dtype=np.int64))
        members = [*candidates, *always]
        for mask, chosen in subsets(candidates):
            parents = [*chosen, *always]
            expected = dict(zip(parents, weights_of_least_squares(values, child, parents), strict=True))
            for place, member in enumerate(members):
                assert found[mask, place] == pytest.approx(expected.get(member, 0.0), rel=1e-7, abs=1e-12)


def test_uncertainty_of_weights_is_that_of_least_squares():
    location, scale, freedom = fitted().weights_given(0, np.array([2, 3]))
    centred = VALUES - VALUES.mean(axis=0)
    inverse = np.linalg.inv(centred[:, [2, 3]].T @ centred[:, [2, 3]])
    residual = centred[:, 0] - centred[:, [2, 3]] @ location
    assert freedom == N - 3
    np.testing.assert_allclose(location, weights_of_least_squares(VALUES, 0, [2, 3]), rtol=1e-9)
    np.testing.assert_allclose(scale, residual @ residual / freedom * inverse, rtol=1e-9)
    assert fitted().weights_given(0, np.array([], dtype=np.int64))[0].size == 0


def test_no_weights_beyond_the_largest_number_of_parents():
    assert not fitted().expected_weights(0, np.array([1]), 1, np.array([2, 3])).any()
    assert (fitted().log_likelihoods(0, np.array([1]), 1, np.array([2, 3])) == -np.inf).all()


def test_equivalent_graphs_score_the_same():
    score = fitted(VALUES[:, :4])
    tables = [score.log_likelihoods(v, np.array([u for u in range(4) if u != v]), 3) for v in range(4)]
    by_class = {}
    for graph in all_dags(4):
        total = 0.0
        for v in range(4):
            others = [u for u in range(4) if u != v]
            total += tables[v][sum(1 << b for b, u in enumerate(others) if graph[u, v])]
        by_class.setdefault(osp.metrics.cpdag(graph).tobytes(), []).append(total)
    assert len(by_class) == 185
    assert all(max(scores) - min(scores) < 1e-9 for scores in by_class.values())
    assert len({round(scores[0], 6) for scores in by_class.values()}) == 185


@given(st.lists(st.floats(-6.0, 6.0), min_size=D, max_size=D), st.lists(st.floats(-1e3, 1e3), min_size=D, max_size=D))
def test_units_change_scores_by_a_constant(exponents, means):
    scale = 10.0 ** np.array(exponents)
    others = np.array([1, 2, 3, 4])
    own, scaled = (s.log_likelihoods(0, others, 4) for s in (fitted(), fitted((VALUES + means) * scale)))
    np.testing.assert_allclose(scaled - own, -N * math.log(scale[0]), atol=1e-6)


def test_few_rows_are_warned_of():
    with pytest.warns(UserWarning, match=r"there are no more rows than variables for 'A', 'B'.*score='bge'"):
        fitted(VALUES[:5])


def test_copies_of_columns_are_warned_of():
    with pytest.warns(UserWarning, match="linear functions of each other"):
        score = fitted(np.column_stack([VALUES, VALUES[:, 0]]))
    assert np.isfinite(score.log_likelihoods(1, np.array([0, 5]), 5)).all()
    assert np.isfinite(score.log_likelihoods_with_one_more(1, np.array([0]))[[2, 5]]).all()


def test_it_is_a_score_by_name_and_in_files(tmp_path):
    data = Dataset(tuple(letters(D)), VALUES)
    posterior = osp.learn(data, score="bic", prior="uniform")
    assert posterior.settings["score"] == {"name": "bic", "penalty": 1.0, "rows": N}
    posterior.save(tmp_path / "posterior.npz")
    again = osp.load(tmp_path / "posterior.npz")
    assert again.log_evidence == pytest.approx(posterior.log_evidence, abs=1e-9)
    assert again.causal_effects().equals(posterior.causal_effects())
    assert again.model.score.likelihood.unfitted == BIC(1.0)
    assert repr(again.model.score.likelihood) == "<FittedBIC: 60 rows of 5 variables, penalty=1>"


def test_files_with_interventions(tmp_path):
    intervened = random_mask(np.random.default_rng(1), N, D)
    posterior = osp.learn(Dataset(tuple(letters(D)), VALUES, intervened=intervened), score=BIC(2.0), check=False)
    posterior.save(tmp_path / "posterior.npz")
    assert osp.load(tmp_path / "posterior.npz").edge_probabilities().equals(posterior.edge_probabilities())


DAMAGE = {
    "not square": {"bic_matrix": np.ones((1, D, D - 1))},
    "not finite": {"bic_matrix": np.full((1, D, D), np.nan)},
    "not symmetric": {"bic_matrix": np.eye(D)[None] + np.eye(D, k=1)[None] * 0.1},
    "negative": {"bic_matrix": -np.eye(D)[None]},
    "of no data": {"bic_matrix": (3.0 - 2.0 * np.eye(D))[None]},
    "rows of another group": {"bic_rows": np.array([N, N])},
    "too many rows": {"bic_rows": np.array([N + 1])},
    "groups that are not there": {"bic_group": np.full(D, 1)},
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_forged_arrays_are_refused(damage):
    score = fitted()
    assert FittedBIC.restore(score.settings(), score.arrays()).penalty == 1.0
    with pytest.raises(ValueError, match="its "):
        BIC.restore(score.settings(), score.arrays() | damage)


@pytest.mark.parametrize("penalty", [0.0, -1.0, math.inf, math.nan])
def test_the_penalty_is_checked(penalty):
    with pytest.raises(ValueError, match="penalty"):
        BIC(penalty)


def test_more_rows_separate_bic_from_bge_less_and_less():
    """Differences between log scores of sets grow with the rows; those between the two scores stay bounded."""
    gaps = []
    for n in (100, 10_000):
        values = gaussian_data(3, n, seed=0)
        values = (values - values.mean(axis=0)) / values.std(axis=0)
        data = Dataset(("A", "B", "C"), values)
        bic, bge = (s.fit(data).log_likelihoods(0, np.array([1, 2]), 2) for s in (BIC(), osp.scores.BGe()))
        gaps.append(max(abs((bic[a] - bic[b]) - (bge[a] - bge[b])) for a, b in itertools.combinations(range(4), 2)))
    assert max(gaps) < 10.0
