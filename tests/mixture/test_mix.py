"""`mix`: what it takes, what it refuses, and what a mixture tells about itself."""

import copy
import math
import pickle
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.discrete import as_categories, discrete_data
from helpers.mixtures import NAMES, VALUES, case
from orderspn.mixture.mixing import MOST_COMPONENTS


def learn(values=VALUES, **arguments):
    return osp.learn(values, variables=letters(values.shape[1]), n_jobs=1, **arguments)


@pytest.fixture(scope="module")
def fair():
    return learn()


@pytest.fixture(scope="module")
def uniform():
    return learn(prior="uniform")


@pytest.fixture(scope="module")
def mixture(fair, uniform):
    return osp.mix([fair, uniform], [3, 1])


class TestWeights:
    def test_by_evidence_is_what_is_meant_without_weights(self, fair, uniform):
        mixture = osp.mix([fair, uniform])
        assert mixture.settings["weighting"] == "evidence"
        odds = math.exp(fair.log_evidence - uniform.log_evidence)
        np.testing.assert_allclose(mixture.weights, [odds / (1 + odds), 1 / (1 + odds)], rtol=1e-12)

    def test_equal(self, fair, uniform):
        np.testing.assert_array_equal(osp.mix([fair, uniform, fair, uniform], "equal").weights, np.full(4, 0.25))

    @pytest.mark.parametrize("numbers", [[3, 1], (0.75, 0.25), np.array([3.0, 1.0]), [3e300, 1e300], [3e-320, 1e-320]])
    def test_numbers_are_divided_by_their_sum(self, fair, uniform, numbers):
        np.testing.assert_allclose(osp.mix([fair, uniform], numbers).weights, [0.75, 0.25], rtol=1e-3)

    def test_they_are_not_those_of_the_mixture(self, mixture):
        mixture.weights[:] = 0.0
        np.testing.assert_allclose(mixture.weights, [0.75, 0.25])

    def test_of_one_posterior_without_evidence(self):
        sample = case("samples").parts[0].posterior
        assert osp.mix([sample]).weights.tolist() == [1.0]
        with pytest.raises(ValueError, match="log evidence of a mixture needs weights by evidence"):
            osp.mix([sample]).log_evidence  # noqa: B018

    def test_mixtures_have_evidence_too(self, fair, uniform):
        one = osp.mix([osp.mix([fair, uniform]), uniform])
        inner = np.logaddexp(fair.log_evidence, uniform.log_evidence) - math.log(2)
        assert one.log_evidence == pytest.approx(np.logaddexp(inner, uniform.log_evidence) - math.log(2))


REFUSED = {
    "a posterior": (lambda p: osp.mix(p), TypeError, "must be a list of posteriors; got Posterior"),
    "no list": (lambda _: osp.mix(3), TypeError, "must be a list of posteriors; got int"),
    "none": (lambda _: osp.mix([]), ValueError, "at least one posterior; got none"),
    "no posterior": (lambda p: osp.mix([p, p.edge_probabilities()]), TypeError, "got DataFrame at place 1"),
    "an unknown word": (lambda p: osp.mix([p], "best"), ValueError, "one of 'evidence', 'equal'; got 'best'"),
    "one weight for all": (lambda p: osp.mix([p, p], 0.5), TypeError, "or a list of numbers; got 0.5"),
    "too few weights": (lambda p: osp.mix([p, p], [1]), ValueError, "each of the 2 posteriors; got 1"),
    "a negative weight": (lambda p: osp.mix([p, p], [1, -1]), ValueError, "at least 0; got -1"),
    "no number": (lambda p: osp.mix([p, p], [1, math.nan]), ValueError, "at least 0; got nan"),
    "infinite": (lambda p: osp.mix([p, p], [1, math.inf]), ValueError, "at least 0; got inf"),
    "text": (lambda p: osp.mix([p, p], [1, "2"]), TypeError, "numbers of at least 0; got '2' of type str"),
    "truth": (lambda p: osp.mix([p, p], [True, False]), TypeError, "got True of type bool"),
    "nothing": (lambda p: osp.mix([p, p], [0, 0.0]), ValueError, "a number greater than 0; got only 0"),
    "too many": (lambda p: osp.mix([p] * (MOST_COMPONENTS + 1), "equal"), ValueError, "at most 1000 .* got 1001"),
    "other variables": (
        lambda p: osp.mix([p, osp.learn(VALUES, variables=["A", "B", "C", "E"])], "equal"),
        ValueError,
        "same variables; the first is over 'A', 'B', 'C', 'D', and the one at place 1 is without 'D' and with 'E'",
    ),
    "fewer variables": (lambda p: osp.mix([p, learn(VALUES[:, :3])], "equal"), ValueError, "place 1 is without 'D'"),
    "no evidence": (
        lambda p: osp.mix([p, case("samples").parts[0].posterior]),
        ValueError,
        r"the one at place 1 has none: <Posterior: gadget.*weights=.equal",
    ),
    "other data": (lambda p: osp.mix([p, learn(VALUES[:20])]), ValueError, "same data.*data_fingerprint.*equal"),
    "other units": (lambda p: osp.mix([p, learn(standardize=False)]), ValueError, "same data"),
    "other target": (lambda p: osp.mix([p, case_of_dags()]), ValueError, "same target.*place 1.*'target'"),
}


