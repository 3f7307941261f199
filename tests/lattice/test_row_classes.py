"""Sums over the classes that sets of outsiders open, and the same steps backwards."""

import numpy as np
import pytest

from orderspn.lattice.row_classes import add_singly, classes_by_outsider, spread_singly

pytestmark = pytest.mark.kernels

NEEDS = np.array([0, 4, 1, 8])
"""What four classes need of the outsiders 1, 2, 4 and 8; nothing needs 2."""

SIZE = 16


def opened_classes() -> np.ndarray:
    """Whether each set of outsiders opens each class."""
    return (NEEDS[None, :] & ~np.arange(SIZE)[:, None]) == 0


def test_what_each_set_opens_is_summed():
    values, sums = np.random.default_rng(0).normal(size=NEEDS.size), np.empty(SIZE)
    add_singly(classes_by_outsider(NEEDS, SIZE), values, sums)
    np.testing.assert_allclose(sums, opened_classes() @ values, rtol=0.0, atol=1e-12)


def test_backwards_is_the_transpose():
    sums, values = np.random.default_rng(1).normal(size=SIZE), np.empty(NEEDS.size)
    spread_singly(classes_by_outsider(NEEDS, SIZE), sums.copy(), values)
    np.testing.assert_allclose(values, sums @ opened_classes(), rtol=0.0, atol=1e-12)


def test_without_outsiders():
    values, sums = np.array([3.0]), np.empty(1)
    numbers = classes_by_outsider(np.array([0]), 1)
    add_singly(numbers, values, sums)
    assert sums.tolist() == [3.0]
    spread_singly(numbers, sums, values)
    assert values.tolist() == [3.0]


def test_classes_that_need_several_are_for_the_general_steps():
    assert classes_by_outsider(np.array([0, 3]), 4).size == 0
