"""Who may talk to the server: only its own pages, and only about the posterior."""

import http.client
import json
import socket
import time

import pytest

from helpers.each import check_each
from helpers.exploring import SECONDS, served
from orderspn.explorer.answering import Answering
from orderspn.explorer.documents import Source
from orderspn.explorer.questions import LARGEST
from orderspn.explorer.running import checked_token

EDGES = json.dumps({"question": "edges"})


def check_refused(reply, status, reason):
    assert reply.status == status
    assert reply.document["error"]["kind"] == "refused"
    assert reason in reply.document["error"]["message"]
    assert b"Traceback" not in reply.body


class TestToken:
    def test_the_page_and_its_questions_are_answered(self, server):
        reply = server.request("GET", f"/?token={server.token}")
        assert reply.status == 200
        assert reply.headers["content-type"] == "text/html; charset=utf-8"
        assert b"data-orderspn" in reply.body
        assert server.ask({"question": "edges"}).document["log_probability"] == 0.0

    def test_wrong_or_misplaced(self, server):
        right, wrong = server.token, "x" * 32
        requests = {
            "a page without": ("GET", "/", {}),
            "a page with a wrong one": ("GET", f"/?token={wrong}", {}),
            "a page with half": ("GET", f"/?token={right[:-1]}", {}),
            "a page with more": ("GET", f"/?token={right}x", {}),
            "a page with letters beyond ASCII": ("GET", "/?token=%C3%A9%FF", {}),
            "a page with it in a header": ("GET", "/", {"x-orderspn-token": right}),
            "a page with it in a cookie": ("GET", "/", {"cookie": f"token={right}"}),
            "a question without": ("POST", "/ask", {}),
            "a question with a wrong one": ("POST", "/ask", {"x-orderspn-token": wrong}),
            "a question with letters beyond ASCII": ("POST", "/ask", {"x-orderspn-token": "é" * 32}),
            "a question with it in the address": ("POST", f"/ask?token={right}", {}),
            "a sign of life without": ("POST", "/alive", {}),
            "another method": ("PUT", f"/?token={right}", {}),
            "the head alone": ("HEAD", "/", {}),
        }

        def check(request):
            method, path, headers = request
            reply = server.request(method, path, None if method in ("GET", "HEAD") else EDGES, headers)
            assert reply.status == 403
            assert b"edges" not in reply.body
            if method != "HEAD":
                check_refused(reply, 403, "token")

        check_each(check, requests)

    def test_every_server_has_another(self, posterior, server):
        with served(posterior) as other:
            assert other.token != server.token
            assert len(other.token) >= 32
            assert other.ask({"question": "edges"}, {"x-orderspn-token": server.token}).status == 403

    def test_one_of_ones_own(self, posterior):
        token = "a word of my own & more = 7"
        with served(posterior, token=token) as own:
            assert own.token == token
            assert own.request("GET", own.url.split(str(own.port))[1]).status == 200
            assert own.ask({"question": "edges"}).status == 200

    def test_that_could_be_guessed(self):
        with pytest.raises(ValueError, match="at least 16 characters"):
            checked_token("x" * 15)
        assert checked_token("x" * 16)


