"""Files as the command line takes them: standard input, other formats, chosen columns, rows that are dropped."""

import io
import os
import subprocess
import sys

import pandas as pd
import pytest
from click.testing import CliRunner

import orderspn as osp
from orderspn.cli.main import main


@pytest.fixture
def learned(run, tmp_path):
    """Learn from a file with options, and load the posterior."""

    def learn(*arguments):
        run("learn", *arguments, "-o", tmp_path / "p.npz")
        return osp.load(tmp_path / "p.npz")

    return learn


def test_standard_input(frame, data_file, tmp_path):
    output = tmp_path / "p.npz"
    result = CliRunner().invoke(main, ["learn", "-", "-o", str(output)], input=data_file.read_bytes())
    assert (result.exit_code, result.stderr) == (0, "")
    assert osp.load(output).log_evidence == osp.learn(frame).log_evidence
    result = CliRunner().invoke(main, ["learn", "-", "-o", str(output)], input=b"")
    assert "cannot read 'standard input' as a table" in result.stderr


def test_formats_of_text(learned, error_of, frame, tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(frame.to_csv(index=False, sep=";", decimal=",").encode("cp1252"))
    assert error_of("learn", path, "-o", tmp_path / "p.npz").endswith("it is not UTF-8 text. Pass --encoding cp1252.")
    message = error_of("learn", path, "-o", tmp_path / "p.npz", "--encoding", "cp1252")
    assert message.endswith("its values seem to be separated by semicolons. Pass --sep ';' --decimal ','.")
    message = error_of("learn", path, "-o", tmp_path / "p.npz", "--encoding", "cp1252", "--sep", ";")
    assert message.endswith("Pass --sep ';' --decimal ','.")
    posterior = learned(path, "--encoding", "cp1252", "--sep", ";", "--decimal", ",")
    assert posterior.log_evidence == osp.learn(frame).log_evidence
    frame.to_csv(path, index=False, sep="\t")
    assert error_of("learn", path, "-o", tmp_path / "p.npz").endswith(r"separated by tabs. Pass --sep '\t'.")
    assert learned(path, "--sep", r"\t").log_evidence == osp.learn(frame).log_evidence


def test_a_posterior_is_no_data_and_data_are_no_posterior(error_of, posterior_file, data_file, tmp_path):
    message = error_of("learn", posterior_file, "-o", tmp_path / "p.npz")
    assert "it is a posterior saved by orderspn, not data. Use it with commands such as edges" in message
    assert "it is a text file, perhaps a table. Learn a posterior from it first." in error_of("edges", data_file)


def test_columns_left_out(learned, error_of, data_file, tmp_path):
    assert learned(data_file, "--exclude", "A", "--exclude", "dose, mg").variables == ["heart rate", "[red]x", "größe"]
    both = ["--variables", "A,größe,[red]x", "--exclude", "größe"]
    assert learned(data_file, *both).variables == ["A", "[red]x"]
    assert "unknown column 'B'" in error_of("learn", data_file, "-o", tmp_path / "p.npz", "--exclude", "B")


def test_rows_with_missing_values_are_dropped_and_counted(invoke, frame, tmp_path):
    holes = frame.copy()
    holes.iloc[[3, 7], 1] = None
    holes.iloc[9, 4] = None
    holes.to_csv(tmp_path / "data.csv", index=False)
    arguments = ["learn", tmp_path / "data.csv", "-o", tmp_path / "p.npz", "--drop-missing"]
    result = invoke(*arguments)
    assert result.exit_code == 0
    assert result.stderr == "orderspn: dropped 3 of 120 rows, which have missing values\n"
    assert osp.load(tmp_path / "p.npz").log_evidence == osp.learn(holes.dropna()).log_evidence
    result = invoke(*arguments, "--exclude", "größe")
    assert result.stderr == "orderspn: dropped 2 of 120 rows, which have missing values\n"


def test_the_name_of_a_posterior_ends_in_npz(error_of, data_file, tmp_path):
    told = f"must have a name that ends in .npz; got {str(tmp_path / 'p')!r}. Name it {str(tmp_path / 'p.npz')!r}."
    assert error_of("learn", data_file, "-o", tmp_path / "p").endswith(told)
    assert not list(tmp_path.iterdir())


def test_no_minus_zero(run, run_json, frame, tmp_path):
    frame.assign(alone=frame["A"].sample(frac=1, random_state=1).to_numpy()).to_csv(tmp_path / "d.csv", index=False)
    run("learn", tmp_path / "d.csv", "-o", tmp_path / "p.npz", "--max-parents", 0)
    for command in (["effects"], ["query", "A !-> größe"], ["map"], ["info"], ["edges", "--matrix"]):
        name, *rest = command
        for form in ([], ["--csv"], ["--json"]):
            text = run(name, tmp_path / "p.npz", *rest, *form).stdout
            assert "-0.0000" not in text
            assert "-0.0," not in text
            assert "-0.0\n" not in text


def test_completion_in_bash(data_file, tmp_path):
    """What the shell runs when the tab key is pressed."""
    environment = os.environ | {"_ORDERSPN_COMPLETE": "bash_complete", "COMP_WORDS": "orderspn in", "COMP_CWORD": "1"}
    command = [sys.executable, "-m", "orderspn"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["plain,interventional", "plain,info"]
    environment |= {"COMP_WORDS": "orderspn learn --n-", "COMP_CWORD": "2"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "plain,--n-jobs" in done.stdout.split()


def test_every_summary_is_a_whole_sentence(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    commands = run("--help").stdout.split("Commands:\n")[1].splitlines()
    assert len(commands) == len(main.commands)  # one line each
    assert all(line.endswith(".") and not line.endswith("...") for line in commands)


def test_tables_of_edges_come_from_standard_input_too(run, posterior_file, tmp_path):
    network = pd.DataFrame({"cause": ["A"], "effect": ["größe"]}).to_csv(index=False)
    result = CliRunner().invoke(
        main,
        ["plot", str(posterior_file), "-o", str(tmp_path / "g.png"), "--truth", "-"],
        input=io.BytesIO(network.encode()).read(),
    )
    assert (result.exit_code, result.stderr) == (0, "")
