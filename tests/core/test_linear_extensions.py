"""Numbers of orders: against all permutations, and where formulas are known."""

import math

import numpy as np
import pytest

from orderspn.core.errors import InvalidValue
from orderspn.core.linear_extensions import MOST_VARIABLES, log_linear_extensions
from reference.dags import adjacency_of, all_dags, linear_extensions


def random_dags(n, d, degree, seed=0):
    rng = np.random.default_rng([seed, d])
    graphs = np.triu(rng.random((n, d, d)) < degree / max(1, d - 1), 1)
    for i in range(n):
        order = rng.permutation(d)
        graphs[i] = graphs[i][np.ix_(order, order)]
    return graphs


def graph(d, *edges):
    adjacency = np.zeros((d, d), dtype=bool)
    for cause, effect in edges:
        adjacency[cause, effect] = True
    return adjacency


def random_forest(d, seed):
    """Each variable has at most one parent; also the number of variables below each, itself included."""
    rng = np.random.default_rng(seed)
    names = rng.permutation(d)
    parents = [int(rng.integers(-1, i)) for i in range(d)]
    sizes = [1] * d
    for i in reversed(range(d)):
        if parents[i] >= 0:
            sizes[parents[i]] += sizes[i]
    return graph(d, *[(names[p], names[i]) for i, p in enumerate(parents) if p >= 0]), sizes


@pytest.mark.kernels
@pytest.mark.parametrize("d", [1, 2, 3])
def test_all_graphs(d):
    graphs = adjacency_of(all_dags(d))
    counts = np.exp(log_linear_extensions(graphs))
    np.testing.assert_allclose(counts, [linear_extensions(g) for g in graphs], rtol=1e-12)


@pytest.mark.kernels
@pytest.mark.parametrize(("d", "degree"), [(4, 1.5), (5, 1.0), (5, 3.0), (6, 2.0)])
def test_random_graphs(d, degree):
    graphs = random_dags(12, d, degree)
    counts = np.exp(log_linear_extensions(graphs))
    np.testing.assert_allclose(counts, [linear_extensions(g) for g in graphs], rtol=1e-12)
    assert np.unique(counts.round()).size > 3


@pytest.mark.kernels
@pytest.mark.parametrize("seed", range(5))
def test_forests(seed):
    """The hook length formula: d! divided by the sizes of all subtrees."""
    adjacency, sizes = random_forest(30, seed)
    expected = math.lgamma(31) - sum(map(math.log, sizes))
    assert log_linear_extensions(adjacency) == pytest.approx(expected, abs=1e-11)
    assert log_linear_extensions(adjacency.T) == pytest.approx(expected, abs=1e-11)


@pytest.mark.kernels
def test_formulas():
    d = 30
    chain = graph(d, *[(i, i + 1) for i in range(d - 1)])
    two_chains = graph(d, *[(i, i + 1) for i in range(d - 1) if i != 11])
    star = graph(d, *[(4, i) for i in range(d) if i != 4])
    expected = [0.0, math.lgamma(d + 1), math.log(math.comb(d, 12)), math.lgamma(d), math.lgamma(d)]
    answers = log_linear_extensions(np.stack([chain, graph(d), two_chains, star, star.T]))
    np.testing.assert_allclose(answers, expected, rtol=0, atol=1e-11)
    assert log_linear_extensions(graph(MOST_VARIABLES)) == pytest.approx(math.lgamma(MOST_VARIABLES + 1), abs=1e-10)


@pytest.mark.exhaustive
@pytest.mark.parametrize("degree", [2.0, 4.0])
def test_graphs_of_thirty_variables(degree):
    """Backwards there are as many orders; and the first variable of an order is one without parents."""
    for adjacency in random_dags(4, 30, degree):
        log_count = log_linear_extensions(adjacency)
        assert log_linear_extensions(adjacency.T) == pytest.approx(log_count, abs=1e-11)
        first = np.flatnonzero(~adjacency.any(axis=0))
        rest = [np.delete(np.delete(adjacency, v, 0), v, 1) for v in first]
        assert log_count == pytest.approx(np.log(np.exp(log_linear_extensions(np.stack(rest))).sum()), abs=1e-11)


@pytest.mark.kernels
def test_shapes_and_equal_graphs():
    graphs = random_dags(3, 5, 2.0)
    again = graphs[[0, 2, 1, 1, 0]]
    answers = log_linear_extensions(again)
    assert answers.shape == (5,)
    for adjacency, answer in zip(again, answers, strict=True):
        alone = log_linear_extensions(adjacency.astype(np.int64))
        assert alone.shape == ()
        assert alone == answer
    assert log_linear_extensions(np.zeros((0, 4, 4), dtype=bool)).shape == (0,)


@pytest.mark.kernels
def test_mistakes():
    with pytest.raises(InvalidValue, match=r"shape \(d, d\) or \(n, d, d\); got \(2, 3\)"):
        log_linear_extensions(np.zeros((2, 3)))
    with pytest.raises(InvalidValue, match=r"adjacency must be .* without cycles; got the cycle"):
        log_linear_extensions(graph(3, (0, 1), (1, 2), (2, 0)))
    with pytest.raises(InvalidValue, match=r"adjacency\[1\] must be .* the cycle 2 -> 2"):
        log_linear_extensions(np.stack([graph(3), graph(3, (2, 2))]))
    with pytest.raises(InvalidValue, match=r"at most 62 variables .* got 63"):
        log_linear_extensions(graph(63))
    with pytest.raises(
        InvalidValue, match=r"graph 1 cannot be counted with at most 10 sets .* Allow more with most_sets"
    ):
        log_linear_extensions(np.stack([graph(10), random_dags(1, 10, 4.0)[0]]), most_sets=10)
