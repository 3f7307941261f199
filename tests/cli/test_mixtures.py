"""Files of mixtures on the command line: the answers are the library's."""

import numpy as np
import pandas as pd
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters


@pytest.fixture(scope="module")
def mixture():
    frame = pd.DataFrame(gaussian_data(4, 60, seed=8), columns=letters(4))
    sampled = osp.learn(frame, method=osp.methods.Gadget(n_graphs=400, effort=0.1), n_jobs=1)
    return osp.mix([osp.learn(frame[:50]), sampled], [1, 2])


@pytest.fixture(scope="module")
def mixture_file(mixture, tmp_path_factory):
    path = tmp_path_factory.mktemp("mixtures") / "mixture.npz"
    mixture.save(path)
    return path


def test_info(run, run_json, mixture, mixture_file):
    answer = run_json("info", mixture_file)
    assert answer["settings"] == dict(mixture.settings)
    assert answer["format_version"] == 2
    assert "log_evidence" not in answer
    assert mixture.summary() in run("info", mixture_file).stdout


def test_log_evidence_of_weights_by_evidence(run_json, mixture, tmp_path):
    exact = mixture.components[0]
    osp.mix([exact, exact]).save(tmp_path / "m.npz")
    answer = run_json("info", tmp_path / "m.npz")
    assert answer["log_evidence"] == pytest.approx(exact.log_evidence)
    assert "entropy" not in answer


def test_queries(run, run_json, mixture, mixture_file):
    answer = run_json("query", mixture_file, "A -> B")
    assert answer["probability"] == mixture.probability("A -> B")
    assert answer["standard_error"] == mixture.standard_error("A -> B") > 0.0
    under = run("query", mixture_file, "A -> B", "--given", "C -> D").stdout
    assert "standard error unknown: that of a component is unknown, or evidence changed the weights" in under


def test_effects_of_components_with_units_of_their_own(run_json, mixture, mixture_file):
    for units in ("data", "sd"):
        expected = mixture.causal_effects(units=units)
        rows = run_json("effects", mixture_file, "--units", units)
        assert len(rows) > 5
        assert all(row["value"] == expected.loc[row["cause"], row["effect"]] for row in rows)


def test_graphs(run_json, mixture, mixture_file):
    best = run_json("map", mixture_file)
    assert {tuple(edge) for edge in best["edges"]} == set(mixture.most_probable_graph().graph.edges)
    samples = mixture.sample(5, rng=2)
    drawn = run_json("sample", mixture_file, "-n", 5, "--rng", 2)
    assert [one["order"] for one in drawn] == [[samples.variables[v] for v in order] for order in samples.orders]
    assert np.array_equal([len(one["edges"]) for one in drawn], samples.adjacency.sum(axis=(1, 2)))