class TestOtherSites:
    def test_another_host(self, server):
        """A name of another site that was made to lead here (DNS rebinding)."""

        def check(host):
            for method, path in (("GET", f"/?token={server.token}"), ("POST", "/ask")):
                reply = server.request(method, path, EDGES, {**server.headers, "host": host})
                check_refused(reply, 421, "own address")

        hosts = [f"evil.example:{server.port}", "evil.example", "127.0.0.1", f"127.0.0.1:{server.port + 1}"]
        hosts += [f"127.0.0.1.evil.example:{server.port}", f"0.0.0.0:{server.port}", ""]
        check_each(check, {host or "none": host for host in hosts})

    def test_own_names(self, server):
        for host in ("127.0.0.1", "localhost"):
            assert server.ask({"question": "edges"}, {"host": f"{host}:{server.port}"}).status == 200

    def test_another_origin(self, server):
        own = f"http://127.0.0.1:{server.port}"
        assert server.ask({"question": "edges"}, {"origin": own}).status == 200
        origins = [
            "http://evil.example",
            "null",
            f"https://127.0.0.1:{server.port}",
            "http://127.0.0.1:1",
            f"{own}.evil",
        ]

        def check(origin):
            check_refused(server.ask({"question": "edges"}, {"origin": origin}), 403, "other sites")

        check_each(check, {origin: origin for origin in origins})

    def test_requests_that_a_browser_says_come_from_elsewhere(self, server):
        for site in ("cross-site", "same-site", "nonsense"):
            check_refused(server.ask({"question": "edges"}, {"sec-fetch-site": site}), 403, "other sites")
        for site in ("same-origin", "none"):
            assert server.ask({"question": "edges"}, {"sec-fetch-site": site}).status == 200

    def test_no_site_is_invited(self, server):
        reply = server.request("OPTIONS", "/ask", headers={"origin": "http://evil.example"})
        assert reply.status == 403
        assert not [name for name in reply.headers if name.startswith("access-control")]


class TestPaths:
    def test_there_are_no_files(self, server):
        paths = [
            "/../../etc/passwd",
            "/%2e%2e/etc/passwd",
            "/..%2f..%2fetc/passwd",
            "/assets/explorer.js",
            "/etc/passwd",
            "//etc/passwd",
            "/ask/../../etc/passwd",
            "/favicon.ico",
            "/docs",
        ]

        def check(path):
            reply = server.request("GET", f"{path}?token={server.token}")
            assert reply.status == 404
            assert b"root:" not in reply.body
            assert len(reply.body) < 100

        check_each(check, {path: path for path in paths})

    def test_questions_are_posted(self, server):
        reply = server.request("GET", f"/ask?token={server.token}")
        assert reply.status == 405
        assert server.request("POST", "/", EDGES, server.headers).status == 405

    def test_a_graph_is_text_and_never_the_name_of_a_file(self, server, tmp_path):
        file = tmp_path / "secret.dot"
        file.write_text("digraph { A -> B; B -> C }")

        def check(graph):
            document = server.ask({"question": "judge", "graph": graph}).document
            text = json.dumps(document)
            assert "error" in document
            assert "root:" not in text
            assert "directed" not in document

        check_each(check, {"a known file": "/etc/passwd", "a graph": str(file), "as an address": f"file://{file}"})
        judged = server.ask({"question": "judge", "graph": file.read_text()}).document
        assert judged["directed"] == [["A", "B"], ["B", "C"]]


class TestHeaders:
    def test_every_response_has_them(self, server):
        replies = {
            "the page": server.request("GET", f"/?token={server.token}"),
            "an answer": server.ask({"question": "edges"}),
            "a mistake": server.ask({"question": "files"}),
            "refused": server.request("GET", "/"),
            "not there": server.request("GET", f"/x?token={server.token}"),
            "a sign": server.request("POST", "/alive", "{}", server.headers),
        }

        def check(reply):
            assert reply.headers["cache-control"] == "no-store"
            assert reply.headers["x-content-type-options"] == "nosniff"
            assert reply.headers["x-frame-options"] == "DENY"
            assert reply.headers["referrer-policy"] == "no-referrer"
            assert reply.headers["cross-origin-resource-policy"] == "same-origin"
            assert "server" not in reply.headers

        check_each(check, replies)

    def test_the_policy_of_the_page(self, server):
        policy = server.request("GET", f"/?token={server.token}").headers["content-security-policy"]
        parts = dict(part.split(" ", 1) for part in policy.split("; "))
        assert parts["default-src"] == "'none'"
        assert parts["script-src"].startswith("'sha256-")
        assert "unsafe" not in policy
        assert parts["connect-src"] == "'self'"
        assert parts["frame-ancestors"] == "'none'"
        assert parts["base-uri"] == parts["form-action"] == "'none'"


