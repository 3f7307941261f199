"""Borrowed arrays are the same arrays: what a kernel reads and writes, and who holds them afterwards."""

import sys
from typing import NamedTuple

import numpy as np
import pytest
from numba.core.errors import TypingError

from orderspn.kernels.borrowing import borrowed
from orderspn.kernels.kernel import kernel


class Parts(NamedTuple):
    """Arrays of several types and dimensions beside numbers."""

    matrix: np.ndarray
    counts: np.ndarray
    marks: np.ndarray
    level: float


class Same(NamedTuple):
    """Arrays of one type, which numba takes for another kind of tuple."""

    first: np.ndarray
    second: np.ndarray


@kernel
def _of_row(row, counts, level):
    total = level
    for i in range(row.size):
        total += row[i]
        counts[i] += 1
    return total


@kernel
def _sums(parts, same):
    parts, same = borrowed(parts), borrowed(same)
    for row in range(len(parts.matrix)):
        own = parts.matrix[row]
        own[0] += 1.0
        parts.marks[row] = _of_row(own, parts.counts, parts.level) > 0.0
        same.second[row] = same.first[row]
    return parts.counts[0]


def _example():
    numbers = np.arange(6.0).reshape(2, 3) - 4.0
    return Parts(numbers, np.zeros(3, dtype=np.int64), np.zeros(2, dtype=np.bool_), 0.5), Same(np.ones(2), np.zeros(2))


@pytest.mark.kernels
def test_kernels_read_and_write_the_arrays_of_the_caller():
    parts, same = _example()
    assert _sums(parts, same) == 2
    np.testing.assert_array_equal(parts.matrix, [[-3.0, -3.0, -2.0], [0.0, 0.0, 1.0]])
    np.testing.assert_array_equal(parts.counts, [2, 2, 2])
    np.testing.assert_array_equal(parts.marks, [False, True])
    np.testing.assert_array_equal(same.second, [1.0, 1.0])


def test_no_reference_is_lost_or_kept():
    parts, same = _example()
    _sums(parts, same)
    before = [sys.getrefcount(array) for array in (*parts[:3], *same)]
    for _ in range(10):
        _sums(parts, same)
    assert [sys.getrefcount(array) for array in (*parts[:3], *same)] == before


@kernel
def _nested(parts):
    parts = borrowed(parts)
    return parts[0][0]


def test_only_arrays_and_numbers_are_borrowed():
    """What a member holds itself would be let go of once too often."""
    with pytest.raises(TypingError, match="only tuples of arrays and numbers can be borrowed"):
        _nested(((np.ones(2),), 1.0))