def case_of_dags():
    return learn(method=osp.methods.Exact(target="dag"))


@pytest.mark.parametrize("reason", REFUSED)
def test_refusals(fair, reason):
    call, error, message = REFUSED[reason]
    with pytest.raises(error, match=message):
        call(fair)


class TestWhatItTells:
    def test_components(self, mixture, fair, uniform):
        assert all(type(component) is osp.Posterior for component in mixture.components)
        for component, one in zip(mixture.components, (fair, uniform), strict=True):
            assert component.settings == one.settings
            assert component.log_evidence == one.log_evidence
        under = mixture.given("A -> B").components
        assert [str(component.evidence) for component in under] == ["A -> B", "A -> B"]
        assert under[0].edge_probabilities().equals(fair.edge_probabilities("A -> B"))

    def test_settings(self, mixture, fair, uniform):
        settings = mixture.settings
        assert settings["method"] == "mixture"
        assert (settings["weighting"], settings["given"]) == ("given", [None, None])
        assert settings["weights"] == pytest.approx([0.75, 0.25], rel=1e-12)
        own = [dict(fair.settings), dict(uniform.settings)]
        shared = [one.pop("distributions") for one in own]
        assert settings["components"] == own
        assert [settings["distributions"]] * 2 == shared  # once, not for each component
        assert settings["rows"] == len(VALUES)
        assert "prior" not in settings
        assert mixture.given("A -> B").settings == settings

    def test_evidence_that_all_have_is_that_of_the_mixture(self, fair, uniform):
        given = [fair.given("A -> B"), uniform.given("A -> B")]
        assert str(osp.mix(given).evidence) == "A -> B"
        assert osp.mix(given).settings["given"] == ["A -> B", "A -> B"]
        differently = osp.mix([fair.given("A -> B"), uniform])
        assert not differently.evidence
        assert differently.settings["given"] == ["A -> B", None]

    def test_warnings_of_all_of_them_once(self):
        skewed = np.exp(3 * gaussian_data(4, 60, seed=1))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            one, other = learn(skewed), learn(skewed, prior="uniform")
        assert one.warnings
        assert osp.mix([one, other, learn()], "equal").warnings == tuple(dict.fromkeys(one.warnings + other.warnings))

    def test_repr(self, mixture, fair):
        assert repr(mixture) == "<Mixture: 2 components, 4 variables, 30 rows>"
        assert repr(mixture.given("A -> B")) == "<Mixture: 2 components, 4 variables, 30 rows, given 'A -> B'>"
        assert repr(osp.mix([fair, learn(VALUES[:20])], "equal")) == "<Mixture: 2 components, 4 variables>"

    def test_summary(self, mixture):
        under = mixture.given("A -> B")
        lines = under.summary().lines
        assert ("method", "mixture of 2, given weights, every graph counts once for each of its orders") in lines
        about = [value for name, value in lines if name == "component"]
        assert about[0].startswith(f"1, weight {under.weights[0]:.4g}: exact, bge (alpha_mu=1")
        assert about[0].endswith("fair prior, given A -> B")
        lower, upper = under.entropy_bounds()
        assert ("entropy", f"{lower:.3f} to {upper:.3f} nats over (order, graph)") in lines
        assert ("given", "A -> B") in lines
        assert "log evidence" not in dict(lines)

    def test_summaries_of_other_kinds(self, fair, uniform):
        by_evidence = osp.mix([fair, uniform])
        assert dict(by_evidence.summary().lines)["log evidence"] == f"{by_evidence.log_evidence:.4f}"
        several = osp.mix([fair, learn(VALUES[:20])], "equal")
        assert "learned from several tables" in several.summary().headline
        both = case("orders, sample and nothing").mixture.summary()
        assert "entropy" not in dict(both.lines)
        many = osp.mix([fair] * 20, range(1, 21)).summary()
        assert many.lines.count(("component", "and 12 more, of smaller weights")) == 1

    def test_in_a_notebook(self, mixture):
        page = mixture._repr_html_()
        assert "mixture of 2" in page
        assert "Most probable edges" in page

    def test_parents_are_those_of_any_component(self, fair):
        few = learn(candidates={"A": ["B"], "B": [], "C": ["D"], "D": []})
        other = learn(candidates={"A": ["C"], "B": [], "C": [], "D": []}, method=osp.methods.Exact(outsiders=1))
        mixture = osp.mix([few, other], "equal")
        assert mixture.candidates == {"A": ["B", "C"], "B": [], "C": ["D"], "D": []}
        assert mixture.outsiders == {"A": ["D"], "B": ["A", "C", "D"], "C": ["A", "B"], "D": ["A", "B", "C"]}
        assert osp.mix([fair, few], "equal").outsiders == {name: [] for name in NAMES}

    def test_copies(self, mixture):
        for again in (copy.deepcopy(mixture), pickle.loads(pickle.dumps(mixture))):
            assert again.edge_probabilities().equals(mixture.edge_probabilities())


