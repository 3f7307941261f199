"""Each kind of move between pairs of a DAG and an order leaves their distribution as it is, for every exponent."""

from functools import cache

import numpy as np
import pytest

from gadget.blocks import DEMANDING, SMALL
from gadget.walking import wander_pairs
from helpers.chi_square import THRESHOLD, chi_square_p
from helpers.levels import parameters
from reference.order_walk import OrderWalks

BLOCKS = SMALL | DEMANDING
KINDS = {"relocation": 0, "redrawn parents": 1, "redrawn order": 2, "edge reversal, redrawn order": 3}
RHOS = (1.0, 0.6, 0.0)
LISTED = [name for name, block in BLOCKS.items() if block.partitions.n < 4]
"""Blocks with so few pairs that moves between each two of them can be counted."""
STARTS, MOVES_MADE = 4_000, 2

every_block = pytest.mark.parametrize("name", parameters(BLOCKS, test=["complete", "outsiders in pairs, two before"]))
every_kind_and_rho = pytest.mark.parametrize(
    ("kind", "rho"), [(kind, rho) for kind, number in KINDS.items() for rho in RHOS if number < 3 or rho == 1.0]
)


@cache
def twin(name):
    return OrderWalks(BLOCKS[name].partitions)


@cache
def probabilities(name, rho):
    """Of all pairs: the score of the DAG times the probability of the order to the power rho."""
    pairs, partitions = twin(name), BLOCKS[name].partitions
    log_weights = np.array([partitions.log_score(dag) + rho * pairs.log_probability(dag, o) for dag, o in pairs.pairs])
    weights = np.exp(log_weights - log_weights.max())
    return weights / weights.sum()


def moved(name, kind, rho, count, moves, seed):
    """Numbers of pairs drawn exactly, and pairs some moves later."""
    block, rng, pairs = BLOCKS[name], np.random.default_rng(seed), twin(name)
    numbers = rng.choice(len(pairs.pairs), size=count, p=probabilities(name, rho))
    orders = np.array([pairs.pairs[i][1] for i in numbers])
    parent_sets = np.array([block.as_numbers(pairs.pairs[i][0]) for i in numbers])
    ends, sets, log_probabilities = wander_pairs(
        orders, parent_sets, KINDS[kind], rho, moves, rng, block.order_scores, block.parent_scores
    )
    assert (ends != orders).any() or (sets != parent_sets).any()
    found = list(zip(block.as_dags(sets), map(tuple, ends.tolist()), strict=True))
    exact = [pairs.log_probability(*pair) for pair in found]  # -inf if the order were none of the DAG
    np.testing.assert_allclose(log_probabilities, exact, atol=1e-9)
    return numbers.tolist(), found


def p_of_parts(name, rho, found):
    """The smaller p value of the orders and the DAGs of pairs."""
    pairs, weights = twin(name).pairs, probabilities(name, rho)
    smallest = 1.0
    for part in (0, 1):
        exact = {}
        for pair, weight in zip(pairs, weights.tolist(), strict=True):
            exact[pair[part]] = exact.get(pair[part], 0.0) + weight
        smallest = min(smallest, chi_square_p([pair[part] for pair in found], exact))
    return smallest


@pytest.mark.thorough
@every_kind_and_rho
@every_block
def test_distribution_stays(name, kind, rho):
    _, found = moved(name, kind, rho, STARTS, MOVES_MADE, seed=0)
    assert p_of_parts(name, rho, found) > THRESHOLD


@pytest.mark.thorough
@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("name", LISTED)
def test_relocations_are_as_probable_as_the_twin_says(name, rho):
    numbers, found = moved(name, "relocation", rho, STARTS, 1, seed=1)
    joint = probabilities(name, rho)[:, None] * twin(name).steps(exponent=rho)
    pairs = twin(name).pairs
    exact = {(a, pairs[b]): float(joint[a, b]) for a, b in np.argwhere(joint > 1e-15).tolist()}
    assert chi_square_p(zip(numbers, found, strict=True), exact) > THRESHOLD


@pytest.mark.kernels
@every_kind_and_rho
@pytest.mark.parametrize("name", parameters(LISTED, quick=["some in neither"]))
def test_few(name, kind, rho):
    _, found = moved(name, kind, rho, 120, MOVES_MADE, seed=2)
    assert p_of_parts(name, rho, found) > THRESHOLD


@pytest.mark.thorough
@every_block
def test_each_dag_counts_once_at_the_end(name):
    """At rho = 1 the DAGs of pairs have their own distribution; at 0 the check says that they do not."""
    exact = BLOCKS[name].partitions.dag_probabilities()
    for rho in (1.0, 0.0):
        weights = dict.fromkeys(exact, 0.0)
        for (dag, _), weight in zip(twin(name).pairs, probabilities(name, rho).tolist(), strict=True):
            weights[dag] += weight
        differences = [abs(weights[dag] - p) for dag, p in exact.items()]
        assert (max(differences) < 1e-12) == (rho == 1.0)


@pytest.mark.thorough
@pytest.mark.parametrize("name", LISTED)
def test_forgotten_probabilities_of_orders_are_found(name):
    """Relocations of the twin without them do not pass the same check."""
    weights = probabilities(name, 1.0)
    wrong = np.maximum(weights @ np.linalg.matrix_power(twin(name).steps(exponent=0.0), 3), 0.0)
    pairs, rng = twin(name).pairs, np.random.default_rng(3)
    found = [pairs[i] for i in rng.choice(len(pairs), size=STARTS, p=wrong / wrong.sum())]
    assert p_of_parts(name, 1.0, found) < 1e-3 * THRESHOLD
