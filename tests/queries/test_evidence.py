"""Why evidence is impossible: each reason has its own message, found from single families."""

import numpy as np
import pytest

import orderspn as osp
from helpers.data import letters
from orderspn.leaves.family import Family
from orderspn.queries.evidence import find_conflict
from orderspn.scores.local import NO_OUTSIDERS
from orderspn.scores.parent_rules import ParentRules

NAMES = letters(6)


def limited(candidates, outsiders, max_parents):
    """The family of the first variable, with sets of at most so many members."""
    rows = np.array(outsiders, dtype=np.int64) if outsiders else NO_OUTSIDERS
    in_row = [0, *(rows >= 0).sum(axis=1)]
    masks = np.bitwise_count(np.arange(1 << len(candidates)))
    sizes = np.add.outer(in_row, masks).ravel()
    return Family(0, np.array(candidates), np.where(sizes <= max_parents, 0.0, -np.inf), 0.0, rows)


PARENTS, OUTSIDERS = "more than the largest number of parents", "are not among its candidates"

REASONS = {
    "too many, all candidates": (
        limited([1, 2, 3, 4, 5], [], 2),
        "BCD",
        [PARENTS, "there are 3", "2; ", "max_parents="],
    ),
    "too many, one outsider": (limited([1, 2, 3], [[4], [5]], 2), "BCE", [PARENTS, "there are 3", "max_parents="]),
    "two outsiders": (limited([1, 2, 3], [[4], [5]], 5), "BEF", [OUTSIDERS, "'E', 'F'", "at most 1", "outsiders=2"]),
    "two outsiders and no room for two": (limited([1, 2, 3], [[4], [5]], 1), "EF", [PARENTS, "there are 2"]),
    "all that there are": (limited([1], [[4], [5]], 5), "BEF", [OUTSIDERS, "'E', 'F'", "at most 1"]),
    "three outsiders": (
        limited([1, 2], [[3, -1], [4, -1], [5, -1], [3, 4]], 5),
        "DEF",
        [OUTSIDERS, "'D', 'E', 'F'", "at most 2", "larger candidates= or"],
    ),
    "a pair that has no row": (
        limited([1, 2], [[3, -1], [4, -1], [5, -1], [3, 4]], 5),
        "DF",
        [OUTSIDERS, "'D', 'F'", "not every pair"],
    ),
}


@pytest.mark.parametrize("name", REASONS)
def test_reasons_are_told_apart(name):
    family, causes, parts = REASONS[name]
    conflict = find_conflict(
        osp.Edges([(cause, "A") for cause in causes]), [family], ParentRules.none(len(NAMES)), NAMES
    )
    assert conflict.startswith("no parent set of 'A' has all of the causes given for it: ")
    assert all(part in conflict for part in parts)
    assert (PARENTS in conflict) != (OUTSIDERS in conflict)


@pytest.mark.parametrize("name", REASONS)
def test_fewer_are_possible(name):
    family, causes, _ = REASONS[name]
    assert find_conflict(osp.Edges([(causes[0], "A")]), [family], ParentRules.none(len(NAMES)), NAMES) is None


def test_each_family_is_looked_at_once(monkeypatch):
    looked = []
    restricted = Family.restricted

    def count(self, required, forbidden):
        looked.append((self.child, sorted(required.tolist())))
        return restricted(self, required, forbidden)

    monkeypatch.setattr(Family, "restricted", count)
    families = [Family(v, np.delete(np.arange(6), v), np.zeros(32)) for v in range(6)]
    assert (
        find_conflict(
            osp.Edges.parse("B -> A, C -> A, D -> A, E -> F, D -> F"), families, ParentRules.none(len(NAMES)), NAMES
        )
        is None
    )
    assert sorted(looked) == [(0, [1, 2, 3]), (5, [3, 4])]
