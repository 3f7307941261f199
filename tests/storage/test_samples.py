"""Files of posteriors over DAGs: samples of graphs and exact ones, whole and damaged."""

import math
import warnings

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data
from helpers.files import forge
from orderspn.models.dag_graphs import DagGraphs
from orderspn.models.particle_graphs import ParticleGraphs
from orderspn.models.sampled_graphs import SampledGraphs

NAMES = ["heart rate", "Größe", "C", "D", "5"]
VALUES = gaussian_data(5, 40, seed=3)
METHODS = {
    "sampled": {"method": osp.methods.Gadget(effort=0.02, n_graphs=200, n_chains=2)},
    "sampled, outsiders": {
        "method": osp.methods.Gadget(effort=0.02, n_graphs=200, n_chains=2, outsiders=2),
        "candidates": 2,
    },
    "particles": {"method": osp.methods.DiBS(effort=0.1)},
    "particles by score": {"method": osp.methods.DiBS(effort=0.1, weights="score")},
    "exact": {"method": osp.methods.Exact(target="dag")},
    "exact, outsiders": {"method": osp.methods.Exact(target="dag", outsiders=1), "candidates": 2, "max_parents": 2},
}


def learned(name):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "independent searches|.* too few to tell|.* ended with a cycle")
        return osp.learn(VALUES, variables=NAMES, rng=11, n_jobs=1, **METHODS[name])


@pytest.fixture(scope="module", params=METHODS)
def posterior(request):
    return learned(request.param)


@pytest.fixture(scope="module")
def sampled():
    return learned("sampled")


@pytest.fixture(scope="module")
def particles():
    return learned("particles by score")


def certain_edge(posterior):
    """An edge that some graphs have and others have not."""
    frame = posterior.edge_probabilities()
    where = np.argmin(np.abs(frame.to_numpy() - 0.5))
    i, j = np.unravel_index(where, frame.shape)
    return osp.Edges([(NAMES[i], NAMES[j])])


def assert_same_answers(one, other):
    edge = certain_edge(other)
    assert type(one.model) is type(other.model)
    assert dict(one.settings) == dict(other.settings)
    assert (one.variables, one.evidence) == (other.variables, other.evidence)
    assert (one.candidates, one.outsiders) == (other.candidates, other.outsiders)
    assert one.edge_probabilities().equals(other.edge_probabilities())
    assert one.parent_sets("C").equals(other.parent_sets("C"))
    assert one.probability("C -> D", given=edge) == other.probability("C -> D", given=edge)
    mine, theirs = one.standard_error(edge), other.standard_error(edge)
    assert mine == theirs or math.isnan(mine) == math.isnan(theirs) is True
    best, again = one.most_probable_graph(), other.most_probable_graph()
    assert (best.edges, best.log_score, best.log_probability) == (again.edges, again.log_score, again.log_probability)
    np.testing.assert_array_equal(one.sample(50, rng=1).adjacency, other.sample(50, rng=1).adjacency)
    np.testing.assert_array_equal(one.effect_samples(50, rng=1).values, other.effect_samples(50, rng=1).values)
    assert one.estimate_effects(100, rng=1).mean.equals(other.estimate_effects(100, rng=1).mean)
    assert one.summary() == other.summary()


@pytest.mark.thorough
def test_round_trip(posterior, tmp_path):
    posterior.save(tmp_path / "p.npz")
    again = osp.load(tmp_path / "p.npz")
    assert isinstance(again.model, SampledGraphs | ParticleGraphs | DagGraphs)
    assert_same_answers(again, posterior)


@pytest.mark.thorough
def test_round_trip_with_evidence(posterior, tmp_path):
    under = posterior.given(certain_edge(posterior))
    under.save(tmp_path / "p.npz")
    again = osp.load(tmp_path / "p.npz", n_jobs=1)
    assert_same_answers(again, under)
    assert again.edge_probabilities().equals(under.edge_probabilities())
    assert not again.edge_probabilities().equals(posterior.edge_probabilities())


def test_samples_take_a_bit_for_each_pair(sampled, tmp_path):
    sampled.save(tmp_path / "p.npz")
    with np.load(tmp_path / "p.npz", allow_pickle=False) as file:
        assert file["graphs"].shape == (len(sampled.model.adjacency), 4)  # 25 bits
        assert file["graphs"].dtype == np.uint8


