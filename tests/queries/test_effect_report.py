"""Reports on effects against sums over all DAGs of four variables, and laws that hold for any posterior."""

import itertools

import numpy as np
import pandas as pd
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.mixtures import case as mixture_case
from orderspn.core.workers import Workers
from orderspn.queries.effects import expected_coefficients
from orderspn.queries.path_sums import effects_of
from reference.dags import adjacency_of
from reference.enumeration import Enumeration
from reference.local_scores import local_scores

D, N = 4, 8000
NAMES = letters(D)
VALUES = gaussian_data(D, 30, seed=14)
PAIRS = list(itertools.permutations(range(D), 2))
EVIDENCE = {
    "nothing": (None, {}),
    "present and absent": ("A -> B, C !-> D", {"present": [(0, 1)], "absent": [(2, 3)]}),
    "order": ("B < D, D < A", {"before": [(1, 3), (3, 0)]}),
    "neighbours": ("A -- C", None),
}
ANCESTORS = "C ~> A, B !~> D"


@pytest.fixture(scope="module")
def posterior():
    return osp.learn(VALUES, variables=NAMES, standardize=False, n_jobs=1)


@pytest.fixture(scope="module")
def graphs():
    """All DAGs, as a list without repetition."""
    return adjacency_of(np.unique(Enumeration.of(local_scores(VALUES)).masks, axis=0))


def probabilities(graphs, present=(), absent=(), before=(), adjacent=()):
    """The probability of each DAG in the posterior over orders."""
    brute = Enumeration.of(local_scores(VALUES)).given(present, absent, before)
    if adjacent:
        (i, j) = adjacent[0]
        keep = brute.adjacency[:, i, j] | brute.adjacency[:, j, i]
        brute = Enumeration(brute.orders[keep], brute.masks[keep], brute.log_weight[keep])
    found = brute.graph_probabilities()
    masks = np.einsum("sij,i->sj", graphs, 1 << np.arange(D))
    return np.array([found.get(tuple(own), 0.0) for own in masks.tolist()])


def naive_connected(graph):
    power, reached = graph.astype(int), graph.astype(int)
    for _ in range(D):
        power = power @ graph
        reached = reached + power
    return (reached > 0) | np.eye(D, dtype=bool)


def variances_given(graph, score):
    """The variance of each total effect given a graph (d, d), from exact second moments, one variable at a time.

    Weights into a variable are independent of all that comes before it, so that with T_ij = sum_k T_ik B_kj the moments
    E[T_ij T_il] follow from those of the variables before j.
    """
    order = [int(v) for v in np.argsort(naive_connected(graph).sum(axis=0), kind="stable")]
    found = np.zeros((D, D))
    for i in range(D):
        mean, second = np.zeros(D), np.zeros((D, D))
        for j in order:
            if j == i:
                mean[j] = 1.0
                second[j] = second[:, j] = mean
                second[j, j] = 1.0
                continue
            parents = np.flatnonzero(graph[:, j])
            if not parents.size:
                continue
            location, scale, freedom = score.weights_given(j, parents)
            covariance = scale * freedom / (freedom - 2.0)
            mean[j] = location @ mean[parents]
            second[j] = second[:, j] = location @ second[parents]
            own = second[np.ix_(parents, parents)]
            second[j, j] = np.sum(own * (np.outer(location, location) + covariance))
        found[i] = np.diag(second) - mean**2
    return found


@pytest.fixture(scope="module")
def moments(posterior, graphs):
    """Means and variances given each DAG."""
    score = posterior.model.score
    means = effects_of(expected_coefficients(graphs, score, Workers(1)))
    return means, np.stack([variances_given(graph, score) for graph in graphs])


