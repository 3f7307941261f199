"""Posteriors that count every graph once, and samples of graphs, on the command line."""

import math

import pandas as pd
import pytest

import orderspn as osp


@pytest.fixture(scope="module")
def sampled_file(invoke, data_file, tmp_path_factory):
    path = tmp_path_factory.mktemp("sampled") / "sampled.npz"
    options = ["--method", "gadget", "--n-graphs", 800, "--n-chains", 4, "--effort", 0.1, "--rng", 3]
    assert invoke("learn", data_file, "-o", path, *options).exit_code == 0
    return path


@pytest.fixture(scope="module")
def dag_file(invoke, data_file, tmp_path_factory):
    path = tmp_path_factory.mktemp("dag") / "dag.npz"
    assert invoke("learn", data_file, "-o", path, "--target", "dag").exit_code == 0
    return path


def test_learning_says_what_was_learned(frame, sampled_file, dag_file):
    sampled, dag = osp.load(sampled_file), osp.load(dag_file)
    assert (sampled.settings["n_graphs"], sampled.settings["n_chains"]) == (800, 4)
    assert (dag.settings["method"], dag.settings["target"]) == ("exact", "dag")
    assert dag.log_evidence == osp.learn(frame, method=osp.methods.Auto(target="dag")).log_evidence


def test_info_leaves_out_what_a_sample_does_not_know(run_json, run, sampled_file, dag_file):
    assert {"log_evidence", "entropy"}.isdisjoint(run_json("info", sampled_file))
    assert run_json("info", dag_file)["log_evidence"] == osp.load(dag_file).log_evidence
    assert "800 graphs by 4 runs of 4 chains" in run("info", sampled_file).stdout
    assert "every graph counts once" in run("info", dag_file).stdout


def test_edges_of_samples_have_standard_errors(run_json, sampled_file, posterior_file):
    posterior = osp.load(sampled_file)
    rows = run_json("edges", sampled_file)
    errors = posterior.edge_standard_errors()
    assert rows
    for row in rows:
        expected = errors.loc[row["cause"], row["effect"]]
        assert row["standard_error"] == (None if math.isnan(expected) else expected)
    assert "standard_error" not in run_json("edges", posterior_file)[0]


def test_circuits_have_standard_errors(run, run_json, data_file, tmp_path):
    circuit, other = tmp_path / "circuit.npz", tmp_path / "other.npz"
    for path, weights in ((circuit, "sampled"), (other, "elbo")):
        method = osp.methods.Trust(block_size=2, n_orders=40, effort=0.02, weights=weights)
        osp.learn(pd.read_csv(data_file), method=method).save(path)
    event = 'A -> "heart rate"'
    row = run_json("edges", circuit)[0]
    assert row["standard_error"] == osp.load(circuit).edge_standard_errors().loc[row["cause"], row["effect"]] > 0.0
    assert "standard_error" in run("edges", circuit).stdout
    assert run_json("query", circuit, event)["standard_error"] > 0.0
    assert "standard_error" not in run_json("edges", other)[0]
    assert "standard errors are unknown" in run("edges", other).stdout
    assert run_json("query", other, event)["standard_error"] is None
    assert "not shares of sampled orders" in run("query", other, event).stdout


def test_query_has_a_standard_error(run_json, run, sampled_file, posterior_file):
    event = 'A -> "heart rate"'
    posterior = osp.load(sampled_file)
    assert run_json("query", sampled_file, event)["standard_error"] == posterior.standard_error(event) > 0.0
    assert "Monte Carlo standard error" in run("query", sampled_file, event).stdout
    assert run_json("query", posterior_file, event)["standard_error"] == 0.0
    assert "Monte Carlo" not in run("query", posterior_file, event).stdout


