"""Simulated autoregressions: they are what they say, and posteriors find their graphs."""

import numpy as np
import pytest

import orderspn as osp

simulate = osp.simulate.vector_autoregression


def test_rows_follow_the_weights():
    """A regression on causes leaves noise of the given variance and finds the weights."""
    truth = simulate(3, 20_000, lags=2, noise_variance=0.25, rng=1)
    table = osp.time_series.lagged(truth.data, 2).data
    for effect in truth.variables:
        causes = list(truth.graph.predecessors(f"{effect}[t]"))
        design, target = table[causes].to_numpy(), table[f"{effect}[t]"].to_numpy()
        found, *_ = np.linalg.lstsq(design, target, rcond=None)
        stated = [truth.graph.edges[cause, f"{effect}[t]"]["weight"] for cause in causes]
        np.testing.assert_allclose(found, stated, atol=0.05)
        assert np.var(target - design @ found) == pytest.approx(0.25, rel=0.05)


def test_graph():
    truth = simulate(4, 10, lags=2, rng=2)
    assert len(truth.graph) == 12
    assert all(effect.endswith("[t]") for _, effect in truth.graph.edges)
    assert all(truth.graph.has_edge(f"{name}[t-1]", f"{name}[t]") for name in truth.variables)
    edges = int((truth.weights != 0).sum() + (truth.lagged_weights != 0).sum())
    assert truth.graph.number_of_edges() == edges
    assert f"{edges} true edges" in repr(truth)


@pytest.mark.parametrize("lags", [1, 3])
@pytest.mark.parametrize("radius", [0.3, 0.95])
def test_largest_eigenvalue(lags, radius):
    truth = simulate(4, 10, lags=lags, radius=radius, rng=3)
    through = np.linalg.inv(np.eye(4) - truth.weights)
    # Roots of the characteristic polynomial: x_t = sum of x_(t-k) A_k.
    steps = [own @ through for own in truth.lagged_weights]
    companion = np.zeros((4 * lags, 4 * lags))
    for lag, own in enumerate(steps):
        companion[:4, 4 * lag : 4 * lag + 4] = own.T
    companion[4:, :-4] += np.eye(4 * (lags - 1))
    assert np.abs(np.linalg.eigvals(companion)).max() == pytest.approx(radius, rel=1e-6)


def test_several_series():
    truth = simulate(2, 50, n_series=3, rng=4)
    assert truth.data["series"].value_counts().tolist() == [50, 50, 50]
    assert simulate(2, 50, rng=4).data.shape == (50, 2)
    assert simulate(2, 50, rng=4).data.equals(simulate(2, 50, rng=4).data)
    assert osp.time_series.lagged(truth.data, 1, series="series").n_series == 3


REFUSED = {
    "one variable": ((1,), {}, "d must be"),
    "no rows": ((3, 0), {}, "n_rows must be"),
    "no lags": ((3,), {"lags": 0}, "lags must be"),
    "no series": ((3,), {"n_series": 0}, "n_series must be"),
    "no memory": ((3,), {"radius": 0.0}, "radius must be"),
    "not stationary": ((3,), {"radius": 1.0}, "radius must be"),
    "no noise": ((3,), {"noise_variance": 0.0}, "noise_variance must be"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    arguments, more, message = REFUSED[name]
    with pytest.raises(osp.UserError, match=message):
        simulate(*arguments, **more)


@pytest.mark.thorough
def test_posteriors_find_the_graph():
    """Edges from the past are found with their directions; within a step up to equivalence."""
    areas = []
    for seed in range(6):
        truth = simulate(5, 500, lags=2, rng=seed)
        table = osp.time_series.lagged(truth.data, 2)
        posterior = osp.learn(table.data, context=table.context)
        assert posterior.settings["method"] == "exact"
        assert not any("time series" in warning for warning in posterior.warnings)
        probabilities = posterior.edge_probabilities()[table.explained].to_numpy()
        true = np.array([[truth.graph.has_edge(c, e) for e in table.explained] for c in table.data.columns])
        areas.append((probabilities[true].mean(), probabilities[~true].mean()))
    found, false = np.mean(areas, axis=0)
    assert found > 0.9
    assert false < 0.05


def test_dependent_rows_are_told_of_without_their_past():
    truth = simulate(4, 400, radius=0.95, rng=5)
    with pytest.warns(UserWarning, match="time series"):
        osp.learn(truth.data)
    assert osp.learn(**osp.time_series.lagged(truth.data, 1)).warnings == ()


class TestBundledSeries:
    def test_as_it_is(self):
        macro = osp.load_macro()
        assert macro.data.shape == (203, 10)
        assert set(macro.descriptions) == set(macro.data.columns) - {"date"}
        assert str(macro.data["date"].iloc[-1].date()) == "2009-07-01"
        assert "203 quarters and 9 columns" in repr(macro)
        assert macro.data["realgdp"].iloc[0] == 2710.349

    def test_changes(self):
        amounts, changes = osp.load_macro().data, osp.load_macro(changes=True).data
        assert changes["unemp"].iloc[0] == pytest.approx(5.1 - 5.8)
        growth = 100 * np.log(amounts["realgdp"][1] / amounts["realgdp"][0])
        assert changes["realgdp"].iloc[0] == pytest.approx(growth)
        assert changes["date"].tolist() == amounts["date"].tolist()[1:]
        assert changes.notna().all(axis=None)

    def test_regular(self):
        table = osp.time_series.lagged(osp.load_macro(changes=True).data, 2, time="date")
        assert len(table.data) == 200

    def test_refusal(self):
        with pytest.raises(osp.UserError, match="changes must be True or False"):
            osp.load_macro("yes")
