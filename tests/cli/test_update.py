"""`orderspn update`: new rows from a file, without the earlier table."""

import numpy as np
import pandas as pd
import pytest

import orderspn as osp


@pytest.fixture
def new_rows(frame, tmp_path):
    """Rows in half of which A was set, with a column that says so and one that is no variable."""
    table = frame.head(40).assign(day=1, condition=np.where(np.arange(40) < 20, "control", "drug"))
    table.loc[table["condition"] == "drug", "A"] = 1.5
    path = tmp_path / "new.csv"
    table.to_csv(path, index=False)
    return path


def test_equals_learning_from_all_rows(run, run_json, posterior_file, frame, new_rows, tmp_path):
    output = tmp_path / "updated.npz"
    options = ["--interventions", "condition", "--targets", "control=", "--targets", "drug=A"]
    document = run_json("update", posterior_file, new_rows, "-o", output, *options)
    new = pd.read_csv(new_rows)
    every = pd.concat([frame, new[frame.columns]], ignore_index=True)
    entries = [None] * len(frame) + ["A" if one == "drug" else None for one in new["condition"]]
    expected = osp.learn(every, interventions=entries, check=False)
    assert document["log_evidence"] == pytest.approx(expected.log_evidence)
    assert document["settings"]["rows"] == len(every)
    updated = osp.load(output).edge_probabilities()
    pd.testing.assert_frame_equal(updated, expected.edge_probabilities(), atol=1e-9)
    assert f"Saved to {output}" in run("update", posterior_file, new_rows, "-o", output, *options).stdout


def test_units_of_the_earlier_rows(run_json, posterior, posterior_file, new_rows, tmp_path):
    output = tmp_path / "updated.npz"
    kept = run_json("update", posterior_file, new_rows, "-o", output, "--standardize", "keep")
    expected = posterior.update(pd.read_csv(new_rows), standardize="keep")
    assert kept["log_evidence"] == pytest.approx(expected.log_evidence)
    again = run_json("update", posterior_file, new_rows, "-o", output)
    assert again["log_evidence"] != pytest.approx(expected.log_evidence)


def test_the_text_of_the_table(invoke, posterior_file, frame, tmp_path):
    path, output = tmp_path / "new.txt", tmp_path / "updated.npz"
    table = frame.head(10).copy()
    table.iloc[3, 1] = None
    table.to_csv(path, index=False, sep=";", decimal=",")
    result = invoke("update", posterior_file, path, "-o", output, "--sep", ";", "--decimal", ",", "--drop-missing")
    assert result.exit_code == 0
    assert "dropped 1 of 10 rows" in result.stderr
    assert osp.load(output).settings["rows"] == len(frame) + 9


def test_mistakes(error_of, posterior_file, frame, tmp_path):
    path, output = tmp_path / "new.csv", tmp_path / "updated.npz"
    frame.drop(columns="A").to_csv(path, index=False)
    assert "'A'" in error_of("update", posterior_file, path, "-o", output)
    assert "Missing option" in error_of("update", posterior_file, path)
    frame.head(0).to_csv(path, index=False)
    assert "row" in error_of("update", posterior_file, path, "-o", output)
    assert not output.exists()
