"""Nodes, edges and orders of a circuit, by the paper's formulas and by counting."""

import itertools
import math
import sys
from collections import Counter

import pytest

from helpers.circuits import by_hand, families_without_candidates, full_expansion, grow, own_partitions, unshared
from orderspn.circuit.size import measure
from reference.circuit import members, way


def edges_by_the_formula(expansion):
    """`sum over i = 1..l of (2^i + 2^(i-1)) prod over j < i of K_j`."""
    return sum((2**i + 2 ** (i - 1)) * math.prod(expansion[:i]) for i in range(1, len(expansion) + 1))


def orders_by_the_formula(expansion):
    """`prod over i of K_i^(2^i)`."""
    return math.prod(k ** (2**i) for i, k in enumerate(expansion))


REGULAR = [[2], [1, 1], [3, 2], [6, 2], [5, 3, 2], [7, 1, 2], [64, 6, 2], [3, 2, 2, 1], [2, 3, 4, 2], [2, 2, 2, 2, 2]]


@pytest.mark.kernels
@pytest.mark.parametrize("expansion", REGULAR, ids=str)
def test_regular_trees_have_the_paper_s_size(expansion):
    structure = unshared(grow(families_without_candidates(2 ** len(expansion)), expansion))
    size = measure(structure)
    assert size.unfolded_edges == size.edges == edges_by_the_formula(expansion)
    assert size.unfolded_nodes == size.nodes == edges_by_the_formula(expansion) + 1
    assert size.blocks == 2 ** len(expansion) * math.prod(expansion)
    assert size.log_number_of_orders == pytest.approx(math.log(orders_by_the_formula(expansion)), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("expansion", REGULAR, ids=str)
def test_sharing_makes_it_smaller_but_not_when_unfolded(expansion):
    structure = grow(families_without_candidates(2 ** len(expansion)), expansion)
    size = measure(structure)
    assert size.unfolded_edges == edges_by_the_formula(expansion)
    assert size.log_number_of_orders == pytest.approx(math.log(orders_by_the_formula(expansion)), rel=1e-12, abs=1e-12)
    assert size.edges <= size.unfolded_edges
    assert size.nodes <= size.unfolded_nodes


def test_a_shared_circuit_by_hand():
    """All orders of three variables that do not begin with 2: after 0 come 1, 2 or 2, 1; after 1 likewise."""
    structure = by_hand(
        3,
        [
            (set(), {0, 1, 2}),
            (set(), {0}),
            ({0}, {1, 2}),
            (set(), {1}),
            ({1}, {0, 2}),
            ({0}, {1}),
            ({0, 1}, {2}),
            ({1}, {0}),
        ],
        {0: [(1, 2), (3, 4)], 2: [(5, 6)], 4: [(7, 6)]},
    )
    size = measure(structure)
    assert (size.nodes, size.edges) == (8 + 4, 12)
    assert (size.unfolded_nodes, size.unfolded_edges) == (9 + 4, 12)  # the block of 2 at the end is met twice
    assert size.blocks == 5
    assert size.log_number_of_orders == pytest.approx(math.log(2))


def paths(structure, order, region=0):
    """In how many ways an order goes through the circuit."""
    own = own_partitions(structure, region)
    if not own:
        return 1
    total = 0
    for p in own:
        n_first = structure.variables[structure.first[p]].sum()
        if set(order[:n_first]) == set(members(structure.variables[structure.first[p]])):
            total += paths(structure, order[:n_first], structure.first[p]) * paths(
                structure, order[n_first:], structure.second[p]
            )
    return total


@pytest.mark.kernels
@pytest.mark.parametrize("share", [True, False], ids=["shared", "tree"])
@pytest.mark.parametrize(
    ("d", "block_size", "expansion"),
    [
        (3, 1, [2, 1]),
        (4, 1, [4, 2]),
        (4, 2, [5]),
        (5, 1, [4, 2, 1]),
        (5, 1, [7, 2, 2]),
        (5, 2, [3, 2]),
        (5, 3, [6]),
        (6, 1, [9, 2, 2]),
        (6, 2, [8, 2]),
        (6, 3, [7]),
    ],
)
def test_orders_counted_one_by_one(d, block_size, expansion, share):
    structure = grow(families_without_candidates(d), expansion, block_size, seed=d)
    structure = structure if share else unshared(structure)
    orders = list(itertools.permutations(range(d)))
    covered = sum(way(structure, order) is not None for order in orders)
    assert 0 < covered < len(orders)
    assert measure(structure).log_number_of_orders == pytest.approx(math.log(covered), abs=1e-12)
    # Deterministic: every order is covered in one way, or not at all.
    assert set(Counter(paths(structure, order) for order in orders)) == {0, 1}


@pytest.mark.parametrize(("d", "block_size"), [(2, 1), (3, 1), (5, 1), (6, 1), (5, 2), (6, 2), (7, 3), (4, 4)])
def test_all_partitions_cover_all_orders(d, block_size):
    structure = grow(families_without_candidates(d), full_expansion(d, block_size), block_size)
    assert measure(structure).log_number_of_orders == pytest.approx(math.lgamma(d + 1), abs=1e-12)


def test_numbers_of_orders_beyond_floats_are_logarithms():
    """Sixteen blocks of 24 variables each."""
    structure = grow(families_without_candidates(384), [2, 3, 1, 1], 24)
    expected = 16 * math.lgamma(24 + 1) + math.log(orders_by_the_formula([2, 3, 1, 1]))
    assert expected > math.log(sys.float_info.max)
    assert measure(structure).log_number_of_orders == pytest.approx(expected, rel=1e-12)
