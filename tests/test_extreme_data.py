"""Data that floating-point arithmetic does not like: answers stay finite and are still right."""

import itertools
import warnings

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.levels import parameters
from orderspn.data.dataset import read_table
from orderspn.scores.bge import BGe
from reference.bge import log_marginal_likelihood
from reference.exact_bge import log_marginal_likelihood as exact_log_marginal_likelihood

pytestmark = pytest.mark.filterwarnings(
    "ignore:the values of .* vary so much",
    "ignore:the values of .* are linear functions",
    "ignore:columns are copies",
    "ignore:the table has fewer rows",
    "ignore:.* are linear combinations",
)

TINY = "outweighs the data"


def assert_answers_are_sound(posterior, evidence="A -> B"):
    d = len(posterior.variables)
    assert np.isfinite(posterior.log_evidence)
    for condition in (None, evidence):
        edges = posterior.edge_probabilities(condition).to_numpy()
        before = posterior.precedence(condition).to_numpy()
        assert ((edges >= 0.0) & (edges <= 1.0)).all()
        assert (np.diag(edges) == 0.0).all()
        np.testing.assert_allclose(before + before.T, 1.0 - np.eye(d), atol=1e-8)
        assert np.isfinite(posterior.causal_effects(condition).to_numpy()).all()
        assert np.isfinite(posterior.entropy(condition))
        best = posterior.most_probable_graph(condition)
        assert np.isfinite(best.log_probability)
        assert best.log_probability <= 1e-9
        samples = posterior.sample(200, given=condition, rng=0)
        position = np.argsort(samples.orders, axis=1)
        sample, cause, effect = np.nonzero(samples.adjacency)
        assert (position[sample, cause] < position[sample, effect]).all()
        # Shares of 200 samples within five standard errors.
        assert np.abs(samples.adjacency.mean(axis=0) - edges).max() <= 5 * 0.5 / np.sqrt(200)
        for child in posterior.variables:
            assert posterior.parent_sets(child, condition)["probability"].sum() == pytest.approx(1.0, abs=1e-8)
    assert 0.0 <= posterior.probability(evidence) <= 1.0


def scaled(values, **columns):
    values = values.copy()
    for name, factor in columns.items():
        values[:, ord(name) - ord("A")] *= factor
    return values


def learn(values, **arguments):
    return osp.learn(values, variables=letters(values.shape[1]), **{"standardize": False, **arguments})


def test_large_columns():
    assert_answers_are_sound(learn(scaled(gaussian_data(5, 50, seed=1), A=1e6, C=1e6)))


