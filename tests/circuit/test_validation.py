"""The validator accepts what the builder makes and refuses every single corruption of it."""

from dataclasses import replace

import numpy as np
import pytest

from helpers.circuits import by_hand, families_without_candidates, full_expansion, grow, unshared
from orderspn.circuit.building import n_layers
from orderspn.circuit.validation import check_weights, validate
from orderspn.core.errors import InvalidValue


@pytest.mark.parametrize("distinct", [True, False], ids=["distinct", "drawn"])
@pytest.mark.parametrize(("d", "block_size"), [(2, 1), (3, 1), (5, 1), (7, 1), (9, 2), (11, 3), (13, 5), (6, 6)])
def test_accepts_what_the_builder_makes(d, block_size, distinct):
    expansion = [3] * n_layers(d, block_size)
    structure = grow(families_without_candidates(d), expansion, block_size, distinct=distinct)
    validate(structure)
    validate(unshared(structure))
    assert (structure.variables[structure.blocks].sum(axis=1) <= block_size).all()


def test_accepts_all_partitions_of_all_nodes():
    validate(grow(families_without_candidates(5), full_expansion(5, 1)))


def three_variables():
    """First 0, then 1 and 2 in either order."""
    return by_hand(
        3,
        [
            (set(), {0, 1, 2}),
            (set(), {0}),
            ({0}, {1, 2}),
            ({0}, {1}),
            ({0, 1}, {2}),
            ({0}, {2}),
            ({0, 2}, {1}),
        ],
        {0: [(1, 2)], 2: [(3, 4), (5, 6)]},
    )


def changed(**arrays):
    """`three_variables` with single entries changed: name -> {index: value}."""
    structure = three_variables()
    copies = {name: getattr(structure, name).copy() for name in arrays}
    for name, entries in arrays.items():
        for index, value in entries.items():
            copies[name][index] = value
    return replace(structure, **copies)


def other(**arrays):
    return replace(three_variables(), **arrays)


def child_before_parent():
    regions = [(set(), {0, 1, 2}), ({0}, {1}), (set(), {0}), ({0}, {1, 2}), ({0, 1}, {2})]
    return by_hand(3, regions, {0: [(2, 3)], 3: [(1, 4)]})


def unreachable():
    return by_hand(2, [(set(), {0, 1}), (set(), {0}), ({0}, {1}), (set(), {1})], {0: [(1, 2)]})


def unreachable_with_parts():
    """A sum node that nothing leads to, whose parts are in order."""
    regions = [(set(), {0, 1}), (set(), {0, 1}), (set(), {0}), ({0}, {1})]
    return by_hand(2, regions, {0: [(2, 3)], 1: [(2, 3)]})


def duplicate():
    regions = [(set(), {0, 1}), (set(), {0}), ({0}, {1})]
    return by_hand(2, regions, {0: [(1, 2), (1, 2)]})


def duplicate_in_a_tree():
    """The same sets under other numbers."""
    regions = [(set(), {0, 1}), (set(), {0}), ({0}, {1}), (set(), {0}), ({0}, {1})]
    return by_hand(2, regions, {0: [(1, 2), (3, 4)]})


def nested_first_parts():
    """0 | 1, 2 and 0, 1 | 2 share the order 0, 1, 2."""
    regions = [(set(), {0, 1, 2}), (set(), {0}), ({0}, {1, 2}), (set(), {0, 1}), ({0, 1}, {2})]
    return by_hand(3, regions, {0: [(1, 2), (3, 4)]})


