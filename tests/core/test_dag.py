"""Orders of graphs, and cycles."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orderspn.core.dag import acyclic_part, are_acyclic, check_acyclic, topological_order


@given(st.integers(1, 7), st.integers(0, 2**32 - 1), st.floats(0.0, 0.6))
def test_an_order_or_a_cycle(d, seed, density):
    adjacency = np.random.default_rng(seed).random((d, d)) < density
    acyclic = nx.is_directed_acyclic_graph(nx.from_numpy_array(adjacency, create_using=nx.DiGraph))
    if acyclic:
        position = np.argsort(topological_order("graph", adjacency))
        causes, effects = np.nonzero(adjacency)
        assert (position[causes] < position[effects]).all()
        return
    with pytest.raises(ValueError, match="graph must be a directed graph without cycles; got the cycle") as caught:
        topological_order("graph", adjacency)
    cycle = [int(v) for v in str(caught.value).split("cycle ")[-1].rstrip(".").split(" -> ")]
    assert cycle[0] == cycle[-1]
    assert len(cycle) > 1
    assert all(adjacency[a, b] for a, b in itertools.pairwise(cycle))


def test_the_cycle_is_shown_by_names():
    adjacency = np.zeros((3, 3), dtype=bool)
    adjacency[1, 2] = adjacency[2, 1] = True
    with pytest.raises(ValueError, match=r"the cycle (B -> C -> B|C -> B -> C)"):
        topological_order("graph", adjacency, ["A", "B", "C"])


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=20))
def test_the_acyclic_part_leaves_out_what_would_close_a_cycle(edges):
    kept = nx.DiGraph()
    kept.add_nodes_from(range(6))
    expected = []
    for cause, effect in edges:
        if not nx.has_path(kept, effect, cause):
            kept.add_edge(cause, effect)
            expected.append((cause, effect))
    assert acyclic_part(edges) == expected


def test_a_stack_with_a_cycle_is_refused_by_its_place():
    stack = np.zeros((3, 2, 2), dtype=bool)
    check_acyclic("graphs", stack)
    stack[2] = [[False, True], [True, False]]
    assert are_acyclic(stack).tolist() == [True, True, False]
    with pytest.raises(ValueError, match=r"graphs\[2\] must be .* got the cycle (A -> B -> A|B -> A -> B)"):
        check_acyclic("graphs", stack, ["A", "B"])
