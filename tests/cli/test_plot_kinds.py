"""Pictures other than the graph from the command line, and options that belong to some of them."""

import numpy as np
import pandas as pd
import pytest

import orderspn as osp

PNG = b"\x89PNG"


@pytest.fixture
def saved(monkeypatch):
    """The figures that are saved, instead of files of them."""
    figures = []

    def keep(self, path, **_):
        figures.append(self)
        path.write_bytes(PNG)

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", keep)
    return figures


@pytest.fixture
def network_file(tmp_path):
    path = tmp_path / "network.csv"
    pd.DataFrame({"cause": ["A", "A"], "effect": ["heart rate", "größe"]}).to_csv(path, index=False)
    return path


def tick_names(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["--edges", "--effects"])
def test_other_pictures_are_drawn(run, posterior_file, tmp_path, kind):
    output = tmp_path / "picture.png"
    assert run("plot", posterior_file, "-o", output, kind).stdout == f"Saved to {output}\n"
    assert output.read_bytes().startswith(PNG)


def test_edges_in_a_sequence(run, posterior_file, posterior, tmp_path, saved):
    run("plot", posterior_file, "-o", tmp_path / "edges.png", "--edges", "--order", "data", "--given", "A -> größe")
    ax = saved[0].axes[0]
    assert tick_names(ax) == posterior.variables
    expected = posterior.edge_probabilities("A -> größe").to_numpy()
    np.testing.assert_allclose(np.ma.filled(ax.collections[0].get_array(), 0.0).reshape(5, 5), expected, atol=1e-12)


def test_chosen_effects(run, posterior_file, posterior, tmp_path, saved):
    options = ["--effects", "--on", "größe", "--top", 2, "--samples", 60, "--rng", 4]
    run("plot", posterior_file, "-o", tmp_path / "effects.png", *options)
    ours = osp.plot.effects(posterior, on="größe", top=2, n=60, rng=4)
    assert tick_names(saved[0].axes[0]) == tick_names(ours)
    theirs = [line.get_xdata() for line in saved[0].axes[0].lines]
    for one, other in zip(theirs, [line.get_xdata() for line in ours.lines], strict=True):
        np.testing.assert_allclose(one, other)


def test_effects_of_one_cause(run, posterior_file, tmp_path, saved):
    run("plot", posterior_file, "-o", tmp_path / "effects.png", "--effects", "--of", "heart rate")
    assert len(tick_names(saved[0].axes[0])) == 4


def test_calibration_against_a_known_network(run, posterior_file, posterior, tmp_path, network_file, saved):
    run("plot", posterior_file, "-o", tmp_path / "c.png", "--calibration", "--truth", network_file)
    truth = pd.DataFrame(0, index=posterior.variables, columns=posterior.variables)
    truth.loc["A", ["heart rate", "größe"]] = 1
    curve = osp.metrics.calibration_curve(posterior, truth)
    points = saved[0].axes[0].containers[0].lines[0].get_xydata()
    np.testing.assert_allclose(points, curve[["predicted", "observed"]].to_numpy(), atol=1e-12)


def test_the_graph_colours_a_known_network(run, posterior_file, posterior, tmp_path, network_file, saved):
    run("plot", posterior_file, "-o", tmp_path / "g.png", "--truth", network_file, "--min-probability", 0.2)
    ours = osp.plot.posterior_graph(posterior, min_probability=0.2, highlight=[("A", "heart rate"), ("A", "größe")])
    theirs = {line.get_label(): line.get_color() for line in saved[0].axes[0].lines}
    assert theirs.keys() == {line.get_label() for line in ours.lines}
    for line in ours.lines:
        assert theirs[line.get_label()] == pytest.approx(line.get_color())


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--order", "data"], "--order belongs to --edges"),
        (["--edges", "--on", "A"], "--on belongs to --effects"),
        (["--effects", "--min-probability", 0.5], "--min-probability belongs to the graph"),
        (["--trace", "--rng", 1], "--rng belongs to --effects"),
        (["--calibration"], "name its file with --truth"),
    ],
)
def test_options_belong_to_pictures(invoke, posterior_file, tmp_path, options, problem):
    result = invoke("plot", posterior_file, "-o", tmp_path / "picture.png", *options)
    assert result.exit_code == 2
    assert problem in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_known_network_belongs_to_two_pictures(invoke, posterior_file, tmp_path, network_file):
    result = invoke("plot", posterior_file, "-o", tmp_path / "p.png", "--edges", "--truth", network_file)
    assert result.exit_code == 2
    assert "--truth belongs to the graph or --calibration" in result.stderr


def test_a_network_that_cannot_be_used(error_of, posterior_file, tmp_path):
    network = tmp_path / "network.csv"
    command = ["plot", posterior_file, "-o", tmp_path / "c.png", "--calibration", "--truth", network]
    network.write_text("from,to\nA,B\n")
    assert "columns cause and effect" in error_of(*command)
    assert "'cause' is missing" in error_of(*command)
    network.write_text("cause,effect\nA,heartrate\n")
    assert "unknown variable 'heartrate'" in error_of(*command)
    network.unlink()
    assert "cannot read" in error_of(*command)
