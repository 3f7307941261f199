"""Sums of values over all sets that intersect each set, with positive terms only."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True)
def intersecting_sums(values, sums):
    """Fill `sums[S]` with the sum of `values[T]` over the T that intersect S; `values` is overwritten.

    The sums go bit by bit. After some bits, an index has these bits of S and the other bits of T; `values` sums over
    the T that do not intersect S in these bits, and `sums` over those that do. If the next bit is in S, the T with that
    bit move from `values` to `sums`.
    """
    sums[:] = 0.0
    half = 1
    while half < values.size:
        for base in range(0, values.size, 2 * half):
            for low in range(base, base + half):
                high = low + half
                without, within = values[low], values[high]
                intersecting = sums[low] + sums[high]
                values[low] = without + within
                values[high] = without
                sums[low] = intersecting
                sums[high] = intersecting + within
        half *= 2