def test_small_columns_warn_before_edges_appear_everywhere():
    values = np.random.default_rng(1).normal(size=(200, 6))  # no edges
    osp.learn(values * 0.3, standardize=False)
    with pytest.warns(UserWarning, match="vary so little that the prior .* edges that the data do not support"):
        osp.learn(values * 0.1, standardize=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [
            osp.learn(values * scale, standardize=False).edge_probabilities().to_numpy().sum()
            for scale in (1.0, 0.1, 0.01)
        ]
    assert expected[0] < expected[1] < expected[2]


def test_tiny_columns_warn_that_the_prior_outweighs_them():
    with pytest.warns(UserWarning, match=f"the values of 'B', 'D' vary so little.*{TINY}.*standardize=True"):
        posterior = learn(scaled(gaussian_data(5, 50, seed=1), B=1e-6, D=1e-6))
    assert_answers_are_sound(posterior)


def test_no_warning_when_the_remedy_is_taken():
    values = scaled(gaussian_data(5, 50, seed=1), B=1e-6)
    plain = learn(gaussian_data(5, 50, seed=1), standardize=True)
    posterior = learn(values, standardize=True)
    np.testing.assert_allclose(posterior.edge_probabilities(), plain.edge_probabilities(), atol=1e-6)
    learn(values, score=osp.scores.BGe(t=1e-13))


def with_twin(values):
    """The last column becomes a copy of the first."""
    values = values.copy()
    values[:, -1] = values[:, 0]
    return values


def test_identical_columns():
    posterior = learn(with_twin(gaussian_data(5, 50, seed=2)))
    assert_answers_are_sound(posterior)
    assert_twins_are_exchangeable(posterior)


def assert_twins_are_exchangeable(posterior):
    names = posterior.variables
    swapped = [names[-1], *names[1:-1], names[0]]
    edges = posterior.edge_probabilities()
    np.testing.assert_allclose(edges.loc[swapped, swapped], edges, atol=1e-6)
    effects = posterior.causal_effects()
    np.testing.assert_allclose(effects.loc[swapped, swapped], effects, rtol=1e-5, atol=1e-6)
    linked = edges.loc[names[0], names[-1]] + edges.loc[names[-1], names[0]]
    assert linked == pytest.approx(1.0, abs=1e-6)


def test_identical_columns_on_a_large_scale():
    posterior = learn(scaled(with_twin(gaussian_data(5, 50, seed=2)), A=1e6, E=1e6))
    assert_answers_are_sound(posterior)


def test_identical_columns_on_a_large_scale_stay_exchangeable():
    """Neither of two copies is the cause of the other."""
    assert_twins_are_exchangeable(learn(scaled(with_twin(gaussian_data(5, 50, seed=2)), A=1e6, E=1e6)))


def test_identical_columns_on_all_scales_at_once():
    values = scaled(with_twin(gaussian_data(6, 40, seed=3)), A=1e6, C=1e-6, F=1e6)
    with pytest.warns(UserWarning, match=TINY):
        posterior = learn(values)
    assert_answers_are_sound(posterior)


def test_proportional_columns():
    values = gaussian_data(4, 50, seed=5)
    values[:, 3] = 1e6 * values[:, 0]
    assert_answers_are_sound(learn(values))


@pytest.mark.thorough
@pytest.mark.parametrize("factor", [1.0, 3.0, -0.7])
@pytest.mark.parametrize("seed", range(3))
def test_copies_so_large_that_the_prior_is_below_rounding(factor, seed):
    """Sums of squares of 1e20 swallow t = 1/2: determinants must be held above what rounding leaves of them."""
    values = gaussian_data(4, 50, seed=seed) * 1e9
    values[:, 3] = factor * values[:, 0]
    posterior = learn(values)
    assert_answers_are_sound(posterior)
    edges = posterior.edge_probabilities()
    assert edges.loc["A", "D"] + edges.loc["D", "A"] == pytest.approx(1.0, abs=1e-6)


@pytest.mark.kernels
@pytest.mark.parametrize("seed", range(3))
def test_no_determinant_falls_below_the_prior(seed):
    """With three copies of a column no residual is left but the prior's own."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(30, 1)) * 1e9 @ rng.normal(size=(1, 4))
    score = BGe().fit(read_table(values))
    for child in range(4):
        others = np.array([v for v in range(4) if v != child])
        table = score.log_likelihoods(child, others, 3)
        assert np.isfinite(table).all()
        assert np.isfinite(score.expected_weights(child, others, 3)).all()
        log_by_size, exponents = score._size_terms(child, 3)
        sizes = np.array([m.bit_count() for m in range(8)])
        bound = log_by_size[sizes] - sizes / 2 * np.log(0.5) - exponents[sizes] * np.log(0.5)
        assert (table <= bound + 1e-6).all()


@pytest.mark.exhaustive
def test_fewer_rows_than_variables():
    """Ten rows of sixteen variables, all of them candidates."""
    assert_answers_are_sound(learn(gaussian_data(16, 10, seed=4, density=0.2)))


def test_two_rows():
    assert_answers_are_sound(learn(np.array([[0.0, 3.0, 1.0], [5.0, -2.0, 4.0]])))


def test_many_rows():
    values = gaussian_data(6, 100_000, seed=6)
    posterior = learn(values)
    assert_answers_are_sound(posterior)
    table = osp.scores.family_scores(values, "A", ["B", "C"], variables=letters(6), standardize=False)
    centred = values - values.mean(axis=0)
    for row in table.itertuples():
        q = [ord(name) - ord("A") for name in row.parents]
        if not q:
            continue
        # A large-sample check of the difference to no parents: N/2 log of the residual variances' ratio.
        residual = centred[:, 0] - centred[:, q] @ np.linalg.lstsq(centred[:, q], centred[:, 0], rcond=None)[0]
        gain = -len(values) / 2 * np.log(residual.var() / centred[:, 0].var())
        empty = table.loc[table["parents"] == (), "log_likelihood"].item()
        assert row.log_likelihood - empty == pytest.approx(gain, abs=10 * np.log(len(values)))


EXACT = {
    "plain": (gaussian_data(4, 15, seed=1), 1e-10),
    "large and tiny": (scaled(gaussian_data(4, 15, seed=1), A=1e6, B=1e-6, D=1e3), 1e-8),
    "identical": (with_twin(gaussian_data(4, 15, seed=1)), 1e-9),
    "identical and large": (scaled(with_twin(gaussian_data(4, 15, seed=1)), A=1e3, D=1e3), 1e-6),
    "two rows": (gaussian_data(4, 2, seed=1), 1e-10),
    "shifted": (gaussian_data(4, 15, seed=1) + np.array([0.0, 1e3, -1e3, 1e3]), 1e-6),
}


@pytest.mark.filterwarnings("ignore:the values of", "ignore:the means of")
@pytest.mark.kernels
@pytest.mark.parametrize("name", EXACT)
def test_scores_against_rational_arithmetic(name):
    values, tolerance = EXACT[name]
    score = BGe().fit(read_table(values))
    for child in range(4):
        others = np.array([v for v in range(4) if v != child])
        table = score.log_likelihoods(child, others, 3)
        for mask in range(8):
            parents = [int(v) for b, v in enumerate(others) if mask >> b & 1]
            exact = exact_log_marginal_likelihood(values, child, parents)
            assert table[mask] == pytest.approx(exact, rel=tolerance)


def test_the_two_references_agree():
    values = gaussian_data(4, 15, seed=1)
    for child, size in itertools.product(range(4), range(4)):
        for parents in itertools.combinations([v for v in range(4) if v != child], size):
            assert log_marginal_likelihood(values, child, parents) == pytest.approx(
                exact_log_marginal_likelihood(values, child, parents), rel=1e-11
            )


def test_means_far_from_the_prior_are_warned_of():
    """BGe with prior mean 0 finds edges between unrelated columns that are shifted; centred they are gone."""
    values = np.random.default_rng(0).normal(size=(200, 3))
    with pytest.warns(UserWarning, match=r"the means of 'X1', 'X3' are far from 0.*centre the data") as caught:
        shifted = osp.learn(values + np.array([30.0, 0.0, -30.0]), standardize=False)
    assert caught[0].filename == __file__
    assert shifted.edge_probabilities().loc["X1", "X3"] > 0.4
    centred = osp.learn(values - values.mean(axis=0), standardize=False)
    assert centred.edge_probabilities().to_numpy().max() < 0.1
    assert (
        osp.learn(values + 0.1, standardize=False).edge_probabilities().to_numpy().max() < 0.1
    )  # small shifts do no harm


def test_one_shifted_column_does_no_harm():
    values = np.random.default_rng(0).normal(size=(200, 3)) + np.array([30.0, 0.0, 0.0])
    assert osp.learn(values, standardize=False).edge_probabilities().to_numpy().max() < 0.1


def test_scales_far_from_the_prior_are_warned_of():
    values = gaussian_data(4, 50, seed=2)
    with pytest.warns(UserWarning, match=r"the values of 'X2' vary so much.*standardize=True") as caught:
        osp.learn(values * np.array([1.0, 1e4, 1.0, 1.0]), standardize=False)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        osp.learn(values, standardize=False)


def test_columns_that_follow_from_others_are_warned_of():
    """At a scale at which the prior is below rounding, nothing is left of the last of three columns."""
    values = np.random.default_rng(0).normal(size=(200, 4)) * 1e7
    values[:, 2] = values[:, 0] + values[:, 1]
    with pytest.warns(UserWarning, match="the values of 'X1', 'X2', 'X3' are linear functions of each other"):
        osp.learn(values, standardize=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        osp.learn(values, standardize=True, check=False)  # there the prior is heard again


def test_singular_columns_can_be_candidates():
    values = np.random.default_rng(0).normal(size=(200, 8))
    values[:, 1] = values[:, 2] = values[:, 0]
    edges = osp.learn(values * 1e10, candidates=4, standardize=False).edge_probabilities().to_numpy()
    assert np.isfinite(edges).all()


def test_a_million_rows_keep_the_entropy():
    """Without any edge all orders are alike: the entropy over orders and the one graph is log 3!."""
    values = np.random.default_rng(0).normal(size=(1_000_000, 3))
    posterior = osp.learn(values - values.mean(axis=0), standardize=False)
    nothing = ", ".join(f"X{i} !-> X{j}" for i in (1, 2, 3) for j in (1, 2, 3) if i != j)
    assert posterior.entropy(nothing) == pytest.approx(np.log(6), abs=1e-8)


EXTREME = {
    "large columns": lambda: scaled(gaussian_data(5, 50, seed=1), A=1e6, C=1e6),
    "identical columns": lambda: with_twin(gaussian_data(5, 50, seed=2)),
    "identical columns on a large scale": lambda: scaled(with_twin(gaussian_data(5, 50, seed=2)), A=1e6, E=1e6),
    "many rows": lambda: gaussian_data(5, 200_000, seed=4),
    "fewer rows than variables": lambda: gaussian_data(5, 3, seed=6),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", parameters(EXTREME, test=["many rows"]))
def test_outsiders_make_no_difference_where_they_make_up_for_candidates(name):
    """Three candidates and one more, or two and two more, are all others: the same answers by other ways."""
    values = EXTREME[name]()
    everything = learn(values)
    for candidates, outsiders in ((3, 1), (2, 2)):
        posterior = learn(values, candidates=candidates, method=osp.methods.Exact(outsiders=outsiders))
        assert_answers_are_sound(posterior)
        assert posterior.log_evidence == pytest.approx(everything.log_evidence, rel=1e-9, abs=1e-6)
        np.testing.assert_allclose(posterior.edge_probabilities(), everything.edge_probabilities(), atol=1e-6)
        np.testing.assert_allclose(posterior.causal_effects(), everything.causal_effects(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["large columns", "identical columns on a large scale"])
def test_one_outsider(name):
    assert_answers_are_sound(learn(EXTREME[name](), candidates=1, method=osp.methods.Exact(outsiders=1)))
