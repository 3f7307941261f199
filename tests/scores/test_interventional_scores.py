"""Scores of data with interventions: a variable is fitted on the rows in which it was not set, and on no others."""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.discrete import as_categories, discrete_data
from helpers.interventions import random_mask
from orderspn.core.errors import InvalidValue
from orderspn.data.categories import Categories
from orderspn.data.dataset import Dataset
from orderspn.scores.bdeu import BDeu, FittedBDeu
from orderspn.scores.bge import BGe, FittedBGe
from orderspn.scores.choosing import fit_score
from orderspn.scores.intervention_groups import RowsLeft
from orderspn.scores.scatter import scatter_by_group
from reference import bge as reference_bge
from reference.interventions import bdeu_score, bge_score, counts, rows_left

D, N = 4, 40
VALUES = gaussian_data(D, N, seed=7)
ARITIES = (2, 3, 2, 4)
CODES = discrete_data(ARITIES, N, seed=8)


def mask_of(*columns, n=N):
    """Variable -> rows in which it was intervened on."""
    mask = np.zeros((n, D), dtype=bool)
    for variable, rows in columns:
        mask[rows, variable] = True
    return mask


MASKS = {
    "one variable": mask_of((1, slice(5, 20))),
    "each its own": mask_of((0, slice(0, 9)), (1, slice(9, 20)), (2, slice(20, 24)), (3, slice(24, 40))),
    "two share their rows": mask_of((0, slice(0, 9)), (3, slice(0, 9)), (2, slice(5, 30))),
    "all in the same rows": mask_of(*((v, slice(30, 40)) for v in range(D))),
    "one row left": mask_of((2, slice(1, 40))),
    "always": mask_of((0, slice(None)), (3, slice(10, 20))),
    "at random": random_mask(np.random.default_rng(1), N, D, share=0.8),
}
HYPERPARAMETERS = [{}, {"alpha_mu": 0.3, "alpha_w": 7.5, "t": 0.8}]


def numbers(mask, values=VALUES):
    return Dataset(tuple(letters(D)), values, intervened=mask)


def categories(mask, codes=CODES, arities=ARITIES):
    plain = as_categories(codes, arities)
    return Categories(plain.variables, plain.codes, plain.levels, mask)


