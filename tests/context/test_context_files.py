"""Posteriors with context variables in files: written, read, and refused if they were changed."""

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.files import forge

NAMES = letters(5)
M = osp.methods
METHODS = {
    "exact": M.Exact(),
    "dags": M.Exact(target="dag"),
    "outsiders": M.Exact(outsiders=1),
    "circuit": M.Trust(block_size=2, n_orders=16, effort=0.1),
    "graphs": M.Gadget(n_graphs=40, effort=0.02),
}


def learned(method):
    candidates = 2 if method == "outsiders" else "auto"
    return osp.learn(
        gaussian_data(5, 40, seed=8), variables=NAMES, context=["B", "D"], method=METHODS[method], candidates=candidates
    )


@pytest.mark.parametrize("method", METHODS)
def test_round_trip(method, tmp_path):
    posterior = learned(method).given("B -> C")
    path = tmp_path / "posterior.npz"
    posterior.save(path)
    again = osp.load(path)
    assert again.context == ["B", "D"]
    assert again.explained == ["A", "C", "E"]
    assert again.evidence == posterior.evidence
    assert dict(again.settings) == dict(posterior.settings)
    assert again.edge_probabilities().equals(posterior.edge_probabilities())
    assert again.summary() == posterior.summary()
    np.testing.assert_array_equal(again.sample(20, rng=1).adjacency, posterior.sample(20, rng=1).adjacency)


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "posterior.npz"
    learned("exact").save(path)
    return path


def refusal(path):
    with pytest.raises(osp.UnreadableFile) as found:
        osp.load(path, n_jobs=1)
    return str(found.value)


CHANGED = {
    "unknown": (["B", "D", "X"], "'X'"),
    "twice": (["B", "B"], "name of its own"),
    "not names": ([1], "context"),
    "all": (NAMES, "at least one variable to explain"),
    "one more": (["B", "C", "D"], "context variables that have candidates"),
}


@pytest.mark.parametrize("name", CHANGED)
def test_other_context_is_refused(saved, name):
    context, reason = CHANGED[name]
    forge(saved, lambda _, manifest: manifest["settings"].update(context=context))
    assert reason in refusal(saved)


def test_circuits_begin_with_the_context_of_the_settings(tmp_path):
    path = tmp_path / "circuit.npz"
    learned("circuit").save(path)
    forge(path, lambda _, manifest: manifest["settings"].update(context=["B"]))
    assert "the root of its circuit has other context variables" in refusal(path)


def test_graphs_with_edges_into_context_are_refused(tmp_path):
    path = tmp_path / "graphs.npz"
    learned("graphs").save(path)

    def with_an_edge(arrays, _):
        graphs = np.unpackbits(arrays["graphs"], axis=1, count=25).reshape(-1, 5, 5)
        graphs[0] = 0
        graphs[0, 0, 1] = 1
        arrays["graphs"] = np.packbits(graphs.reshape(-1, 25), axis=1)

    forge(path, with_an_edge)
    assert "its graphs contradict its background knowledge" in refusal(path)


def test_files_without_context_are_as_before(tmp_path):
    """Files of earlier versions do not have the field."""
    path = tmp_path / "plain.npz"
    posterior = osp.learn(gaussian_data(5, 40, seed=8), variables=NAMES)
    posterior.save(path)
    forge(path, lambda _, manifest: manifest["settings"].pop("context"))
    again = osp.load(path)
    assert again.context == []
    assert again.edge_probabilities().equals(posterior.edge_probabilities())
