"""Scores of all parent sets by masks over all variables, scaled against underflow.

Numbers are `mantissa * 2**exponent`. There are two scales, both powers of two, so that multiplication by them is exact:

- `top[j, A]`: the exponent of the best parent set of j within A.
- `best[U]`: the exponent of the best graph on U, `max over j in U of best[U - j] + top[j, U - j]`.

Mantissas are between 1 and 2, so these are the exponents of the best values up to a factor of 2 per variable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from orderspn.core.workers import Workers
from orderspn.kernels.kernel import kernel
from orderspn.leaves.family import Family
from orderspn.leaves.transforms import (
    NO_SHIFT_BEYOND,
    POWERS,
    ZERO_EXPONENT,
    add_along_bits,
    split_into,
    take_subset_maxima,
)
from orderspn.leaves.validation import check_families


@dataclass(frozen=True, eq=False)
class ScoreTables:
    """The scores of families in the form that sums over layers read.

    Attributes
    ----------
    mantissa, exponent : numpy.ndarray
        Shape (d, 2**d): score of each variable with each parent set; the mantissa is 0 for impossible ones.
    top : numpy.ndarray
        Shape (d, 2**d): the largest exponent of a parent set within each set.
    best : numpy.ndarray
        Shape (2**d,): the exponent of the best graph on each set.
    through : numpy.ndarray
        Shape (d, d, 2**(d - 1)): `through[j, t, B]` sums the scores of j over the parent sets that consist of t and a
        subset of B, divided by `2**top[j, B + t]`. B does not contain t, and its mask leaves out the bit of t.
    """

    mantissa: np.ndarray
    exponent: np.ndarray
    top: np.ndarray
    best: np.ndarray
    through: np.ndarray

    @classmethod
    def of(cls, families: Sequence[Family], workers: Workers) -> ScoreTables:
        """Build the tables of the families of all variables."""
        check_families(families)
        d = len(families)
        mantissa = np.empty((d, 1 << d))
        exponent = np.empty((d, 1 << d), np.int32)
        top = np.empty((d, 1 << d), np.int32)
        through = np.zeros((d, d, 1 << (d - 1)))

        def fill(child: int) -> None:
            split_into(dense_log_score(families[child], d), mantissa[child], exponent[child])
            top[child] = exponent[child]
            take_subset_maxima(top[child], 1 << d)
            _fill_through(child, mantissa[child], exponent[child], top[child], through[child])

        workers.run([partial(fill, child) for child in range(d)], workers.steps("scores of all sets", d))
        best = np.empty(1 << d, np.int64)
        _fill_best(top, best)
        return cls(mantissa, exponent, top, best, through)

    @property
    def n_variables(self) -> int:
        """Number of variables, d."""
        return len(self.mantissa)


def set_masks(family: Family, d: int) -> np.ndarray:
    """Return each parent set of a family as a mask over all variables, shape (rows * 2**K,)."""
    return family.indicators(np.arange(family.log_score.size), d) @ (np.int64(1) << np.arange(d))


def dense_log_score(family: Family, d: int) -> np.ndarray:
    """Return log scores by masks over all variables, shape (2**d,); -inf for sets that are no parent sets."""
    dense = np.full(1 << d, -np.inf)
    dense[set_masks(family, d)] = family.log_score
    return dense


@kernel
def _fill_through(child, mantissa, exponent, top, through):
    """Sum scores over the parent sets with t, for each t and each set B of other variables."""
    size = through.shape[1]
    sums = np.empty(size)
    exponents = np.empty(size, np.int32)
    for t in range(through.shape[0]):
        if t == child:
            continue
        for rest in range(size):
            with_t = insert_bit(rest, t) | (1 << t)
            sums[rest] = mantissa[with_t]
            exponents[rest] = exponent[with_t]
        add_along_bits(sums, exponents, size, True)
        for rest in range(size):
            shift = top[insert_bit(rest, t) | (1 << t)] - exponents[rest]
            through[t, rest] = sums[rest] * POWERS[min(shift, NO_SHIFT_BEYOND)]


@kernel
def _fill_best(top, best):
    """Fill in the exponents of the best graphs on all sets; `ZERO_EXPONENT` if there is none."""
    best[0] = 0
    for subset in range(1, best.size):
        best[subset] = ZERO_EXPONENT
        for j in range(top.shape[0]):
            if not (subset >> j) & 1:
                continue
            rest = subset ^ (1 << j)
            if best[rest] != ZERO_EXPONENT and top[j, rest] != ZERO_EXPONENT:
                best[subset] = max(best[subset], best[rest] + top[j, rest])


@kernel
def insert_bit(mask, bit):
    """Insert a bit that is 0 into a mask."""
    low = mask & ((1 << bit) - 1)
    return ((mask ^ low) << 1) | low


@kernel
def remove_bit(mask, bit):
    """Remove a bit that is 0 from a mask."""
    low = mask & ((1 << bit) - 1)
    return ((mask ^ low) >> 1) | low