def damaged(sampled, tmp_path, change):
    """The file of a sample, after `change(arrays, manifest)`."""
    path = tmp_path / "p.npz"
    sampled.save(path)
    return forge(path, change)


def with_cycle(arrays, _):
    graphs = np.unpackbits(arrays["graphs"], axis=1, count=25).reshape(-1, 5, 5)
    graphs[17, 0, 1] = graphs[17, 1, 0] = 1
    arrays["graphs"] = np.packbits(graphs.reshape(-1, 25), axis=1)


def with_loop(arrays, _):
    graphs = np.unpackbits(arrays["graphs"], axis=1, count=25).reshape(-1, 5, 5)
    graphs[3, 2, 2] = 1
    arrays["graphs"] = np.packbits(graphs.reshape(-1, 25), axis=1)


def change(name, how):
    def changed(arrays, _):
        arrays[name] = how(arrays[name])

    return changed


def runs(value):
    def changed(_, manifest):
        manifest["settings"]["diagnostics"]["runs_kept"] = value

    return changed


def without(name):
    return lambda arrays, _: arrays.pop(name)


DAMAGE = {
    "cycle": (with_cycle, "cycle"),
    "loop": (with_loop, "cycle"),
    "no graphs": (change("graphs", lambda g: g[:0]), "graphs"),
    "graphs of other variables": (change("graphs", lambda g: g[:, :3]), "do not match the variables"),
    "graphs of other numbers": (change("graphs", lambda g: g.astype(np.int64)), "'graphs' has the type int64"),
    "graphs in a row": (change("graphs", lambda g: g.ravel()), "'graphs' has the type uint8 and 1 dimensions"),
    "fewer graphs": (change("graphs", lambda g: g[:-4]), "graphs and their scores"),
    "fewer scores": (change("graph_log_scores", lambda s: s[:-1]), "graphs and their scores"),
    "undefined scores": (change("graph_log_scores", lambda s: s * np.nan), "graphs and their scores"),
    "scores that are no numbers": (change("graph_log_scores", lambda s: s.astype(str)), "damaged"),
    "graphs missing": (without("graphs"), "graphs"),
    "scores missing": (without("graph_log_scores"), "graph_log_scores"),
    "three runs": (runs(3), "number of runs"),
    "no runs": (runs(0), "number of runs"),
    "minus four runs": (runs(-4), "Expected `int`"),
    "half a run": (runs(0.5), "Expected `int`"),
    "runs as a fraction": (runs(4.0), "Expected `int`"),
    "true runs": (runs(True), "Expected `int`"),
    "unknown runs": (runs(None), "Expected `int`"),
    "runs in words": (runs("four"), "Expected `int`"),
    "no diagnostics": (lambda _, manifest: manifest["settings"].pop("diagnostics"), "diagnostics"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_samples_are_refused(sampled, tmp_path, name):
    how, reason = DAMAGE[name]
    path = damaged(sampled, tmp_path, how)
    with pytest.raises(osp.UnreadableFile, match="damaged") as refusal:
        osp.load(path)
    assert reason in str(refusal.value)


WRONG_WEIGHTS, WRONG_TYPE = "graphs and their weights do not match", "'graph_weights' has the type"
WEIGHTS = {
    "undefined": (lambda w: w * np.nan, WRONG_WEIGHTS),
    "negative": (lambda w: w - w.sum(), WRONG_WEIGHTS),
    "too few": (lambda w: w[:-1], WRONG_WEIGHTS),
    "too large": (lambda w: 2 * w, WRONG_WEIGHTS),
    "complex": (lambda w: w.astype(complex), WRONG_TYPE),
    "no numbers": (lambda w: w.astype(str), WRONG_TYPE),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", WEIGHTS)
def test_damaged_weights_are_refused(particles, tmp_path, name):
    how, reason = WEIGHTS[name]
    path = damaged(particles, tmp_path, change("graph_weights", how))
    with pytest.raises(osp.UnreadableFile, match=reason):
        osp.load(path)


def test_an_unchanged_file_is_not_refused(sampled, tmp_path):
    """The way in which files are damaged here leaves the rest as it was."""
    assert_same_answers(osp.load(damaged(sampled, tmp_path, lambda arrays, manifest: None)), sampled)
