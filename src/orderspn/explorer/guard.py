"""Who may talk to the server: only pages that it has handed out itself, with its token, on this computer.

A page of another site can make a browser send requests to any address, also to this server; and a name that first led
elsewhere can be made to lead here (DNS rebinding). Such requests have another `Host` or `Origin`, and none has the
token.
"""

from __future__ import annotations

import hmac
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orderspn.explorer.questions import LARGEST

TOKEN_HEADER = "x-orderspn-token"
HOSTS = ("127.0.0.1", "localhost", "[::1]")

HEADERS = {
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
"""Headers of every response."""


class Guard:
    """Refuses requests that do not come from a page of this server, and those that are too large."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app = app
        self._token = token
        self._hosts = {f"{host}:{port}" for host in HOSTS}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope, Headers(scope=scope))
        if refusal is not None:
            status, reason = refusal
            response = JSONResponse({"error": {"kind": "refused", "message": reason}}, status)
            await response(scope, receive, _with_headers(send))
            return
        await self._app(scope, _bounded(receive), _with_headers(send))

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        """Return the status and the reason of a refusal; None for a request that may pass."""
        if headers.get("host", "") not in self._hosts:
            return 421, "this server answers only to its own address on this computer."
        origin = headers.get("origin")
        if origin is not None and origin.removeprefix("http://") not in self._hosts:
            return 403, "requests of other sites are refused."
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return 403, "requests of other sites are refused."
        if not hmac.compare_digest(_token(scope, headers).encode(), self._token.encode()):
            return 403, "the address needs the token that was printed when the explorer began."
        if _declared_size(headers) > LARGEST:
            return 413, f"a question must have at most {LARGEST:,} bytes."
        return None


def _token(scope: Scope, headers: Headers) -> str:
    """Return the token of a request: of the address for the page itself, of a header for all others.

    A header cannot be set by a form or a picture of another site.
    """
    if scope["method"] == "GET":
        return (parse_qs(scope["query_string"].decode("latin-1")).get("token") or [""])[0]
    return headers.get(TOKEN_HEADER, "")


def _declared_size(headers: Headers) -> int:
    text = headers.get("content-length", "0")
    return int(text) if text.isdecimal() else LARGEST + 1


def _bounded(receive: Receive) -> Receive:
    """Stop reading a request that is larger than it said."""
    read = 0

    async def bounded() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > LARGEST:
            return {"type": "http.disconnect"}
        return message

    return bounded


def _with_headers(send: Send) -> Send:
    own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]

    async def sending(message: Any) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *own]}
        await send(message)

    return sending
