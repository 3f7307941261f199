"""`orderspn check` shows what is wrong with a table, for people and for programs; `learn` warns of the same."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import orderspn as osp
from orderspn.cli.main import main


@pytest.fixture
def skewed():
    return np.exp(2 * osp.simulate.linear_gaussian(3, n_rows=60, rng=0).data)


@pytest.fixture
def table(skewed, tmp_path):
    return written(skewed, tmp_path)


def written(data, folder):
    data.to_csv(folder / "data.csv", index=False)
    return str(folder / "data.csv")


def run(*arguments):
    return CliRunner().invoke(main, ["check", *arguments])


def test_for_people(skewed, tmp_path):
    done = run(written(skewed.assign(same=1.5), tmp_path))
    assert done.exit_code == 2  # learn would refuse it
    lines = done.stdout.splitlines()
    assert lines[0] == "60 rows, 4 variables, read as numbers: 1 error, 1 warning."
    assert "constant column" in done.stdout
    assert "-> Take logarithms of them (np.log)." in done.stdout


def test_for_programs(table):
    done = run(table, "--json")
    assert done.exit_code == 0
    document = json.loads(done.stdout)
    assert (document["rows"], document["variables"], document["read_as"]) == (60, 3, "numbers")
    (found,) = document["findings"]
    assert (found["severity"], found["check"], found["variables"]) == ("warning", "skewness", ["X1", "X2"])
    header, row = run(table, "--csv").stdout.splitlines()
    assert header == "severity,check,variables,message,remedy"
    assert row.startswith("warning,skewness,")


def test_kinds_of_columns(tmp_path):
    data = osp.simulate.linear_gaussian(3, n_rows=60, rng=0).data.assign(site=np.arange(60) % 3)
    integers = written(data, tmp_path)
    assert "read as numbers: 2 notes" in run(integers).stdout
    assert "read as numbers and categories: no findings" in run(integers, "--kind", "site=category").stdout
    assert run(integers, "--kind", "sight=category").exit_code == 2


def test_interventions_and_clean_tables(tmp_path):
    data = osp.simulate.linear_gaussian(3, n_rows=60, rng=0).data
    data.loc[:3, "X1"] = 1e3
    assert "skewness" in run(written(data, tmp_path)).stdout
    labelled = written(data.assign(condition=["high"] * 4 + ["none"] * 56), tmp_path)
    about = ("--interventions", "condition", "--targets", "high=X1", "--targets", "none=")
    assert "no findings.\nChecked: missing values" in run(labelled, *about).stdout


def test_learn_warns_and_can_be_told_not_to(table, tmp_path):
    learn = ["learn", table, "-o", str(tmp_path / "p.npz"), "--standardize"]
    told = CliRunner().invoke(main, learn)
    assert "orderspn: warning: 'X1', 'X2' are strongly skewed" in told.stderr
    assert "  warning " in told.stdout
    assert CliRunner().invoke(main, [*learn, "--no-check"]).stderr == ""
    assert "no-check" not in told.stderr
