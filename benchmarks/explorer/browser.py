"""A posterior in a real browser: Chromium of this system, driven by Playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from orderspn.explorer.answering import Answering
from orderspn.explorer.documents import Source
from orderspn.explorer.running import ExplorerServer

if TYPE_CHECKING:
    import orderspn as osp

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
SLOWEST = 300_000
"""Milliseconds after which an answer is given up."""

QUIET = ("--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync")


@contextmanager
def chromium() -> Iterator[Any]:
    """Start the browser."""
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if found is None:
        raise SystemExit("This needs Chromium; install it with the packages of your system.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(QUIET))
        yield browser
        browser.close()


@contextmanager
def explored(posterior: osp.Posterior, title: str) -> Iterator[tuple[str, Answering]]:
    """Serve a posterior, and yield the address of its page, and what answers it."""
    answering = Answering(posterior, Source(title, f"osp.load({title!r})"))
    with ExplorerServer.listening(answering, title, stays=True).in_background() as url:
        yield url, answering


def opened(browser: Any, url: str, **settings: Any) -> Any:
    """Open a page and wait until its graph is there."""
    page = browser.new_page(**settings)
    page.goto(url)
    page.locator(".node").first.wait_for()
    return page


def choose_edge(page: Any, posterior: osp.Posterior, cause: str, effect: str) -> Any:
    """Choose an edge in the graph, and return its part of the panel."""
    a, b = (posterior.variables.index(name) for name in (cause, effect))
    page.locator(f'[data-pair="{min(a, b)},{max(a, b)}"] .hit').dispatch_event("click")
    return page.locator(f'[data-edge="{a},{b}"]')


def settled(page: Any) -> None:
    """Wait until no answer is awaited."""
    busy = "document.querySelector('#orderspn').shadowRoot.querySelector('[aria-busy=true]')"
    page.wait_for_function(f"() => !{busy}", timeout=SLOWEST)


def idle(page: Any, answering: Answering) -> None:
    """Wait until nothing is computed, not even an answer that the page no longer awaits."""
    settled(page)
    while answering.is_busy:
        page.wait_for_timeout(20)
