"""`warm_up` compiles every kernel that Python code calls, and keeps it."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import orderspn as osp
from orderspn import warming

SOURCE = Path(osp.__file__).parent


def is_kernel(node):
    return isinstance(node, ast.FunctionDef) and any("kernel" in ast.unparse(made) for made in node.decorator_list)


def kernels_called_from_python():
    """Names, with their modules, of the kernels that are used outside kernels."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        module = ".".join(["orderspn", *path.relative_to(SOURCE).with_suffix("").parts])
        tree = ast.parse(path.read_text(encoding="utf-8"))
        homes = {node.name: module for node in tree.body if isinstance(node, ast.FunctionDef)}
        homes |= {
            alias.asname or alias.name: node.module
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for node in tree.body:
            if not is_kernel(node) and not isinstance(node, ast.ImportFrom):
                found |= {(homes[name.id], name.id) for name in ast.walk(node) if getattr(name, "id", None) in homes}
    defined = {
        (".".join(["orderspn", *path.relative_to(SOURCE).with_suffix("").parts]), node.name)
        for path in SOURCE.rglob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if is_kernel(node)
    }
    return found & defined


def in_folder(folder, *arguments):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, "-m", "orderspn", "warm-up", "--json", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.mark.thorough
def test_kernels_of_python_are_found():
    called = kernels_called_from_python()
    assert ("orderspn.lattice.passes", "_sum_blocks") in called
    assert ("orderspn.lattice.passes", "_enter_row") not in called
    assert len(called) > 40


@pytest.mark.exhaustive
def test_everything_is_compiled_and_kept(tmp_path):
    first = in_folder(tmp_path)
    assert first["folder"] == str(tmp_path)
    assert first["n_compiled"] > 100
    kept = {tuple(path.name.rsplit("-", 1)[0].rsplit(".", 1)) for path in tmp_path.iterdir()}
    assert kernels_called_from_python() - kept == set()
    assert in_folder(tmp_path)["n_compiled"] == 0


@pytest.mark.thorough
def test_one_example(monkeypatch):
    monkeypatch.setattr(warming, "EXAMPLES", {"dags": warming.EXAMPLES["dags"]})
    works = []
    done = osp.warm_up(1, progress=lambda *work: works.append(work))
    assert done.n_compiled >= 0
    assert done.seconds > 0.0
    assert works == [("compiling kernels", 1, 1)]


@pytest.mark.thorough
def test_an_example_that_fails(monkeypatch):
    monkeypatch.setattr(warming, "EXAMPLES", {"no such one": None})
    with pytest.raises(RuntimeError, match="the example 'no such one' failed:") as error:
        osp.warm_up(1)
    assert "KeyError: 'no such one'" in str(error.value)


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="n_jobs must be"):
        osp.warm_up(0)
