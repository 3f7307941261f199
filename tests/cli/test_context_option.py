"""Context variables on the command line: the same as in the library."""

import pytest

import orderspn as osp


@pytest.mark.parametrize("given", [["--context", "A,größe"], ["--context", "A", "--context", "größe"]])
def test_names_reach_the_library(run_json, frame, data_file, tmp_path, given):
    answer = run_json("learn", data_file, "-o", tmp_path / "p.npz", *given)
    expected = osp.learn(frame, context=["A", "größe"])
    assert answer["context"] == ["A", "größe"]
    assert answer["settings"] == dict(expected.settings)
    assert osp.load(tmp_path / "p.npz").edge_probabilities().equals(expected.edge_probabilities())


def test_names_with_commas(run_json, data_file, tmp_path):
    answer = run_json("learn", data_file, "-o", tmp_path / "p.npz", "--context", "dose, mg")
    assert answer["context"] == ["dose, mg"]


def test_errors(error_of, data_file, tmp_path):
    assert "unknown variable 'age'" in error_of("learn", data_file, "-o", tmp_path / "p.npz", "--context", "age")


def test_questions_about_context(run, error_of, data_file, tmp_path):
    path = tmp_path / "p.npz"
    assert "context variables    1" in run("learn", data_file, "-o", path, "--context", "A").stdout
    assert "'A' is context" in error_of("query", path, "größe -> A")
