"""Standard units: means and deviations of the rows in which a variable was not set."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.data import gaussian_data
from helpers.interventions import random_mask
from orderspn.data.dataset import Units
from reference import interventions as reference


@given(st.integers(0, 2**32 - 1), st.floats(0.0, 1.0), st.sampled_from([1e-60, 1e-3, 1.0, 1e5, 1e60]))
def test_they_are_those_of_the_rows_left(seed, share, scale):
    rng = np.random.default_rng(seed)
    values, mask = scale * gaussian_data(4, 12, seed), rng.random((12, 4)) < share
    np.testing.assert_allclose(
        Units.of(values, mask).applied(values), reference.standardized(values, mask), rtol=1e-9, atol=1e-9
    )


def test_observed_columns_are_those_without_interventions_to_the_last_bit():
    values, mask = gaussian_data(4, 30, seed=1), random_mask(np.random.default_rng(1), 30, 4, share=1.0)
    mask[:, [0, 2]] = False
    one, other = Units.of(values).applied(values), Units.of(values, mask).applied(values)
    np.testing.assert_array_equal(one[:, [0, 2]], other[:, [0, 2]])
    assert not np.isclose(one[:, [1, 3]], other[:, [1, 3]]).any()


def test_extreme_values_that_were_set_do_not_matter():
    values = gaussian_data(2, 20, seed=2)
    mask = np.arange(20)[:, None] < [5, 0]
    far = np.where(mask, 1e90, values)
    np.testing.assert_allclose(Units.of(far, mask).applied(values), Units.of(values, mask).applied(values), rtol=1e-12)


@pytest.mark.parametrize("left", [0, 1, 2])
def test_all_rows_count_where_too_few_are_left_or_they_are_alike(left):
    values = gaussian_data(2, 10, seed=3)
    values[:left, 0] = 7.0
    mask = np.arange(10)[:, None] >= [left, 10]
    np.testing.assert_array_equal(Units.of(values, mask).applied(values), Units.of(values).applied(values))


def test_a_constant_column_has_no_deviation():
    units = Units.of(np.array([[0.0, 3.0], [0.0, 3.0]]))
    np.testing.assert_array_equal(units.deviation, [0.0, 0.0])


@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-200, 1e-13, 1.0, 1e13, 1e200]), st.sampled_from([0.0, 1e3]))
def test_values_come_back(seed, scale, offset):
    values = scale * (gaussian_data(3, 12, seed) + offset)
    units = Units.of(values)
    back = units.undone(units.applied(values))
    np.testing.assert_allclose(back, values, rtol=0.0, atol=1e-14 * np.abs(values).max())
    assert (back.max(axis=0) > back.min(axis=0)).all()  # also where all values are much smaller than 1


@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 10**6, 10**15]))
def test_integers_come_back_exactly(seed, offset):
    values = np.random.default_rng(seed).integers(-20, 20, size=(12, 3)).astype(float) + offset
    values[:2] = [[offset], [offset + 1.0]]
    units = Units.of(values)
    np.testing.assert_array_equal(units.undone(units.applied(values)), values)
