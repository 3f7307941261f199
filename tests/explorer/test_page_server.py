"""A page and its server: slow answers hold up nobody, closing the last page ends it, and its end is told."""

import time

import pytest

from helpers.exploring import SECONDS, served
from helpers.pages import check_numbers
from orderspn.explorer.answering import Answering
from orderspn.explorer.documents import Source
from orderspn.explorer.questions import Pair

pytestmark = pytest.mark.thorough
A, B, C, D, E = range(5)


class Slow(Answering):
    """Takes seconds for the effects of a pair."""

    def answer(self, question):
        if isinstance(question, Pair):
            time.sleep(3.0)
        return super().answer(question)


def test_a_slow_answer_holds_up_nobody(visit, posterior):
    with served(posterior, answering=Slow(posterior, Source("", ""))) as server:
        page = visit(server.url)
        page.click_pair(C, E)
        page.wait_for_selector("[data-panel=selected] :text('Being computed')")
        begin = time.perf_counter()
        page.press_state(C, E, "present")
        page.click_pair(A, B)
        page.press_state(A, B, "absent")
        assert time.perf_counter() - begin < 2.5
        assert page.given == "C -> E, A !-> B"
        assert page.locator(":text('Being computed')").count() == 1
        check_numbers(page, posterior)


def test_closing_the_last_page_ends_the_server(visit, posterior):
    with served(posterior, stays=False) as server:
        one, other = visit(server.url), visit(server.url)
        one.settle()
        one.page.close()
        other.reload()
        other.wait_for_selector(".graph svg .node")
        time.sleep(5.0)
        assert server.thread.is_alive()
        other.page.close()
        server.thread.join(SECONDS)
        assert not server.thread.is_alive()


def test_the_end_of_the_server_is_told(visit, posterior):
    with served(posterior) as server:
        page = visit(server.url)
        page.choose_state(A, B, "present")
        server.server.stop()
        server.thread.join(SECONDS)
        page.choose_state(C, E, "absent")
        assert "The explorer has ended" in page.problem
        assert page.evidence == ["A causes B"]
    refused = [text for text in page.complaints if "ERR_CONNECTION_REFUSED" in text]
    assert refused == page.complaints  # what the browser itself says about it
    page.complaints.clear()


def test_a_fault_is_told(visit, posterior, monkeypatch):
    answering = Answering(posterior, Source("", ""))
    with served(posterior, answering=answering) as server:
        page = visit(server.url)

        def fail(_):
            raise RuntimeError("inside")

        monkeypatch.setattr(answering, "_timed", fail)
        page.choose_state(A, B, "present")
        assert "a fault of orderspn itself" in page.problem
        assert page.evidence == []


def test_a_wrong_token(visit, server):
    page = visit(server.url.replace("token=", "token=x"), ready=False)
    assert "the address needs the token" in page.inner_text("body")
    page.complaints[:] = [text for text in page.complaints if "403" not in text]
