"""Passes over the nodes of a circuit, each against a walk over all its ways."""

import itertools

import numpy as np
import pytest

from helpers.circuits import families_without_candidates, grow, own_partitions
from orderspn.circuit.passes import descend, downward, log_shares, upward_max, upward_mean, upward_sum
from reference.enumeration import log_sum_exp

pytestmark = pytest.mark.kernels


@pytest.fixture(params=[(5, [4, 2, 2], 1), (7, [3, 2], 2), (6, [5], 3), (4, [], 4)], ids=str)
def circuit(request):
    """A structure, log weights of its partitions, and values of its blocks."""
    d, expansion, block_size = request.param
    structure = grow(families_without_candidates(d), expansion, block_size, seed=d)
    rng = np.random.default_rng(d)
    log_weights = rng.normal(size=structure.n_partitions)
    for region in range(structure.n_regions):
        own = own_partitions(structure, region)
        if own:
            log_weights[own] -= log_sum_exp(log_weights[own])
    return structure, log_weights, rng.normal(scale=2.0, size=structure.blocks.size)


def ways(structure, region=0):
    """Every (partitions, blocks) below a region: one partition at each sum node."""
    own = own_partitions(structure, region)
    if not own:
        return [((), (int(structure.block_number[region]),))]
    return [
        ((p, *left[0], *right[0]), (*left[1], *right[1]))
        for p in own
        for left, right in itertools.product(ways(structure, structure.first[p]), ways(structure, structure.second[p]))
    ]


def log_terms(structure, log_weights, log_blocks):
    return np.array([log_weights[list(ps)].sum() + log_blocks[list(bs)].sum() for ps, bs in ways(structure)])


def test_sum_maximum_and_mean(circuit):
    structure, log_weights, log_blocks = circuit
    terms = log_terms(structure, log_weights, log_blocks)
    assert upward_sum(*circuit)[0] == pytest.approx(log_sum_exp(terms), abs=1e-10)
    assert upward_max(*circuit)[0] == pytest.approx(terms.max(), abs=1e-10)
    log_prior = log_terms(structure, log_weights, 0.0 * log_blocks)
    mean = (np.exp(log_prior) * (terms - 2 * log_prior)).sum()
    assert upward_mean(*circuit)[0] == pytest.approx(mean, abs=1e-10)


def test_shares_and_what_passes_through(circuit):
    structure, log_weights, log_blocks = circuit
    terms = log_terms(structure, log_weights, log_blocks)
    p = np.exp(terms - log_sum_exp(terms))
    through_block, through_partition = np.zeros(structure.blocks.size), np.zeros(structure.n_partitions)
    for q, (partitions, blocks) in zip(p, ways(structure), strict=True):
        through_block[list(blocks)] += q
        through_partition[list(partitions)] += q
    shares = log_shares(structure, log_weights, upward_sum(*circuit))
    passed = downward(structure, shares)
    np.testing.assert_allclose(passed[structure.blocks], through_block, rtol=0, atol=1e-10)
    np.testing.assert_allclose(passed[structure.owner] * np.exp(shares), through_partition, rtol=0, atol=1e-10)


def test_nothing_impossible_has_a_share(circuit):
    structure, log_weights, log_blocks = circuit
    impossible = np.full_like(log_blocks, -np.inf)
    assert (upward_sum(structure, log_weights, impossible) == -np.inf).all()
    assert (upward_max(structure, log_weights, impossible) == -np.inf).all()
    shares = log_shares(structure, log_weights, upward_sum(structure, log_weights, impossible))
    assert (shares == -np.inf).all()


def test_blocks_of_a_walk_fill_all_places(circuit):
    structure, log_weights, _ = circuit
    d = structure.variables.shape[1]
    sizes = structure.variables.sum(axis=1)
    visited = descend(structure, log_weights, np.random.default_rng(0).random((40, d)))
    for sample in range(40):
        rows = visited[visited[:, 0] == sample]
        rows = rows[np.argsort(rows[:, 2])]
        blocks = structure.blocks[rows[:, 1]]
        np.testing.assert_array_equal(rows[:, 2], np.concatenate([[0], np.cumsum(sizes[blocks])[:-1]]))
        np.testing.assert_array_equal(rows[:, 2], structure.before[blocks].sum(axis=1))
        assert structure.variables[blocks].sum(axis=0).tolist() == [1] * d


def test_a_walk_takes_partitions_in_turn(circuit):
    """The first random number decides at the root: below the first weight, the first partition."""
    structure, log_weights, _ = circuit
    d = structure.variables.shape[1]
    own = own_partitions(structure, 0)
    if not own:
        assert descend(structure, log_weights, np.full((1, d), 0.5)).tolist() == [[0, 0, 0]]
    cumulated = np.cumsum(np.exp(log_weights[own]))
    for i, p in enumerate(own):
        middle = cumulated[i] - np.exp(log_weights[p]) / 2
        visited = descend(structure, log_weights, np.array([[middle, *[0.5] * (d - 1)]]))
        first = [structure.variables[structure.blocks[b]] for _, b, place in visited if place < d // 2]
        np.testing.assert_array_equal(np.any(first, axis=0), structure.variables[structure.first[p]])