def assert_numbers(found, graphs, p, moments):
    """Compare a table of all pairs with sums over DAGs; every number within its standard error."""
    means, variances = moments
    no_path = np.stack([~naive_connected(graph) for graph in graphs])
    mean = np.einsum("g,gij->ij", p, means)
    expected = {
        "mean": mean,
        "no_path": np.einsum("g,gij->ij", p, no_path),
        "structural": np.einsum("g,gij->ij", p, (means - mean) ** 2),
        "parametric": np.einsum("g,gij->ij", p, variances),
    }
    expected["variance"] = expected["structural"] + expected["parametric"]
    for name, values in expected.items():
        off = np.abs(found[name] - [values[pair] for pair in PAIRS])
        assert (off <= 4.5 * found[f"{name}_error"] + 1e-9).all(), name
    return expected


@pytest.mark.thorough
@pytest.mark.parametrize("evidence", EVIDENCE)
def test_all_pairs_are_sums_over_dags(posterior, graphs, moments, evidence):
    text, words = EVIDENCE[evidence]
    p = probabilities(graphs, **({"adjacent": [(0, 2)]} if words is None else words))
    expected = assert_numbers(posterior.effects_frame(text, n_samples=N), graphs, p, moments)
    if evidence == "nothing":  # both parts matter, so that neither could be forgotten or taken for the other
        share = (expected["structural"] / expected["variance"])[~np.eye(D, dtype=bool)]
        assert share.min() < 0.5 < 0.6 < share.max()


@pytest.mark.thorough
def test_ancestors_as_evidence(posterior, graphs, moments):
    p = probabilities(graphs)
    reached = np.stack([naive_connected(graph) for graph in graphs])
    p = p * reached[:, 2, 0] * ~reached[:, 1, 3]
    known = posterior.given(ANCESTORS)
    n_graphs = len(known.model.weighted_graphs()[1])  # it is a sample, and so has errors of its own
    frame = known.effects_frame(n_samples=N)
    errors = [name for name in frame.columns if name.endswith("_error") and name != "mean_error"]
    frame[errors] *= np.sqrt(1.0 + N / n_graphs)
    assert frame["mean_error"].max() > 0.0
    assert_numbers(frame, graphs, p / p.sum(), moments)


def test_no_path_is_that_of_ancestors(posterior):
    frame = posterior.effects_frame(n_samples=N)
    exact = posterior.ancestor_probabilities().to_numpy()
    off = frame["no_path"] - [1.0 - exact[pair] for pair in PAIRS]
    assert (off.abs() < 4.5 * frame["no_path_error"]).all()


def test_dags_that_count_once(graphs, moments):
    once = osp.learn(VALUES, variables=NAMES, standardize=False, n_jobs=1, method=osp.methods.Exact(target="dag"))
    brute = Enumeration.of(local_scores(VALUES))
    _, first = np.unique(brute.masks, axis=0, return_index=True)
    p = np.exp(brute.log_weight[first] - brute.log_weight.max())
    found = once.effects_frame(n_samples=N)
    assert (found["mean_error"] > 0.0).any()  # such a posterior has no exact means
    assert_numbers(found, graphs, p / p.sum(), moments)


def test_weighted_draws_of_another_target(posterior, graphs, moments):
    brute = Enumeration.of(local_scores(VALUES))
    _, first = np.unique(brute.masks, axis=0, return_index=True)
    p = np.exp(brute.log_weight[first] - brute.log_weight.max())
    assert_numbers(posterior.effects_frame(n_samples=N, target="dag"), graphs, p / p.sum(), moments)


@pytest.mark.parametrize("given", [None, "A -> B", "A -- B, C < D"])
def test_means_are_causal_effects_where_these_are_exact(posterior, given):
    exact = posterior.causal_effects(given)
    report = posterior.effect("A", "C", given, n_samples=50)
    assert report.mean == exact.loc["A", "C"]
    assert report.standard_errors["mean"] == 0.0