CORRUPTIONS = {
    "duplicate partition": (duplicate, "a sum node has the same partition twice"),
    "duplicate partition in a tree": (duplicate_in_a_tree, "a sum node has the same partition twice"),
    "partitions that share orders": (nested_first_parts, "the partitions of a sum node are cut at different places"),
    "overlapping parts": (
        lambda: by_hand(2, [(set(), {0, 1}), (set(), {0, 1}), ({0}, {1})], {0: [(1, 2)]}),
        "the parts of a partition overlap",
    ),
    "parts that are not the whole": (
        lambda: by_hand(3, [(set(), {0, 1, 2}), (set(), {0}), ({0}, {1})], {0: [(1, 2)]}),
        "the parts of a partition are not its region",
    ),
    "parts that are more than the whole": (
        lambda: by_hand(
            3,
            [(set(), {0, 1, 2}), (set(), {0, 1}), ({0, 1}, {2}), (set(), {0}), ({0}, {1, 2})],
            {0: [(1, 2)], 1: [(3, 4)]},
        ),
        "the parts of a partition are not its region",
    ),
    "S_1 of first": (lambda: changed(before={(1, 1): True}), "a first part has other variables before it"),
    "S_1 of a lower first": (lambda: changed(before={(3, 0): False}), "a first part has other variables before it"),
    "S_1 of second, too small": (
        lambda: changed(before={(4, 1): False}),
        "a second part has other variables before it",
    ),
    "S_1 of second, from another partition": (
        lambda: by_hand(
            3,
            [(set(), {0, 1, 2}), (set(), {0}), ({0}, {1, 2}), ({0}, {1}), ({1}, {2})],
            {0: [(1, 2)], 2: [(3, 4)]},
        ),
        "a second part has other variables before it",
    ),
    "child before parent": (child_before_parent, "a part must be a later region"),
    "its own part": (lambda: changed(first={0: 0}), "a part must be a later region"),
    "a first part that does not exist": (lambda: changed(first={2: 7}), "a part must be a later region"),
    "a second part that does not exist": (lambda: changed(second={2: 7}), "a part must be a later region"),
    "a negative part": (lambda: changed(second={2: -1}), "a part must be a later region"),
    "unreachable region": (unreachable, "a region is not reached from the root"),
    "unreachable sum node": (unreachable_with_parts, "a region is not reached from the root"),
    "root without a variable": (lambda: changed(variables={(0, 1): False}), "the root must order all variables"),
    "root after a variable": (lambda: changed(before={(0, 1): True}), "the root must order all variables"),
    "empty S_2": (lambda: changed(variables={(4, 2): False}), "a region has no variables"),
    "S_1 and S_2 overlap": (lambda: changed(before={(6, 1): True}), "both before it and in it"),
    "starts that begin late": (lambda: changed(partition_starts={0: 1}), "ranges of partitions must ascend"),
    "starts that descend": (
        lambda: other(partition_starts=np.array([0, 2, 1, 3, 3, 3, 3, 3])),
        "ranges of partitions must ascend",
    ),
    "starts too few": (lambda: other(partition_starts=np.array([0, 1, 1, 3])), "each region needs a range"),
    "starts that end early": (lambda: changed(partition_starts={7: 2, 6: 2, 5: 2, 4: 2, 3: 2}), "are missing"),
    "starts that end late": (lambda: changed(partition_starts={7: 4}), "partitions are missing"),
    "second too short": (lambda: other(second=np.array([2, 4])), "partitions are missing"),
    "multiplicity too short": (lambda: other(multiplicity=np.array([1, 1])), "partitions are missing"),
    "negative multiplicity": (lambda: changed(multiplicity={1: -1}), "a multiplicity is negative"),
    "sets that are no booleans": (
        lambda: other(variables=three_variables().variables.astype(np.int64)),
        "sets of variables must be boolean",
    ),
    "sets of other shapes": (
        lambda: other(before=np.zeros((7, 4), dtype=bool)),
        "S_1 and S_2 must have the same shape",
    ),
    "parts in a matrix": (lambda: other(first=three_variables().first[:, None]), "partitions are missing"),
    "parts that are no integers": (
        lambda: other(second=three_variables().second.astype(float)),
        "numbers must be of type int64",
    ),
    "starts that are no integers": (
        lambda: other(partition_starts=three_variables().partition_starts.astype(float)),
        "numbers must be of type int64",
    ),
    "no region at all": (lambda: by_hand(2, [], {}), "it has no region"),
}


def test_accepts_what_is_corrupted_here():
    validate(three_variables())


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_refuses(name):
    make, message = CORRUPTIONS[name]
    with pytest.raises(InvalidValue, match=f"not an OrderSPN: .*{message}"):
        validate(make())


def test_multiplicity_zero_is_allowed():
    """It marks the partitions of a node that has all there are."""
    validate(changed(multiplicity={1: 0, 2: 0}))


def log_weights(*weights):
    with np.errstate(divide="ignore"):
        return np.log(np.array(weights))


@pytest.mark.parametrize(
    "weights", [(1.0, 0.3, 0.7), (1.0, 0.0, 1.0), (1.0, 0.5, 0.5 + 1e-9)], ids=["both", "one", "rounding"]
)
def test_accepts_probabilities(weights):
    check_weights(three_variables(), log_weights(*weights))


def test_accepts_a_block_without_weights():
    check_weights(by_hand(2, [(set(), {0, 1})], {}), np.empty(0))


def two_pairs():
    """0 | 1, 2 or 2 | 0, 1, then either order of the two that are left."""
    regions = [
        (set(), {0, 1, 2}),
        (set(), {0}),
        ({0}, {1, 2}),
        (set(), {2}),
        ({2}, {0, 1}),
        *[({0}, {1}), ({0, 1}, {2}), ({0}, {2}), ({0, 2}, {1}), ({2}, {0}), ({2}, {1}), ({2, 1}, {0})],
    ]
    return by_hand(3, regions, {0: [(1, 2), (3, 4)], 2: [(5, 6), (7, 8)], 4: [(9, 8), (10, 11)]})


def test_accepts_no_weights_where_nothing_leads():
    """Weights of a node that is impossible are all 0."""
    validate(two_pairs())
    check_weights(two_pairs(), log_weights(1.0, 0.0, 0.3, 0.7, 0.0, 0.0))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (log_weights(1.0, 0.3), "each partition needs a weight"),
        (log_weights(1.0, 0.3, 0.7)[None], "each partition needs a weight"),
        (log_weights(1.0, np.nan, 0.7), "a weight is missing"),
        (np.zeros(3, dtype=np.int64), "weights must be of type float64"),
        (log_weights(0.9, 0.3, 0.7), "the weights of a sum node do not sum to 1"),
        (log_weights(0.0, 0.3, 0.7), "the weights of a sum node do not sum to 1"),
        (log_weights(1.0, 0.3, 0.6), "the weights of a sum node do not sum to 1"),
        (log_weights(1.0, 1.0, 1.0), "the weights of a sum node do not sum to 1"),
        (log_weights(1.0, np.inf, 0.7), "a weight is more than 1"),
        (np.array([0.0, 1e5, 0.0]), "a weight is more than 1"),
        (log_weights(1.0, 0.0, 0.0), "the weights of a sum node do not sum to 1"),
    ],
    ids=["too few", "matrix", "nan", "whole", "root", "root 0", "less", "more", "infinite", "huge", "none but reached"],
)
def test_refuses_weights(weights, message):
    with pytest.raises(InvalidValue, match=f"not an OrderSPN: {message}"):
        check_weights(three_variables(), weights)
