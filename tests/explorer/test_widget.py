"""The explorer in a notebook: the kernel answers, evidence goes both ways, and a page stands in for it elsewhere."""

import html
import json
import re

import numpy as np
import pytest

import orderspn as osp
from helpers.exploring import unpacked


@pytest.fixture
def widget(posterior):
    return posterior.explore(browser=False)


def answers_to(widget, monkeypatch, *contents):
    """What the kernel sends when a page sends messages."""
    sent = []
    monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append(content))
    for content in contents:
        widget._handle_custom_msg(content, [])
    return sent


def test_questions_are_answered(widget, posterior, monkeypatch):
    ask = json.dumps({"question": "edges", "given": [["A", "->", "B"]]})
    (reply,) = answers_to(widget, monkeypatch, {"id": "7", "ask": ask})
    assert reply["id"] == "7"
    expected = posterior.edge_probabilities(given="A -> B").to_numpy()
    assert unpacked(reply["answer"]["edges"], 5).tobytes() == expected.tobytes()


def test_mistakes_are_answered_too(widget, monkeypatch):
    impossible = json.dumps({"question": "edges", "given": [["A", "->", "B"], ["B", "->", "A"]]})
    replies = answers_to(widget, monkeypatch, {"id": "1", "ask": impossible}, {"id": "2", "ask": "no JSON"})
    assert [reply["answer"]["error"]["kind"] for reply in replies] == ["impossible", "invalid"]


def test_a_fault_does_not_leave_the_page_waiting(widget, monkeypatch):
    def fail(_):
        raise RuntimeError("inside")

    monkeypatch.setattr(widget._answering, "_timed", fail)
    (reply,) = answers_to(widget, monkeypatch, {"id": "1", "ask": '{"question": "whole"}'})
    assert reply["answer"]["error"]["kind"] == "fault"


def test_other_messages_are_left_alone(widget, monkeypatch):
    others = [None, "ask", {}, {"id": "1"}, {"id": "1", "ask": {"question": "edges"}}, {"id": "1", "ask": b"{}"}]
    assert answers_to(widget, monkeypatch, *others) == []


def test_evidence_goes_both_ways(posterior):
    widget = posterior.explore("A -> B", browser=False)
    assert widget.given == "A -> B"
    np.testing.assert_array_equal(widget.posterior.edge_probabilities(), posterior.given("A -> B").edge_probabilities())
    widget.given = "C < A"
    assert widget.posterior.evidence == osp.Edges.parse("C < A")
    widget.given = ""
    assert widget.posterior is posterior


def test_mistakes_are_told_before_the_page(posterior):
    with pytest.raises(osp.ImpossibleEvidence):
        posterior.explore("A -> B, B -> A", browser=False)
    with pytest.raises(ValueError, match="height must be"):
        posterior.explore(browser=False, height=10)
    assert posterior.explore(browser=False, height=300).height == 300


def test_what_shows_no_widgets_gets_the_page(posterior):
    widget = posterior.explore(browser=False, height=500)
    bundle = widget._repr_mimebundle_()
    shown = bundle[0] if isinstance(bundle, tuple) else bundle
    assert "application/vnd.jupyter.widget-view+json" in shown
    frame = re.fullmatch(
        r'<iframe srcdoc="([^"]*)" sandbox="([^"]*)" style="[^"]*height: 500px[^"]*"></iframe>', shown["text/html"]
    )
    assert frame
    assert "allow-same-origin" not in frame[2]  # the page within cannot reach the notebook around it
    text = html.unescape(frame[1])
    assert text.startswith("<!doctype html>")
    block = re.search(r'id="orderspn-data">(.*?)</script>', text)[1]
    assert json.loads(block)["draws"]["n"] == 1000


def test_its_state_is_json(widget):
    state = widget.get_state()
    json.dumps({key: state[key] for key in ("data", "given", "view", "height")}, allow_nan=False)
    assert state["data"]["start"]["names"] == list("ABCDE")


def test_in_a_notebook_it_is_a_widget_elsewhere_the_browser(posterior, monkeypatch):
    from orderspn.explorer import opening

    opened = []
    monkeypatch.setattr(opening, "in_browser", lambda *arguments: opened.append(arguments))
    assert posterior.explore("A -> B") is None
    assert [entry[2] for entry in opened] == ["A -> B"]
    monkeypatch.setattr(opening, "in_notebook", lambda: True)
    assert type(posterior.explore()).__name__ == "ExplorerWidget"
    assert len(opened) == 1