def test_samples_with_weights(run_json, run_csv, run, posterior, posterior_file):
    samples = posterior.sample(50, rng=1, target="dag")
    rows = run_json("sample", posterior_file, "-n", 50, "--rng", 1, "--target", "dag")
    assert [row["weight"] for row in rows] == samples.weights.tolist()
    assert "weight" in run_csv("sample", posterior_file, "-n", 5, "--rng", 1, "--target", "dag")
    assert "weight" not in run_json("sample", posterior_file, "-n", 1, "--rng", 1)[0]
    title = run("sample", posterior_file, "-n", 50, "--rng", 1, "--target", "dag").stdout.splitlines()[0]
    assert f"worth {samples.quality.effective_sample_size:.0f} equal ones" in title


def test_effects_with_intervals(run_json, posterior, posterior_file):
    drawn = posterior.effect_samples(100, rng=2)
    low, high = drawn.interval(0.9)
    rows = run_json("effects", posterior_file, "--samples", 100, "--rng", 2, "--top", 3)
    assert len(rows) == 3
    for row in rows:
        pair = row["cause"], row["effect"]
        assert (row["value"], row["low"], row["high"]) == (drawn.mean.loc[pair], low.loc[pair], high.loc[pair])


def test_intervals_have_no_matrix(invoke, posterior_file):
    result = invoke("effects", posterior_file, "--samples", 10, "--matrix")
    assert result.exit_code == 2
    assert "leave out --samples or --matrix" in result.stderr


def test_effects_of_graphs_that_count_once_are_drawn(invoke, run_json, dag_file):
    result = invoke("effects", dag_file)
    assert result.exit_code != 0
    assert "effects --samples" in result.stderr
    assert run_json("effects", dag_file, "--samples", 50, "--rng", 0, "--top", 1)


def test_trace(run, invoke, sampled_file, posterior_file, tmp_path):
    run("plot", sampled_file, "-o", tmp_path / "trace.png", "--trace")
    assert (tmp_path / "trace.png").read_bytes().startswith(b"\x89PNG")
    result = invoke("plot", posterior_file, "-o", tmp_path / "none.png", "--trace")
    assert result.exit_code != 0
    assert "--method gadget" in result.stderr


def test_arguments_of_other_methods_are_refused_in_the_words_of_the_command_line(invoke, data_file, tmp_path):
    for options, message in [
        (["--method", "exact", "--n-graphs", 10], "--n-graphs belongs to --method gadget"),
        (
            ["--method", "trust", "--target", "dag"],
            "--target belongs to --method auto or --method exact; got --method trust",
        ),
        (["--method", "gadget", "--n-orders", 10], "--n-orders belongs to --method trust"),
    ]:
        result = invoke("learn", data_file, "-o", tmp_path / "x.npz", *options)
        assert result.exit_code != 0
        assert message in result.stderr
        assert not (tmp_path / "x.npz").exists()


@pytest.fixture(scope="module")
def particle_file(invoke, data_file, tmp_path_factory):
    path = tmp_path_factory.mktemp("particles") / "particles.npz"
    options = ["--method", "dibs", "--n-particles", 6, "--effort", 0.01, "--weights", "score", "--rng", 3]
    assert invoke("learn", data_file, "-o", path, *options).exit_code == 0
    return path


@pytest.mark.thorough
def test_particles(run_json, run, invoke, particle_file, tmp_path):
    posterior = osp.load(particle_file)
    assert (posterior.settings["n_graphs"], posterior.settings["steps"], posterior.settings["weights"]) == (
        6,
        30,
        "score",
    )
    assert "6 in 30 steps" in run("info", particle_file).stdout
    assert "log_evidence" not in run_json("info", particle_file)
    assert "standard_error" not in run_json("edges", particle_file)[0]
    event = 'A -> "heart rate"'
    assert run_json("query", particle_file, event)["standard_error"] is None
    assert "its graphs are not independent draws" in run("query", particle_file, event).stdout
    assert invoke("plot", particle_file, "--trace", "-o", tmp_path / "t.png").exit_code != 0
