"""Background knowledge on the command line: the same as in the library."""

import json

import pytest

import orderspn as osp


def test_edges_and_a_file_reach_the_library(run_json, frame, data_file, tmp_path):
    a, b, c, d = frame.columns[:4]
    edges = osp.Edges([(a, c)], [(c, b)])
    file = tmp_path / "known.json"
    file.write_text(json.dumps({"tiers": [[a], [b]], "required": [[a, b]], "edge_probabilities": [[c, d, 0.9]]}))
    known = ["--knowledge", osp.Edges(edges.present), "--knowledge", osp.Edges((), edges.absent), "--knowledge", file]
    answer = run_json("learn", data_file, "-o", tmp_path / "p.npz", *known)
    knowledge = osp.Knowledge([(a, b), (a, c)], [(c, b)], [[a], [b]], edge_probabilities={(c, d): 0.9})
    expected = osp.learn(frame, knowledge=knowledge)
    assert answer["settings"] == dict(expected.settings)
    assert answer["log_evidence"] == expected.log_evidence
    assert osp.load(tmp_path / "p.npz").knowledge == knowledge


def test_the_summary_says_what_is_known(run, frame, data_file, tmp_path):
    a, b = frame.columns[:2]
    known = osp.Edges([(a, b)], [(b, a)])
    text = run("learn", data_file, "-o", tmp_path / "p.npz", "--knowledge", known).stdout
    assert "known                1 required edge, 1 forbidden edge" in text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "known.json' cannot be read: it is not JSON"),
        ("[1]", "must hold an object with fields such as required"),
        ('{"required": null}', "required must be a list of"),
        ('{"roots": [["A"]]}', "roots must hold names"),
        ('{"require": []}', "knowledge has no field 'require'"),
        ('{"roots": ["missing"]}', "unknown variable 'missing'"),
    ],
)
def test_files_that_cannot_be_used(error_of, data_file, tmp_path, content, message):
    (tmp_path / "known.json").write_text(content)
    message_shown = error_of("learn", data_file, "-o", tmp_path / "p.npz", "--knowledge", tmp_path / "known.json")
    assert message in message_shown
    assert not (tmp_path / "p.npz").exists()


def test_a_file_that_is_no_text(error_of, data_file, tmp_path):
    (tmp_path / "known.json").write_bytes(b"\xff\xfe\x00")
    known = ["--knowledge", "A -> größe", "--knowledge", tmp_path / "known.json"]
    assert "known.json' cannot be read" in error_of("learn", data_file, "-o", tmp_path / "p.npz", *known)


def test_a_mark_before_the_text_does_no_harm(run_json, data_file, tmp_path):
    (tmp_path / "known.json").write_bytes(b"\xef\xbb\xbf" + b'{"roots": ["A"]}')
    answer = run_json("learn", data_file, "-o", tmp_path / "p.npz", "--knowledge", tmp_path / "known.json")
    assert answer["settings"]["knowledge"] == {"roots": ["A"]}


def test_a_missing_file(error_of, data_file, tmp_path):
    message_shown = error_of("learn", data_file, "-o", tmp_path / "p.npz", "--knowledge", tmp_path / "none.json")
    assert "cannot read" in message_shown