class TestEvidence:
    def test_what_one_component_rules_out_leaves_the_others(self, fair):
        never = learn(knowledge="A !-> B")
        mixture = osp.mix([never, fair], "equal").given("A -> B")
        assert mixture.weights.tolist() == [0.0, 1.0]
        assert [str(component.evidence) for component in mixture.components] == ["", "A -> B"]
        assert mixture.edge_probabilities().equals(fair.edge_probabilities("A -> B"))
        assert mixture.entropy() == fair.entropy("A -> B")

    def test_what_all_rule_out(self, fair):
        never = learn(knowledge="A !-> B")
        mixture = osp.mix([never, fair], "equal")
        assert mixture.probability("A -> B, B -> A") == 0.0
        with pytest.raises(
            osp.ImpossibleEvidence, match=r"no component .* allows .*A -> B.* The first one: .* form a cycle"
        ):
            mixture.given("A -> B, B -> A")
        with pytest.raises(osp.ImpossibleEvidence, match="no component"):
            mixture.best_graph(given="A -> B, B -> A")

    def test_unknown_names(self, mixture):
        with pytest.raises(ValueError, match="unknown variable 'Z'"):
            mixture.given("A -> Z")

    def test_orders_need_components_with_orders(self):
        mixture = case("dags and circuit").mixture
        for ask in (mixture.precedence, lambda: mixture.given("A < B"), lambda: mixture.probability("A < B")):
            with pytest.raises(ValueError, match=r"is about orders; this posterior is a mixture of 2.*components"):
                ask()
        with pytest.raises(ValueError, match="cannot be sampled for target='order'"):
            mixture.sample(5, target="order")
        with pytest.raises(ValueError, match="target must be one of 'dag'; got 'mixed'"):
            mixture.sample(5, target="mixed")

    def test_questions_that_cannot_be_averaged(self, mixture):
        with pytest.raises(ValueError, match="mixture of 2"):
            mixture.size  # noqa: B018
        with pytest.raises(ValueError, match="mixture of 2"):
            mixture.coverage()
        with pytest.raises(ValueError, match="no local scores of its own"):
            mixture.model.score  # noqa: B018
        with pytest.raises(ValueError, match="components of both targets"):
            case("dags and circuit").mixture.entropy_bounds()


