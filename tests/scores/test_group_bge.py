"""BGe over groups of columns: its values, and the laws that make it a score."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.mixed import mixed_data
from orderspn.data.mixed import mixed_of
from orderspn.scores.basis import Basis
from orderspn.scores.group_bge import FittedGroupBGe, GroupBGe
from reference import group_bge as reference
from reference.equivalence import all_dags, equivalence_class

pytestmark = pytest.mark.kernels

NAMES = ["A", "B", "C", "D"]
KINDS = {"A": "number", "B": "category", "C": "category", "D": "number"}


def table(data, groups=None, intervened=None, kinds=KINDS):
    own = {name: data[name].to_numpy() for name in data.columns}
    return mixed_of(own, {name: kind for name, kind in kinds.items() if name in own}, groups or {}, intervened)


def whitened_groups(data, degree):
    """Of every variable of `mixed_data`: A, B, C, D, and the group of E and F."""
    e_and_f = np.concatenate([reference.polynomials(data[name].to_numpy(), degree) for name in "EF"], axis=1)
    found = [
        reference.polynomials(data["A"].to_numpy(), degree),
        reference.indicators(data["B"]),
        reference.indicators(data["C"]),
        reference.polynomials(data["D"].to_numpy(), degree),
        e_and_f,
    ]
    return [reference.whitened(features) for features in found]


def subsets(others):
    return [set_ for size in range(len(others) + 1) for set_ in itertools.combinations(others, size)]


def mask_of(candidates, parents):
    return sum(1 << candidates.index(parent) for parent in parents)


@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize("hyperparameters", [{}, {"alpha_mu": 0.2, "alpha_w": 40.0, "t": 3.0}], ids=["default", "own"])
def test_every_family_is_a_ratio_of_marginal_likelihoods(degree, hyperparameters):
    data = mixed_data()
    groups = whitened_groups(data, degree)
    fitted = osp.scores.BGe(degree=degree, **hyperparameters).fit(table(data, {"EF": ["E", "F"]}))
    for child in range(5):
        others = [v for v in range(5) if v != child]
        found = fitted.log_likelihoods(child, np.array(others), 5)
        for parents in subsets(others):
            expected = reference.log_family(groups, child, parents, **hyperparameters)
            assert found[mask_of(others, parents)] == pytest.approx(expected, abs=1e-9)


def test_families_with_some_parents_always():
    fitted = osp.scores.BGe(degree=2).fit(table(mixed_data(), {"EF": ["E", "F"]}))
    for child, always in ((0, [4]), (1, [3, 0]), (4, [1])):
        others = [v for v in range(5) if v != child]
        everything = fitted.log_likelihoods(child, np.array(others), 5)
        left = [v for v in others if v not in always]
        found = fitted.log_likelihoods(child, np.array(left), 3, np.array(always))
        for parents in subsets(left):
            expected = everything[mask_of(others, [*parents, *always])] if len(parents) + len(always) <= 3 else -np.inf
            assert found[mask_of(left, parents)] == pytest.approx(expected, abs=1e-9)
        assert (fitted.log_likelihoods(child, np.array(left), 0, np.array(always)) == -np.inf).all()


def test_one_more_parent():
    fitted = osp.scores.BGe(degree=2).fit(table(mixed_data(), {"EF": ["E", "F"]}))
    for child in range(5):
        others = [v for v in range(5) if v != child]
        everything = fitted.log_likelihoods(child, np.array(others), 5)
        for parents in subsets(others)[:-1]:
            found = fitted.log_likelihoods_with_one_more(child, np.array(parents, dtype=np.int64))
            for v in range(5):
                if v == child or v in parents:
                    assert found[v] == -np.inf
                else:
                    expected = everything[mask_of(others, [*parents, v])]
                    assert found[v] == pytest.approx(expected, abs=1e-9)


def test_rows_under_intervention_do_not_count_for_their_variable():
    data = mixed_data(80)
    intervened = np.zeros((80, 5), dtype=bool)
    intervened[:20, 1] = intervened[10:30, 3] = True
    fitted = osp.scores.BGe(degree=2).fit(table(data, {"EF": ["E", "F"]}, intervened))
    groups = [
        basis.applied(part.values)
        for basis, part in zip(fitted.bases, table(data, {"EF": ["E", "F"]}).parts, strict=True)
    ]
    for child in range(5):
        others = [v for v in range(5) if v != child]
        found = fitted.log_likelihoods(child, np.array(others), 5)
        for parents in subsets(others):
            expected = reference.log_family(groups, child, parents, rows=~intervened[:, child])
            assert found[mask_of(others, parents)] == pytest.approx(expected, abs=1e-9)
    np.testing.assert_array_equal(fitted.n_interventions, intervened.sum(axis=0))


def test_values_under_intervention_do_not_set_the_units():
    data = mixed_data(80)
    data.loc[:19, "D"] = 1000.0
    intervened = np.zeros((80, 4), dtype=bool)
    intervened[:20, 3] = True
    fitted = osp.scores.BGe().fit(table(data[NAMES], intervened=intervened))
    natural = fitted.bases[3].applied(data[["D"]].to_numpy())[20:, 0]
    assert natural.mean() == pytest.approx(0.0, abs=1e-12)
    assert natural.std() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("degree", [1, 3])
def test_equivalent_graphs_have_equal_scores(degree):
    fitted = osp.scores.BGe(degree=degree).fit(table(mixed_data()[NAMES]))
    everything = [fitted.log_likelihoods(c, np.array([v for v in range(4) if v != c]), 4) for c in range(4)]
    scores = {}
    for dag in all_dags(4):
        total = sum(
            everything[c][mask_of([v for v in range(4) if v != c], np.flatnonzero(dag[:, c]).tolist())]
            for c in range(4)
        )
        scores.setdefault(equivalence_class(dag), []).append(total)
    assert len(scores) == 185
    for own in scores.values():
        np.testing.assert_allclose(own, own[0], atol=1e-8, rtol=0.0)
    assert len({round(own[0], 6) for own in scores.values()}) == 185


def all_scores(data, groups=None, degree=1, kinds=KINDS):
    fitted = osp.scores.BGe(degree=degree).fit(table(data, groups, kinds=kinds))
    d = fitted.n_variables
    return np.array([fitted.log_likelihoods(c, np.array([v for v in range(d) if v != c]), d) for c in range(d)])


@given(seed=st.integers(0, 1000), degree=st.integers(1, 3))
def test_neither_codes_nor_bases_nor_units_matter(seed, degree):
    rng = np.random.default_rng(seed)
    data = mixed_data(seed=seed)
    names = dict(zip(["high", "low", "none"], rng.permutation(["x", "y", "z"]), strict=True))
    turned = data.assign(B=data["B"].map(names), C=~data["C"], A=3.0 - 7.0 * data["A"])
    np.testing.assert_allclose(all_scores(turned, degree=degree), all_scores(data, degree=degree), atol=1e-6, rtol=0)


@given(seed=st.integers(0, 1000))
def test_a_group_may_be_measured_in_any_basis(seed):
    data = mixed_data(seed=seed)
    mixing = np.random.default_rng(seed).normal(size=(2, 2)) + 2.0 * np.eye(2)
    turned = data.copy()
    turned[["E", "F"]] = data[["E", "F"]].to_numpy() @ mixing
    found, expected = (all_scores(rows, {"EF": ["E", "F"]}) for rows in (turned, data))
    np.testing.assert_allclose(found, expected, atol=1e-6, rtol=0)


@given(order=st.permutations(range(4)), degree=st.integers(1, 2))
def test_permuting_variables_permutes_scores(order, degree):
    data = mixed_data()[NAMES]
    fitted = osp.scores.BGe(degree=degree).fit(table(data))
    permuted = osp.scores.BGe(degree=degree).fit(table(data[[NAMES[v] for v in order]]))
    for place, v in enumerate(order):
        others = [p for p in range(4) if p != place]
        found = permuted.log_likelihoods(place, np.array(others), 4)
        expected = fitted.log_likelihoods(v, np.array([order[p] for p in others]), 4)
        np.testing.assert_allclose(found, expected, atol=1e-8, rtol=0)


@pytest.mark.parametrize("intervened", [False, True])
def test_one_column_for_each_variable_is_bge(intervened):
    mask = np.random.default_rng(3).random((50, 5)) < 0.1 if intervened else None
    data = osp.read_table(gaussian_data(5, 50, seed=1), letters(5), standardize=True, interventions=mask)
    single, grouped = osp.scores.BGe(alpha_mu=0.7).fit(data), GroupBGe(alpha_mu=0.7).fit(data)
    assert isinstance(grouped, FittedGroupBGe)
    for child in range(5):
        others = np.array([v for v in range(5) if v != child])
        expected = single.log_likelihoods(child, others, 4)
        np.testing.assert_allclose(grouped.log_likelihoods(child, others, 4), expected, atol=1e-9, rtol=0)
        expected = single.log_likelihoods_with_one_more(child, others[:2])
        np.testing.assert_allclose(
            grouped.log_likelihoods_with_one_more(child, others[:2]), expected, atol=1e-9, rtol=0
        )


def test_a_boolean_has_the_same_score_as_a_number_and_as_a_category():
    data = mixed_data()[["A", "C", "D"]]
    kinds = {"A": "number", "D": "number"}
    as_category = all_scores(data, kinds={**kinds, "C": "category"})
    as_number = all_scores(data.astype(float), kinds={**kinds, "C": "number"}, degree=1)
    np.testing.assert_allclose(as_category, as_number, atol=1e-9, rtol=0)


@pytest.mark.parametrize(("n_values", "expected"), [(2, 1), (3, 2), (4, 3), (9, 3)])
def test_few_different_values_have_few_polynomials(n_values, expected):
    values = np.arange(45.0) % n_values
    part = mixed_of({"A": values, "D": np.arange(45.0)}, {}, {}).parts[0]
    basis = Basis.of(part, 3)
    assert basis.width == expected
    columns = basis.applied(part.values)
    np.testing.assert_allclose(columns.T @ columns / 45, np.eye(expected), atol=1e-12)


def test_levels_that_do_not_occur_have_no_column():
    column = pd.Series(pd.Categorical(["a", "b"] * 10, categories=["a", "b", "c"], ordered=True))
    data = pd.DataFrame({"A": np.arange(20.0) ** 1.5, "B": column})
    fitted = osp.learn(data).model.score.likelihood
    assert [basis.width for basis in fitted.bases] == [1, 1]


def test_one_more_row_has_the_density_that_the_marginal_likelihoods_give():
    """The product of predictive densities over a graph is the ratio of marginal likelihoods, for any basis."""
    data = mixed_data(41)
    whole = table(data, {"EF": ["E", "F"]})
    train, test = whole.rows(slice(0, 40)), whole.rows(slice(40, 41))
    fitted = osp.scores.BGe(degree=2).fit(train)
    columns = [basis.applied(part.values) for basis, part in zip(fitted.bases, whole.parts, strict=True)]
    before = [own[:40] for own in columns]
    density = fitted.predictive(train, test)
    for child, parents in ((0, []), (1, [0, 4]), (4, [1, 2, 3])):
        expected = reference.log_family(columns, child, parents) - reference.log_family(before, child, parents)
        assert density(child, np.array(parents, dtype=np.int64))[0] == pytest.approx(expected, abs=1e-9)


def test_one_more_row_under_intervention_does_not_count():
    data = mixed_data(41)
    intervened = np.zeros((41, 5), dtype=bool)
    intervened[40, 1] = True
    whole = table(data, {"EF": ["E", "F"]}, intervened)
    train, test = whole.rows(slice(0, 40)), whole.rows(slice(40, 41))
    density = osp.scores.BGe().fit(train).predictive(train, test)
    assert density(1, np.array([0]))[0] == 0.0
    assert density(0, np.array([1]))[0] != 0.0


@pytest.mark.parametrize("degree", [0, 7, 2.0, True])
def test_degrees_out_of_range(degree):
    with pytest.raises((ValueError, TypeError), match="degree must be an integer from 1 to 6; got"):
        osp.scores.BGe(degree=degree)
