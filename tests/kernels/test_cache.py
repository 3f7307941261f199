"""Kernels are compiled once and then loaded, never when something that they depend on has changed."""

import os
import subprocess
import sys

import pytest

from orderspn.kernels import cache

CALLED = "from orderspn.kernels.kernel import kernel\n\nFACTOR = {}\n\n@kernel\ndef called(x):\n    return FACTOR * x\n"
CALLER = """
from orderspn.kernels.kernel import kernel
from called import called

@kernel
def caller(x):
    return called(x) + 1
"""
RUN = """
from caller import caller
from orderspn.kernels.compilation import compilation
print(caller(3), compilation.count, caller.whole.stats.cache_path)
"""


@pytest.fixture
def project(tmp_path):
    """Two modules, of which one calls a kernel of the other, and a folder for kernels."""
    (tmp_path / "kept").mkdir()
    (tmp_path / "called.py").write_text(CALLED.format(2), encoding="utf-8")
    (tmp_path / "caller.py").write_text(CALLER, encoding="utf-8")
    return tmp_path


def run(project, **environment):
    """The answer and the number of functions that were compiled for it, in a new process."""
    settings = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    settings |= {"NUMBA_CACHE_DIR": str(project / "kept"), "PYTHONPATH": os.pathsep.join([str(project), *sys.path])}
    done = subprocess.run([sys.executable, "-c", RUN], env=settings | environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    answer, compiled, folder = done.stdout.split(maxsplit=2)
    assert folder.strip() == environment.get("NUMBA_CACHE_DIR", str(project / "kept"))
    return int(answer), int(compiled)


@pytest.mark.thorough
def test_edits_of_another_file_are_noticed(project):
    assert run(project) == (7, 2)
    assert run(project) == (7, 0)
    (project / "called.py").write_text(CALLED.format(5), encoding="utf-8")
    assert run(project) == (16, 2)
    (project / "called.py").write_text("# as before\n" + CALLED.format(2), encoding="utf-8")
    assert run(project) == (7, 0)
    os.utime(project / "caller.py", (0, 0))
    assert run(project) == (7, 0)


@pytest.mark.exhaustive
def test_other_settings_are_other_kernels(project):
    assert run(project) == (7, 2)
    assert run(project, NUMBA_BOUNDSCHECK="1") == (7, 2)
    assert run(project, NUMBA_OPT="1") == (7, 2)
    assert run(project) == (7, 0)
    assert run(project, NUMBA_BOUNDSCHECK="1") == (7, 0)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-10],
        pytest.param(lambda content: b"", marks=pytest.mark.exhaustive),
        pytest.param(lambda content: b"x" + content, marks=pytest.mark.exhaustive),
    ],
)
def test_damaged_files_are_compiled_anew(project, damage):
    run(project)
    (file,) = (project / "kept").iterdir()
    file.write_bytes(damage(file.read_bytes()))
    assert run(project) == (7, 2)
    assert run(project) == (7, 0)


@pytest.mark.thorough
def test_nothing_else_is_left_in_the_folder(project):
    run(project)
    assert [file.suffix for file in (project / "kept").iterdir()] == [cache.SUFFIX]


def test_old_versions_are_removed(tmp_path):
    for number in range(cache.MOST_VERSIONS + 3):
        path = tmp_path / f"module.name-{number:02}{cache.SUFFIX}"
        assert cache._written(path, b"content")
        os.utime(path, (number, number))
    (tmp_path / f"module.name_of_another-00{cache.SUFFIX}").write_bytes(b"")
    cache._remove_oldest(tmp_path, "module.name")
    left = sorted(file.name for file in tmp_path.iterdir())
    assert left[0] == f"module.name-03{cache.SUFFIX}"
    assert len(left) == cache.MOST_VERSIONS + 1


def test_a_folder_that_cannot_be_written_to_is_no_error(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    assert not cache._written(tmp_path / "file" / "kernel", b"content")


def test_a_file_is_written_as_a_whole(tmp_path, monkeypatch):
    def interrupted(*_):
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", interrupted)
    assert not cache._written(tmp_path / "kernel", b"content")
    assert list(tmp_path.iterdir()) == []
