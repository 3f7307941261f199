"""The page as one HTML file: the program of the browser and its data inside, and nothing fetched from elsewhere."""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import msgspec

PROGRAM = "explorer.js"
"""The program of the browser, built from `web/` by `make explorer`."""


@cache
def program() -> str:
    """Return the program of the browser: a module of JavaScript that needs no other file."""
    return resources.files("orderspn.explorer").joinpath("assets", PROGRAM).read_text(encoding="utf-8")


def page(title: str, data: Mapping[str, Any] | None = None) -> str:
    """Return the page as HTML.

    Parameters
    ----------
    title : str
    data : mapping, optional
        What a page without a server answers from; without it, the page asks the server that it came from.

    Returns
    -------
    str
        The page's own policy forbids it to load anything, or to run any other program than the one inside.
    """
    block = "" if data is None else f'<script type="application/json" id="orderspn-data">{_json(data)}</script>\n'
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy(served=data is None))}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<link rel="icon" href="data:,">\n'
        f"<title>{html.escape(title)}</title>\n</head>\n<body data-orderspn>\n"
        "<noscript>This page needs JavaScript. It loads nothing from elsewhere.</noscript>\n"
        f'{block}<script type="module">{_inline()}</script>\n</body>\n</html>\n'
    )


def policy(served: bool) -> str:
    """Return the content security policy: one program by its digest, and connections only to the own server."""
    digest = base64.b64encode(hashlib.sha256(_inline().encode()).digest()).decode("ascii")
    allowed = {
        "default-src": "'none'",
        "script-src": f"'sha256-{digest}'",
        "style-src": "'none'",
        "img-src": "data: blob:",
        "connect-src": "'self'" if served else "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in allowed.items())


def _inline() -> str:
    """Return the program as it stands within the page."""
    return f"{program()}\n"


def _json(data: Mapping[str, Any]) -> str:
    """Return JSON in which no name can end the element that it stands in, or begin a comment."""
    return msgspec.json.encode(data).decode("utf-8").replace("&", "\\u0026").replace("<", "\\u003c")
