"""Draws as xarray and for ArviZ: dimensions, names, chains in their order, and ArviZ's own statistics of them."""

import numpy as np
import pytest
import xarray as xr

import orderspn as osp
from orderspn.core.errors import InvalidType
from orderspn.export import to_arviz, to_xarray


@pytest.fixture(scope="module")
def data():
    return osp.load_sachs(log=True).data.iloc[:, :4]


@pytest.fixture(scope="module")
def exact(data):
    return osp.learn(data, standardize=True)


@pytest.fixture(scope="module")
def sampled(data):
    return osp.learn(data, standardize=True, method=osp.methods.Gadget(n_graphs=400, effort=0.1))


def test_sampled_graphs(exact):
    samples = exact.sample(30, rng=0)
    table = to_xarray(samples)
    assert list(table.data_vars) == ["edges"]
    assert table["edges"].dims == ("chain", "draw", "cause", "effect")
    assert table["edges"].dtype == bool
    assert list(table["cause"].values) == list(table["effect"].values) == exact.variables
    for s, graph in enumerate(samples):
        one = table["edges"].sel(chain=0, draw=s)
        assert {(c, e) for c in exact.variables for e in exact.variables if one.sel(cause=c, effect=e)} == set(
            graph.edges
        )


def test_weights_come_along(exact):
    samples = exact.sample(30, rng=0, target="dag")
    table = to_xarray(samples)
    assert table["weight"].dims == ("chain", "draw")
    mean = table["edges"].weighted(table["weight"]).mean(["chain", "draw"])
    assert np.allclose(mean, samples.edge_frequencies())


def test_effects_and_their_graphs(exact):
    effects = exact.effect_samples(20, rng=0)
    table = to_xarray(effects)
    assert set(table.data_vars) == {"effects", "edges"}
    cause, effect = exact.variables[2], exact.variables[0]
    assert np.array_equal(table["effects"].sel(chain=0, cause=cause, effect=effect), effects.of(cause, effect))
    assert np.array_equal(table["edges"][0], effects.graphs.adjacency)


@pytest.mark.thorough
def test_chains_of_a_sampled_posterior(sampled):
    table = to_xarray(sampled)
    assert dict(table.sizes) == {"chain": 4, "draw": 100, "cause": 4, "effect": 4}
    assert np.allclose(table["edges"].mean(["chain", "draw"]), sampled.edge_probabilities())
    # Scores belong to their graphs: equal graphs have equal ones.
    graphs = table["edges"].values.reshape(400, -1)
    scores = table["log_score"].values.reshape(400)
    _, which = np.unique(graphs, axis=0, return_inverse=True)
    assert 1 < which.max() < 399
    assert all(np.ptp(scores[which == g]) < 1e-9 for g in range(which.max() + 1))
    assert scores.max() == sampled.most_probable_graph().log_score


@pytest.mark.thorough
def test_chains_come_one_after_the_other(sampled):
    """As the posterior's own standard errors take them."""
    model = sampled.model
    table = to_xarray(sampled)
    for chain in range(model.n_runs):
        own = slice(100 * chain, 100 * (chain + 1))
        assert np.array_equal(table["edges"].sel(chain=chain), model.adjacency[own])
        assert np.array_equal(table["log_score"].sel(chain=chain), model.log_scores[own])


def test_evidence_leaves_one_chain(sampled):
    cause, effect = next(iter(sampled.most_probable_graph().graph.edges))
    given = sampled.given(f"{cause} -> {effect}")
    table = to_xarray(given)
    assert table.sizes["chain"] == 1
    assert 0 < table.sizes["draw"] < 400
    assert np.allclose(table["edges"].mean(["chain", "draw"]), given.edge_probabilities())


def test_groups_of_the_tree(exact, sampled):
    tree = to_arviz(sampled)
    assert isinstance(tree, xr.DataTree)
    assert np.array_equal(tree["sample_stats"]["lp"], to_xarray(sampled)["log_score"])
    assert set(tree["sample_stats"].dims) == {"chain", "draw"}
    assert list(to_arviz(exact.sample(5, rng=0)).children) == ["posterior"]
    weighted = to_arviz(exact.effect_samples(5, rng=0, target="dag"))
    assert set(weighted["posterior"].data_vars) == {"edges", "effects"}
    assert set(weighted["sample_stats"].data_vars) == {"weight"}


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # of traces without a tail
def test_arviz_computes_with_it(sampled):
    import arviz_stats
    from arviz_stats.base.array import array_stats

    tree = to_arviz(sampled)
    cause, effect = next(iter(sampled.most_probable_graph().graph.edges))
    sizes = arviz_stats.ess(tree, method="mean")["edges"].sel(cause=cause, effect=effect)
    trace = to_xarray(sampled)["edges"].sel(cause=cause, effect=effect).values.astype(float)  # (chain, draw)
    assert float(sizes) == pytest.approx(float(array_stats.ess(trace, chain_axis=0, draw_axis=1, method="mean")))
    table = arviz_stats.summary(tree, coords={"cause": [cause], "effect": [effect]}, round_to="none")
    assert table["mean"].iloc[0] == pytest.approx(sampled.probability(f"{cause} -> {effect}"))


def test_what_is_no_draws_is_refused(exact):
    with pytest.raises(InvalidType, match="method 'exact'"):
        to_xarray(exact)
    with pytest.raises(InvalidType, match="got list"):
        to_arviz([1])
