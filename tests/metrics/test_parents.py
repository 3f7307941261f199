"""True parents among candidates."""

import networkx as nx
import numpy as np
import pytest

import orderspn as osp
from orderspn.core.errors import InvalidType, InvalidValue

CHAIN = nx.DiGraph(["AB", "BC", "AC"])


def test_by_hand():
    assert osp.metrics.parents_kept({"A": ["B"], "B": [], "C": ["B"]}, CHAIN) == pytest.approx(1 / 3)


def test_a_posterior_has_its_candidates():
    simulation = osp.simulate.linear_gaussian(6, 40, rng=0)
    everyone = osp.learn(simulation.data)
    assert osp.metrics.parents_kept(everyone, simulation) == 1.0
    few = osp.learn(simulation.data, candidates=2)
    names, truth = few.variables, simulation.network.adjacency
    kept = [names[i] in few.candidates[names[j]] for i, j in np.argwhere(truth)]
    assert osp.metrics.parents_kept(few, simulation) == np.mean(kept) < 1.0


@pytest.mark.parametrize(
    ("candidates", "truth", "error", "words"),
    [
        (3, CHAIN, InvalidType, "candidates must be"),
        ({"A": [], "B": []}, CHAIN, InvalidValue, "'C' is missing"),
        ({"A": [], "B": []}, np.array([[0, 1], [0, 0]]), InvalidType, "must have names"),
        ({"A": [], "B": []}, nx.empty_graph(["A", "B"], create_using=nx.DiGraph), InvalidValue, "at least one edge"),
    ],
)
def test_errors(candidates, truth, error, words):
    with pytest.raises(error, match=words):
        osp.metrics.parents_kept(candidates, truth)
