"""Figures are shown where people look at them, have the right resolution, and leave nothing behind elsewhere."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import orderspn as osp
from orderspn.plot.canvas import DOTS_PER_INCH

PROBABILITIES = np.array([[0.0, 0.8], [0.1, 0.0]])


def in_a_program(code):
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "MPLBACKEND": "agg"})


@pytest.mark.thorough
def test_pyplot_shows_what_was_drawn_after_it_was_imported():
    in_a_program("""
import matplotlib.pyplot as plt, numpy as np, orderspn as osp
first = osp.plot.edges(np.eye(2) * 0.0)
second = osp.plot.posterior_graph(np.eye(3) * 0.0)
assert [plt.figure(number) for number in plt.get_fignums()] == [first.figure, second.figure]
plt.show()
plt.close("all")
figure, ax = plt.subplots()
osp.plot.edges(np.eye(2) * 0.0, ax=ax)
assert plt.get_fignums() == [figure.number]
""")


@pytest.mark.exhaustive
def test_a_figure_is_shown_once_in_a_notebook():
    import nbformat
    from nbclient import NotebookClient

    cells = [
        "import numpy as np, orderspn as osp\nvalues = np.array([[0.0, 0.8], [0.1, 0.0]])",
        "osp.plot.posterior_graph(values)",
        "osp.plot.edges(values);",
        "import matplotlib.pyplot as plt\nax = osp.plot.edges(values)",
        "osp.plot.edges(values)\nplt.show()",
        "figure, ax = plt.subplots()\nosp.plot.edges(values, ax=ax);",
        "1 + 1",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, timeout=120, kernel_name="python3", extra_arguments=["--log-level=ERROR"]).execute()
    pictures = [sum("image/png" in output.get("data", {}) for output in cell.outputs) for cell in notebook.cells]
    assert pictures == [0, 1, 1, 1, 1, 1, 0]
    assert all(output.output_type != "stream" for cell in notebook.cells for output in cell.outputs)


@pytest.mark.parametrize("draw", [osp.plot.edges, osp.plot.posterior_graph])
def test_figures_have_their_resolution(draw, tmp_path):
    from matplotlib import rc_context
    from matplotlib.image import imread

    figure = draw(PROBABILITIES).figure
    assert figure.dpi == DOTS_PER_INCH == 150
    figure.savefig(tmp_path / "picture.png")
    height, width = imread(tmp_path / "picture.png").shape[:2]
    assert (width, height) == pytest.approx(figure.get_size_inches() * 150, abs=1)
    with rc_context({"figure.dpi": 300}):  # asked for by the user
        assert draw(PROBABILITIES).figure.dpi == 300


def test_other_threads_do_without_pyplot():
    import matplotlib.pyplot as plt

    thread = threading.Thread(target=osp.plot.edges, args=(PROBABILITIES,))
    thread.start()
    thread.join()
    assert plt.get_fignums() == []


def test_the_command_line_leaves_no_figure(tmp_path):
    import matplotlib.pyplot as plt
    from click.testing import CliRunner

    from orderspn.cli.main import main

    posterior, picture = tmp_path / "posterior.npz", tmp_path / "graph.png"
    osp.learn(np.random.default_rng(0).normal(size=(20, 3))).save(posterior)
    assert CliRunner().invoke(main, ["plot", str(posterior), "-o", str(picture)]).exit_code == 0
    assert plt.get_fignums() == []


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_files_of_the_command_line_have_an_alternative_text(tmp_path, ending):
    from click.testing import CliRunner

    from orderspn.cli.main import main

    posterior, picture = tmp_path / "posterior.npz", tmp_path / f"graph.{ending}"
    osp.learn(np.random.default_rng(0).normal(size=(20, 3))).save(posterior)
    assert CliRunner().invoke(main, ["plot", str(posterior), "-o", str(picture)]).exit_code == 0
    assert b"Graph of 3 variables with " in picture.read_bytes()


def test_every_figure_says_what_it_shows():
    from matplotlib.figure import Figure

    posterior = osp.learn(np.random.default_rng(0).normal(size=(30, 3)), variables=["A", "B", "C"])
    told = [osp.plot.posterior_graph(posterior), osp.plot.edges(posterior), osp.plot.effects(posterior, n=20)]
    assert [ax.get_label().split()[0] for ax in told] == ["Graph", "Matrix", "Means"]
    own = Figure().add_subplot(label="mine")
    assert osp.plot.edges(posterior, ax=own).get_label() == "mine"
