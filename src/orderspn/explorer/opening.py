"""Opening the explorer where the user is: as a widget in a notebook, or in the browser."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from orderspn.core.errors import MissingExtra
from orderspn.display.notices import tell
from orderspn.display.screen import in_notebook
from orderspn.explorer.answering import Answering
from orderspn.explorer.documents import Source

if TYPE_CHECKING:
    from orderspn.posterior import Posterior

SOURCE = Source("posterior", "posterior")
"""A posterior that a user has as a Python object."""


def explore(posterior: Posterior, given: str, height: int, browser: bool | None) -> Any:
    """Return a widget in a notebook; else open the browser, and wait until its pages are closed."""
    if browser is None:
        browser = not (in_notebook() or in_marimo())
    return in_browser(posterior, SOURCE, given) if browser else in_cell(posterior, given, height)


def in_cell(posterior: Posterior, given: str, height: int) -> Any:
    """Return a widget; without anywidget, the page with its draws."""
    try:
        from orderspn.explorer.widget import ExplorerWidget
    except ModuleNotFoundError as problem:
        raise MissingExtra(
            'the explorer in a notebook needs anywidget: pip install "orderspn[explore]". '
            'posterior.to_html("report.html") makes a page without it.'
        ) from problem
    return ExplorerWidget(posterior, SOURCE, given=given, height=height)


def in_browser(posterior: Posterior, source: Source, given: str = "") -> None:
    """Open the page in the browser, and answer it until it is closed."""
    from urllib.parse import quote

    from orderspn.explorer.running import ExplorerServer, open_browser

    view = f"given={quote(given)}" if given else ""
    server = ExplorerServer.listening(Answering(posterior, source), source.title, view=view, stays=False)
    tell(f"exploring at {server.url} until its pages are closed, or Ctrl-C.")
    server.run(open_browser)


def in_marimo() -> bool:
    """Whether this runs in a notebook of marimo."""
    marimo = sys.modules.get("marimo")
    return marimo is not None and bool(marimo.running_in_notebook())
