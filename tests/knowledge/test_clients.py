"""Knowledge in the objects of other packages themselves."""

import warnings

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the packages' own, while they are loaded
    from causallearn.graph.GraphNode import GraphNode
    from causallearn.utils.PCUtils.BackgroundKnowledge import BackgroundKnowledge
    from pgmpy.causal_discovery import ExpertKnowledge

NAMES = letters(4)
OURS = osp.Knowledge([("A", "B")], [("C", "B")], [["A"], ["B", "C", "D"]])


def of_pgmpy():
    return ExpertKnowledge([("C", "B")], [("A", "B")], temporal_order=[["A"], ["B", "C", "D"]])


def of_causal_learn():
    nodes = {name: GraphNode(name) for name in NAMES}
    known = BackgroundKnowledge().add_required_by_node(nodes["A"], nodes["B"])
    known.add_forbidden_by_pattern("C", "B")
    for name in NAMES:
        known.add_node_to_tier(nodes[name], int(name != "A"))
    return known


@pytest.mark.parametrize("stated", [of_pgmpy, of_causal_learn])
def test_the_same_knowledge_the_same_answer(stated):
    values = gaussian_data(4, 30, seed=1)
    theirs, ours = (
        osp.learn(values, variables=NAMES, knowledge=known, standardize=False) for known in (stated(), OURS)
    )
    assert theirs.knowledge == ours.knowledge == OURS
    np.testing.assert_array_equal(theirs.edge_probabilities(), ours.edge_probabilities())


def test_forbidden_within_a_tier():
    nodes = {name: GraphNode(name) for name in NAMES}
    known = BackgroundKnowledge()
    for name in NAMES:
        known.add_node_to_tier(nodes[name], int(name in "CD"))
    known.forbid_within_tier(1)
    posterior = osp.learn(gaussian_data(4, 30, seed=1), variables=NAMES, knowledge=known, standardize=False)
    assert posterior.probability("C !-> D, D !-> C") == 1.0
    assert 0.0 < posterior.probability("A -> B") < 1.0
