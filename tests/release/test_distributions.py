"""What is in the wheel and in the sdist."""

import email
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from helpers.clean_room import ROOT, build

pytestmark = pytest.mark.exhaustive

MADE_BY_RUNNING = {".pyc", ".nbi", ".nbc"}


def members(wheel):
    """Names of files in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


def about(wheel):
    """The metadata of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return email.message_from_bytes(archive.read(name))


def test_the_wheel_has_the_package_and_nothing_else(wheel):
    source = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "orderspn").rglob("*")
        if path.is_file() and path.suffix not in MADE_BY_RUNNING
    }
    assert {name for name in members(wheel) if ".dist-info/" not in name} == source
    assert "orderspn/py.typed" in source
    assert {f"orderspn/data/tables/{name}" for name in ("asia.csv", "penguins.csv", "sachs_all.csv.gz")} <= source
    assert "orderspn/simulate/networks/ecoli70.json" in source


def test_the_wheel_tells_what_the_project_says(wheel):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    told = about(wheel)
    assert wheel.name == f"orderspn-{told['Version']}-py3-none-any.whl"
    required = {Requirement(text) for text in told.get_all("Requires-Dist")}
    assert {r for r in required if r.marker is None} == {Requirement(text) for text in project["dependencies"]}
    assert set(told.get_all("Provides-Extra")) == set(project["optional-dependencies"])
    assert {line.split(",")[0] for line in told.get_all("Project-URL")} == set(project["urls"])
    assert told["Requires-Python"] == project["requires-python"]
    with zipfile.ZipFile(wheel) as archive:
        (scripts,) = [archive.read(name) for name in archive.namelist() if name.endswith("/entry_points.txt")]
    assert b"orderspn = orderspn.cli.main:main" in scripts


@pytest.mark.parametrize("source", ["sdist", "checkout"])
def test_a_wheel_of_the_unpacked_sdist_or_of_the_checkout_is_the_same(wheel, sdist, tmp_path, source):
    folder = ROOT
    if source == "sdist":
        with tarfile.open(sdist) as archive:
            archive.extractall(tmp_path / "unpacked", filter="data")
        (folder,) = (tmp_path / "unpacked").iterdir()
        assert folder.name == f"orderspn-{about(wheel)['Version']}"
    (again,) = build(folder, tmp_path / "dist", "--wheel")
    assert again.name == wheel.name
    assert members(again) == members(wheel)
    with zipfile.ZipFile(again) as one, zipfile.ZipFile(wheel) as other:
        for name in sorted(members(wheel)):
            assert one.read(name) == other.read(name), name


def test_the_sdist_knows_its_version_without_git(sdist, wheel):
    with tarfile.open(sdist) as archive:
        (text,) = [archive.extractfile(name).read() for name in archive.getnames() if Path(name).name == "PKG-INFO"]
    assert email.message_from_bytes(text)["Version"] == about(wheel)["Version"]
