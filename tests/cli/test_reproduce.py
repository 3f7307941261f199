"""`orderspn reproduce`: tables for people and programs, and how it ends."""

import json

import pytest

from orderspn.cli.reproduce import NAMES
from orderspn.experiments import EXPERIMENTS, reproduction

SMALL = ("--d", "5", "--runs", "2", "--methods", "exact,TRUST-G", "--effort", "0.02", "--n-jobs", "1")


def test_the_command_knows_every_experiment(run):
    assert set(NAMES) == set(EXPERIMENTS)
    text = run("reproduce", "--help").stdout
    assert "  orderspn reproduce conditional " in text  # an example
    for name in NAMES:
        assert f"  {name} " in text


def test_people_see_means_and_where_files_are(run, tmp_path):
    folder = tmp_path / "out"
    shown = run("reproduce", "conditional", *SMALL, "-o", folder).stdout
    document = json.loads((folder / "results.json").read_text())
    first = document["summary"][0]
    assert f"{first['mean']:.4f} ± {first['sd']:.4f}" in shown
    assert shown.splitlines()[0].split() == ["d", "n", "method", "runs", "auroc", "unanswered"]
    assert f"Saved in {folder}: results.csv" in shown


@pytest.mark.thorough
def test_programs_get_the_summary(run_json, run_csv, tmp_path):
    document = run_json("reproduce", "coverage", *SMALL, "-o", tmp_path)
    table = run_csv("reproduce", "coverage", *SMALL, "-o", tmp_path)
    assert document["summary"] == json.loads((tmp_path / "results.json").read_text())["summary"]
    assert [row["mean"] for row in document["summary"]] == table["mean"].tolist()
    assert document["settings"]["runs"] == 2
    assert str(tmp_path / "report.md") in document["files"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["performances"], "'performances' is not one of"),
        (["coverage", "--methods", "TRUST-X"], "unknown method 'TRUST-X': did you mean"),
        (["coverage", "--d", "40"], "up to 32 variables; got d=40"),
        (["coverage", "--d", "sixteen"], "not a list of integers"),
        (["coverage", "--effort", "-1"], "--effort must be"),
    ],
)
def test_mistakes(error_of, tmp_path, arguments, message):
    assert message in error_of("reproduce", *arguments, "-o", tmp_path)


def test_an_interruption_says_how_to_go_on(invoke, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(reproduction, "run_cells", interrupted)
    result = invoke("reproduce", "coverage", *SMALL, "-o", tmp_path)
    assert result.exit_code == 130
    assert result.stderr == (
        f"orderspn: finished cells are kept in {tmp_path}; the same command continues from there\n"
        "orderspn: interrupted\n"
    )
