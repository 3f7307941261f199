"""Scores at the borders of what they promise, against formulas with 80 digits: BDeu to 1e-8, BGe to 1e-6."""

import warnings

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.discrete import as_categories, discrete_data
from helpers.levels import parameters
from orderspn.core.errors import InvalidValue
from orderspn.data.dataset import Dataset, read_table
from orderspn.scores.bdeu import BDeu
from orderspn.scores.bge import BGe, FittedBGe
from orderspn.scores.bge_predictive import Predictive
from reference.bdeu import mean_table
from reference.eighty_digits import BGeTable, bdeu, relative, standardized
from reference.enumeration import Enumeration
from reference.local_scores import log_prior, subsets

STRENGTHS = [1e-300, 1e-100, 1e-3, 1.0, 1e10, 1e12, 1e15, 1e18, 1e300]
ARITIES = [3, 2, 4, 2]


def members_of(mask, candidates):
    return [int(v) for b, v in enumerate(candidates) if mask >> b & 1]


def others(child, d):
    return np.array([v for v in range(d) if v != child])


def enumerated(log_likelihood, d):
    """Every order and graph of d variables, from log likelihoods that are rounded only after their best is taken."""
    scores = {}
    for child in range(d):
        exact = relative({q: log_likelihood(child, sorted(q)) for q in subsets(others(child, d).tolist())})
        scores[child] = {q: value + log_prior("fair", len(q), d) for q, value in exact.items()}
    return Enumeration.of(scores)


def assert_scores(fitted, log_likelihood, children, tolerance):
    """Of all parent sets: by the sweep, with some known from the start, and with one more."""
    for child in children:
        candidates = others(child, fitted.n_variables)
        table = fitted.log_likelihoods(child, candidates, candidates.size)
        exact = {mask: log_likelihood(child, members_of(mask, candidates)) for mask in range(table.size)}
        best = max(exact, key=exact.get)
        wanted = np.array([value for _, value in sorted(relative(exact).items())])
        np.testing.assert_allclose(table - table[best], wanted, atol=tolerance, rtol=1e-12)
        known = fitted.log_likelihoods(child, candidates[1:], candidates.size, candidates[:1])
        np.testing.assert_allclose(known - table[best], wanted[1::2], atol=tolerance, rtol=1e-12)
        more = fitted.log_likelihoods_with_one_more(child, candidates[:1])[candidates[1:]]
        pairs = [1 | 2 << b for b in range(candidates.size - 1)]
        np.testing.assert_allclose(more - table[best], wanted[pairs], atol=tolerance, rtol=1e-12)


