"""The source distribution contains what `make demo` and `make test` need."""

import tarfile
import warnings
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder

ROOT = Path(__file__).parents[1]
PAGES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]


@pytest.fixture(scope="module")
def members(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("dist"))
    with warnings.catch_warnings():
        # In a copy without .git, whose file for archives of git was not filled in.
        warnings.filterwarnings("ignore", "git archive did not support describe output")
        (archive,) = SdistBuilder(str(ROOT)).build(directory=folder, versions=["standard"])
    with tarfile.open(archive) as packed:
        return {Path(*Path(name).parts[1:]).as_posix() for name in packed.getnames()}


@pytest.mark.parametrize(
    "file",
    ["Makefile", "conftest.py", "constraints.txt", "pyproject.toml", *PAGES, "LICENSE"],
)
def test_files_at_the_top_are_there(members, file):
    assert file in members


@pytest.mark.parametrize("folder", ["src", "tests", "benchmarks", "docs"])
def test_every_source_is_there(members, folder):
    sources = {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*.py")}
    left_out = {path for path in sources - members if not path.startswith("docs/_build")}
    assert sources
    assert not left_out


def test_nothing_is_there_that_was_not_written(members):
    assert not [name for name in members if "__pycache__" in name or name.startswith((".venv", "dist", "demo-output"))]
