"""Kernels are kept beside the package, else of the user, else among temporary files; and read from all of these."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import orderspn
from orderspn.kernels import folders

LOAD_A_KERNEL = """
import numpy as np
from orderspn.kernels.copying import copy_into
from orderspn.kernels.compilation import compilation
copy_into(np.zeros(2), np.ones(2))
print(compilation.count)
"""


@pytest.fixture
def installed(tmp_path):
    """A copy of the package with a user of its own, and the environment to run it."""
    package = tmp_path / "installed" / "orderspn"
    shutil.copytree(Path(orderspn.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("home", "temporary"):
        (tmp_path / name).mkdir()
    left_out = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA", "NUMBA_DISABLE_JIT")
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    home = str(tmp_path / "home")
    environment |= {"HOME": home, "USERPROFILE": home, "PYTHONPATH": str(package.parent)}
    environment |= {"TMPDIR": str(tmp_path / "temporary"), "PYTHONDONTWRITEBYTECODE": "1"}
    return package, environment


def compiled(environment):
    done = subprocess.run([sys.executable, "-c", LOAD_A_KERNEL], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return int(done.stdout)


def kernels_in(folder):
    return sorted(path.name for path in Path(folder).rglob("*.nbc"))


def make_read_only(folder):
    """Let no user, not even root, write to a folder: a file has its name."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.touch()


@pytest.mark.thorough
def test_kernels_are_kept_beside_the_package(installed):
    package, environment = installed
    assert compiled(environment) == 1
    assert compiled(environment) == 0
    assert len(kernels_in(package)) == 1
    assert kernels_in(environment["HOME"]) == kernels_in(environment["TMPDIR"]) == []


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the folder has another name there")
def test_kernels_are_kept_by_the_user_where_the_installation_is_read_only(installed):
    package, environment = installed
    make_read_only(package / "__pycache__")
    assert compiled(environment) == 1
    assert compiled(environment) == 0
    assert len(kernels_in(Path(environment["HOME"], ".cache", "orderspn"))) == 1


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="there is no such home folder")
def test_kernels_are_kept_among_temporary_files_where_nothing_else_is_writable(installed):
    package, environment = installed
    make_read_only(package / "__pycache__")
    environment["HOME"] = os.devnull
    assert compiled(environment) == 1
    assert compiled(environment) == 0
    folder = Path(environment["TMPDIR"], f"orderspn-{os.getuid()}")
    assert len(kernels_in(folder)) == 1
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.thorough
def test_kernels_of_an_image_serve_those_who_cannot_write_there(installed, monkeypatch):
    package, environment = installed
    assert compiled(environment) == 1
    monkeypatch.setattr(folders, "PACKAGE", package)
    monkeypatch.setattr(folders.numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(folders, "_writable", lambda folder: package not in folder.parents)
    assert folders.folders_to_read()[0] == package / "__pycache__"
    assert package / "__pycache__" not in folders.folders_to_write()


def test_what_the_user_says_counts(monkeypatch, tmp_path):
    monkeypatch.setattr(folders.numba.config, "CACHE_DIR", str(tmp_path))
    assert folders.folders_to_read() == folders.folders_to_write() == [tmp_path]


def test_where_nothing_of_a_path_exists_nothing_can_be_written(tmp_path, monkeypatch):
    assert folders._writable(tmp_path / "a" / "b")
    monkeypatch.setattr(os.path, "lexists", lambda path: False)  # as on a drive that is not there
    assert not folders._writable(tmp_path / "a" / "b")


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folders.private_folder.cache_clear()
    yield tmp_path
    folders.private_folder.cache_clear()


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="there are no such permissions")
@pytest.mark.parametrize("how", ["open to others", "a link"])
def test_a_folder_that_others_can_write_to_is_not_trusted(temporary, how):
    """Write access to the folder would be enough to run any code."""
    taken = temporary / f"orderspn-{os.getuid()}"
    if how == "a link":
        (temporary / "elsewhere").mkdir(mode=0o700)
        taken.symlink_to(temporary / "elsewhere")
    else:
        taken.mkdir()
        taken.chmod(0o777)
    folder = folders.private_folder()
    assert folder.parent == temporary
    assert folder != taken
    assert folder.stat().st_mode & 0o077 == 0
