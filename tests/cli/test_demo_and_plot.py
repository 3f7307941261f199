"""The tour on bundled data, and pictures from the command line."""

import os
import subprocess
import sys

import pandas as pd
import pytest

import orderspn as osp
from helpers.devices import protect_devices


def test_the_demo_tells_and_saves(run, tmp_path):
    output = tmp_path / "folder" / "demo"
    text = run("demo", "--output", output).stdout
    sachs = osp.load_sachs(log=True)
    posterior = osp.load(output / "posterior.npz")
    pd.testing.assert_frame_equal(pd.read_csv(output / "proteins.csv"), sachs.data)
    assert posterior.log_evidence == osp.learn(sachs.data).log_evidence
    edges = pd.read_csv(output / "edges.csv")
    probabilities = posterior.edge_probabilities()
    assert len(edges) == int((probabilities.to_numpy() >= 0.05).sum())
    for cause, effect, probability, verdict in edges.itertuples(index=False, name=None):
        assert probability == pytest.approx(probabilities.loc[cause, effect], rel=1e-12)
        known, turned = (cause, effect) in sachs.consensus, (effect, cause) in sachs.consensus
        assert verdict == ("yes" if known else "reversed" if turned else "no")
    assert f"P(PKA -> Akt | Erk -> Akt) = {posterior.probability('PKA -> Akt', 'Erk -> Akt'):.4f}" in text
    assert (output / "posterior_graph.png").read_bytes().startswith(b"\x89PNG")
    assert str(output / "posterior_graph.png") in text
    assert {path.name for path in output.iterdir()} == {
        "proteins.csv",
        "posterior.npz",
        "edges.csv",
        "posterior_graph.png",
    }
    if "reversed" in set(edges["in consensus"]):
        assert '"reversed" is an edge of the consensus that was found in the other direction' in text


def test_the_demo_does_without_matplotlib(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    text = run("demo", "--output", tmp_path).stdout
    assert 'pip install "orderspn[plot]"' in text
    assert {path.name for path in tmp_path.iterdir()} == {"proteins.csv", "posterior.npz", "edges.csv"}
    assert "Try next" in text


@pytest.mark.exhaustive
@pytest.mark.parametrize("on_path", [True, False])
def test_the_demo_ends_with_commands_that_run(run, tmp_path, monkeypatch, on_path):
    """As they are printed, in a shell; also where the program is not on the path."""
    beside = os.path.dirname(sys.executable)
    elsewhere = [folder for folder in os.environ["PATH"].split(os.pathsep) if folder != beside]
    monkeypatch.setenv("PATH", os.pathsep.join([beside, *elsewhere] if on_path else elsewhere))
    monkeypatch.chdir(tmp_path)
    shown = run("demo").stdout.split("Try next:")[1].strip().splitlines()
    assert len(shown) == 3
    assert all(line.strip().startswith("orderspn ") == on_path for line in shown)
    for line in shown:
        done = subprocess.run(line, shell=True, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "posterior.npz").exists()


def test_the_demo_says_when_its_folder_cannot_be_made(error_of, tmp_path):
    (tmp_path / "file").write_text("")
    assert "cannot create the folder" in error_of("demo", "--output", tmp_path / "file")


@pytest.mark.thorough
@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_plot_draws_in_the_format_of_the_name(run, posterior_file, tmp_path, ending, start):
    output = tmp_path / f"graph.{ending}"
    assert run("plot", posterior_file, "-o", output, "--given", "A -> größe").stdout == f"Saved to {output}\n"
    assert output.read_bytes().startswith(start)
    assert list(tmp_path.iterdir()) == [output]


def test_plot_refuses_what_it_cannot_draw(error_of, posterior_file, tmp_path):
    assert "must end in one of" in error_of("plot", posterior_file, "-o", tmp_path / "graph.xyz")
    assert "does not exist" in error_of("plot", posterior_file, "-o", tmp_path / "no" / "graph.png")
    assert list(tmp_path.iterdir()) == []


def test_plot_names_the_extra_that_it_needs(error_of, posterior_file, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert 'pip install "orderspn[plot]"' in error_of("plot", posterior_file, "-o", tmp_path / "graph.png")


def test_a_failed_picture_leaves_the_old_one(error_of, posterior_file, tmp_path, monkeypatch):
    output = tmp_path / "graph.png"
    output.write_text("old")

    def full(self, path, **_):
        path.write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", full)
    assert error_of("plot", posterior_file, "-o", output) == (
        f"cannot write {str(output)!r}: No space left on device; free some space or choose another folder."
    )
    assert output.read_text() == "old"
    assert list(tmp_path.iterdir()) == [output]


@pytest.mark.skipif(os.name != "posix", reason="devices")
def test_a_picture_for_a_device(run, posterior_file, monkeypatch):
    protect_devices(monkeypatch)
    assert run("plot", posterior_file, "-o", "/dev/null").stdout == "Saved to /dev/null\n"
