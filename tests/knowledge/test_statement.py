"""Statements of knowledge: read, kept, written to JSON and back."""

import copy

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import orderspn as osp
from helpers.data import letters
from helpers.knowledge import knowledge


def test_what_is_said_twice_counts_once():
    known = osp.Knowledge(required=[("A", "B"), ("A", "B")], roots=["C", "C"], tiers=[["A"], [], ["B"]])
    assert known.required == (("A", "B"),)
    assert known.roots == ("C",)
    assert known.tiers == (("A",), ("B",))


def test_certain_probabilities_are_edges():
    known = osp.Knowledge(edge_probabilities={("A", "B"): 1, ("B", "C"): 0, ("A", "C"): 0.25})
    assert known.required == (("A", "B"),)
    assert known.forbidden == (("B", "C"),)
    assert known.edge_probabilities == {("A", "C"): 0.25}


def test_probabilities_from_a_table():
    table = pd.DataFrame([[1.0, 0.9], [np.nan, 0.0]], index=["A", "B"], columns=["A", "B"])
    assert osp.Knowledge(edge_probabilities=table) == osp.Knowledge(edge_probabilities={("A", "B"): 0.9})


@given(known=knowledge(letters(4)))
def test_json_and_back(known):
    assert osp.Knowledge.from_dict(known.to_dict()) == known
    assert copy.deepcopy(known) == known
    assert hash(copy.deepcopy(known)) == hash(known)
    shown = repr(known)
    assert shown.count(" ...") == 0 or len(repr(known.to_dict())) > 180  # much knowledge is cut
    assert " ..." in shown or eval(shown, {"Knowledge": osp.Knowledge}) == known


def test_nothing_is_known():
    assert not osp.Knowledge()
    assert osp.Knowledge().to_dict() == {}
    assert repr(osp.Knowledge(roots=["A"])) == "Knowledge(roots=['A'])"


def test_one_half_says_nothing_whatever_else_is_known():
    known = osp.Knowledge(forbidden=[("A", "B")], edge_probabilities={("A", "B"): 0.5, ("B", "A"): 0.5})
    assert known == osp.Knowledge(forbidden=[("A", "B")])


def test_orders_are_evidence():
    with pytest.raises(ValueError, match="got the order constraint 'A < B'"):
        osp.Knowledge.parse("A -> C, A < B")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"tiers": [["A"], ["B", "A"]]}, "a variable may be in one tier only; got 'A' in tiers 1 and 2"),
        ({"tiers": ["AB"]}, "tiers\\[0\\] must be a list of names; got 'AB'"),
        ({"tiers": {"A": 1}}, "tiers must be a list of lists of names"),
        ({"roots": "A"}, "roots must be a list of names; got 'A'"),
        ({"required": None}, "required must be a list of"),
        ({"forbidden": 5}, "forbidden must be a list of"),
        ({"roots": [["A"]]}, "roots must hold names of variables"),
        ({"edge_probabilities": [[["A"], "B", 0.9]]}, "edge_probabilities must hold \\[cause, effect, probability\\]"),
        ({"edge_probabilities": {"A -> B": 0.2}}, "edge_probabilities must hold \\(cause, effect\\) pairs"),
        ({"leaves": [1]}, "leaves must hold names of variables; got 1"),
        ({"required": [("A", "A")]}, "an edge must connect two different variables"),
        ({"required": ["AB"]}, "required must hold \\(cause, effect\\) pairs"),
        ({"max_parents": -1}, "max_parents must be an integer at least 0"),
        ({"max_parents": {"A": 1.5}}, "max_parents\\['A'\\] must be an integer"),
        ({"edge_probabilities": {("A", "B"): 1.5}}, "probability of A -> B must be between 0 and 1; got 1.5"),
        ({"edge_probabilities": {("A", "B"): "high"}}, "probability of A -> B must be a number"),
        ({"edge_probabilities": [0.5]}, "edge_probabilities must hold \\[cause, effect, probability\\]"),
        ({"edge_probabilities": 0.5}, "edge_probabilities must be a mapping"),
        ({"within_tiers": "no"}, "within_tiers must be True or False"),
        ({"require": []}, "knowledge has no field 'require'; its fields are required, forbidden"),
    ],
)
def test_errors_say_what_was_wrong(fields, message):
    with pytest.raises((ValueError, TypeError), match=message):
        osp.Knowledge.from_dict(fields)
