"""A server of the explorer in a thread, requests to it as anybody could send them, and what its answers say."""

import base64
import contextlib
import http.client
import json
import threading
import zlib
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

import numpy as np

from orderspn.explorer.answering import Answering
from orderspn.explorer.documents import Source
from orderspn.explorer.running import ExplorerServer

SECONDS = 30.0
"""How long a test waits for anything, on a machine that is busy with other tests."""


class Reply(NamedTuple):
    """A response of the server."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def document(self):
        return json.loads(self.body)


class Served(NamedTuple):
    """A server that answers."""

    url: str
    server: ExplorerServer
    thread: threading.Thread

    @property
    def port(self):
        return urlsplit(self.url).port

    @property
    def token(self):
        return parse_qs(urlsplit(self.url).query)["token"][0]

    @property
    def headers(self):
        """The headers of a page that the server has handed out."""
        return {"content-type": "application/json", "x-orderspn-token": self.token}

    def request(self, method, path, body=None, headers=None, **options):
        """Send a request; `headers` are all that it has besides those of HTTP itself."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        with contextlib.closing(connection):
            connection.request(method, path, body, headers or {}, **options)
            response = connection.getresponse()
            return Reply(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())

    def ask(self, question, headers=None):
        """Ask a question as a page does."""
        return self.request("POST", "/ask", json.dumps(question), {**self.headers, **(headers or {})})


@contextlib.contextmanager
def served(posterior, title="a posterior", *, source=None, answering=None, stays=True, **options):
    """Serve a posterior while a test runs."""
    answering = answering or Answering(posterior, source or Source(title, "posterior"))
    server = ExplorerServer.listening(answering, title, stays=stays, **options)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield Served(server.url, server, thread)
    finally:
        server.stop()
        thread.join(SECONDS)
        assert not thread.is_alive(), "the server does not end"


def unpacked(text, d):
    """A matrix of an answer."""
    return np.frombuffer(base64.b64decode(text), dtype="<f8").reshape(d, d)


def inflated(text, dtype, shape):
    """An array of the draws of a report."""
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=dtype).reshape(shape)


def asked(posterior, question, **fields):
    """The answer to one question, as a page would get it, by way of JSON in both directions."""
    import msgspec

    content = json.dumps({"question": question, **fields}).encode()
    return json.loads(msgspec.json.encode(Answering(posterior, Source("title", "posterior")).answer_text(content)))


def shown(p):
    """A probability as the page writes it."""
    if 0 < p < 0.0005:
        return "<0.001"
    if 0.9995 < p < 1:
        return ">0.999"
    return str(Decimal(float(p)).quantize(Decimal("0.001"), ROUND_HALF_UP))  # exactly, as JavaScript does


def shown_of_evidence(p):
    """The probability of evidence as the page writes it: small ones with a power of ten."""
    if p == 0 or p >= 0.0005:
        return shown(p)
    digits, power = f"{p:.1e}".split("e")
    return f"{digits} × 10^{int(power)}".replace("-", "−")
