"""Subset transforms against double loops, with impossible sets and huge ranges of values."""

import numpy as np
import pytest

from orderspn.leaves import transforms
from reference import transforms as reference

pytestmark = pytest.mark.kernels


def _values(kind, n_bits, seed=0):
    rng = np.random.default_rng([n_bits, seed])
    size = 1 << n_bits
    plain = rng.normal(scale=3.0, size=size)
    if kind == "plain":
        return plain
    if kind == "some impossible":
        return np.where(rng.random(size) < 0.6, -np.inf, plain)
    if kind == "huge range":
        return rng.uniform(-1e5, 1e5, size=size)
    if kind == "huge range, some impossible":
        return np.where(rng.random(size) < 0.4, -np.inf, rng.uniform(-1e5, 1e5, size=size))
    if kind == "all impossible":
        return np.full(size, -np.inf)
    if kind == "only the full set":
        return np.where(np.arange(size) == size - 1, -12_345.0, -np.inf)
    if kind == "very low":
        return plain - 1e5
    if kind == "equal":
        return np.full(size, -777.0)
    raise ValueError(kind)


KINDS = [
    "plain",
    "some impossible",
    "huge range",
    "huge range, some impossible",
    "all impossible",
    "only the full set",
    "very low",
    "equal",
]


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture(params=[0, 1, 2, 5, 6])
def log_values(request, kind):
    return _values(kind, request.param)


def assert_close(answer, expected):
    np.testing.assert_array_equal(np.isneginf(answer), np.isneginf(expected))
    finite = ~np.isneginf(expected)
    # One unit in the last place of a logarithm of 1e5 is 1.5e-11.
    np.testing.assert_allclose(answer[finite], expected[finite], rtol=1e-14, atol=5e-11)


def all_bits(log_values):
    return log_values.size.bit_length() - 1


def test_subset_sum(log_values):
    before = log_values.copy()
    assert_close(transforms.subset_sum(log_values, all_bits(log_values)), reference.subset_sum(log_values))
    np.testing.assert_array_equal(log_values, before)


def superset_sum(log_values, n_bits):
    """Sums over supersets, by the kernel that families use."""
    mantissa, exponent = transforms.split(log_values)
    transforms.add_supersets_of_rows(mantissa, exponent, 1 << n_bits)
    return transforms.joined(mantissa, exponent)


def test_superset_sum(log_values):
    before = log_values.copy()
    assert_close(superset_sum(log_values, all_bits(log_values)), reference.superset_sum(log_values))
    np.testing.assert_array_equal(log_values, before)


def test_supersets_at_one_exponent_are_those_of_many(log_values):
    """The short way for numbers close to each other changes no bit; others go the long way."""
    short, long = transforms.split(log_values), transforms.split(log_values)
    transforms.add_supersets(*short)
    transforms.add_along_bits(*long, log_values.size, False)
    np.testing.assert_array_equal(short[0] > 0.0, long[0] > 0.0)
    seen = long[0] > 0.0
    np.testing.assert_array_equal(np.ldexp(short[0], short[1] - long[1])[seen], long[0][seen])


def test_products(log_values):
    log_factors = np.where(log_values > 0.0, -log_values, 0.25)
    mantissa, exponent = transforms.split(log_values)
    transforms.multiply_into(log_factors, mantissa, exponent)
    np.testing.assert_allclose(mantissa, np.exp(log_values + log_factors), rtol=1e-10)


def test_subset_max(log_values):
    before = log_values.copy()
    answer = transforms.subset_max(log_values, all_bits(log_values))
    np.testing.assert_array_equal(answer, reference.subset_max(log_values))
    np.testing.assert_array_equal(log_values, before)


def test_subset_expectation(log_values):
    for n_features in (0, 1, 4):
        features = np.random.default_rng(1).normal(scale=10.0, size=(log_values.size, n_features))
        before = features.copy()
        answer = transforms.subset_expectation(log_values, features, all_bits(log_values))
        expected = reference.subset_expectation(log_values, features)
        np.testing.assert_allclose(answer, expected, rtol=0, atol=2e-9)
        np.testing.assert_array_equal(features, before)


def test_the_lowest_bits_alone(log_values):
    """Numbers that differ in higher bits belong to different rows, which are not mixed."""
    features = np.random.default_rng(1).normal(scale=10.0, size=(log_values.size, 2))
    for n_bits in range(all_bits(log_values) + 1):
        assert_rows_apart(log_values, features, n_bits)


@pytest.mark.parametrize(("n_rows", "n_bits"), [(1, 0), (5, 0), (3, 1), (7, 2), (3, 4), (1, 3)])
def test_any_number_of_rows(kind, n_rows, n_bits):
    log_values = np.resize(_values(kind, 5, seed=1), n_rows << n_bits)
    features = np.random.default_rng(1).normal(scale=10.0, size=(log_values.size, 3))
    assert_rows_apart(log_values, features, n_bits)
    rows = log_values.reshape(n_rows, -1)
    by_row = np.concatenate([reference.subset_sum(row) for row in rows])
    assert_close(transforms.subset_sum(log_values, n_bits), by_row)


def assert_rows_apart(log_values, features, n_bits):
    assert_close(transforms.subset_sum(log_values, n_bits), reference.subset_sum(log_values, n_bits))
    assert_close(superset_sum(log_values, n_bits), reference.superset_sum(log_values, n_bits))
    np.testing.assert_array_equal(transforms.subset_max(log_values, n_bits), reference.subset_max(log_values, n_bits))
    np.testing.assert_allclose(
        transforms.subset_expectation(log_values, features, n_bits),
        reference.subset_expectation(log_values, features, n_bits),
        rtol=0,
        atol=2e-9,
    )


def test_expectation_of_the_constant_is_the_constant():
    log_values = _values("huge range, some impossible", 6)
    log_values[0] = -1e5
    np.testing.assert_allclose(transforms.subset_expectation(log_values, np.ones((64, 1)), 6), 1.0, rtol=1e-12)


def test_small_terms_are_not_lost():
    """Terms that differ by 40 nats: the smaller one must still decide a sum without the larger."""
    log_values = np.array([-40.0, 0.0, -np.inf, -80.0])
    answer = transforms.subset_sum(log_values, 2)
    assert answer[0] == pytest.approx(-40.0, abs=1e-13)
    assert answer[2] == pytest.approx(-40.0, abs=1e-13)
    assert answer[1] == pytest.approx(np.log1p(np.exp(-40.0)), rel=1e-9, abs=1e-16)


def test_more_bits_than_the_loops_can_check():
    """Eleven bits, uniform weights: 2**|U| sets within U, mean size |U| / 2."""
    sizes = np.array([m.bit_count() for m in range(1 << 11)])
    np.testing.assert_allclose(transforms.subset_sum(np.zeros(1 << 11), 11), sizes * np.log(2.0), atol=1e-12)
    np.testing.assert_allclose(superset_sum(np.zeros(1 << 11), 11), (11 - sizes) * np.log(2.0), atol=1e-12)
    mean_sizes = transforms.subset_expectation(np.zeros(1 << 11), sizes[:, None].astype(float), 11)
    np.testing.assert_allclose(mean_sizes[:, 0], sizes / 2, rtol=1e-13)
