"""Laws of ancestors, for any data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import orderspn as osp
from helpers.data import gaussian_data, letters
from orderspn.queries.closure import reachability
from reference.ancestors import closures

NAMES = letters(5)
SLACK = 1e-9


def learned(seed, **arguments):
    values = gaussian_data(5, 30, seed=seed)
    return osp.learn(values, variables=NAMES, standardize=False, check=False, **arguments)


@given(seed=st.integers(0, 10_000))
def test_edges_paths_and_orders(seed):
    """P(A -> B) <= P(A ~> B) <= P(A < B), and no two variables are ancestors of each other."""
    posterior = learned(seed)
    edges, paths = posterior.edge_probabilities().to_numpy(), posterior.ancestor_probabilities().to_numpy()
    assert (edges <= paths + SLACK).all()
    assert (paths <= posterior.precedence().to_numpy() + SLACK).all()
    assert (paths + paths.T <= 1.0 + SLACK).all()
    assert not np.diagonal(paths).any()


@given(seed=st.integers(0, 10_000), event=st.permutations(NAMES))
def test_there_is_a_path_or_none(seed, event):
    posterior = learned(seed)
    a, b, c, *_ = event
    for given_ in (None, f"{b} -- {c}", f"{a} < {c}"):
        there, not_there = (posterior.probability(f"{a} {sign} {b}", given_) for sign in ("~>", "!~>"))
        assert there + not_there == pytest.approx(1.0, abs=1e-9)


@given(seed=st.integers(0, 10_000), order=st.permutations(range(5)))
def test_permuted_variables(seed, order):
    values = gaussian_data(5, 30, seed=seed)
    plain = osp.learn(values, variables=NAMES, standardize=False, check=False).ancestor_probabilities()
    permuted = osp.learn(values[:, order], variables=[NAMES[v] for v in order], standardize=False, check=False)
    np.testing.assert_allclose(permuted.ancestor_probabilities().loc[NAMES, NAMES], plain, atol=1e-9)


@given(seed=st.integers(0, 10_000), names=st.permutations(NAMES))
@pytest.mark.thorough
def test_transitivity(seed, names):
    """P(A ~> B, B ~> C) <= P(A ~> C): in draws, which are the same for both, it holds without any slack."""
    a, b, c, *_ = names
    posterior = learned(seed)
    both_paths, error = (
        getattr(posterior, query)(f"{a} ~> {b}, {b} ~> {c}") for query in ("probability", "standard_error")
    )
    assert both_paths <= posterior.probability(f"{a} ~> {c}") + 5 * error


@given(
    st.integers(1, 7).flatmap(lambda d: st.tuples(st.just(d), st.lists(st.integers(0, 2 ** (d * d) - 1), max_size=6)))
)
@pytest.mark.kernels
def test_paths_are_those_of_warshall(drawn):
    d, codes = drawn
    graphs = np.array([[(code >> bit) & 1 for bit in range(d * d)] for code in codes], dtype=bool).reshape(-1, d, d)
    graphs &= np.triu(np.ones((d, d), dtype=bool), 1)
    order = np.random.default_rng(len(codes)).permutation(d)
    graphs = graphs[:, order][:, :, order]
    assert np.array_equal(reachability(graphs), closures(graphs).reshape(graphs.shape))


@pytest.mark.kernels
def test_three_variables_exactly():
    values = gaussian_data(3, 20, seed=0)
    posterior = osp.learn(values, variables=NAMES[:3], standardize=False, check=False)
    sets = posterior.descendant_sets("A")
    assert sets["probability"].sum() == pytest.approx(1.0)
    edges, paths = posterior.edge_probabilities(), posterior.ancestor_probabilities()
    through = posterior.probability("A -> B, B -> C, A !-> C")
    assert paths.loc["A", "C"] == pytest.approx(edges.loc["A", "C"] + through, abs=1e-9)
