"""What a page may ask: everything else is refused with the reason, before anything is computed."""

import json

import msgspec
import pytest

import orderspn as osp
from helpers.each import check_each
from orderspn.core.errors import InvalidValue
from orderspn.explorer import questions
from orderspn.explorer.questions import LARGEST, LONGEST_NAME, MOST_STATEMENTS, edges_of, read_question

EDGE = ["A", "->", "B"]

WRONG = {
    "nothing": (b"", "truncated"),
    "no JSON": (b"edges", "malformed"),
    "half": (b'{"question": "edges"', "truncated"),
    "two": (b'{"question": "edges"} {}', "trailing"),
    "a list": (b'["edges"]', "object"),
    "no text": (b'{"question": "edges", "given": [["\xff", "->", "B"]]}', "utf-8|decode"),
    "half a pair of surrogates": (b'{"question": "edges", "given": [["\\ud800", "->", "B"]]}', "surrogate"),
    "no question": (b"{}", "question"),
    "another question": (b'{"question": "files"}', "files"),
    "an unknown field": (b'{"question": "edges", "path": "/etc/passwd"}', "unknown field"),
    "a missing field": (b'{"question": "parents"}', "variable"),
    "an unknown relation": (b'{"question": "edges", "given": [["A", "=>", "B"]]}', "=>"),
    "too short a statement": (b'{"question": "edges", "given": [["A", "->"]]}', "length 3"),
    "a number as a name": (b'{"question": "edges", "given": [[1, "->", "B"]]}', "str"),
    "too many statements": (json.dumps({"question": "edges", "given": [EDGE] * (MOST_STATEMENTS + 1)}).encode(), "500"),
    "too long a name": (json.dumps({"question": "parents", "variable": "x" * (LONGEST_NAME + 1)}).encode(), "1000"),
    "too long a graph": (json.dumps({"question": "judge", "graph": "x" * (2**20 + 1)}).encode(), "1048576"),
    "too large": (b" " * LARGEST + b"{}", "at most 2,097,152 bytes"),
    "deep": (b'{"question": "edges", "given": ' + b"[" * 100_000, "array|recursion"),
    "another way with missing variables": (b'{"question": "judge", "graph": "", "missing_variables": "x"}', "'x'"),
}


def test_what_is_wrong_is_told():
    def check(entry):
        content, reason = entry
        with pytest.raises(InvalidValue, match=f"(?i){reason}"):
            read_question(content)

    check_each(check, WRONG)


def test_as_many_and_as_long_as_allowed():
    many = json.dumps({"question": "edges", "given": [EDGE] * MOST_STATEMENTS}).encode()
    assert len(read_question(many).given) == MOST_STATEMENTS
    assert read_question(json.dumps({"question": "parents", "variable": "x" * LONGEST_NAME}).encode()).variable


def test_every_relation_becomes_evidence():
    signs = ("->", "!->", "--", "<", "~>", "!~>")
    given = [[f"a{k}", sign, f"b{k}"] for k, sign in enumerate(signs)]
    text = ", ".join(" ".join(statement) for statement in given)
    assert read_question(json.dumps({"question": "edges", "given": given}).encode()).evidence == osp.Edges.parse(text)


def test_no_neighbours_are_two_absent_edges():
    assert edges_of([("A", "!--", "B")]) == osp.Edges(absent=[("A", "B"), ("B", "A")])


def test_names_are_names_whatever_they_contain():
    hostile = ['" -> "', "a, b", "<", "\\", "!->", "'", "a\nb", ""]
    given = [(name, "->", "B") for name in hostile]
    assert edges_of(given).present == tuple((name, "B") for name in hostile)


def test_slow_questions_are_questions():
    tags = {kind.__struct_config__.tag for kind in questions.SLOW}
    assert tags == {"errors", "ancestry", "pair", "whole", "judge"}


def test_questions_do_not_change():
    with pytest.raises(AttributeError):
        read_question(b'{"question": "edges"}').given = []
    assert msgspec.json.encode(read_question(b'{"question": "best"}')) == b'{"question":"best","given":[]}'
