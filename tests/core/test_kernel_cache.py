"""Kernels load where neither the package nor the home folder can be written to."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import orderspn
from orderspn.core import kernel_cache
from orderspn.core.kernel_cache import private_folder, provide_kernel_cache

LOAD_A_KERNEL = """
import os, stat
from orderspn.leaves.transforms import subset_sum
import numba
folder = os.environ["NUMBA_CACHE_DIR"]
assert numba.config.CACHE_DIR == folder
print(folder, oct(stat.S_IMODE(os.stat(folder).st_mode)))
"""


@pytest.fixture
def read_only(tmp_path):
    """A copy of the package, and an environment, in which no user, not even root, can create a folder for kernels."""
    package = tmp_path / "installed" / "orderspn"
    shutil.copytree(Path(orderspn.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [package, *(path for path in package.iterdir() if path.is_dir())]:
        (folder / "__pycache__").touch()
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {
        name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
    }
    environment |= {"HOME": os.devnull, "TMPDIR": str(temporary), "PYTHONPATH": str(package.parent)}
    return environment | {"PYTHONDONTWRITEBYTECODE": "1"}


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="the home folder is found otherwise there")
@pytest.mark.parametrize("before", ["", "import numba"])
def test_kernels_load_where_nothing_can_be_written(read_only, before):
    code = before + LOAD_A_KERNEL
    done = subprocess.run([sys.executable, "-c", code], env=read_only, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{read_only['TMPDIR']}/orderspn-{os.getuid()} 0o700\n"


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_a_folder_is_found_again(temporary):
    folder = private_folder()
    assert folder is not None
    assert private_folder() == folder


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
    folder = private_folder()
    assert Path(folder).parent == temporary
    assert Path(folder) != taken
    assert Path(folder).stat().st_mode & 0o077 == 0


def test_what_the_user_says_counts(monkeypatch):
    monkeypatch.setattr(kernel_cache, "_writable", lambda _: False)
    monkeypatch.setenv("NUMBA_CACHE_DIR", "as-given")
    provide_kernel_cache()
    assert os.environ["NUMBA_CACHE_DIR"] == "as-given"


def test_usual_places_are_kept(monkeypatch):
    monkeypatch.setattr("numba.config.CACHE_DIR", "")
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(kernel_cache, "_writable", lambda _: True)
    provide_kernel_cache()
    assert "NUMBA_CACHE_DIR" not in os.environ
