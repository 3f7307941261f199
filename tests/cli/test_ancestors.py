"""`orderspn ancestors`, `descendants`, and `query` with paths: the answers of the library."""

import json

import pytest


def test_ancestors_are_the_librarys(run, run_json, run_csv, posterior, posterior_file):
    expected = posterior.ancestor_probabilities()
    rows = run_json("ancestors", posterior_file, "--min-probability", 0)
    assert len(rows) == expected.size - len(expected)
    for row in rows:
        assert row["probability"] == pytest.approx(expected.loc[row["ancestor"], row["descendant"]])
    table = run_csv("ancestors", posterior_file, "--top", 3)
    assert list(table.columns) == ["ancestor", "descendant", "probability", "standard_error"]
    assert "Ancestors with probability of at least 0.01" in run("ancestors", posterior_file).stdout
    assert "row = ancestor" in run("ancestors", posterior_file, "--matrix").stdout


def test_descendants_are_the_librarys(run, run_json, run_csv, posterior, posterior_file):
    expected = posterior.descendant_sets("A", top=4)
    rows = run_json("descendants", posterior_file, "A", "--top", 4)
    assert [tuple(row["descendants"]) for row in rows] == list(expected["descendants"])
    assert [row["probability"] for row in rows] == pytest.approx(list(expected["probability"]))
    table = run_csv("descendants", posterior_file, "A", "--top", 4)
    assert [json.loads(cell) for cell in table["descendants"]] == [row["descendants"] for row in rows]
    assert "(none)" in run("descendants", posterior_file, "A").stdout


def test_paths_can_be_asked_for(run_json, posterior, posterior_file):
    name = posterior.variables[1]
    found = run_json("query", posterior_file, f'A ~> "{name}"')
    assert found["probability"] == pytest.approx(posterior.ancestor_probabilities().loc["A", name])
