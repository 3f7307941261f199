"""Paths against all paths of all graphs, listed one by one, and the sum of their contributions."""

import itertools

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from orderspn.queries import paths as module
from orderspn.queries.paths import PathSearch
from orderspn.queries.sampling import GraphSamples

NAMES = letters(4)
VALUES = gaussian_data(4, 30, seed=3)


@pytest.fixture(scope="module")
def posterior():
    return osp.learn(VALUES, variables=NAMES, standardize=False, n_jobs=1)


def naive(adjacency, coefficients, weights, cause, effect):
    """Path -> (probability, contribution), by trying all sequences of variables."""
    d, found = adjacency.shape[1], {}
    others = [v for v in range(d) if v not in (cause, effect)]
    for size in range(d - 1):
        for between in itertools.permutations(others, size):
            path = (cause, *between, effect)
            edges = list(itertools.pairwise(path))
            there = np.all([adjacency[:, i, j] for i, j in edges], axis=0)
            if there.any():
                products = np.prod([coefficients[:, i, j] for i, j in edges], axis=0) * there
                found[path] = float(weights @ there), float(weights @ products)
    return found


def random_search(rng, d=6, n=12, weighted=True, cause=0, effect=5):
    """Graphs that follow random orders, most of them from cause to effect, with random weights of both signs."""
    adjacency = np.zeros((n, d, d), dtype=bool)
    for number, graph in enumerate(adjacency):
        order = rng.permutation(d) if number % 4 == 0 else [cause, *rng.permutation(np.arange(1, d - 1)), effect]
        graph[np.ix_(order, order)] = np.triu(rng.random((d, d)) < 0.6, 1)
    coefficients = rng.normal(size=(n, d, d)) * adjacency
    weights = rng.dirichlet(np.ones(n)) if weighted else None
    samples = GraphSamples(letters(d), adjacency, np.zeros((n, d), dtype=int), weights)
    return PathSearch(samples, coefficients, cause, effect)


@pytest.mark.parametrize("seed", range(6))
def test_every_path_in_the_order_of_its_worth(seed):
    search = random_search(np.random.default_rng(seed), weighted=seed % 2 == 0)
    expected = naive(search.samples.adjacency, search.coefficients, search.shares, 0, 5)
    assert len(expected) > 5
    frame = search.frame(None)
    assert len(frame) == len(expected)
    for row in frame.itertuples():
        path = tuple(letters(6).index(name) for name in row.path)
        np.testing.assert_allclose((row.probability, row.contribution), expected[path], atol=1e-12)
    assert (np.diff(frame["contribution"].abs()) <= 1e-12).all()
    assert frame["path"].tolist()[:3] == search.frame(3)["path"].tolist()


@pytest.mark.parametrize("seed", range(3))
def test_without_weights_the_most_probable_first(seed):
    search = random_search(np.random.default_rng(seed))
    expected = naive(search.samples.adjacency, search.coefficients, search.shares, 0, 5)
    frame = PathSearch(search.samples, None, 0, 5).frame(None)
    assert frame.columns.tolist() == ["path", "probability", "probability_error"]
    np.testing.assert_allclose(frame["probability"], sorted((p for p, _ in expected.values()), reverse=True))


@pytest.mark.parametrize("given", [None, "A -> B", "A -- B, C < D"])
@pytest.mark.parametrize("target", [None, "dag"])
def test_contributions_add_up_to_the_mean_effect(posterior, given, target):
    for cause, effect in itertools.permutations("ABCD", 2):
        paths = posterior.paths(cause, effect, given, top=None, n_samples=400, target=target, rng=5)
        report = posterior.effect(cause, effect, given, n_samples=400, target=target, rng=5)
        weights = report.draws.graphs.weights
        mean = np.average(report.draws.means, weights=weights)
        assert paths["contribution"].sum() == pytest.approx(mean, abs=1e-12)
        if len(paths):
            assert paths["probability"].max() <= 1.0 - report.no_path + 1e-12


def test_probabilities_are_those_of_the_edges(posterior):
    for cause, effect in (("C", "A"), ("D", "A"), ("B", "C")):
        for row in posterior.paths(cause, effect, n_samples=5000).itertuples():
            exact = posterior.probability(" -> ".join(row.path))
            assert abs(row.probability - exact) < 4.5 * row.probability_error


def test_mean_contributions_are_within_their_errors(posterior):
    """The direct path: the mean weight of an edge over graphs, from the same posterior by far more draws."""
    few, many = (posterior.paths("D", "A", n_samples=n, rng=n).set_index("path") for n in (500, 50_000))
    path = many.index[0]
    error = np.hypot(few["contribution_error"], many["contribution_error"])[[path]].item()
    assert error > 0.0
    assert abs(few.at[path, "contribution"] - many.at[path, "contribution"]) < 4.5 * error


def test_categories_have_probabilities_only():
    posterior = osp.learn(osp.load_asia().data[["smoke", "bronc", "dysp"]], n_jobs=1)
    frame = posterior.paths("smoke", "dysp", n_samples=2000)
    assert frame.columns.tolist() == ["path", "probability", "probability_error"]
    for row in frame.itertuples():
        exact = posterior.probability(" -> ".join(row.path))
        assert abs(row.probability - exact) < 4.5 * row.probability_error


def test_too_many_to_sort(monkeypatch):
    monkeypatch.setattr(module, "MOST_BEGINNINGS", 5)
    with pytest.raises(osp.core.errors.Unavailable, match="too many paths from 'A' to 'F'"):
        random_search(np.random.default_rng(0)).frame(None)


def test_mistakes_are_explained(posterior):
    with pytest.raises(ValueError, match="cause and effect must be two variables"):
        posterior.paths("A", "A")
    with pytest.raises(ValueError, match="top must be"):
        posterior.paths("A", "B", top=0)
