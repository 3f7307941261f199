"""What is installed is needed, listed on its page, and loaded late."""

import json
import re
import subprocess
import sys
import tomllib

import pytest
from benchmarks.installed_sizes import EXTRAS, PURPOSE, TABLES, Package, tables
from packaging.requirements import Requirement

from helpers.clean_room import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FOR_DEVELOPERS = {"benchmarks", "clients", "docs", "dev"}


def names(requirements):
    return {Requirement(text).name for text in requirements}


def test_every_dependency_has_a_purpose_and_a_line_on_the_page():
    listed = re.findall(r"^\| ([\w.-]+) \| [\d.]+ \|", TABLES.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(PURPOSE) == names(PROJECT["dependencies"])
    assert set(PURPOSE) <= set(listed)


def test_every_extra_of_users_is_on_the_page():
    page = TABLES.read_text(encoding="utf-8")
    assert set(EXTRAS) == set(PROJECT["optional-dependencies"]) - FOR_DEVELOPERS
    for extra in EXTRAS:
        (line,) = re.findall(rf"^\| `\[{extra}\]` .*", page, re.MULTILINE)
        assert all(name in line for name in names(PROJECT["optional-dependencies"][extra]))


def test_the_tables_say_who_needs_what():
    alone = {
        "orderspn": Package("0.1.0", 4_000_000, ["numba"], "`import orderspn`"),
        "numba": Package("1.0", 33_000_000, ["llvmlite"], "`learn`, exact"),
        "llvmlite": Package("2.0", 180_400_000, []),
    }
    text = tables(alone, {"plot": {"matplotlib": Package("3.0", 20_000_000, [])}})
    assert "| numba | 1.0 | 33 | compiles the kernels | `learn`, exact |" in text
    assert "| llvmlite | 2.0 | 180 | for numba | other features |" in text
    assert "| **all** | | **217** | | |" in text
    assert "| `[plot]` | 20 | matplotlib |" in text


def test_versions_of_python_are_the_same_everywhere():
    classified = re.findall(r":: (3\.\d+)$", "\n".join(PROJECT["classifiers"]), re.MULTILINE)
    page = (ROOT / "docs" / "installation.md").read_text(encoding="utf-8")
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert PROJECT["requires-python"] == f">={classified[0]}"
    assert f"| Python | {classified[0]} to {classified[-1]} |" in page
    assert all(f'"{version}"' in workflow for version in classified)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "read", ["osp.load_sachs(log=True).data", pytest.param("osp.load_asia().data", marks=pytest.mark.exhaustive)]
)
def test_exact_learning_loads_only_what_it_needs(read):
    code = f"""
import json, sys
import orderspn as osp
posterior = osp.learn({read})
posterior.edge_probabilities(), posterior.most_probable_graph(), posterior.sample(10, rng=0)
print(json.dumps(sorted({{name.partition(".")[0] for name in sys.modules}})))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))
    assert {"numba", "numpy", "pandas"} <= loaded
    assert loaded.isdisjoint({"arviz_stats", "click", "jax", "matplotlib", "openpyxl", "polars", "rich", "xarray"})
