"""Pictures of the explorer for README and pages, taken from the real thing in a browser.

make pictures
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import orderspn as osp
from benchmarks.explorer.browser import choose_edge, chromium, explored, opened, settled

DOCS = Path(__file__).parents[2] / "docs"
WIDE = {"viewport": {"width": 1280, "height": 800}, "device_scale_factor": 1.5}
NARROW = {"viewport": {"width": 400, "height": 820}, "device_scale_factor": 1.5}


def main() -> None:
    """Take all pictures."""
    proteins = osp.learn(osp.load_sachs(log=True).data)
    with chromium() as browser, explored(proteins, "proteins.npz") as (url, _):
        for name, scheme in (("explorer", "light"), ("explorer-dark", "dark")):
            page = opened(browser, url, color_scheme=scheme, **WIDE)
            _take(page, proteins, ("Erk", "Akt"), "moved", name)
        page = opened(browser, url, **NARROW)
        _take(page, proteins, ("Erk", "Akt"), "table", "explorer-phone")
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "proteins.html"
            proteins.to_html(report)
            page = opened(browser, report.as_uri(), **WIDE)
            _take(page, proteins, ("PIP2", "PIP3"), "heat", "explorer-report")


def _take(page: Any, posterior: osp.Posterior, edge: tuple[str, str], drawer: str, name: str) -> None:
    """Say that an edge is present, and take a picture of the page."""
    choose_edge(page, posterior, *edge).locator("[data-state=present]").click()
    page.locator(".evidence-probability").wait_for()
    page.locator(f"[data-tab={drawer}]").click()
    settled(page)
    page.evaluate("() => window.scrollTo(0, 0)")
    page.screenshot(path=DOCS / f"{name}.png")
    page.close()


if __name__ == "__main__":
    main()
