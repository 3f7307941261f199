"""Circuits where most partitions are impossible: variables that need others before them."""

import itertools

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data, letters
from helpers.levels import parameters

ORACLES = ["random", "order-mcmc", "gadget", "enumeration"]


def chain(names):
    return osp.Knowledge(required=list(itertools.pairwise(names)))


@pytest.mark.thorough
@pytest.mark.parametrize("oracle", ORACLES)
@pytest.mark.parametrize("weights", ["elbo", "sampled", "uniform"])
def test_one_order_is_left(oracle, weights):
    names = letters(8)
    arguments = {"variables": names, "knowledge": chain(names)}
    values = gaussian_data(8, 60, seed=3)
    circuit = osp.learn(
        values,
        method=osp.methods.Trust(oracle=oracle, weights=weights, expansion=[2, 2, 2], block_size=1),
        **arguments,
        standardize=False,
    )
    exact = osp.learn(values, method="exact", **arguments, standardize=False)
    assert circuit.log_evidence == pytest.approx(exact.log_evidence, abs=1e-8)
    np.testing.assert_allclose(circuit.edge_probabilities(), exact.edge_probabilities(), rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_random_partitions_are_possible_ones(seed):
    names = letters(9)
    known = osp.Knowledge(required=[("A", "B"), ("B", "C"), ("D", "E"), ("C", "I"), ("E", "I")])
    values = gaussian_data(9, 60, seed=seed)
    posterior = osp.learn(
        values,
        variables=names,
        knowledge=known,
        method=osp.methods.Trust(oracle="random", expansion=[3, 2], block_size=3),
        rng=seed,
        standardize=False,
    )
    assert np.isfinite(posterior.log_evidence)
    for graph in posterior.sample(20, rng=0).to_networkx():
        assert set(known.required) <= set(graph.edges)


@pytest.mark.parametrize("known", parameters(["A -> B", "A -> B, D -> C"], quick=[], test=["A -> B, D -> C"]))
@pytest.mark.parametrize("oracle", ["enumeration", "random"])
def test_gradients_find_the_optimum(known, oracle):
    values = gaussian_data(4, 30, seed=1)
    by_gradient, in_closed_form = (
        osp.learn(
            values,
            variables=letters(4),
            knowledge=known,
            method=osp.methods.Trust(oracle=oracle, expansion=[4, 2], block_size=1, weights=weights),
            standardize=False,
        )
        for weights in ("gradient", "elbo")
    )
    orders = [osp.Edges(before=list(itertools.pairwise(order))) for order in itertools.permutations(letters(4))]
    assert sum(by_gradient.probability(order) for order in orders) == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(by_gradient.precedence(), in_closed_form.precedence(), rtol=0, atol=0.02)


class Backwards:
    """An oracle that puts last what must come first."""

    def propose(self, question, count, rng, *, distinct):
        from orderspn.oracles.partitions import once_each

        first = np.arange(question.variables.size) >= question.variables.size - question.n_first
        return once_each(first[None])

    def settings(self):
        return {"name": "backwards"}


def test_an_oracle_that_proposes_nothing_possible():
    with pytest.raises(
        ValueError, match="the oracle must propose partitions under which every variable has a possible parent set"
    ):
        osp.learn(
            gaussian_data(4, 30, seed=1),
            variables=letters(4),
            knowledge="A -> D",
            method=osp.methods.Trust(oracle=Backwards(), weights="elbo", expansion=[1], block_size=2),
            standardize=False,
        )
