"""`orderspn best`: the same graph as the library's, printed and in files."""

import json

import networkx as nx
import pandas as pd
import pytest

import orderspn as osp


def test_it_prints_the_graph_of_the_library(run, run_json, frame, data_file):
    expected = osp.best_graph(frame, restarts=5, climbs=2, rng=3)
    options = ["--restarts", 5, "--climbs", 2, "--rng", 3]
    answer = run_json("best", data_file, *options)
    assert answer["log_score"] == expected.log_score
    assert answer["order"] == expected.order
    assert answer["settings"] == dict(expected.settings)
    assert [(edge["cause"], edge["effect"]) for edge in answer["edges"]] == list(
        expected.to_frame()[["cause", "effect"]].itertuples(index=False, name=None)
    )
    text = run("best", data_file, *options).stdout
    assert text.startswith(expected.summary())
    assert text.endswith(f"order: {', '.join(expected.order)}\n")


def test_options_reach_the_library(run_json, frame, data_file):
    options = ["--score", "bic", "--penalty", 2, "--max-parents", 1, "--context", "A", "--prior", "fair"]
    known = ["--knowledge", "[red]x !-> größe", "--n-jobs", 1, "--no-check", "--restarts", 2]
    answer = run_json("best", data_file, *options, *known)
    expected = osp.best_graph(
        frame,
        score=osp.scores.BIC(2.0),
        max_parents=1,
        context=["A"],
        prior="fair",
        knowledge="[red]x !-> größe",
        restarts=2,
        check=False,
    )
    assert answer["settings"] == dict(expected.settings)
    assert answer["log_score"] == expected.log_score


def test_a_penalty_selects_its_score(run_json, data_file):
    assert run_json("best", data_file, "--penalty", 2, "--restarts", 0)["settings"]["score"]["name"] == "bic"


def test_learn_takes_the_penalty_too(run_json, data_file, tmp_path):
    answer = run_json("learn", data_file, "-o", tmp_path / "p.npz", "--score", "bic", "--penalty", 2)
    assert answer["settings"]["score"] == {"name": "bic", "penalty": 2.0, "rows": 120}


@pytest.mark.parametrize("ending", ["dot", "gml", "csv"])
def test_the_graph_is_saved(run, frame, data_file, tmp_path, ending):
    path = tmp_path / f"graph.{ending}"
    expected = osp.best_graph(frame, restarts=3)
    assert run("best", data_file, "--restarts", 3, "-o", path).stdout.endswith(f"Saved to {path}\n")
    text = path.read_text(encoding="utf-8")
    if ending == "dot":
        assert text == osp.export.to_dot(expected) + "\n"
    elif ending == "gml":
        assert set(nx.parse_gml(text).edges) == set(expected.graph.edges)
    else:
        table = pd.read_csv(path)
        assert table["cause"].tolist() == expected.to_frame()["cause"].tolist()
        assert table["gain"].tolist() == pytest.approx(expected.to_frame()["gain"].tolist())


def test_other_endings_are_refused_before_the_work(error_of, data_file, tmp_path):
    message = error_of("best", data_file, "-o", tmp_path / "graph.png")
    assert "its name must end in one of .dot, .gml, .csv" in message
    assert not list(tmp_path.iterdir())


def test_missing_values_name_the_option(error_of, frame, tmp_path):
    gaps = frame.copy()
    gaps.iloc[0, 0] = None
    gaps.to_csv(tmp_path / "gaps.csv", index=False)
    assert "--drop-missing" in error_of("best", tmp_path / "gaps.csv")


def test_rows_with_missing_values_are_dropped(invoke, frame, tmp_path):
    gaps = frame.copy()
    gaps.iloc[0, 0] = None
    gaps.to_csv(tmp_path / "gaps.csv", index=False)
    result = invoke("best", tmp_path / "gaps.csv", "--drop-missing", "--restarts", 0, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["settings"]["rows"] == 119
