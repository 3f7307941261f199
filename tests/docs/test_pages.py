"""The code of every page runs, in order and without Sphinx, and finds what the page says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)


def cells(page):
    """Code of a page, cell by cell, without the options of cells."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return [re.sub(r"\A(:[^\n]*\n)+\n*", "", code) for code in CELL.findall(text)]


PAGES = sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md") if "{code-cell}" in path.read_text("utf-8"))


def run(cell, namespace, page):
    if cell.startswith("%%bash\n"):
        path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
        subprocess.run(["bash", "-ec", cell.partition("\n")[2]], check=True, env={**os.environ, "PATH": path})
        return
    code = re.sub(r"^%.*$", "", cell, flags=re.MULTILINE)
    exec(compile(code, page, "exec"), namespace)


@pytest.mark.parametrize("page", PAGES)
def test_page_runs(page, monkeypatch, tmp_path):
    import matplotlib

    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "page"}
    for cell in cells(page):
        run(cell, namespace, page)
