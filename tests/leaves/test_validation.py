"""A family is refused whose arrays do not fit together, before anything of the size of its tables is allocated."""

import numpy as np
import pytest

from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.masks import MOST_CANDIDATES
from orderspn.core.workers import Workers
from orderspn.dags.exact_dags import MOST_VARIABLES, ExactDags
from orderspn.gadget.parent_scores import all_parent_scores
from orderspn.leaves.family import Family
from orderspn.leaves.order_constraints import may_promote
from orderspn.leaves.tables import LeafTables
from orderspn.scores.local import NO_OUTSIDERS, LocalScore

TWO = np.array([1, 2])
NOTHING = np.zeros(0)


@pytest.mark.parametrize("count", [25, 31, 32, 62, 63, 64, 70, 1000])
def test_more_candidates_than_masks_have_bits(count):
    message = f"at most {MOST_CANDIDATES} candidates .* got {count}. Pass fewer with candidates="
    with pytest.raises(InvalidValue, match=message):
        Family(0, np.arange(1, count + 1), NOTHING)
    local = LocalScore(None, np.zeros(count + 1), count)  # the score is not even asked
    for ask in (local.table, local.expected_weights):
        with pytest.raises(InvalidValue, match=message):
            ask(0, np.arange(1, count + 1))


def test_as_many_as_there_may_be():
    scores = np.zeros(1 << MOST_CANDIDATES)
    assert not may_promote(Family(0, np.arange(1, MOST_CANDIDATES + 1), scores))


@pytest.mark.parametrize(
    ("candidates", "log_score", "outsiders", "message"),
    [
        (TWO, np.zeros(3), NO_OUTSIDERS, r"log_score must have shape \(4,\): 1 row.* 2 candidate.*; got \(3,\)"),
        (TWO, np.zeros(8), NO_OUTSIDERS, r"log_score must have shape \(4,\)"),
        (TWO, np.zeros((2, 2)), NO_OUTSIDERS, r"log_score must have shape \(4,\)"),
        (TWO, np.zeros(4), np.array([[3]]), r"log_score must have shape \(8,\): 2 row"),
        (TWO, np.zeros(8), np.array([3]), r"outsiders must have shape \(rows, width\); got \(1,\)"),
        (TWO, np.zeros(8), np.array([[-2]]), "outsiders must be numbers from 0, or -1"),
        (TWO, np.zeros(8), np.array([[0]]), "variable 0 cannot be a parent of its own"),
        (TWO[None], np.zeros(4), NO_OUTSIDERS, r"candidates must have shape \(K,\); got \(1, 2\)"),
        (TWO[::-1], np.zeros(4), NO_OUTSIDERS, "candidates must be different numbers from 0, ascending"),
        (TWO[[0, 0]], np.zeros(4), NO_OUTSIDERS, "candidates must be different numbers"),
        (np.array([-1, 2]), np.zeros(4), NO_OUTSIDERS, "candidates must be different numbers from 0"),
        (np.array([0, 2]), np.zeros(4), NO_OUTSIDERS, "variable 0 cannot be a parent of its own"),
    ],
)
def test_arrays_that_do_not_fit(candidates, log_score, outsiders, message):
    with pytest.raises(InvalidValue, match=f"not a family: {message}"):
        Family(0, candidates, log_score, outsider_rows=outsiders)


@pytest.mark.parametrize("log_score", [np.zeros(4, dtype=np.float32), np.zeros(4, dtype=int), np.zeros(8)[::2]])
def test_scores_that_kernels_do_not_read(log_score):
    with pytest.raises(InvalidType, match="must be contiguous numbers of type float64"):
        Family(0, TWO, log_score)


@pytest.mark.parametrize("candidates", [TWO.astype(float), TWO > 0, TWO.astype(np.uint64), TWO.astype(">i8")])
def test_candidates_that_are_no_numbers_of_variables(candidates):
    with pytest.raises(InvalidType, match="must be indices of variables of type int64; got"):
        Family(0, candidates, np.zeros(4))


def sums_over_dags(families):
    return ExactDags(families).log_mass


@pytest.mark.parametrize(
    "lay_out",
    [
        lambda families: LeafTables.of(families, Workers()),
        lambda families: all_parent_scores(families, Workers()),
        sums_over_dags,
    ],
    ids=["tables", "parent_scores", "dags"],
)
@pytest.mark.parametrize(
    ("families", "message"),
    [
        (
            [Family(0, np.array([3]), np.zeros(2)), Family(1, np.array([0]), np.zeros(2))],
            "variable 0 has parent 3, but",
        ),
        ([Family(0, TWO[:0], np.zeros(2), outsider_rows=TWO[1:, None])], "variable 0 has parent 2, but there are 1"),
        ([Family(1, TWO[:0], np.zeros(1)), Family(0, TWO[:0], np.zeros(1))], "the family of variable 1 has index 0"),
    ],
)
def test_families_of_other_variables(lay_out, families, message):
    with pytest.raises(InvalidValue, match=f"not a family: {message}"):
        lay_out(families)


@pytest.mark.parametrize("d", [17, 31, 64, 70])
def test_more_variables_than_sums_over_dags_can_have(d):
    with pytest.raises(InvalidValue, match=f"at most {MOST_VARIABLES} variables can be summed; got {d}"):
        ExactDags([Family(v, TWO[:0], np.zeros(1)) for v in range(d)])