def test_a_report_is_a_row_of_the_frame(posterior):
    frame = posterior.effects_frame("A !-> D", n_samples=300, level=0.8, rng=3).set_index(["cause", "effect"])
    report = posterior.effect("B", "D", "A !-> D", n_samples=300, level=0.8, rng=3)
    row = frame.loc[("B", "D")]
    for name in ("mean", "low", "high", "positive", "negative", "no_path", "structural", "parametric", "variance"):
        assert getattr(report, name) == pytest.approx(row[name], rel=1e-12)
        assert report.standard_errors[name] == pytest.approx(row[f"{name}_error"], rel=1e-12)


def test_draws_are_those_of_effect_samples(posterior):
    samples = posterior.effect_samples(500, rng=7)
    report = posterior.effect("A", "D", n_samples=500, rng=7, level=0.5)
    np.testing.assert_allclose(report.draws.values, samples.of("A", "D"), atol=1e-12)
    low, high = samples.interval(0.5)
    np.testing.assert_allclose(report.interval, [low.loc["A", "D"], high.loc["A", "D"]], atol=1e-12)
    assert report.positive == np.mean(report.draws.values > 0.0)


def test_variances_add_up_to_that_of_the_draws(posterior):
    """The draws are one sample from the mixture over graphs and weights; their plain variance is the total."""
    for cause, effect in [("A", "D"), ("D", "A"), ("B", "C")]:
        report = posterior.effect(cause, effect, n_samples=N)
        assert report.variance == report.structural + report.parametric
        assert abs(report.draws.values.var() - report.variance) < 4.5 * report.standard_errors["variance"]


def test_one_graph_has_no_structural_variance(posterior):
    chain = "A -> B -> C -> D, A !-> C, A !-> D, B !-> D"
    report = posterior.effect("A", "D", chain, n_samples=400)
    assert report.structural == pytest.approx(0.0, abs=1e-12)
    assert report.parametric > 0.0
    assert report.no_path == 0.0
    assert report.positive + report.negative == pytest.approx(1.0, abs=1e-12)


def test_effects_without_a_path_are_0(posterior):
    report = posterior.effect("A", "D", "D < A", n_samples=200)
    assert (report.mean, report.low, report.high, report.variance) == (0.0, 0.0, 0.0, 0.0)
    assert (report.positive, report.negative, report.no_path) == (0.0, 0.0, 1.0)
    assert not report.draws.values.any()
    assert posterior.paths("A", "D", "D < A", n_samples=200).empty


def test_signs_and_no_path_are_everything(posterior):
    frame = posterior.effects_frame(n_samples=1000)
    np.testing.assert_allclose(frame["positive"] + frame["negative"] + frame["no_path"], 1.0)
    assert (frame["low"] <= frame["high"]).all()


def test_columns_in_another_order(posterior, graphs, moments):
    """The seeds of variables change places too, so that draws differ: all numbers agree within their errors."""
    shuffled = [2, 0, 3, 1]
    other = osp.learn(
        VALUES[:, shuffled], variables=[NAMES[v] for v in shuffled], standardize=False, n_jobs=1
    ).effects_frame(n_samples=N)
    own = posterior.effects_frame(n_samples=N).set_index(["cause", "effect"])
    other = other.set_index(["cause", "effect"]).loc[own.index]
    np.testing.assert_allclose(own["mean"], other["mean"], atol=1e-9)
    for name in ("low", "high", "positive", "negative", "no_path", "structural", "parametric"):
        error = np.hypot(own[f"{name}_error"], other[f"{name}_error"])
        assert (abs(own[name] - other[name]) <= 5.0 * error + 1e-9).all(), name


def test_any_number_of_threads():
    """The same seed gives the same report."""
    one, two = (
        osp.learn(VALUES, variables=NAMES, standardize=False, n_jobs=n_jobs).effects_frame(n_samples=100, rng=9)
        for n_jobs in (1, 2)
    )
    pd.testing.assert_frame_equal(one, two, check_exact=True)