class TestDraws:
    def test_the_same_seed_the_same_answer_with_any_number_of_threads(self):
        def mixed(n_jobs):
            parts = [osp.learn(VALUES, variables=NAMES, prior=p, n_jobs=n_jobs) for p in ("fair", "uniform")]
            return osp.mix(parts, [2, 1])

        one, many = mixed(1), mixed(3)
        for ask in (
            lambda p: p.sample(200, rng=4).adjacency,
            lambda p: p.sample(200, "A -- B", rng=4).orders,
            lambda p: p.effect_samples(100, rng=4).values,
            lambda p: p.estimate_effects(100, rng=4).mean.to_numpy(),
        ):
            np.testing.assert_array_equal(ask(one), ask(many))
        assert (one.sample(200, rng=4).adjacency != one.sample(200, rng=5).adjacency).any()

    def test_effects_are_in_the_units_of_each_component(self):
        """The same rows in other units are the same effects, in standard deviations and in units of the data."""
        frame = pd.DataFrame(gaussian_data(3, 200, seed=2), columns=letters(3))
        one = osp.learn(frame[:150])
        other = osp.learn(frame[50:] * 1.0, prior="uniform")
        mixture = osp.mix([one, other], "equal")
        assert mixture.units is None
        for units in ("data", "sd"):
            expected = (one.causal_effects(units=units) + other.causal_effects(units=units)) / 2
            np.testing.assert_allclose(mixture.causal_effects(units=units), expected, rtol=1e-12)
            drawn = mixture.effect_samples(3000, rng=1, units=units)
            np.testing.assert_allclose(drawn.mean, expected, atol=0.05)
        assert osp.mix([one, one], "equal").units.same_as(one.units)

    def test_fewer_draws_than_components(self, fair, uniform):
        samples = osp.mix([fair] * 5 + [uniform] * 5, "equal").sample(1, rng=0)
        assert samples.adjacency.shape == (1, 4, 4)


class TestCurves:
    @pytest.mark.thorough
    def test_they_are_the_weighted_mean(self):
        frame = pd.DataFrame(gaussian_data(4, 60, seed=8), columns=NAMES)
        parts = [osp.learn(frame[:50]), osp.learn(frame[["D", "A", "C", "B"]][10:])]
        # One graph each, so that only coefficients are random, and their means are not.
        parts = [part.given(part.most_probable_graph(given="A -> B").edges) for part in parts]
        mixture = osp.mix(parts, [1, 3])
        at = [-1.0, 0.0, 2.0]
        one, other = (part.effect_curve("A", "B", at)["mean"] for part in parts)
        found = mixture.effect_curve("A", "B", at, n_samples=4000)
        assert (one - other).abs().max() > 0.01
        np.testing.assert_allclose(found["mean"], 0.25 * one + 0.75 * other, atol=0.02)
        assert (found["low"] < found["mean"]).all()
        grid = mixture.effect_curve("A", "B", n_samples=10).index
        np.testing.assert_array_equal(grid, parts[0].effect_curve("A", "B", n_samples=2).index)

    def test_categories(self):
        frame = pd.DataFrame(gaussian_data(3, 80, seed=2), columns=list("ABC"))
        frame["C"] = np.where(frame["C"] > frame["C"].median(), "high", "low")
        parts = [osp.learn(frame), osp.learn(frame[["C", "B", "A"]], prior="uniform")]
        found = osp.mix(parts, "equal").effect_curve("A", "C", [0.0, 1.0], n_samples=2000)
        one, other = (part.effect_curve("A", "C", [0.0, 1.0], n_samples=2000)["mean"] for part in parts)
        np.testing.assert_allclose(found["mean"], (one + other).loc[found.index] / 2, atol=0.05)
        assert found["mean"].groupby("A").sum().tolist() == pytest.approx([1.0, 1.0])


@pytest.fixture(scope="module")
def parts():
    codes = discrete_data((2, 3, 2), 120, seed=3)
    frame = pd.DataFrame({name: [f"level {c}" for c in column] for name, column in zip("ABC", codes.T, strict=True)})
    one = osp.learn(frame, n_jobs=1)
    return one, osp.learn(frame[["C", "A", "B"]], score=osp.scores.BDeu(20.0), n_jobs=1)


