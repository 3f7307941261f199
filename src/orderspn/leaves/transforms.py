"""Sums and maxima over all subsets (or supersets) of every mask, in `K 2**K` steps for 2**K values.

An array may hold several rows of 2**K masks; each row is summed separately.

Inputs and outputs are logarithms. Sums hold each value as `mantissa * 2**exponent` with an integer exponent. An
addition takes a table lookup instead of an exponential and a logarithm, which is five times faster, and no value over-
or underflows. Mantissas may be negative, so the same pass computes expectations of weights.
"""

from __future__ import annotations

import math

import numpy as np

from orderspn.kernels.kernel import kernel

LOG_2 = math.log(2.0)
NO_SHIFT_BEYOND = 1100  # 2**-1100 is 0 in double precision
POWERS = np.ldexp(1.0, -np.arange(NO_SHIFT_BEYOND + 1))
WITHIN_RANGE = 900  # so many powers of 2 are far from the end of double precision, also for sums and mantissas below 1
ZERO_EXPONENT = -(2**28)  # of the value 0: below every exponent in use, and differences fit 32 bits


def subset_sum(log_values: np.ndarray, n_bits: int) -> np.ndarray:
    """Return `log sum of exp(log_values[G]) over G subset of U` for every U; they are equal above `n_bits` bits."""
    mantissa, exponent = split(log_values)
    add_along_bits(mantissa, exponent, 1 << n_bits, True)
    return joined(mantissa, exponent)


def subset_max(log_values: np.ndarray, n_bits: int) -> np.ndarray:
    """Return `max of log_values[G] over G subset of U` for every U; they are equal above `n_bits` bits."""
    log_best = log_values.copy()
    take_subset_maxima(log_best, 1 << n_bits)
    return log_best


def subset_expectation(log_values: np.ndarray, features: np.ndarray, n_bits: int) -> np.ndarray:
    """Return the mean of `features[G]` over G subset of U, with weights `exp(log_values[G])`, for every mask U.

    `features` has one row per mask; U and G are equal above `n_bits` bits. If all weights are 0, the mean is 0.
    """
    mantissa, exponent = split(log_values)
    sums = features * mantissa[:, None]
    add_subset_rows(sums, mantissa, exponent, 1 << n_bits)
    return sums


