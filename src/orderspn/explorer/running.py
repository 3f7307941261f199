"""Running the server on this computer alone: a free port, a token, the browser, and an end when pages are closed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from orderspn.core.errors import InvalidValue, MissingExtra, UserError
from orderspn.explorer.visitors import Visitors

if TYPE_CHECKING:
    import uvicorn

    from orderspn.explorer.answering import Answering

LOOPBACK = "127.0.0.1"
"""The only address that is listened on: no other computer can reach it."""

SECONDS_BETWEEN_LOOKS = 0.5


def require_server() -> None:
    """Raise an error that names the extra if Starlette or uvicorn is not installed."""
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError as problem:
        raise MissingExtra(
            'the explorer needs Starlette and uvicorn: pip install "orderspn[explore]". '
            'posterior.to_html("report.html") makes a page without them.'
        ) from problem


@dataclass(frozen=True, eq=False)
class ExplorerServer:
    """A server that listens on a port of this computer, and has not begun to answer.

    Attributes
    ----------
    url : str
        The address of the page, with the token.
    """

    url: str
    _socket: socket.socket
    _server: uvicorn.Server
    _visitors: Visitors
    _stays: bool

    @classmethod
    def listening(
        cls, answering: Answering, title: str, *, port: int = 0, token: str | None = None, view: str = "", stays: bool
    ) -> ExplorerServer:
        """Listen on a port, or on a free one, with a token, or a random one.

        With `stays` the server goes on when the last page is closed.
        """
        require_server()
        import uvicorn

        from orderspn.explorer.server import make_app

        secret = secrets.token_urlsafe(24) if token is None else checked_token(token)
        listener = _listener(port)
        own_port = listener.getsockname()[1]
        visitors = Visitors()
        app = make_app(answering, visitors, title, secret, own_port)
        settings: dict[str, Any] = {"access_log": False, "log_level": "critical", "server_header": False}
        config = uvicorn.Config(app, lifespan="off", ws="none", timeout_graceful_shutdown=1, **settings)
        fragment = f"#{view.removeprefix('#')}" if view else ""
        url = f"http://{LOOPBACK}:{own_port}/?token={quote(secret, safe='')}{fragment}"
        return cls(url, listener, uvicorn.Server(config), visitors, stays)

    def run(self, opened: Callable[[str], object] | None = None) -> None:
        """Answer until all pages are closed, or until Ctrl-C; `opened` is called with the address once it answers."""
        with contextlib.suppress(KeyboardInterrupt):  # the usual way to end it
            asyncio.run(self._serve(opened))

    @contextlib.contextmanager
    def in_background(self) -> Iterator[str]:
        """Answer in another thread until the block ends; yields the address."""
        begun = threading.Event()
        thread = threading.Thread(target=self.run, args=(lambda _: begun.set(),), daemon=True)
        thread.start()
        begun.wait()
        try:
            yield self.url
        finally:
            self.stop()
            thread.join()

    def stop(self) -> None:
        """Let `run` end."""
        self._server.should_exit = True

    async def _serve(self, opened: Callable[[str], object] | None) -> None:
        watch = asyncio.create_task(self._watch(opened))
        try:
            await self._server.serve(sockets=[self._socket])
        finally:
            watch.cancel()
            self._socket.close()

    async def _watch(self, opened: Callable[[str], object] | None) -> None:
        """Call `opened` when the server answers, and end it when all pages are gone."""
        while not self._server.started:
            await asyncio.sleep(0.01)
        if opened is not None:  # a browser may take its time to start
            threading.Thread(target=opened, args=(self.url,), daemon=True).start()
        while self._stays or not self._visitors.are_gone():
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
        self.stop()


def open_browser(url: str) -> None:
    """Open the address in the user's browser, if there is one."""
    with contextlib.suppress(webbrowser.Error):
        webbrowser.open(url)


def checked_token(token: str) -> str:
    """Return a token of one's own, which must be hard to guess."""
    if len(token) < 16:
        raise InvalidValue(f"a token must have at least 16 characters, so that it cannot be guessed; got {len(token)}.")
    return token


def _listener(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name != "nt":  # there it would let another program take over the port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
        listener.listen()  # until then another program could bind the same port, too
    except (OSError, OverflowError) as problem:
        listener.close()
        raise UserError(f"cannot listen on port {port}: {problem}. Choose another one, or none.") from problem
    return listener