class TestBDeu:
    @pytest.mark.thorough
    @pytest.mark.parametrize("n_rows", [4, 1000])
    @pytest.mark.parametrize("strength", STRENGTHS)
    def test_scores(self, strength, n_rows):
        codes = discrete_data(ARITIES, n_rows, seed=1)
        fitted = BDeu(strength).fit(as_categories(codes, ARITIES))
        assert_scores(fitted, lambda child, q: bdeu(codes, ARITIES, child, q, strength), [0, 2], 1e-8)

    @pytest.mark.exhaustive
    @pytest.mark.parametrize("strength", parameters([1.0, 1e15], quick=[], test=[1e15]))
    def test_ten_thousand_rows_of_six(self, strength):
        arities = [3, 2, 4, 2, 3, 2]
        codes = np.random.default_rng(4).integers(0, arities, (10_000, 6)).astype(np.uint16)
        codes[:7000, 0] = codes[:7000, 1]
        fitted = BDeu(strength).fit(as_categories(codes, arities))
        assert_scores(fitted, lambda child, q: bdeu(codes, arities, child, q, strength), [0], 1e-8)

    @pytest.mark.parametrize("strength", [0.9, 1.1, 15.0, 17.0, 200.0, 3e4])
    def test_scores_where_formulas_meet(self, strength):
        codes = discrete_data(ARITIES, 300, seed=2)
        fitted = BDeu(strength).fit(as_categories(codes, ARITIES))
        assert_scores(fitted, lambda child, q: bdeu(codes, ARITIES, child, q, strength), [0], 1e-10)

    @pytest.mark.parametrize("strength", STRENGTHS)
    def test_more_configurations_than_numbers_reach(self, strength):
        """Given 700 parents of 3 levels, 1e334 configurations share the strength."""
        codes = np.repeat(np.random.default_rng(0).integers(0, 3, (20, 701), dtype=np.uint16), 5, axis=0)
        codes[:, 0] = np.random.default_rng(1).integers(0, 3, 100)
        fitted = BDeu(strength).fit(as_categories(codes, [3] * 701))
        few, many = np.arange(1, 3), np.arange(3, 701)
        found = fitted.log_likelihoods(0, few, 700, many)
        exact = [bdeu(codes, [3] * 701, 0, [*many, *members_of(mask, few)], strength) for mask in range(4)]
        np.testing.assert_allclose(found, [float(value) for value in exact], rtol=1e-12)
        more = fitted.log_likelihoods_with_one_more(0, many)[few]
        np.testing.assert_allclose(more, [float(exact[1]), float(exact[2])], rtol=1e-12)

    @pytest.mark.parametrize("strength", STRENGTHS)
    def test_posteriors(self, strength):
        codes = discrete_data(ARITIES, 60, seed=3)
        posterior = osp.learn(as_categories(codes, ARITIES), score=BDeu(strength))
        exact = enumerated(lambda child, q: bdeu(codes, ARITIES, child, q, strength), 4)
        np.testing.assert_allclose(posterior.edge_probabilities(), exact.edge_probabilities(), atol=1e-8)

    @pytest.mark.parametrize("strength", STRENGTHS)
    def test_predictions(self, strength):
        codes = discrete_data(ARITIES, 60, seed=3)
        data = as_categories(codes, ARITIES)
        graph = np.zeros((1, 4, 4))
        graph[0, 1, 0] = graph[0, 2, 0] = 1
        tables = [mean_table(codes, ARITIES, v, np.flatnonzero(graph[0, :, v]), strength) for v in range(4)]
        rows = [
            sum(np.log(tables[v][tuple(row[np.flatnonzero(graph[0, :, v])])][row[v]]) for v in range(4))
            for row in codes
        ]
        found = osp.metrics.log_predictive_density(graph, data, data, score=BDeu(strength))
        assert found == pytest.approx(np.mean(rows), rel=1e-12)

    @pytest.mark.parametrize("strength", STRENGTHS)
    def test_interventions(self, strength):
        """Only the levels of the variable intervened on matter, and draws are probabilities."""
        codes = discrete_data([3, 2, 2], 60, seed=3)
        posterior = osp.learn(as_categories(codes, [3, 2, 2]), score=BDeu(strength), max_parents=1)
        table = posterior.interventional("X1", do={"X2": "level 0"}, rng=0)
        assert table["mean"].sum() == pytest.approx(1.0, abs=1e-12)
        assert ((table["low"] >= 0) & (table["high"] <= 1) & (table["low"] <= table["high"])).all()
        if strength >= 1e10:  # nothing is learned
            np.testing.assert_allclose(table, 1 / 3, atol=1e-3)

    @pytest.mark.parametrize("strength", [9e-301, 5e-324, 1.1e300])
    def test_refused(self, strength):
        with pytest.raises(InvalidValue, match=r"equivalent_sample_size must be between 1e-300 and 1e\+300.*got"):
            BDeu(strength)


def shifted(values, means):
    """Values so far from 0 that their last digits are lost: the table is what is left of them."""
    return values + np.asarray(means)


FEW, MANY = gaussian_data(4, 20, seed=1), gaussian_data(4, 2000, seed=2)
NEARLY = np.column_stack([FEW[:, :3], FEW[:, 0] + 1e-3 * FEW[:, 3]])
ALL, SOME, ONE = np.array([1.0, -1.0, 0.3, 2.0]), np.array([1.0, 0.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0, 0.0])

TABLES = {
    "two rows": (FEW[:2], {}),
    "means at 0": (MANY, {}),
    **{f"all means {m:g}": (shifted(FEW, m * ALL), {}) for m in (1e1, 1e3, 1e6, 1e9, 1e14)},
    **{f"two means {m:g}": (shifted(FEW, m * SOME), {}) for m in (1e3, 1e6, 1e9)},
    **{f"one mean {m:g}": (shifted(FEW, m * ONE), {}) for m in (1e3, 1e9)},
    "means of many rows": (shifted(MANY, 1e9 * ALL), {}),
    "nearly collinear": (NEARLY, {"t": 1e-10}),
    "nearly collinear, means": (shifted(NEARLY, 1e6 * ALL), {"t": 1e-10}),
    **{f"scale {s:g}": (FEW * s, {}) for s in (1e-300, 1e-100, 1e-10, 1e10, 1e98)},
    **{f"scales 1 and {s:g}": (FEW * np.array([1.0, s, 1.0, 1.0]), {}) for s in (1e-300, 1e-10, 1e10, 1e98)},
    "large, and means": (shifted(FEW, 1e6 * ALL) * 1e90, {}),
    **{f"alpha_mu {a:g}": (shifted(FEW, 1e3 * SOME), {"alpha_mu": a}) for a in (1e-100, 1e-10, 1e10, 1e100)},
    **{f"t {t:g}": (shifted(FEW, 1e3 * SOME), {"t": t}) for t in (1e-100, 1e-10, 1e10, 1e100)},
    "alpha_w near d + 1": (FEW, {"alpha_w": 5.0001}),
    "alpha_w 1e7": (MANY, {"alpha_w": 1e7}),
}


