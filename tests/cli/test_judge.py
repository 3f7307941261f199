"""`orderspn judge`: the numbers of `posterior.judge`, for people and programs."""

import csv
import io
import json

import pytest

import orderspn as osp

GRAPH = 'digraph { A -> "heart rate" -> "dose, mg"; {A "[red]x"} -> größe }'


@pytest.fixture
def graph_file(tmp_path):
    path = tmp_path / "my--graph.dot"
    path.write_text(GRAPH, encoding="utf-8")
    return path


def test_json_has_the_numbers(run, posterior, posterior_file, graph_file):
    document = json.loads(run("judge", posterior_file, graph_file, "--samples", 300, "--json").stdout)
    judged = posterior.judge(GRAPH, n_samples=300)
    assert document["log_probability"] == pytest.approx(judged.log_probability)
    assert document["tail_probability"] == judged.tail.probability
    assert document["equivalence_class"]["graphs"] == judged.equivalence.n_graphs
    assert document["verdict"] == judged.verdict
    assert len(document["edges"]) == 4
    assert len(document["gaps"]) == 6
    assert document["moves"][0]["gain"] == pytest.approx(judged.moves["gain"][0])
    assert {tuple(edge) for edge in document["suggestion"]} == set(judged.suggestion.graph.edges)


def test_csv_and_text(run, posterior, posterior_file, graph_file):
    rows = list(csv.DictReader(io.StringIO(run("judge", posterior_file, graph_file, "--csv").stdout)))
    assert len(rows) == 10
    probabilities = [float(row["probability"]) for row in rows]
    assert probabilities == sorted(probabilities)
    assert {row["relation"] for row in rows} == {"->", "!--"}
    text = run("judge", posterior_file, graph_file, "--given", "A -> größe").stdout
    assert text.startswith("Judged, given A -> größe\nA graph with 4 edges among 5 variables is")


def test_edges_and_mistakes(run, invoke, posterior_file):
    assert (
        "A graph with 1 edge"
        in run("judge", posterior_file, "A -- größe", "--missing-variables", "isolated", "--keep", "A -> größe").stdout
    )
    wrong = invoke("judge", posterior_file, "A -- größe")
    assert wrong.exit_code == 2
    assert "--missing-variables isolated" in wrong.stderr
    assert "bidirected" in invoke("judge", posterior_file, "dag { A <-> größe }").stderr
    assert "cannot read 'nowhere.gml'" in invoke("judge", posterior_file, "nowhere.gml").stderr


def test_a_mixture(run, tmp_path, frame):
    path = tmp_path / "mixture.npz"
    osp.mix([osp.learn(frame), osp.learn(frame, prior="uniform")], "equal").save(path)
    document = json.loads(run("judge", path, GRAPH, "--json").stdout)
    assert document["log_bayes_factor"] is None
    assert 0.0 < document["tail_probability"] <= 1.0
