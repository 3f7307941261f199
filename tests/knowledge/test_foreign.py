"""Knowledge from objects of other packages, known by what they have."""

from types import SimpleNamespace

import pytest

import orderspn as osp
from helpers.data import letters
from orderspn.knowledge.foreign import read_knowledge

NAMES = letters(4)


def expert(**fields):
    """What pgmpy's ExpertKnowledge looks like."""
    usual = {"forbidden_edges": set(), "required_edges": set(), "temporal_order": [[]], "search_space": set()}
    return SimpleNamespace(**usual | fields)


def background(**fields):
    """What causal-learn's BackgroundKnowledge looks like."""
    usual = {
        "forbidden_rules_specs": set(),
        "required_rules_specs": set(),
        "forbidden_pattern_rules_specs": set(),
        "required_pattern_rules_specs": set(),
        "tier_map": {},
        "forbidden_within_tiers": set(),
    }
    return SimpleNamespace(**usual | fields)


class Node:
    """What causal-learn's nodes look like."""

    def __init__(self, name):
        self.name = name

    def get_name(self):
        return self.name


def test_pgmpy():
    stated = expert(forbidden_edges={("A", "B")}, required_edges={("C", "D")}, temporal_order=[["A", "C"], ["D"]])
    assert read_knowledge(stated, NAMES) == osp.Knowledge([("C", "D")], [("A", "B")], [["A", "C"], ["D"]])


def test_pgmpy_search_space():
    known = read_knowledge(expert(search_space={("A", "B"), ("C", "B")}), NAMES)
    assert len(known.forbidden) == 12 - 2
    assert not {("A", "B"), ("C", "B")} & set(known.forbidden)


def test_causal_learn():
    a, b, c, d = map(Node, NAMES)
    stated = background(
        required_rules_specs={(a, b)},
        forbidden_rules_specs={(c, d)},
        tier_map={0: {a}, 1: {b, c}},
        forbidden_within_tiers={1},
    )
    forbidden = [("B", "C"), ("C", "B"), ("C", "D")]
    assert read_knowledge(stated, NAMES) == osp.Knowledge([("A", "B")], forbidden, [["A"], ["B", "C"]])


def test_causal_learn_patterns():
    stated = background(forbidden_pattern_rules_specs={("gene_.*", "age")}, required_pattern_rules_specs={("age", "w")})
    known = read_knowledge(stated, ["age", "gene_1", "gene_2", "weight"])
    assert known == osp.Knowledge([("age", "weight")], [("gene_1", "age"), ("gene_2", "age")])


def test_ours_and_none():
    known = osp.Knowledge(roots=["A"])
    assert read_knowledge(known, NAMES) is known
    assert not read_knowledge(None, NAMES)
    assert read_knowledge("A -> B", NAMES) == osp.Knowledge([("A", "B")])
    assert read_knowledge(known.to_dict(), NAMES) == known


def test_edges():
    assert read_knowledge(osp.Edges([("A", "B")], [("C", "D")]), NAMES) == osp.Knowledge([("A", "B")], [("C", "D")])
    assert not read_knowledge(osp.Edges(), NAMES)


def test_a_search_space_of_others():
    with pytest.raises(ValueError, match="unknown variable 'Z'"):
        read_knowledge(expert(search_space={("A", "Z")}), NAMES)


def test_a_pattern_that_is_none():
    with pytest.raises(ValueError, match=r"'\(' in knowledge= is not a regular expression"):
        read_knowledge(background(required_pattern_rules_specs={("(", "A")}), NAMES)


def test_anything_else():
    with pytest.raises(TypeError, match=r"knowledge must be osp\.Knowledge.*; got list"):
        read_knowledge([("A", "B")], NAMES)
