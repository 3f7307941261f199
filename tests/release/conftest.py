"""The distributions that a release would publish."""

import os
from pathlib import Path

import pytest

from helpers.clean_room import ROOT, build


@pytest.fixture(scope="session")
def dist(tmp_path_factory):
    """The wheel and the sdist: those of the folder ORDERSPN_DIST if it is set, otherwise built now."""
    given = os.environ.get("ORDERSPN_DIST")
    files = sorted(Path(given).resolve().iterdir()) if given else build(ROOT, tmp_path_factory.mktemp("dist"))
    assert len(files) == 2, files
    return files


@pytest.fixture(scope="session")
def wheel(dist):
    (found,) = [file for file in dist if file.suffix == ".whl"]
    return found


@pytest.fixture(scope="session")
def sdist(dist):
    (found,) = [file for file in dist if file.name.endswith(".tar.gz")]
    return found