def test_units(posterior):
    standardized = osp.learn(VALUES * [1.0, 10.0, 0.1, 5.0], variables=NAMES, standardize=True, n_jobs=1)
    data, sd = (standardized.effect("B", "C", n_samples=400, units=units) for units in ("data", "sd"))
    factor = standardized.units.effect_scale()[1, 2]
    assert data.mean == pytest.approx(sd.mean * factor)
    assert data.structural == pytest.approx(sd.structural * factor**2)
    assert data.parametric == pytest.approx(sd.parametric * factor**2)
    assert data.high == pytest.approx(sd.high * factor)
    assert "standard deviations" in sd.about
    paths = [standardized.paths("B", "C", n_samples=400, units=units)["contribution"] for units in ("data", "sd")]
    np.testing.assert_allclose(paths[0], paths[1] * factor)


def test_parent_sets_divide_the_mean(posterior):
    report = posterior.effect("B", "D", n_samples=3000)
    sets = report.parent_sets
    assert sets["probability"].sum() == pytest.approx(1.0)
    assert sets["probability"].is_monotonic_decreasing
    assert sets["probability"] @ sets["mean"] == pytest.approx(report.draws.means.mean())
    assert sets["probability"] @ sets["no_path"] == pytest.approx(report.no_path)
    exact = posterior.parent_sets("B").set_index("parents")["probability"]
    for own in sets.itertuples():
        assert abs(own.probability - exact[own.parents]) < 5.0 * np.sqrt(0.25 / 3000)
        if own.probability > 0.1:
            given = ", ".join(f"{v} {'->' if v in own.parents else '!->'} B" for v in "ACD")
            assert abs(posterior.causal_effects(given).loc["B", "D"] - own.mean) <= 5.0 * own.standard_error + 1e-9
        if "D" in own.parents:
            assert (own.mean, own.no_path) == (0.0, 1.0)


def test_a_sign_within_its_error_is_none():
    """Of smoke on dysp given that lung and bronc cause smoke, there is next to nothing: a path in 1 of 40 graphs."""
    clinic = osp.learn(osp.load_asia().data, n_jobs=1)
    report = clinic.effect("smoke", "dysp")
    (row,) = [row for row in report.parent_sets.itertuples() if row.parents == ("lung", "bronc")]
    assert row.mean < 0.0 < report.mean
    assert row.standard_error > 0.5 * abs(row.mean)
    assert not row.flips
    assert report.flips == 0.0


def test_parent_sets_that_flip_the_sign():
    """Confounding turns the sign: alone, A seems to help; among those with the same C, it harms."""
    rng = np.random.default_rng(0)
    c = rng.normal(size=60)
    a = c + 0.6 * rng.normal(size=60)
    b = 2.0 * c - 0.8 * a + 0.8 * rng.normal(size=60)
    learned = osp.learn(np.column_stack([a, b, c]), variables=["A", "B", "C"], knowledge="A -> B", check=False)
    report = learned.effect("A", "B")
    by_set = report.parent_sets
    means = dict(zip(by_set["parents"], by_set["mean"], strict=True))
    assert means["C",] < 0.0 < means[()]
    signs = np.sign(by_set["mean"]) * np.sign(report.mean)
    sure = ~(by_set["mean"].abs() <= 2.0 * by_set["standard_error"])
    assert by_set["flips"].tolist() == ((signs < 0) & sure).tolist()
    assert report.flips == by_set.loc[by_set["flips"], "probability"].sum()
    assert 0.0 < report.flips < 1.0
    assert "other sign given" in repr(report)
    assert "other sign" in report._repr_html_()


MIXTURES = ["two exact, by evidence", "other order of columns", "dags and circuit", "samples"]


