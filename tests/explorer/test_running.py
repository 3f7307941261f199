"""The server before it answers: its port is its own, and its address is whole."""

import socket
from urllib.parse import parse_qs, urlsplit

import pytest

from orderspn.core.errors import UserError
from orderspn.explorer.answering import Answering
from orderspn.explorer.documents import Source
from orderspn.explorer.running import ExplorerServer, open_browser


@pytest.fixture
def listening(posterior):
    """Servers that listen, and are closed at the end."""
    servers = []

    def listen(**options):
        server = ExplorerServer.listening(Answering(posterior, Source("", "")), "title", stays=True, **options)
        servers.append(server)
        return server

    yield listen
    for server in servers:
        server._socket.close()


def test_its_port_is_its_own_before_it_answers(listening):
    port = urlsplit(listening().url).port
    with pytest.raises(UserError, match=f"cannot listen on port {port}: .*in use.* Choose another one"):
        listening(port=port)
    with socket.create_connection(("127.0.0.1", port), timeout=5):
        pass  # a browser that is quicker than the server waits for its turn


def test_the_address_has_the_token_and_the_view(listening):
    parts = urlsplit(listening(token="a & b = c # d / e?", view="given=A%20-%3E%20B").url)
    assert parts.hostname == "127.0.0.1"
    assert parse_qs(parts.query) == {"token": ["a & b = c # d / e?"]}
    assert parts.fragment == "given=A%20-%3E%20B"
    assert urlsplit(listening().url).fragment == ""


def test_the_browser_is_opened_once_it_answers(listening, monkeypatch):
    import threading

    opened, server = threading.Event(), listening()
    seen = []

    def browse(url):
        seen.append(url)
        opened.set()
        server.stop()

    thread = threading.Thread(target=server.run, args=(browse,))
    thread.start()
    thread.join(30)
    assert opened.is_set()
    assert seen == [server.url]
    monkeypatch.setattr("webbrowser.open", _no_browser)
    open_browser(server.url)  # where there is none, the printed address must do


def _no_browser(_):
    import webbrowser

    raise webbrowser.Error("no browser")
