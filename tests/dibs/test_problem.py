"""A block as arrays: every possible edge has one slot, and its bit is that of the family."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dibs.blocks import problem, random_block, some_family_scores
from orderspn.core.errors import InvalidValue
from orderspn.dibs.problem import tables_of


def in_possible_sets(family):
    """The candidates in some, and in all, of the possible sets without outsiders."""
    sets = [set(family.members(m).tolist()) for m in range(family.n_masks) if family.log_score[m] > -np.inf]
    return set.union(*sets), set.intersection(*sets)


@given(st.integers(0, 10**6))
def test_edges_are_those_of_candidates_within_the_block(seed):
    families, before, variables = random_block(np.random.default_rng(seed))
    block = problem(families, (before, variables)).block
    inside = {*before, *variables}
    for j, target in enumerate(variables):
        in_some, in_all = in_possible_sets(families[target])
        assert set(np.flatnonzero(block.certain[:, j])) == in_all & inside
        expected = [int(c) for c in families[target].candidates if int(c) in inside & in_some - in_all]
        assert np.flatnonzero(block.allowed[:, j]).tolist() == expected
        used = block.bit[j] > 0
        assert block.source[j, used].tolist() == expected
        for source in expected:
            slot = block.slot[source, j]
            assert block.source[j, slot] == source
            assert families[target].candidates[int(block.bit[j, slot]).bit_length() - 1] == source


@given(st.integers(0, 10**6))
def test_scores_are_found_where_the_block_says(seed):
    families, before, variables = random_block(np.random.default_rng(seed))
    made = problem(families, (before, variables))
    for start, target in zip(made.block.start, variables, strict=True):
        n_masks = families[target].n_masks
        np.testing.assert_array_equal(made.log_score[start : start + n_masks], families[target].log_score[:n_masks])


@pytest.mark.parametrize("required", [[1], [1, 3], [0, 1, 3]])
def test_certain_edges_are_in_the_start(required):
    families, _ = some_family_scores(4, seed=0)
    families[2] = families[2].restricted(np.array(required), np.empty(0, dtype=np.int64))
    made = problem(families, ([0], [1, 2, 3]))
    block = made.block
    assert np.flatnonzero(block.certain[:, 1]).tolist() == required
    assert np.flatnonzero(block.allowed[:, 1]).tolist() == [v for v in (0, 1, 3) if v not in required]
    mask = sum(1 << (0, 1, 3).index(v) for v in required)
    assert made.log_score[block.start[1]] == families[2].log_score[mask]
    assert not block.certain[:, [0, 2]].any()


def test_places_of_sources():
    families, _ = some_family_scores(4, seed=0)
    block = problem(families, ([0], [3, 1])).block
    assert block.targets.tolist() == [3, 1]
    assert block.place.tolist() == [2, 1, 2, 0]


def test_blocks_of_one_size_have_arrays_of_one_shape():
    families, _ = some_family_scores(5, seed=0)
    first, second = (problem(families, own).block for own in (([0], [1, 2]), ([4], [0, 3])))
    assert [a.shape for a in first] == [a.shape for a in second]


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (([], []), "at least one variable"),
        (([], [0, 3]), "from 0 to 2"),
        (([-1], [0]), "from 0 to 2"),
        (([0], [0, 1]), "every variable once"),
        (([], [1, 1]), "every variable once"),
    ],
)
def test_refuses_what_is_no_block(block, message):
    families, _ = some_family_scores(3, seed=0)
    with pytest.raises(InvalidValue, match=message):
        problem(families, block)


def test_refuses_families_out_of_order():
    families, _ = some_family_scores(3, seed=0)
    with pytest.raises(InvalidValue, match="number 0 is of variable 1"):
        tables_of([families[1], families[0], families[2]])
