"""Pictures of the explorer for README and pages, taken from the real thing in a browser: `make pictures`."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orderspn as osp
from orderspn.explorer.answering import Answering
from orderspn.explorer.documents import Source
from orderspn.explorer.running import ExplorerServer

HERE = Path(__file__).parent
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def explored(posterior: osp.Posterior, title: str) -> Iterator[str]:
    """Serve a posterior, and yield the address of its page."""
    server = ExplorerServer.listening(Answering(posterior, Source(title, f"osp.load({title!r})")), title, stays=True)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server.url
    finally:
        server.stop()
        thread.join()


def opened(browser: Any, url: str, **settings: Any) -> Any:
    """Open a page and wait until its graph is there."""
    page = browser.new_page(device_scale_factor=1.5, **settings)
    page.goto(url)
    page.locator(".node").first.wait_for()
    return page


def clicked(page: Any, posterior: osp.Posterior, cause: str, effect: str) -> None:
    """Choose an edge in the graph, and say that it is present."""
    places = sorted(posterior.variables.index(name) for name in (cause, effect))
    page.locator(f'[data-pair="{places[0]},{places[1]}"] .hit').dispatch_event("click")
    own = page.locator(f'[data-edge="{posterior.variables.index(cause)},{posterior.variables.index(effect)}"]')
    if not own.count():
        page.locator(f'[data-pair="{places[0]},{places[1]}"] .hit').dispatch_event("click")
    own.locator("[data-state=present]").click()
    page.locator(".evidence-probability").wait_for()


def settled(page: Any) -> None:
    """Wait until no answer is awaited."""
    page.wait_for_function("() => !document.querySelector('#orderspn').shadowRoot.querySelector('[aria-busy=true]')")


def take(browser: Any) -> None:
    """Take all pictures."""
    proteins = osp.learn(osp.load_sachs(log=True).data)
    wide = {"viewport": {"width": 1280, "height": 800}}
    with explored(proteins, "proteins.npz") as url:
        for name, scheme in (("explorer", "light"), ("explorer-dark", "dark")):
            page = opened(browser, url, color_scheme=scheme, **wide)
            clicked(page, proteins, "Erk", "Akt")
            page.locator("[data-tab=moved]").click()
            settled(page)
            page.screenshot(path=HERE / f"{name}.png")
            page.close()
        page = opened(browser, url, viewport={"width": 400, "height": 820})
        clicked(page, proteins, "Erk", "Akt")
        settled(page)
        page.evaluate("() => window.scrollTo(0, 0)")
        page.screenshot(path=HERE / "explorer-phone.png")
        page.close()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "proteins.html"
        proteins.to_html(report)
        page = opened(browser, report.as_uri(), **wide)
        clicked(page, proteins, "PIP2", "PIP3")
        page.locator("[data-tab=heat]").click()
        settled(page)
        page.screenshot(path=HERE / "explorer-report.png")
        page.close()


def main() -> None:
    """Take the pictures with the Chromium of this system."""
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if found is None:
        raise SystemExit("The pictures need Chromium; install it with the packages of your system.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        take(browser)
        browser.close()


if __name__ == "__main__":
    main()
