"""Judgements within the memory: values of many graphs a batch at a time, and fewer draws of chains."""

import numpy as np
import pytest

import orderspn as osp
from judging.cases import GRAPHS
from orderspn.judging import draws, equivalence_class
from orderspn.judging.draws import COPIES, draws_of
from orderspn.models import ancestor_matrix

D = 4


@pytest.fixture(scope="module")
def sampled():
    data = osp.simulate.linear_gaussian(D, 60, rng=3).data
    return osp.learn(data, method=osp.methods.Gadget(n_graphs=400, effort=0.02), check=False)


@pytest.mark.parametrize("members", [1, 7, 10**6])
def test_batches_of_members_change_nothing(members, sampled, monkeypatch):
    data = osp.simulate.linear_gaussian(D, 60, rng=4).data
    for posterior in (osp.learn(data, check=False), sampled):
        usual = posterior.judge(GRAPHS[100], n_samples=200).equivalence
        monkeypatch.setattr(equivalence_class, "BATCH_BYTES", members * D * D)
        found = posterior.judge(GRAPHS[100], n_samples=200).equivalence
        monkeypatch.undo()
        assert found.tail == usual.tail
        assert found.log_probability == usual.log_probability


@pytest.mark.parametrize(("part", "apart"), [(1.0, 1), (0.999, 2), (0.34, 3), (0.01, 100)])
def test_draws_at_equal_distances_fit_a_quarter_of_the_memory(part, apart, sampled):
    """Equally many of each run, in its order."""
    every = sampled.model.draws()
    n_runs, n = every.n_runs, len(every.adjacency)
    assert n_runs > 1
    memory = int(part * 4 * COPIES * n * D * D)
    found = draws._thinned(every.adjacency, n_runs, memory)
    assert len(found) == n_runs * -(-n // n_runs // apart)
    runs = every.adjacency.reshape(n_runs, -1, D, D)
    np.testing.assert_array_equal(found.reshape(n_runs, -1, D, D), runs[:, ::apart])


def test_draws_that_fit_are_all_used(sampled):
    found = draws_of(sampled.model, 10, 0)
    assert found.n_runs == sampled.model.n_runs
    assert len(found.graphs) == len(sampled.model.adjacency)
    assert found.weights.sum() == pytest.approx(1.0)


def test_batches_of_relations_change_nothing(sampled, monkeypatch):
    usual = sampled.ancestor_probabilities()
    monkeypatch.setattr(ancestor_matrix, "LISTED_BYTES", 5 * ancestor_matrix.RELATION * D * D)
    np.testing.assert_allclose(sampled.ancestor_probabilities(), usual, atol=1e-12)
