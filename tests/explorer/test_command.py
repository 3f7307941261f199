"""`orderspn explore` and `report` as a user runs them: it begins, answers, and ends when it should."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from importlib.resources import files
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from click.testing import CliRunner

import orderspn as osp
from helpers.each import check_each
from helpers.exploring import SECONDS, unpacked
from orderspn.cli.main import main

ASIA = files("orderspn.data") / "tables" / "asia.csv"

pytestmark = pytest.mark.thorough  # every test starts a process


@pytest.fixture(scope="module")
def file(posterior, tmp_path_factory):
    path = tmp_path_factory.mktemp("posterior") / "it's mine.npz"
    posterior.save(path)
    return path


@contextmanager
def running(*arguments, code=None):
    """The command, once it has said where it answers."""
    program = ["-m", "orderspn"] if code is None else ["-c", code]
    process = subprocess.Popen(
        [sys.executable, *program, "explore", *map(str, arguments), "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        line = process.stdout.readline()
        found = re.fullmatch(r"Exploring at (http://127\.0\.0\.1:\d+/\?token=\S+)\n", line)
        assert found, line + process.stderr.read()
        ending = "" if "--stay" in arguments else ", or when its pages are closed"
        assert process.stdout.readline() == f"It ends with Ctrl-C{ending}.\n"
        yield process, found[1]
    finally:
        process.kill()
        process.communicate()


def ask(url, question, path="/ask"):
    parts = urlsplit(url)
    headers = {"x-orderspn-token": parse_qs(parts.query)["token"][0]}
    with closing(http.client.HTTPConnection(parts.netloc, timeout=2 * SECONDS)) as connection:
        connection.request("POST", path, json.dumps(question), headers)
        return connection.getresponse().read()


def command(*arguments, code=None):
    program = ["-m", "orderspn"] if code is None else ["-c", code]
    return subprocess.run(
        [sys.executable, *program, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=4 * SECONDS,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def mistake(*arguments):
    """Exit code and the only line of the error stream, of a command in this process."""
    done = CliRunner(catch_exceptions=False).invoke(main, list(map(str, arguments)))
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    return done.exit_code, done.stderr


def test_it_answers_and_ends_with_ctrl_c(file, posterior):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with running(file, "--given", "A -> B", "--port", port, "--token", "0123456789abcdef") as (process, url):
        assert url.startswith(f"http://127.0.0.1:{port}/?token=0123456789abcdef#")
        assert unquote(urlsplit(url).fragment) == "given=A -> B"
        found = json.loads(ask(url, {"question": "edges", "given": [["A", "->", "B"]]}))
        expected = posterior.edge_probabilities(given="A -> B").to_numpy()
        assert unpacked(found["edges"], 5).tobytes() == expected.tobytes()
        start = json.loads(ask(url, {"question": "start"}))
        assert start["title"] == "it's mine.npz"
        again = eval(start["expression"], {"osp": osp})
        assert again.edge_probabilities().equals(posterior.edge_probabilities())
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 0
    assert out == "The explorer has ended.\n"
    assert err == ""


SLOW = """
import sys, time
from orderspn.explorer.answering import Answering
from orderspn.explorer.questions import Whole
def wait(question):
    print("computing", file=sys.stderr, flush=True)
    time.sleep(600)
Answering._documents = property(lambda self: {Whole: wait})
from orderspn.cli.main import main
main(sys.argv[1:])
"""


def test_ctrl_c_during_a_slow_answer(file):
    with running(file, code=SLOW) as (process, url):
        parts = urlsplit(url)
        asking = http.client.HTTPConnection(parts.netloc, timeout=SECONDS)
        with closing(asking):
            headers = {"x-orderspn-token": parse_qs(parts.query)["token"][0]}
            asking.request("POST", "/ask", '{"question": "whole"}', headers)
            assert process.stderr.readline() == "computing\n"
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 0
    assert out.endswith("The explorer has ended.\n")
    assert err == ""


def test_it_ends_when_its_pages_are_closed_unless_it_stays(file):
    with running(file) as (ending, url), running(file, "--stay") as (staying, other):
        for address in (other, url):
            ask(address, {"page": "one"}, "/alive")
            ask(address, {"page": "one", "leaving": True}, "/alive")
        out, _ = ending.communicate(timeout=SECONDS)
        assert ending.returncode == 0
        assert out == "The explorer has ended.\n"
        time.sleep(1.0)  # its pages were closed before those of the other
        assert staying.poll() is None


def test_a_port_in_use(file):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, line = mistake("explore", file, "--no-browser", "--port", port)
    assert code == 2
    assert line.startswith(f"orderspn: error: cannot listen on port {port}: ")
    assert "Choose another one" in line


def test_a_table_is_learned_first(tmp_path):
    saved = tmp_path / "asia.npz"
    with running(ASIA, "--save", saved) as (_, url):
        start = json.loads(ask(url, {"question": "start"}))
    assert start["names"] == list(osp.load_asia().data.columns)
    assert unpacked(start["edges"], 8).tobytes() == osp.load(saved).edge_probabilities().to_numpy().tobytes()
    assert start["expression"] == f"osp.load({str(saved)!r})"


def test_mistakes_are_told_in_one_line(file, tmp_path):
    cases = {
        "impossible": (["explore", file, "--given", "A -> B, B -> A"], "cycle|impossible|A -> B"),
        "not there": (["explore", tmp_path / "none.npz"], "none.npz"),
        "a short token": (["explore", file, "--token", "short"], "at least 16 characters"),
        "saved already": (["explore", file, "--save", tmp_path / "x.npz"], "is a posterior already"),
        "few draws": (["report", file, "-o", tmp_path / "x.html", "--samples", "3"], "samples"),
    }

    def check(case):
        arguments, reason = case
        code, line = mistake(*arguments, *(["--no-browser"] if arguments[0] == "explore" else []))
        assert code == 2
        assert re.search(reason, line)

    check_each(check, cases)


WITHOUT = """
import sys
for name in ("uvicorn", "starlette", "anywidget"):
    sys.modules[name] = None
import orderspn as osp
if sys.argv[1] == "widget":
    try:
        osp.load(sys.argv[2]).explore(browser=False)
    except ImportError as problem:
        print(problem)
    try:
        osp.load(sys.argv[2]).explore(browser=True)
    except ImportError as problem:
        print(problem)
else:
    from orderspn.cli.main import main
    main(sys.argv[1:])
"""


def test_without_the_extra(file, tmp_path):
    done = command("explore", file, "--no-browser", code=WITHOUT)
    assert done.returncode == 2
    assert 'pip install "orderspn[explore]"' in done.stderr
    assert "to_html" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    done = command("widget", file, code=WITHOUT)
    assert done.returncode == 0, done.stderr
    assert [('"orderspn[explore]"' in line, "to_html" in line) for line in done.stdout.splitlines()] == [
        (True, True)
    ] * 2
    done = command("report", file, "-o", tmp_path / "report.html", "--samples", "100", code=WITHOUT)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "report.html").stat().st_size > 100_000


def test_a_report(file, tmp_path):
    done = command(
        "report", file, "-o", tmp_path / "r.html", "--given", "A -> B", "--title", "Mine", "--samples", "200"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, f"Saved to {tmp_path / 'r.html'}\n", "")
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<title>Mine</title>" in text
    start = json.loads(re.search(r'id="orderspn-data">(.*?)</script>', text)[1])["start"]
    assert start["evidence"] == "A -> B"
    assert unpacked(start["edges"], 5)[0, 1] == 1.0