def fitted_bge(values, hyperparameters):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the (values|means) of")
        return BGe(**hyperparameters).fit(read_table(values))


class TestBGe:
    @pytest.mark.parametrize("name", TABLES)
    def test_scores(self, name):
        values, hyperparameters = TABLES[name]
        fitted, exact = fitted_bge(values, hyperparameters), BGeTable(values.T.tolist(), **hyperparameters)
        assert_scores(fitted, exact.log_marginal_likelihood, [0, 3] if len(values) < 100 else [0], 1e-6)

    @pytest.mark.thorough
    def test_ten_thousand_rows_of_six(self):
        values = shifted(gaussian_data(6, 10_000, seed=4), [1e9, 0.0, 1e6, -1e9, 1e3, 1.0])
        assert_scores(fitted_bge(values, {}), BGeTable(values.T.tolist()).log_marginal_likelihood, [0], 1e-6)

    @pytest.mark.thorough
    @pytest.mark.parametrize("name", TABLES)
    def test_weights(self, name):
        """Their errors, in units of the child over the parent; and the spread of their posterior."""
        values, hyperparameters = TABLES[name]
        fitted, exact = fitted_bge(values, hyperparameters), BGeTable(values.T.tolist(), **hyperparameters)
        units = np.sqrt([float(exact.matrix[v, v]) for v in range(4)])
        for child in (0, 3):
            candidates = others(child, 4)
            swept = fitted.expected_weights(child, candidates, 3)
            known = fitted.expected_weights(child, candidates[1:], 3, candidates[:1])
            for mask in range(1, 8):
                q = np.array(members_of(mask, candidates))
                scale = units[q] / units[child]
                wanted = exact.mean_weights(child, q.tolist()) * scale
                chosen = [b for b in range(3) if mask >> b & 1]
                np.testing.assert_allclose(swept[mask, chosen] * scale, wanted, atol=1e-8)
                if mask & 1:
                    columns = [2, *(b - 1 for b in chosen[1:])]
                    np.testing.assert_allclose(known[mask >> 1, columns] * scale, wanted, atol=1e-8)
                location, spread, freedom = fitted.weights_given(child, q)
                np.testing.assert_allclose(location * scale, wanted, atol=1e-8)
                inverse, own = exact.inverse_diagonal(q.tolist()), exact.inverse_diagonal([*q.tolist(), child])[-1]
                np.testing.assert_allclose(np.diag(spread) * freedom * own, inverse, rtol=1e-6)

    @pytest.mark.parametrize("mean", [0.0, 1e3, 1e6, 1e9])
    def test_posteriors(self, mean):
        """Means, that is; no warning says that the columns are functions of each other."""
        values = shifted(gaussian_data(4, 100, seed=5), mean * SOME)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "the means of")
            posterior = osp.learn(values, variables=letters(4), standardize=False)
        exact = enumerated(BGeTable(values.T.tolist()).log_marginal_likelihood, 4)
        np.testing.assert_allclose(posterior.edge_probabilities(), exact.edge_probabilities(), atol=1e-8)

    @pytest.mark.parametrize("mean", [1e6, 1e9])
    def test_posteriors_of_standard_units(self, mean):
        values = shifted(gaussian_data(4, 100, seed=5), mean * ALL)
        posterior = osp.learn(values, variables=letters(4), standardize=True)
        exact = enumerated(BGeTable(standardized(values.T.tolist())).log_marginal_likelihood, 4)
        np.testing.assert_allclose(posterior.edge_probabilities(), exact.edge_probabilities(), atol=1e-8)

    @pytest.mark.parametrize("set_to", [0.0, 1e9, -3e9])
    def test_rows_under_interventions(self, set_to):
        """Each group of variables has its own means; those of rows under intervention may be far away."""
        values = shifted(gaussian_data(4, 40, seed=6), 1e9 * ALL)
        intervened = np.zeros(values.shape, dtype=bool)
        intervened[:15, 0] = intervened[10:25, 1] = intervened[1:, 2] = intervened[:, 3] = (
            True  # one row is left, and none
        )
        values[intervened] = set_to + np.random.default_rng(0).normal(size=intervened.sum())
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "the (values|means) of")
            fitted = BGe().fit(Dataset(letters(4), values, intervened=intervened))
        for child in range(4):
            exact = BGeTable(values[~intervened[:, child]].T.tolist())
            assert_scores(fitted, exact.log_marginal_likelihood, [child], 1e-6)

    @pytest.mark.parametrize("away", [0.0, 1e9])
    @pytest.mark.parametrize("mean", [0.0, 1e6, 1e9])
    def test_predictive_densities(self, mean, away):
        """One more row makes the difference of two marginal likelihoods, wherever it is."""
        values, rows = shifted(FEW, mean * ALL), shifted(gaussian_data(4, 3, seed=8), (mean - away) * ALL)
        fitted = fitted_bge(values, {})
        predictive = Predictive.of(fitted, Dataset(letters(4), values), rows)
        before = BGeTable(values.T.tolist())
        after = [BGeTable(np.vstack([values, row]).T.tolist()) for row in rows]
        for child, parents in ((0, []), (3, [0]), (1, [0, 2, 3])):
            exact = [
                float(x.log_marginal_likelihood(child, parents) - before.log_marginal_likelihood(child, parents))
                for x in after
            ]
            found = predictive.log_densities(child, np.array(parents, dtype=np.int64))
            np.testing.assert_allclose(found, exact, atol=1e-6, rtol=1e-9)

    def test_files(self, tmp_path):
        values = shifted(gaussian_data(4, 50, seed=5), 1e9 * SOME)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "the means of")
            posterior = osp.learn(values, variables=letters(4), standardize=False)
        posterior.save(tmp_path / "far.npz")
        again = osp.load(tmp_path / "far.npz")
        np.testing.assert_array_equal(again.edge_probabilities(), posterior.edge_probabilities())
        np.testing.assert_array_equal(again.causal_effects(), posterior.causal_effects())
        score = fitted_bge(values, {})
        assert FittedBGe.restore(score.settings(), score.arrays()).shifts.any()
        with pytest.raises(ValueError, match="shifts do not match"):
            FittedBGe.restore(score.settings(), score.arrays() | {"bge_shift": np.zeros(4)})
        assert "bge_shift" not in fitted_bge(FEW, {}).arrays()

    def test_candidates_on_the_largest_scale(self):
        """Squares of covariances would be no numbers."""
        values = gaussian_data(6, 100, seed=3)
        fitted = fitted_bge(values * 1e98, {})
        table = fitted.log_likelihoods(0, np.arange(1, 6), 1)
        more = fitted.log_likelihoods_with_one_more(0, np.array([], dtype=np.int64))
        np.testing.assert_allclose(more[1:], table[1 << np.arange(5)], rtol=1e-12)

    @pytest.mark.parametrize(
        ("hyperparameters", "message"),
        [
            ({"alpha_mu": 1e308}, r"alpha_mu must be between 1e-100 and 1e\+100.*got 1e\+308"),
            ({"alpha_mu": 9e-101}, "alpha_mu must be between"),
            ({"t": 1.1e100}, "t must be between"),
            ({"t": 1e-300}, "t must be between"),
            ({"alpha_w": 1.1e7}, r"alpha_w must be at most 1e\+07.*got 1.1e\+07"),
        ],
    )
    def test_refused(self, hyperparameters, message):
        with pytest.raises(InvalidValue, match=message):
            BGe(**hyperparameters)

    def test_a_scale_that_follows_from_others_is_refused(self):
        with pytest.raises(InvalidValue, match=r"t is 5e-101 by default for alpha_mu = 1e-100.*Pass t"):
            BGe(alpha_mu=1e-100, alpha_w=5.5).fit(read_table(FEW))

    @pytest.mark.parametrize("value", [1.1e100, 1e150, 1e300])
    def test_values_beyond_the_range_are_refused(self, value):
        with pytest.raises(InvalidValue, match="too large to be squared"):
            read_table(FEW * value)
        osp.learn(FEW * value, standardize=True)