class TestSizes:
    def test_too_large_by_its_own_word(self, server):
        check_refused(server.request("POST", "/ask", b" " * (LARGEST + 1), server.headers), 413, "2,097,152 bytes")

    def test_sizes_that_are_no_numbers(self, server):
        for size in ("-1", "1e3", "9" * 5000):
            line = f"POST /ask HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nX-Orderspn-Token: {server.token}\r\n"
            reply = raw(server, f"{line}Content-Length: {size}\r\n\r\n{{}}".encode())
            assert reply.split(b" ")[1] in (b"400", b"413"), size
        assert server.ask({"question": "edges"}).status == 200

    def test_larger_than_it_said(self, server):
        """Without a length, in pieces: reading ends, and the server goes on."""
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
        pieces = (b" " * 2**16 for _ in range(LARGEST // 2**16 + 2))
        try:
            connection.request("POST", "/ask", pieces, server.headers, encode_chunked=True)
            assert connection.getresponse().status in (400, 413)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the server has hung up
        finally:
            connection.close()
        assert server.ask({"question": "edges"}).status == 200

    def test_a_small_question_in_pieces(self, server):
        reply = server.request(
            "POST", "/ask", iter([b'{"question":', b'"edges"}']), server.headers, encode_chunked=True
        )
        assert reply.document["log_probability"] == 0.0


def raw(server, content):
    """The first bytes of the response to what is not quite HTTP."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS) as connection:
        connection.sendall(content)
        return connection.recv(2**16)


class TestManners:
    def test_only_this_computer_is_listened_to(self, server):
        assert server.server._socket.getsockname()[0] == "127.0.0.1"
        with open("/proc/net/tcp") as table:
            rows = [line.split() for line in table][1:]
        listening = [row[1] for row in rows if row[3] == "0A" and row[1].endswith(f":{server.port:04X}")]
        assert listening == [f"0100007F:{server.port:04X}"]
        with open("/proc/net/tcp6") as table:
            assert f":{server.port:04X} " not in table.read()

    def test_a_page_that_stops_in_the_middle_holds_up_nobody(self, server):
        head = f"POST /ask HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nX-Orderspn-Token: {server.token}\r\n"
        with socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS) as half:
            half.sendall(f'{head}Content-Length: 500\r\n\r\n{{"question'.encode())
            begin = time.perf_counter()
            assert server.ask({"question": "edges"}).status == 200
            assert time.perf_counter() - begin < SECONDS / 2

    def test_what_is_no_http(self, server):
        assert b"400" in raw(server, b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03 not HTTP\r\n\r\n")
        assert server.ask({"question": "edges"}).status == 200

    def test_an_error_inside_is_not_told_to_pages(self, posterior, monkeypatch, caplog):
        answering = Answering(posterior, Source("", ""))

        def fail(_):
            raise RuntimeError("/home/somebody/secret.csv")

        monkeypatch.setattr(answering, "_timed", fail)
        with served(posterior, answering=answering) as broken:
            reply = broken.ask({"question": "whole"})
        assert reply.document["error"]["kind"] == "fault"
        for word in (b"secret", b"Traceback", b"RuntimeError"):
            assert word not in reply.body
        assert "secret.csv" in caplog.text

    def test_the_token_is_in_no_log(self, posterior, caplog, capfd):
        caplog.set_level("DEBUG")
        with served(posterior) as own:
            own.request("GET", f"/?token={own.token}")
            own.ask({"question": "edges"})
            own.request("GET", f"/?token={own.token}x")
            own.ask({"question": "edges"}, {"host": "evil.example"})
        written = capfd.readouterr()
        assert own.token not in caplog.text + written.out + written.err

    def test_signs_of_life_are_checked(self, server):
        def status(body):
            return server.request("POST", "/alive", body, server.headers).status

        assert status('{"page": "one"}') == 204
        assert status('{"page": "one", "leaving": true}') == 204
        assert {status(body) for body in ("", "{}", '{"page": ""}', '{"page": "x", "y": 1}', "\xff", "[]")} == {400}
        assert status(json.dumps({"page": "x" * 65})) == 400
