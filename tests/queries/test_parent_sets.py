"""Names of the members of parent sets, many at a time."""

import numpy as np
import pytest

import orderspn.queries.marginals
from helpers.data import letters
from orderspn.leaves.family import Family
from orderspn.queries.marginals import named_sets

FAMILIES = {
    "no candidates": Family(2, np.empty(0, dtype=np.int64), np.zeros(1)),
    "candidates": Family(2, np.array([0, 3, 5]), np.zeros(8)),
    "outsiders": Family(2, np.array([0, 4]), np.zeros(16), 0.0, np.array([[1, -1], [3, -1], [5, 3]])),
}


@pytest.mark.parametrize("at_once", [1, 3, 100])
@pytest.mark.parametrize("name", FAMILIES)
def test_as_one_by_one(monkeypatch, name, at_once):
    monkeypatch.setattr(orderspn.queries.marginals, "AT_ONCE", at_once)
    family, names = FAMILIES[name], letters(6)
    numbers = np.random.default_rng(0).permutation(family.log_score.size)
    expected = [tuple(names[v] for v in family.members(int(number))) for number in numbers]
    assert named_sets(family, numbers, names) == expected


def test_of_none():
    assert named_sets(FAMILIES["candidates"], np.empty(0, dtype=np.int64), letters(6)) == []


def test_sets_are_not_spelled_out_one_by_one(monkeypatch):
    """That takes half a second for 16 variables."""
    monkeypatch.delattr(Family, "members")
    assert len(named_sets(FAMILIES["outsiders"], np.arange(16), letters(6))) == 16
