"""For each set, the sum of values over all sets that meet it, with positive terms only."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True)
def meeting_sums(values, sums):
    """Fill `sums[S]` with the sum of `values[T]` over the T that meet S; `values` is overwritten.

    Bit by bit. Where the bits seen so far belong to S and the others to T, `values` sums over the T that do not meet S
    in those bits and `sums` over those that do. A bit of S makes those with the bit meet it, and those without it stay
    as they are.
    """
    sums[:] = 0.0
    half = 1
    while half < values.size:
        for base in range(0, values.size, 2 * half):
            for low in range(base, base + half):
                high = low + half
                without, within = values[low], values[high]
                met = sums[low] + sums[high]
                values[low] = without + within
                values[high] = without
                sums[low] = met
                sums[high] = met + within
        half *= 2
