"""The version comes from the tags of git, and is known wherever the package is."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager
from packaging.version import Version

import orderspn as osp

ROOT = Path(__file__).parents[1]


def test_it_is_that_of_the_installed_package():
    assert osp.__version__ == importlib.metadata.version("orderspn")
    assert Version(osp.__version__) >= Version("0.1.0.dev0")


def test_a_folder_that_was_never_installed_says_so(tmp_path):
    shutil.copytree(Path(osp.__file__).parent, tmp_path / "orderspn", ignore=shutil.ignore_patterns("__pycache__"))
    code = "import orderspn; print(orderspn.__version__)"
    without_packages = [sys.executable, "-S", "-c", code]
    done = subprocess.run(without_packages, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "0+unknown\n"


def test_import_does_not_look_it_up():
    code = "import sys, orderspn; print('importlib.metadata' in sys.modules)"
    # Without site: an editable install may have loaded it before.
    environment = {**os.environ, "PYTHONPATH": str(Path(osp.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with only what a version depends on."""
    for name in ("pyproject.toml", "README.md", "LICENSE", ".gitattributes", ".git_archival.txt"):
        shutil.copy(ROOT / name, tmp_path)
    for variable in [name for name in os.environ if name.startswith(("GIT_", "SETUPTOOLS_SCM_"))]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    return tmp_path


def version_of(folder):
    """The version of a package that would be built there."""
    return ProjectMetadata(str(folder), PluginManager()).version


@pytest.mark.filterwarnings("ignore:git archive did not support describe output")
def test_without_git_it_is_the_first_one_in_development(project):
    assert version_of(project) == "0.1.0.dev0"


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
class TestWithGit:
    @pytest.fixture
    def git(self, project):
        def run(*arguments):
            identity = ["-c", "user.name=Someone", "-c", "user.email=someone@example.org", "-c", "commit.gpgsign=false"]
            subprocess.run(["git", *identity, *arguments], cwd=project, check=True, capture_output=True)

        run("init", "--quiet")
        run("add", ".")
        run("commit", "--message", "one")
        run("commit", "--allow-empty", "--message", "two")
        return run

    def test_without_a_tag_it_counts_commits(self, git, project):
        assert re.fullmatch(r"0\.1\.0\.dev2\+g[0-9a-f]+", version_of(project))

    def test_it_is_the_tag(self, git, project):
        git("tag", "v0.3.0")
        assert version_of(project) == "0.3.0"

    @pytest.mark.parametrize(("tag", "version"), [(None, "0.1.0.dev0"), ("v0.3.0", "0.3.0")])
    def test_archives_of_git_know_it(self, git, project, tag, version):
        if tag:
            git("tag", tag)
        git("archive", "--prefix=archive/", "--output=archive.tar", "HEAD")
        shutil.unpack_archive(project / "archive.tar", project)
        shutil.rmtree(project / ".git")
        assert version_of(project / "archive") == version

    def test_after_a_tag_it_is_the_next_one_in_development(self, git, project):
        git("tag", "v0.3.0")
        git("commit", "--allow-empty", "--message", "three")
        assert re.fullmatch(r"0\.3\.1\.dev1\+g[0-9a-f]+", version_of(project))
