"""Numbers on their way to a browser: no digit is lost, and JSON can hold them."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from helpers.exploring import unpacked
from orderspn.explorer.numbers import number, packed


@given(arrays(np.float64, (3, 3), elements=st.floats(allow_nan=True)))
def test_matrices_come_back_bit_for_bit(matrix):
    assert unpacked(packed(matrix), 3).tobytes() == matrix.tobytes()


def test_rows_stay_rows():
    matrix = np.arange(9.0).reshape(3, 3)
    for view in (matrix.T, np.asfortranarray(matrix), matrix[::-1], matrix.astype(np.float32), matrix.astype(">f8")):
        np.testing.assert_array_equal(unpacked(packed(view), 3), view)


def test_numbers_that_are_none_are_unknown():
    assert [number(x) for x in (math.nan, math.inf, -math.inf, np.float64("nan"))] == [None] * 4
    assert [number(x) for x in (0.5, 1, np.float32(0.25), np.int64(3), True)] == [0.5, 1.0, 0.25, 3.0, 1.0]
    assert type(number(np.float64(0.1))) is float
