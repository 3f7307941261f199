"""What a release relies on: notes from the changelog, pinned actions, one version of each tool."""

import importlib.util
import re

import pytest

from helpers.clean_room import ROOT

SCRIPT = ROOT / ".github" / "release_notes.py"
PAGE = """# Changelog

## [Unreleased]

## [0.2.0] - 2030-01-02

### Fixed

- Two.

## [0.1.0]

- One.

[0.2.0]: https://example.org/2
[0.1.0]: https://example.org/1
"""


@pytest.fixture(scope="module")
def notes():
    spec = importlib.util.spec_from_file_location("release_notes", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.notes


def test_they_are_the_section_of_the_version(notes):
    assert notes(PAGE, "v0.2.0") == "### Fixed\n\n- Two."
    assert notes(PAGE, "0.1.0") == "- One."


@pytest.mark.parametrize("version", ["v0.3.0", "v0.2", "Unreleased", "v0x1x0"])
def test_a_version_without_notes_is_not_released(notes, version):
    with pytest.raises(SystemExit, match=r"CHANGELOG\.md"):
        notes(PAGE, version)


def test_the_changelog_has_notes_for_the_first_release(notes):
    text = notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), "v0.1.0")
    assert text.count("\n- ") > 20
    assert "https://github.com/orderspn/orderspn/compare" not in text


def test_every_formatter_is_the_same_version():
    """Otherwise they would undo what the other has done."""
    (wanted,) = re.findall(r"^ruff==(\S+)$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert set(re.findall(r"ruff==([\d.]+)", hooks)) == {wanted}


def test_actions_are_pinned_by_commit():
    """A tag can be moved to other code."""
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    used = [line for file in workflows for line in re.findall(r"uses: (.*)", file.read_text(encoding="utf-8"))]
    assert len(used) > 10
    assert [line for line in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)] == []
    assert len({line.partition("@")[0] for line in used}) == len(set(used))  # one version of each
