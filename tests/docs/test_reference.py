"""The reference has every public name, and nothing that is not there."""

import importlib
import re
from pathlib import Path

import pytest

import orderspn as osp

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
ENTRY = re.compile(r"^\.\. (?:auto\w+|py:data):: (orderspn[\w.]*)$", re.MULTILINE)
MODULES = [name for name in osp.__all__ if hasattr(getattr(osp, name), "__all__")]


def entries():
    return [name for page in sorted(REFERENCE.glob("*.md")) for name in ENTRY.findall(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("module", ["", *MODULES])
def test_every_public_name_is_there(module):
    home = getattr(osp, module) if module else osp
    prefix = f"orderspn.{module}." if module else "orderspn."
    public = {prefix + name for name in home.__all__ if name not in MODULES}
    assert public - set(entries()) == set()


@pytest.mark.parametrize("module", MODULES)
def test_every_module_has_a_page(module):
    assert f".. currentmodule:: orderspn.{module}\n" in (REFERENCE / f"{module}.md").read_text(encoding="utf-8")


def test_every_entry_is_there_once_and_exists():
    listed = entries()
    assert len(listed) == len(set(listed))
    for entry in listed:
        home, _, name = entry.rpartition(".")
        assert hasattr(importlib.import_module(home), name), entry


def test_every_page_is_in_a_tree():
    """A page that no tree names cannot be found."""
    docs = REFERENCE.parent
    named = set()
    for page in docs.rglob("*.md"):
        for tree in re.findall(
            r"^```\{toctree\}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
        ):
            lines = [line for line in tree.splitlines() if line and not line.startswith(":")]
            named |= {(page.parent / line).relative_to(docs).as_posix() + ".md" for line in lines}
    pages = {page.relative_to(docs).as_posix() for page in docs.rglob("*.md") if "_build" not in page.parts}
    assert pages - named == {"index.md"}


def test_every_file_with_kernels_is_on_their_page():
    page = (REFERENCE.parent / "kernels.md").read_text(encoding="utf-8")
    source = Path(osp.__file__).parent
    files = [path for path in source.rglob("*.py") if "\n@kernel" in path.read_text(encoding="utf-8")]
    assert files
    missing = [path.name for path in files if not re.search(rf"`[^`\n]*\b{path.stem}\b[^`\n]*`", page)]
    assert not missing
