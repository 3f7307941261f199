"""Levels of the tests: what each leaves out, and that the quick one knows every package."""

import subprocess
import sys
from pathlib import Path

import pytest

import orderspn as osp

ROOT = Path(__file__).parents[1]
PACKAGES = sorted(path.parent.name for path in Path(osp.__file__).parent.glob("*/__init__.py"))
ELSEWHERE = {"estimator": "tests/test_estimator.py"}
"""Packages whose tests are not in a folder of their name."""

MARKED = """
import pytest

def test_plain():
    pass

@pytest.mark.thorough
def test_thorough():
    pass

@pytest.mark.exhaustive
def test_exhaustive():
    pass

def example():
    '''
    >>> 1 + 1
    2
    '''
"""


def collected(*arguments, folder=ROOT):
    """Names of the tests that pytest would run."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if "::" in line]


def home(package):
    return ELSEWHERE.get(package, f"tests/{package}/")


def test_every_package_has_quick_tests(request):
    """From the tests of this run, where it is of everything."""
    whole = request.config.args == request.config.getini("testpaths")
    if whole:
        left_out = ("thorough", "exhaustive")
        quick = [i.nodeid for i in request.session.items if not any(map(i.get_closest_marker, left_out))]
    else:
        quick = collected("--level", "quick", *{home(package).rstrip("/") for package in PACKAGES})
    assert [package for package in PACKAGES if not any(name.startswith(home(package)) for name in quick)] == []


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("level", "names"),
    [
        (["--level", "quick"], ["test_plain"]),
        (["--level", "test"], ["test_marked.example", "test_plain", "test_thorough"]),
        ([], ["test_marked.example", "test_plain", "test_thorough"]),
        (["--level", "all"], ["test_exhaustive", "test_marked.example", "test_plain", "test_thorough"]),
    ],
)
def test_what_a_level_runs(tmp_path, level, names):
    file = tmp_path / "test_marked.py"
    file.write_text(MARKED)
    for name in ("conftest.py", "pyproject.toml"):
        (tmp_path / name).write_text((ROOT / name).read_text(encoding="utf-8"))
    assert sorted(name.split("::")[1] for name in collected(*level, file, folder=tmp_path)) == names