class TestCategories:
    def test_interventions(self, parts):
        mixture = osp.mix(parts, [1, 3])
        found = mixture.interventional("B", {"A": "level 1"}, n_graphs=6000, rng=0)
        one, other = (part.interventional("B", {"A": "level 1"}, n_graphs=6000, rng=1) for part in parts)
        expected = 0.25 * one["mean"] + 0.75 * other["mean"]
        np.testing.assert_allclose(found["mean"], expected.loc[found.index], atol=0.01)
        assert found["mean"].sum() == pytest.approx(1.0)
        assert (found["low"] < found["mean"]).all()
        assert (found["mean"] < found["high"]).all()

    def test_levels_in_another_order(self):
        table = as_categories(discrete_data((2, 3, 2), 120, seed=3), (2, 3, 2), "ABC")
        codes = np.ascontiguousarray(np.where([False, True, False], 2 - table.codes, table.codes), dtype=np.uint16)
        turned = replace(table, codes=codes, levels=(table.levels[0], table.levels[1][::-1], table.levels[2]))
        levels = ["level 0", "level 1", "level 2"]
        one, other = osp.learn(table, n_jobs=1), osp.learn(turned, n_jobs=1)
        expected = one.interventional("B", {}, n_graphs=500, rng=0)["mean"]
        assert other.interventional("B", {}, n_graphs=500, rng=0).index.tolist() == levels[::-1]
        assert abs(expected["level 0"] - expected["level 2"]) > 0.05
        for parts in ([one, other], [other, one]):
            found = osp.mix(parts, "equal").interventional("B", {}, n_graphs=500, rng=0)["mean"]
            assert found.index.tolist() == parts[0].interventional("B", {}, n_graphs=2, rng=0).index.tolist()
            np.testing.assert_allclose(found.loc[levels], expected.loc[levels], atol=0.02)

    def test_levels_that_differ(self, parts):
        codes = discrete_data((2, 2, 2), 60, seed=3)
        frame = pd.DataFrame(
            {name: [f"level {c}" for c in column] for name, column in zip("ABC", codes.T, strict=True)}
        )
        mixture = osp.mix([parts[0], osp.learn(frame, n_jobs=1)], "equal")
        with pytest.raises(ValueError, match=r"same levels of 'B'.*level 0, level 1, level 2 and level 0, level 1\."):
            mixture.interventional("B", {}, n_graphs=50, rng=0)

    def test_numbers_have_no_tables(self, mixture):
        with pytest.raises(ValueError, match="needs the tables"):
            mixture.interventional("A", {})


@pytest.fixture(scope="module")
def rows():
    return pd.DataFrame(gaussian_data(4, 80, seed=8), columns=NAMES)


class TestMetrics:
    def test_likelihood_is_the_mean_of_the_components(self, rows):
        train, test = rows[:60], rows[60:]
        graphs = ["A -> B, C !-> D", "B -> A"]
        parts = [
            osp.learn(train, score=osp.scores.BGe(alpha_mu=a)).given(whole)
            for a, whole in zip((1.0, 9.0), graphs, strict=True)
        ]
        parts = [part.given(part.most_probable_graph().edges) for part in parts]  # one graph each: nothing is random
        mixture = osp.mix(parts, [1, 3])
        one, other = (osp.metrics.marginal_log_likelihood(part, test) for part in parts)
        assert one != other
        assert osp.metrics.marginal_log_likelihood(mixture, test) == pytest.approx(0.25 * one + 0.75 * other)

    def test_density_is_the_mean_row_by_row(self, rows):
        train = rows[:60]
        parts = [osp.learn(train), osp.learn(train, score=osp.scores.BGe(alpha_mu=9.0), standardize=False)]
        parts = [part.given(part.most_probable_graph().edges) for part in parts]
        mixture = osp.mix(parts, [1, 3])
        by_row = []
        for row in range(60, 64):
            test = rows[row : row + 1]
            one, other = (osp.metrics.log_predictive_density(part, train, test) for part in parts)
            by_row.append(math.log(0.25 * math.exp(one) + 0.75 * math.exp(other)))
        found = osp.metrics.log_predictive_density(mixture, train, rows[60:64])
        assert found == pytest.approx(np.mean(by_row), abs=1e-9)

    def test_rows_without_names_cannot_be_matched_with_other_orders(self, rows):
        train = rows[:60]
        mixture = osp.mix([osp.learn(train), osp.learn(train[["D", "B", "A", "C"]])], "equal")
        with pytest.raises(ValueError, match="rows must have names of columns"):
            osp.metrics.marginal_log_likelihood(mixture, rows[60:].to_numpy())
        named = osp.metrics.marginal_log_likelihood(mixture, rows[60:])
        one = osp.metrics.marginal_log_likelihood(mixture.components[0], rows[60:])
        assert named == pytest.approx(one, abs=0.5)

    def test_edges_and_effects(self, mixture):
        truth = np.triu(np.ones((4, 4)), 1)
        probabilities = mixture.edge_probabilities()
        assert osp.metrics.auroc(mixture, truth) == osp.metrics.auroc(probabilities, truth)
        assert osp.metrics.effect_error(mixture, truth) == osp.metrics.effect_error(mixture.causal_effects(), truth)
        assert osp.metrics.edge_error(mixture, mixture).largest == 0.0
        frame = osp.export.edges_frame(mixture)
        assert frame["probability"].sum() == pytest.approx(probabilities.to_numpy().sum())
        assert osp.export.threshold_graph(mixture).number_of_nodes() == 4