def split(log_values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Split logarithms into mantissas and exponents."""
    mantissa = np.empty(log_values.size)
    exponent = np.empty(log_values.size, np.int32)
    split_into(log_values, mantissa, exponent)
    return mantissa, exponent


def joined(mantissa: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """Return logarithms from mantissas, which are overwritten, and exponents."""
    join_into(mantissa, exponent)
    return mantissa


@kernel
def multiply_into(log_factors, mantissa, exponent):
    """Overwrite mantissas with the numbers, no logarithms, each times a factor given by its logarithm."""
    for i in range(mantissa.size):
        if mantissa[i] > 0.0:
            mantissa[i] *= math.exp(log_factors[i] + exponent[i] * LOG_2)


@kernel
def split_into(log_values, mantissa, exponent):
    """Fill mantissas and exponents from logarithms."""
    for i in range(log_values.size):
        if log_values[i] == -np.inf:
            mantissa[i] = 0.0
            exponent[i] = ZERO_EXPONENT
        else:
            whole = math.floor(log_values[i] / LOG_2)
            mantissa[i] = math.exp(log_values[i] - whole * LOG_2)
            exponent[i] = whole


@kernel
def join_into(mantissa, exponent):
    """Overwrite mantissas with logarithms."""
    for i in range(mantissa.size):
        if mantissa[i] > 0.0:
            mantissa[i] = math.log(mantissa[i]) + exponent[i] * LOG_2
        else:
            mantissa[i] = -np.inf


@kernel
def add_along_bits(mantissa, exponent, limit, into_supersets):
    """For each bit below `limit`, add the values without the bit to those with it, or the other way round."""
    step = 1
    while step < limit:
        for base in range(0, mantissa.size, 2 * step):
            for low in range(base, base + step):
                high = low + step
                top = max(exponent[low], exponent[high])
                total = (
                    mantissa[high] * POWERS[min(top - exponent[high], NO_SHIFT_BEYOND)]
                    + mantissa[low] * POWERS[min(top - exponent[low], NO_SHIFT_BEYOND)]
                )
                target = high if into_supersets else low
                mantissa[target] = total
                exponent[target] = top
        step *= 2


@kernel
def add_supersets_of_rows(mantissa, exponent, n_masks):
    """Sum over the supersets of every mask in each row of masks."""
    for start in range(0, mantissa.size, n_masks):
        add_supersets(mantissa[start : start + n_masks], exponent[start : start + n_masks])


@kernel
def add_supersets(mantissa, exponent):
    """Sum over the supersets of every mask, as `add_along_bits` does for all bits, with the same results.

    If all numbers are within the range of double precision of each other, they are brought to one exponent, and most of
    the time is saved.
    """
    if not share_exponent(mantissa, exponent):
        add_along_bits(mantissa, exponent, mantissa.size, False)
        return
    step = 1
    while step < mantissa.size:
        for base in range(0, mantissa.size, 2 * step):
            for low in range(base, base + step):
                mantissa[low] += mantissa[low + step]
        step *= 2


@kernel
def share_exponent(mantissa, exponent):
    """Bring numbers to one exponent if they are within the range of double precision; return whether they are."""
    top, bottom = ZERO_EXPONENT, -ZERO_EXPONENT
    for i in range(mantissa.size):
        if mantissa[i] > 0.0:
            top = max(top, exponent[i])
            bottom = min(bottom, exponent[i])
    if top - bottom > WITHIN_RANGE:
        return False
    for i in range(mantissa.size):
        mantissa[i] *= POWERS[top - exponent[i]] if mantissa[i] > 0.0 else 0.0
        exponent[i] = top
    return True


@kernel
def rows_share_exponent(sums, mantissa, exponent, places):
    """Bring the numbers and rows of sums at some places to one exponent; return whether double precision allows it."""
    top, bottom = ZERO_EXPONENT, -ZERO_EXPONENT
    for place in places:
        if mantissa[place] > 0.0:
            top = max(top, exponent[place])
            bottom = min(bottom, exponent[place])
    if top - bottom > WITHIN_RANGE:
        return False
    for place in places:
        factor = POWERS[top - exponent[place]] if mantissa[place] > 0.0 else 0.0
        mantissa[place] *= factor
        for column in range(sums.shape[1]):
            sums[place, column] *= factor
    return True


@kernel
def take_subset_maxima(log_best, limit):
    """For each bit below `limit`, raise the values with the bit to at least those without it."""
    step = 1
    while step < limit:
        for base in range(0, log_best.size, 2 * step):
            for low in range(base, base + step):
                log_best[low + step] = max(log_best[low], log_best[low + step])
        step *= 2


@kernel
def add_subset_rows(sums, mantissa, exponent, limit):
    """Sum as `add_along_bits`: the weights and, with the same exponents, rows of weighted features."""
    n_features = sums.shape[1]
    step = 1
    while step < limit:
        for base in range(0, mantissa.size, 2 * step):
            for low in range(base, base + step):
                high = low + step
                top = max(exponent[low], exponent[high])
                keep = POWERS[min(top - exponent[high], NO_SHIFT_BEYOND)]
                add = POWERS[min(top - exponent[low], NO_SHIFT_BEYOND)]
                mantissa[high] = mantissa[high] * keep + mantissa[low] * add
                exponent[high] = top
                for f in range(n_features):
                    sums[high, f] = sums[high, f] * keep + sums[low, f] * add
        step *= 2
    for mask in range(mantissa.size):
        scale = 1.0 / mantissa[mask] if mantissa[mask] > 0.0 else 0.0
        for f in range(n_features):
            sums[mask, f] *= scale
