"""Many questions at once: quick ones pass slow ones, too many are refused, and the server recovers."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from helpers.exploring import SECONDS, served
from orderspn.explorer.answering import Answering
from orderspn.explorer.documents import Source
from orderspn.explorer.server import MOST_WAITING

SLOW, QUICK = {"question": "whole"}, {"question": "edges"}


class Held(Answering):
    """Answers slow questions only when a test says so."""

    def __init__(self, posterior):
        super().__init__(posterior, Source("", ""))
        self.go_on, self.begun, self.asked = threading.Event(), threading.Event(), 0

    def answer(self, question):
        if type(question).__name__ == "Whole":
            self.asked += 1
            self.begun.set()
            assert self.go_on.wait(SECONDS)
        return super().answer(question)


@pytest.fixture
def held(posterior):
    answering = Held(posterior)
    with served(posterior, answering=answering) as server:
        yield answering, server
        answering.go_on.set()


def test_quick_questions_pass_slow_ones(held):
    answering, server = held
    with ThreadPoolExecutor(3) as pool:
        slow = [pool.submit(server.ask, SLOW) for _ in range(3)]
        assert answering.begun.wait(SECONDS)
        assert server.ask(QUICK).status == 200
        assert not any(future.done() for future in slow)
        answering.go_on.set()
        assert [future.result(SECONDS).status for future in slow] == [200] * 3


def test_too_many_are_refused_and_the_server_recovers(held):
    answering, server = held
    with ThreadPoolExecutor(MOST_WAITING + 16) as pool:
        waiting = [pool.submit(server.ask, SLOW) for _ in range(MOST_WAITING + 16)]
        begin = time.perf_counter()
        while sum(future.done() for future in waiting) < 16:
            assert time.perf_counter() - begin < SECONDS, "nobody is refused"
            time.sleep(0.01)
        refused = [future.result() for future in waiting if future.done()]
        assert {reply.status for reply in refused} == {503}
        assert refused[0].document["error"] == {"kind": "busy", "message": "too many questions at once."}
        answering.go_on.set()
        replies = [future.result(SECONDS).status for future in waiting]
    assert sorted(replies) == [200] * MOST_WAITING + [503] * 16
    assert server.ask(QUICK).status == 200


def test_who_has_left_is_not_answered(held):
    """A page that moved on while its question waited costs no computation."""
    import http.client
    import json

    answering, server = held
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(server.ask, SLOW)
        assert answering.begun.wait(SECONDS)
        for _ in range(5):
            gone = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
            gone.request("POST", "/ask", json.dumps(SLOW), server.headers)
            time.sleep(0.05)
            gone.close()
        time.sleep(0.3)
        answering.go_on.set()
        assert first.result(SECONDS).status == 200
    assert server.ask(SLOW).status == 200
    assert answering.asked == 2