@pytest.mark.thorough
@pytest.mark.parametrize("name", MIXTURES)
def test_mixtures(name):
    """The mean is the weighted mean of the components; variances are those within, and between their means."""
    mixture = mixture_case(name).mixture
    parts = [part.effect("A", "C", n_samples=N, rng=2) for part in mixture.components]
    report = mixture.effect("A", "C", n_samples=N, rng=1)
    weights = mixture.weights
    mean = weights @ [part.mean for part in parts]
    error = np.sqrt(weights**2 @ [part.standard_errors["mean"] ** 2 for part in parts])
    assert abs(report.mean - mean) <= 4.5 * np.hypot(error, report.standard_errors["mean"]) + 1e-9
    structural = weights @ [part.structural + (part.mean - mean) ** 2 for part in parts]
    for found, expected, own in [
        (report.structural, structural, "structural"),
        (report.parametric, weights @ [part.parametric for part in parts], "parametric"),
        (report.no_path, weights @ [part.no_path for part in parts], "no_path"),
        (report.positive, weights @ [part.positive for part in parts], "positive"),
    ]:
        errors = [
            report.standard_errors[own],
            *(w * p.standard_errors[own] for w, p in zip(weights, parts, strict=True)),
        ]
        assert abs(found - expected) < 5.0 * np.linalg.norm(errors) + 1e-9, own
    paths = mixture.paths("A", "C", top=None, n_samples=500)
    assert paths["contribution"].sum() == pytest.approx(mixture.effect("A", "C", n_samples=500).draws.means.mean())


def test_a_sample_of_graphs():
    sample = osp.learn(
        VALUES, variables=NAMES, standardize=False, n_jobs=1, method=osp.methods.Gadget(n_graphs=400, effort=0.05)
    )
    report = sample.effect("A", "B", n_samples=4000)
    assert report.mean == sample.causal_effects().loc["A", "B"]
    assert report.standard_errors["mean"] == sample.estimate_effects(400).standard_error.loc["A", "B"] > 0.0
    graphs, weights = sample.model.weighted_graphs()
    connected = np.array([naive_connected(graph)[0, 1] for graph in graphs])
    assert abs(report.no_path - weights @ ~connected) < 4.5 * report.standard_errors["no_path"]


def test_errors_shrink_and_are_right(posterior):
    """Over many seeds the numbers scatter as their standard errors say."""
    reports = [posterior.effect("C", "A", n_samples=400, rng=seed) for seed in range(60)]
    for name in ("high", "positive", "no_path", "structural", "parametric", "variance"):
        scatter = np.std([getattr(report, name) for report in reports], ddof=1)
        told = np.median([report.standard_errors[name] for report in reports])
        assert 0.6 < told / scatter < 1.7, name


def test_texts(posterior):
    report = posterior.effect("A", "D", n_samples=300)
    assert repr(report).startswith("<Effect: total effect of A on D (units of the data)\n mean ")
    assert "(exact)" in repr(report)
    html = report._repr_html_()
    assert "parents of A" in html
    assert "P(no path)" in html
    escaped = osp.learn(pd.DataFrame(VALUES[:, :2], columns=["<a>", "b"]), check=False).effect("<a>", "b", n_samples=10)
    assert "<a>" not in escaped._repr_html_()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("A", "A"), "cause and effect must be two variables; got 'A' for both"),
        (("A", "E"), "unknown variable 'E'"),
        (("A", "B", None, {"n_samples": 1}), "n_samples must be"),
        (("A", "B", None, {"n_samples": 10**12}), "Draw fewer"),
        (("A", "B", None, {"level": 1.0}), "level must be"),
        (("A", "B", None, {"units": "sd"}), "units='sd' needs the standard deviations"),
        (("A", "B", None, {"levels": (0.0, 1.0), "units": "sd"}), "units='sd' is for linear effects"),
        (("A", "B", "A -> B, B -> A"), "cycle"),
    ],
)
def test_mistakes_are_explained(posterior, arguments, message):
    *positional, options = arguments if isinstance(arguments[-1], dict) else (*arguments, {})
    with pytest.raises(osp.core.errors.UserError, match=message):
        posterior.effect(*positional, **options)
