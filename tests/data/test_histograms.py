"""Histograms: every value is counted once, in bars of equal width that sit on values where these are few."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orderspn.data.histograms import LOOKED_AT, MOST_BARS, histogram_of


def shares_of(values):
    values = np.asarray(values, dtype=float)
    return (values - values.min()) / (values.max() - values.min())


def counted(values):
    """The counts of values one by one, given the ends of the histogram; the same but for rounding errors."""
    shares = shares_of(values)
    found = histogram_of(shares)
    width = (found.end - found.begin) / found.counts.size
    places = [min(int((share - found.begin) / width + 1e-8), found.counts.size - 1) for share in shares.tolist()]
    return found, [places.count(bar) for bar in range(found.counts.size)]


numbers = st.one_of(
    st.lists(st.floats(-1e6, 1e6, width=32), min_size=2, max_size=60),
    st.lists(st.integers(-40, 40), min_size=2, max_size=60),
    st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.7, 3.0]), min_size=2, max_size=60),
).filter(lambda values: max(values) - min(values) > 1e-3)


@given(numbers)
def test_every_value_is_counted_in_its_bar(values):
    found, slowly = counted(values)
    assert found.counts.tolist() == slowly
    assert sum(slowly) == len(values)
    assert 1 <= len(slowly) <= MOST_BARS
    assert found.begin <= 0.0
    assert found.end >= 1.0


@given(numbers, st.sampled_from([1e-30, 0.3, 7.0, 1e20]), st.sampled_from([0.0, -11.0, 1e3]))
def test_units_do_not_matter(values, scale, offset):
    one = histogram_of(shares_of(values))
    other = histogram_of(shares_of((np.array(values) + offset) * scale))
    assert one.counts.tolist() == other.counts.tolist()
    np.testing.assert_allclose([one.begin, one.end], [other.begin, other.end])


@pytest.mark.parametrize(
    ("values", "counts"),
    [
        ([0, 1, 1, 2], [1, 2, 1]),
        ([0, 1], [1, 1]),
        ([3, 3, 3, 7], [3, 1]),
        ([0, 2, 5, 5], [1, 0, 1, 0, 0, 2]),  # the step is that of integers, though no two of them are 1 apart
        ([0.1, 0.2, 0.3, 0.3], [1, 1, 2]),
        ([1900, 1925, 2000], [1, 1, 0, 0, 1]),
    ],
)
def test_bars_are_on_few_values(values, counts):
    found = histogram_of(shares_of(values))
    assert found.counts.tolist() == counts
    middles = found.begin + (np.arange(len(counts)) + 0.5) * (found.end - found.begin) / len(counts)
    occurring = np.flatnonzero(found.counts)
    np.testing.assert_allclose(middles[occurring], np.unique(shares_of(values)), atol=1e-12)


def test_bars_of_many_integers_have_equally_many_of_them():
    """Otherwise every other bar would be half as high again."""
    found = histogram_of(shares_of(np.arange(100).repeat(5)))
    assert len(set(found.counts[:-1].tolist())) == 1
    assert found.counts.size == 10


def test_a_rare_value_that_was_not_looked_at():
    values = np.zeros(5 * LOOKED_AT)
    values[1], values[2] = 1, 2  # not among every fifth one
    assert histogram_of(shares_of(values)).counts.tolist() == [values.size - 2, 1, 1]
    values[3] = np.sqrt(2.0)
    assert histogram_of(shares_of(values)).counts.sum() == values.size


@pytest.mark.parametrize("n", [10, 100, 900, 20_000])
def test_as_many_bars_as_numpy_chooses(n):
    values = np.random.default_rng(n).normal(size=n)
    chosen = len(np.histogram_bin_edges(values, "auto")) - 1
    assert histogram_of(shares_of(values)).counts.size == pytest.approx(min(chosen, MOST_BARS), abs=1)


def test_heavy_tails_do_not_hide_the_rest():
    values = np.random.default_rng(0).standard_cauchy(500)
    assert histogram_of(shares_of(values)).counts.size == MOST_BARS
