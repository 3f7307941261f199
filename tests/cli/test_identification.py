"""Commands about what data can identify, and about two posteriors: the library's numbers in every form."""

import json

import networkx as nx
import pytest

import orderspn as osp

GIVEN = '"heart rate" -> "dose, mg"'
PNG = b"\x89PNG"


@pytest.mark.parametrize("given", [None, GIVEN])
def test_adjacencies(run, run_json, run_csv, posterior, posterior_file, given):
    options = ["--min-probability", 0] + (["--given", given] if given else [])
    rows = run_json("adjacencies", posterior_file, *options)
    joined, edges = posterior.adjacency_probabilities(given), posterior.edge_probabilities(given)
    assert len(rows) == 10
    for row in rows:
        assert row["probability"] == joined.loc[row["a"], row["b"]]
        assert row["a_to_b"] == edges.loc[row["a"], row["b"]]
        assert row["b_to_a"] == edges.loc[row["b"], row["a"]]
    shares = [row["probability"] for row in rows]
    assert shares == sorted(shares, reverse=True)
    assert run_csv("adjacencies", posterior_file, *options).to_dict("records") == rows
    assert run_json("adjacencies", posterior_file, *options, "--top", 2) == rows[:2]
    assert "heart rate" in run("adjacencies", posterior_file, *options).stdout


def test_v_structures(run, run_json, run_csv, posterior, posterior_file):
    rows = run_json("v-structures", posterior_file, "--top", 3, "--given", GIVEN)
    assert rows == posterior.v_structure_probabilities(GIVEN, top=3).to_dict("records")
    assert len(rows) == 3
    assert run_csv("v-structures", posterior_file, "--top", 3, "--given", GIVEN).to_dict("records") == rows
    assert rows[0]["collider"] in run("v-structures", posterior_file).stdout


def test_cpdags(run, run_json, run_csv, posterior, posterior_file):
    answer = run_json("cpdags", posterior_file, "--top", 3, "--given", GIVEN)
    expected = posterior.cpdags(3, GIVEN)
    assert answer["basis"] == expected.basis == "all graphs"
    assert answer["given"] == GIVEN
    for row, one in zip(answer["classes"], expected, strict=True):
        assert row["probability"] == one.probability
        assert row["n_members"] == one.n_members
        assert {tuple(edge) for edge in row["directed"]} == set(one.directed)
        assert {tuple(edge) for edge in row["undirected"]} == set(one.undirected)
        assert nx.is_directed_acyclic_graph(nx.DiGraph(row["representative"]))
    frame = run_csv("cpdags", posterior_file, "--top", 3, "--given", GIVEN)
    assert frame["probability"].tolist() == [one.probability for one in expected]
    assert json.loads(frame["edges"][0]) == expected[0].edges
    text = run("cpdags", posterior_file).stdout
    assert "all graphs" in text
    assert "standard_error" not in text


def test_classes_of_weighted_draws(run, run_json, posterior, posterior_file):
    options = ["--target", "dag", "--samples", 500, "--rng", 3]
    answer = run_json("cpdags", posterior_file, *options)
    expected = posterior.cpdags(target="dag", n_samples=500, rng=3)
    assert [row["probability"] for row in answer["classes"]] == [one.probability for one in expected]
    assert answer["classes"][0]["standard_error"] > 0.0
    assert "standard_error" in run("cpdags", posterior_file, *options).stdout


@pytest.mark.parametrize(
    ("options", "loss"),
    [
        ([], "shd"),
        pytest.param(["--loss", "shd-cpdag"], "shd-cpdag", marks=pytest.mark.exhaustive),
        (["--extra", 3, "--reversed", 0.5], None),
    ],
)
def test_consensus(run, run_json, run_csv, posterior, posterior_file, options, loss):
    answer = run_json("consensus", posterior_file, *options, "--given", GIVEN)
    expected = posterior.consensus(loss or {"extra": 3, "reversed": 0.5}, GIVEN)
    assert answer["expected_loss"] == expected.expected_loss
    assert answer["optimal"] is expected.optimal is True
    assert sorted(f"{row['a']} {row['edge']} {row['b']}" for row in answer["edges"]) == sorted(expected.edges)
    frame = run_csv("consensus", posterior_file, *options, "--given", GIVEN)
    assert frame.to_dict("records") == answer["edges"]
    assert "no graph has a smaller one" in run("consensus", posterior_file, *options).stdout


def test_losses_of_pairs_belong_to_dags(invoke, posterior_file):
    result = invoke("consensus", posterior_file, "--loss", "shd-cpdag", "--extra", 2)
    assert result.exit_code == 2
    assert "--extra belongs to --loss shd" in result.stderr


def test_a_negative_loss(error_of, posterior_file):
    assert "at least 0; got -1.0 for 'extra'" in error_of("consensus", posterior_file, "--extra", -1)


class TestCompare:
    @pytest.fixture
    def other(self, frame):
        return osp.learn(frame.drop(columns="größe"), prior="uniform", rng=3)

    @pytest.fixture
    def other_file(self, other, tmp_path):
        other.save(tmp_path / "other.npz")
        return tmp_path / "other.npz"

    @pytest.mark.parametrize("given", [None, GIVEN])
    def test_numbers(self, run_json, run_csv, posterior, posterior_file, other, other_file, given):
        options = ["--given", given] if given else []
        answer = run_json("compare", posterior_file, other_file, *options)
        expected = osp.compare(posterior.given(given), other.given(given))
        assert answer["edges"] == expected.edges.head(20).to_dict("records")
        assert answer["total_variation"] == expected.total_variation._asdict()
        assert answer["expected_differences"] == expected.expected_differences
        assert (answer["only_in_first"], answer["only_in_second"]) == (["größe"], [])
        frame = run_csv("compare", posterior_file, other_file, *options, "--top", 2)
        assert frame.to_dict("records") == answer["edges"][:2]

    def test_for_people_with_a_picture(self, run, posterior_file, other_file, tmp_path):
        picture = tmp_path / "both.png"
        text = run("compare", posterior_file, other_file, "--label", "all", "less", "-o", picture).stdout
        assert "only in all: größe" in text
        assert f"Saved to {picture}" in text
        assert picture.read_bytes().startswith(PNG)

    def test_errors(self, error_of, posterior_file, tmp_path):
        assert "cannot read" in error_of("compare", posterior_file, tmp_path / "nothing.npz")
        message = error_of("compare", posterior_file, posterior_file, "--label", "a", "a")
        assert "two different texts" in message


def test_shares_in_pictures(run, posterior_file, tmp_path, monkeypatch):
    figures = []
    monkeypatch.setattr(
        "matplotlib.figure.Figure.savefig", lambda self, path, **_: (figures.append(self), path.write_bytes(PNG))
    )
    run("plot", posterior_file, "-o", tmp_path / "g.png", "--directions", "shares")
    assert any(" -- " in line.get_label() for line in figures[0].axes[0].lines)