def quietly(score, data):
    """The warning about columns that hardly vary without intervention is tested below."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return score.fit(data)


@pytest.fixture(params=MASKS)
def mask(request):
    return MASKS[request.param]


@pytest.fixture(params=["bge", "bge, other prior", "bdeu", "bdeu, stronger"])
def pair(request, mask):
    """A fitted score and its slow twin: child, parents -> log likelihood."""
    if request.param.startswith("bge"):
        chosen = HYPERPARAMETERS[request.param != "bge"]
        score = quietly(BGe(**chosen), numbers(mask))
        return score, lambda child, parents: bge_score(VALUES, mask, child, parents, **chosen)
    strength = 1.0 if request.param == "bdeu" else 6.5
    score = BDeu(strength).fit(categories(mask))
    return score, lambda child, parents: bdeu_score(CODES, mask, ARITIES, child, parents, strength)


def close(expected):
    return pytest.approx(expected, rel=1e-10, abs=1e-9)


def members(mask, candidates):
    return [c for bit, c in enumerate(candidates) if mask >> bit & 1]


def test_every_family(pair):
    score, twin = pair
    for child in range(D):
        others = [v for v in range(D) if v != child]
        found = score.log_likelihoods(child, np.array(others), D)
        for subset in range(1 << len(others)):
            assert found[subset] == close(twin(child, members(subset, others)))


def test_others_always_present(pair):
    score, twin = pair
    for child, candidates, always in [(0, [1], [3]), (1, [0, 2], [3]), (2, [], [0, 3]), (3, [1], [2, 0])]:
        found = score.log_likelihoods(child, np.array(candidates, dtype=np.int64), D, np.array(always))
        for subset in range(1 << len(candidates)):
            assert found[subset] == close(twin(child, [*members(subset, candidates), *always]))


def test_one_more_parent(pair):
    score, twin = pair
    for child, parents in [(0, []), (1, [3]), (2, [0, 3]), (3, [2])]:
        grown = score.log_likelihoods_with_one_more(child, np.array(parents, dtype=np.int64))
        for v in range(D):
            impossible = v == child or v in parents
            assert grown[v] == (-np.inf if impossible else close(twin(child, [*parents, v])))


def mean_weights(mask, child, parents, **hyperparameters):
    left = rows_left(VALUES, mask, child)
    if not len(left):
        return np.zeros(D)
    return reference_bge.mean_weights(left, child, parents, **hyperparameters)


@pytest.mark.parametrize("hyperparameters", HYPERPARAMETERS)
def test_expected_weights(mask, hyperparameters):
    score = quietly(BGe(**hyperparameters), numbers(mask))
    for child, candidates, always in [(0, [1, 2, 3], []), (1, [0, 2], [3]), (2, [3], [0]), (3, [0, 1, 2], [])]:
        found = score.expected_weights(child, np.array(candidates), D, np.array(always, dtype=np.int64))
        for subset in range(1 << len(candidates)):
            expected = mean_weights(mask, child, [*members(subset, candidates), *always], **hyperparameters)
            np.testing.assert_allclose(found[subset], expected[[*candidates, *always]], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("hyperparameters", HYPERPARAMETERS)
def test_weights_given_are_those_of_the_rows_left(mask, hyperparameters):
    """The same score, fitted to the rows left and nothing else, has the same distribution of weights."""
    score = quietly(BGe(**hyperparameters), numbers(mask))
    for child, parents in itertools.product(range(D), [[1, 2], [3], [0, 2]]):
        if child in parents:
            continue
        left = rows_left(VALUES, mask, child)
        location, scale, freedom = score.weights_given(child, np.array(parents))
        if not len(left):
            assert freedom == score.alpha_w - D + len(parents) + 1
            np.testing.assert_array_equal(location, 0.0)
            np.testing.assert_allclose(scale, np.eye(len(parents)) / freedom)
            continue
        alone = quietly(BGe(**hyperparameters), numbers(None, left)).weights_given(child, np.array(parents))
        np.testing.assert_allclose(location, alone[0], rtol=1e-10)
        np.testing.assert_allclose(scale, alone[1], rtol=1e-10)
        assert freedom == alone[2]


def test_counts_given(mask):
    score = BDeu().fit(categories(mask))
    for child, parents in [(0, []), (1, [0, 3]), (2, [3, 1]), (3, [2])]:
        found = score.counts_given(child, np.array(parents, dtype=np.int64))
        np.testing.assert_array_equal(found, counts(CODES, mask, ARITIES, child, parents))


def test_a_variable_that_was_always_set_has_a_flat_score(pair, mask):
    score, _ = pair
    for child in np.flatnonzero(mask.all(axis=0)):
        others = np.array([v for v in range(D) if v != child])
        np.testing.assert_allclose(score.log_likelihoods(child, others, D), 0.0, atol=1e-12)
        one_more = score.log_likelihoods_with_one_more(child, others[:1])
        np.testing.assert_allclose(one_more[others[1:]], 0.0, atol=1e-12)


def test_all_rows_are_still_said_to_be_there(pair):
    score, _ = pair
    assert score.settings()["rows"] == score.n_rows == N


@pytest.mark.thorough
@given(st.integers(0, 2**32 - 1), st.floats(0.0, 1.0))
def test_any_mask(seed, share):
    rng = np.random.default_rng(seed)
    mask = random_mask(rng, N, D, share=2 * share)
    child = int(rng.integers(D))
    parents = [v for v in range(D) if v != child and rng.random() < 0.5]
    chosen = np.array(parents, dtype=np.int64)
    found = quietly(BGe(), numbers(mask)).log_likelihoods(child, chosen, D)[-1]
    assert found == close(bge_score(VALUES, mask, child, parents))
    found = BDeu().fit(categories(mask)).log_likelihoods(child, chosen, D)[-1]
    assert found == close(bdeu_score(CODES, mask, ARITIES, child, parents))


def test_equivalent_graphs_score_differently_under_interventions():
    """Rows with interventions on B are evidence for or against A -> B; without them both directions score equally."""
    for score, plain, with_it in [
        (BGe(), numbers(None), numbers(MASKS["one variable"])),
        (BDeu(), categories(None), categories(MASKS["one variable"])),
    ]:
        forward, backward = (
            [
                fitted.log_likelihoods(effect, np.array([cause]), 1)[1]
                + fitted.log_likelihoods(cause, np.empty(0, np.int64), 0)[0]
                for fitted in (score.fit(plain), score.fit(with_it))
            ]
            for cause, effect in [(0, 1), (1, 0)]
        )
        assert forward[0] == pytest.approx(backward[0], rel=1e-12)
        assert abs(forward[1] - backward[1]) > 1e-3


class TestGroups:
    def test_variables_with_the_same_rows_share_them(self):
        left = RowsLeft.of(MASKS["two share their rows"], N, D)
        assert left.group.tolist() == [0, 1, 2, 0]
        for variable, group in enumerate(left.group):
            np.testing.assert_array_equal(left.kept[group], ~MASKS["two share their rows"][:, variable])

    def test_without_interventions_there_is_one(self):
        for fitted in (BGe().fit(numbers(None)), BDeu().fit(categories(None))):
            assert fitted.group.tolist() == [0] * D
        assert BGe().fit(numbers(None)).rows_left.tolist() == [N]

    @given(st.integers(0, 2**32 - 1))
    def test_groups_are_as_few_as_can_be(self, seed):
        rng = np.random.default_rng(seed)
        mask = (rng.random((9, 3)) < 0.4)[:, rng.integers(0, 3, size=6)]
        left = RowsLeft.of(mask, 9, 6)
        for one, other in itertools.combinations(range(6), 2):
            assert (left.group[one] == left.group[other]) == np.array_equal(mask[:, one], mask[:, other])
        assert len(left.kept) == left.group.max() + 1


class TestRestoring:
    def test_it_is_the_same(self, pair):
        score, _ = pair
        again = type(score).restore(score.settings(), score.arrays())
        assert again.settings() == score.settings()
        for child in range(D):
            others = np.array([v for v in range(D) if v != child])
            one, other = (s.log_likelihoods(child, others, D) for s in (score, again))
            np.testing.assert_array_equal(one, other)

    def test_without_interventions_nothing_is_added(self):
        assert BGe().fit(numbers(None)).arrays().keys() == {"bge_matrix", "bge_mean"}
        assert BGe().fit(numbers(None)).arrays()["bge_matrix"].shape == (D, D)
        arrays = BDeu().fit(categories(None)).arrays()
        assert arrays.keys() == {"bdeu_rows", "bdeu_counts", "bdeu_levels"}
        assert arrays["bdeu_counts"].shape == (len(arrays["bdeu_rows"]),)

    @pytest.mark.parametrize(
        ("name", "change", "message"),
        [
            ("bge_matrix", lambda a: a[0], "not square and finite"),
            ("bge_matrix", lambda a: a[:, 1:], "not square and finite"),
            ("bge_matrix", lambda a: a[:, 1:, 1:], "groups of variables do not match"),
            ("bge_matrix", lambda a: a[1:], "groups of variables do not match"),
            ("bge_matrix", lambda a: a * np.nan, "not square and finite"),
            ("bge_rows", lambda a: a[1:], "numbers of rows do not match"),
            ("bge_rows", lambda a: a.astype(float), "numbers of rows do not match"),
            ("bge_rows", lambda a: a - N, "do not match that of the data"),
            ("bge_rows", lambda a: a + N, "do not match that of the data"),
            ("bge_group", lambda a: a + 1, "groups of variables do not match"),
            ("bge_group", lambda a: a - 1, "groups of variables do not match"),
            ("bge_group", lambda a: a * 0, "groups of variables do not match"),
            ("bge_group", lambda a: a[:3], "groups of variables do not match"),
            ("bge_group", lambda a: a.astype(float), "groups of variables do not match"),
            ("bdeu_counts", lambda a: a[0], "counts do not match"),
            ("bdeu_counts", lambda a: a[:, 1:], "counts do not match"),
            ("bdeu_counts", lambda a: a - 1, "counts do not match"),
            ("bdeu_counts", lambda a: a.astype(float), "counts do not match"),
            ("bdeu_counts", lambda a: a + 2, "do not match its number of rows"),
            ("bdeu_counts", lambda a: a[1:], "groups of variables do not match"),
            ("bdeu_group", lambda a: a + 1, "groups of variables do not match"),
            ("bdeu_group", lambda a: a[:3], "groups of variables do not match"),
        ],
    )
    def test_damage_is_seen(self, name, change, message):
        mask = MASKS["two share their rows"]
        score = BGe().fit(numbers(mask)) if name.startswith("bge") else BDeu().fit(categories(mask))
        arrays = score.arrays()
        arrays[name] = change(arrays[name])
        with pytest.raises(ValueError, match=message):
            type(score).restore(score.settings(), arrays)

    def test_groups_that_are_missing(self):
        for score, cls in [
            (BGe().fit(numbers(MASKS["one variable"])), FittedBGe),
            (BDeu().fit(categories(MASKS["one variable"])), FittedBDeu),
        ]:
            arrays = {name: array for name, array in score.arrays().items() if not name.endswith("_group")}
            with pytest.raises(ValueError, match=r"not square|do not match"):
                cls.restore(score.settings(), arrays)


def frame(mask=None):
    table = pd.DataFrame(VALUES, columns=letters(D))
    return table if mask is None else table.assign(intervened=[tuple(np.array(letters(D))[row]) for row in mask])


class TestFamilyScores:
    def test_they_are_those_of_the_rows_left(self):
        mask = MASKS["each its own"]
        table = osp.scores.family_scores(frame(mask), "B", interventions="intervened", standardize=False)
        for row in table.itertuples():
            expected = bge_score(VALUES, mask, 1, [letters(D).index(p) for p in row.parents])
            assert row.log_likelihood == close(expected)

    def test_labels(self):
        labels, targets = np.where(MASKS["one variable"][:, 1], "drug", "none"), {"drug": "B", "none": None}
        one = osp.scores.family_scores(frame(), "B", interventions=labels, targets=targets, standardize=False)
        other = osp.scores.family_scores(frame(), "B", interventions=MASKS["one variable"], standardize=False)
        pd.testing.assert_frame_equal(one, other)


class TestWarnings:
    """All of them point at the line of the caller."""

    def test_always_set(self):
        for ask in (
            lambda: osp.learn(frame(), interventions=["A"] * N, standardize=False),
            lambda: osp.scores.family_scores(frame(), "B", interventions=["A"] * N, standardize=False),
            lambda: osp.learn(categories(mask_of((0, slice(None))))),
        ):
            with pytest.warns(UserWarning, match=r"'(A|X1)' was intervened on in every row") as caught:
                ask()
            assert [w.filename for w in caught] == [__file__]

    def test_always_set_in_the_plural(self):
        with pytest.warns(UserWarning, match="'A', 'C' were intervened on .* say nothing about their causes"):
            osp.learn(frame(), interventions=[("A", "C")] * N, standardize=False)
        with pytest.warns(UserWarning, match="'A' was intervened on .* say nothing about its causes"):
            osp.learn(frame(), interventions=["A"] * N, standardize=False)

    def test_extreme_values_that_were_set(self):
        """Standardised, a variable has variance 1 in rows without intervention, for any values under intervention."""
        values, mask = VALUES.copy(), mask_of((2, slice(0, 5)))
        values[:5, 2] = 1e6
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            posterior = osp.learn(values, interventions=mask, standardize=True)
        assert posterior.settings["standardized"]

    def test_nothing_is_advised_that_was_done(self):
        values, mask = VALUES.copy(), mask_of((2, slice(0, 5)))
        values[5:, 2] = 1.0  # never varies by itself
        with pytest.warns(UserWarning, match=r"'X3' vary so little .*; pass a smaller t to scores.BGe\.$"):
            osp.learn(values, interventions=mask, standardize=True)
        with pytest.warns(UserWarning, match=r"'X3' vary so little .*, or pass standardize=True\.$"):
            osp.learn(values, interventions=mask, standardize=False)

    def test_hardly_varying_where_it_was_not_set(self):
        values = VALUES.copy()
        values[5:, 2] = 0.001 * values[5:, 2]
        mask = mask_of((2, slice(0, 5)))
        with pytest.warns(UserWarning, match="'X3' vary so little in the rows without intervention") as caught:
            osp.learn(values, interventions=mask, standardize=False)
        assert caught[0].filename == __file__

    def test_collinear_where_one_was_not_set(self):
        values = VALUES * 1e5
        values[:20, 1] = values[:20, 0]
        mask = mask_of((1, slice(20, 40)))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            BGe(t=1e-6).fit(numbers(mask, values))
        assert [str(w.message) for w in caught if "'A', 'B' are linear functions" in str(w.message)]

    def test_nothing_is_said_of_rows_that_are_fine(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            osp.learn(frame(), interventions=MASKS["one variable"], standardize=True)


class Heedless:
    """A score that knows nothing of interventions."""

    def fit(self, data):
        return BGe().fit(Dataset(data.variables, data.values))


class TestOtherScores:
    def test_one_that_leaves_nothing_out_is_refused(self):
        with pytest.raises(InvalidValue, match=r"Heedless has no leaves_rows_out = True"):
            fit_score(Heedless(), numbers(MASKS["one variable"]))
        assert fit_score(Heedless(), numbers(None)).n_variables == D

    def test_one_that_says_it_does_is_trusted(self):
        heedful = Heedless()
        heedful.leaves_rows_out = True
        assert fit_score(heedful, numbers(MASKS["one variable"])).n_variables == D


class TestScatter:
    """Sums of batches put together, against sums over the rows left."""

    @given(st.integers(0, 2**32 - 1), st.booleans())
    def test_it_is_that_of_the_rows_left(self, seed, designed):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=(60, 5)) + rng.normal(scale=3.0, size=5)
        mask = np.zeros((60, 5), dtype=bool)
        if designed:
            mask[np.arange(60), rng.integers(0, 4, size=60)] = True
        else:
            mask = rng.random((60, 5)) < rng.random(5)
        mask[:, 2] |= seed % 5 == 0
        left = RowsLeft.of(mask, 60, 5)
        found = scatter_by_group(values, left.kept)
        for group, kept in enumerate(left.kept):
            own = values[kept]
            assert found.n_rows[group] == len(own)
            mean = own.mean(axis=0) if len(own) else np.zeros(5)
            np.testing.assert_allclose(found.mean[group], mean, rtol=1e-12, atol=1e-12)
            expected = sum((np.outer(row - mean, row - mean) for row in own), start=np.zeros((5, 5)))
            np.testing.assert_allclose(found.matrix[group], expected, rtol=1e-11, atol=1e-11)

    def test_more_batches_than_are_kept_at_a_time(self, monkeypatch):
        mask = MASKS["each its own"]
        whole = scatter_by_group(VALUES, RowsLeft.of(mask, N, D).kept)
        monkeypatch.setattr("orderspn.scores.scatter.BATCHES_AT_ONCE", 1)
        for one, other in zip(whole, scatter_by_group(VALUES, RowsLeft.of(mask, N, D).kept), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13)

    def test_values_that_were_set_far_away_take_no_digits(self):
        mask = MASKS["one variable"]
        values = np.where(mask, 1e9, VALUES)
        left = RowsLeft.of(mask, N, D)
        found = scatter_by_group(values, left.kept)
        own = values[~mask[:, 1]]
        group = left.group[1]
        np.testing.assert_allclose(found.matrix[group], (N - 15) * np.cov(own.T, bias=True), rtol=1e-10, atol=1e-10)
