"""The wheel in a fresh environment without the source: first alone, then with each extra."""

import json

import numpy as np
import pandas as pd
import pytest

from helpers.clean_room import ROOT, Room

pytestmark = pytest.mark.exhaustive

WHERE = """
import importlib.metadata, json, sys
import orderspn as osp
posterior = osp.learn(osp.load_asia().data)
posterior.edge_probabilities(), posterior.probability("bronc -> dysp", given="smoke -> bronc")
files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
print(json.dumps({
    "file": osp.__file__,
    "all": [file for file in files if file],
    "version": osp.__version__,
    "installed": importlib.metadata.version("orderspn"),
}))
"""
QUERY = """
import orderspn as osp
posterior = osp.learn(osp.load_sachs(log=True).data)
print(round(posterior.probability("PKA -> Akt"), 2), round(posterior.probability("PKA -> Akt", given="Erk -> Akt"), 2))
"""
DIBS = """
import orderspn as osp
data = osp.load_sachs(log=True).data[["Raf", "Mek", "Erk"]]
try:
    posterior = osp.learn(data, method="dibs")
except osp.UserError as problem:
    print(type(problem).__name__, problem)
else:
    print(posterior.probability("Raf -- Mek") > 0.9)
"""
OPENS = """
import sys
from PIL import Image
with Image.open(sys.argv[1]) as picture:
    picture.load()
    print(picture.format, min(picture.size) > 200)
"""
COLUMNS = """
import sys
import orderspn as osp
print(*osp.learn(sys.argv[1]).variables)
"""


EXPLORE = """
import orderspn as osp
try:
    print(osp.load("demo/posterior.npz").explore(browser=False).given == "")
except osp.UserError as problem:
    print(type(problem).__name__, problem)
"""


def test_alone_and_then_with_each_extra(wheel, tmp_path):
    room = Room.made_in(tmp_path / "room")
    for name, write in (("table.xlsx", pd.DataFrame.to_excel), ("table.parquet", pd.DataFrame.to_parquet)):
        table = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 2)), columns=["A", "B"])
        write(table, room.folder / name, index=False)

    room.install(wheel)
    nothing_comes_from_the_source(room, wheel)
    assert room.answer("python", "-c", QUERY) == "0.25 0.01\n"  # as the README says
    the_demo_runs_without_a_picture(room)
    what_is_missing_is_named(room)

    room.install(f"orderspn[plot] @ {wheel.as_uri()}")
    pictures_are_drawn(room)

    room.install(f"orderspn[explore] @ {wheel.as_uri()}")
    assert room.answer("python", "-c", EXPLORE) == "True\n"
    room.answer("orderspn", "report", "demo/posterior.npz", "-o", "report.html")

    room.install(f"orderspn[jax] @ {wheel.as_uri()}")
    assert room.answer("python", "-c", DIBS) == "True\n"

    room.install(f"orderspn[files] @ {wheel.as_uri()}")
    for name in ("table.xlsx", "table.parquet"):
        assert room.answer("python", "-c", COLUMNS, name) == "A B\n"
    room.answer("python", "-m", "pip", "check")


def nothing_comes_from_the_source(room, wheel):
    found = json.loads(room.answer("python", "-c", WHERE))
    assert found["version"] == found["installed"] == wheel.name.split("-")[1]
    assert found["file"].startswith(str((room.folder / "venv").resolve()))
    assert len(found["all"]) > 500
    assert not [file for file in found["all"] if file.startswith(str(ROOT))]


def the_demo_runs_without_a_picture(room):
    output = room.answer("orderspn", "demo", "--output", "demo")
    assert 'No picture was drawn: plots need matplotlib; install it with: pip install "orderspn[plot]"' in output
    assert "P(PKA -> Akt | Erk -> Akt) = 0.01" in output
    assert {file.name for file in (room.folder / "demo").iterdir()} == {"proteins.csv", "posterior.npz", "edges.csv"}


def what_is_missing_is_named(room):
    plot = room.refusal("orderspn", "plot", "demo/posterior.npz", "-o", "graph.png")
    assert 'pip install "orderspn[plot]"' in plot
    assert not (room.folder / "graph.png").exists()
    assert 'pip install "orderspn[explore]"' in room.refusal("orderspn", "explore", "demo/posterior.npz")
    assert 'pip install "orderspn[explore]"' in room.answer("python", "-c", EXPLORE)
    dibs = "MissingExtra method='dibs' needs JAX: pip install \"orderspn[jax]\"\n"
    assert room.answer("python", "-c", DIBS) == dibs
    for name, kind in (("table.xlsx", "Excel"), ("table.parquet", "Parquet")):
        message = f'reading {kind} files needs a package that is not installed: pip install "orderspn[files]"'
        assert message in room.refusal("orderspn", "learn", name, "-o", "p.npz")


def pictures_are_drawn(room):
    assert room.answer("orderspn", "plot", "demo/posterior.npz", "-o", "graph.png") == "Saved to graph.png\n"
    assert room.answer("python", "-c", OPENS, "graph.png") == "PNG True\n"
    assert "No picture" not in room.answer("orderspn", "demo", "--output", "demo")
    assert room.answer("python", "-c", OPENS, "demo/posterior_graph.png") == "PNG True\n"
