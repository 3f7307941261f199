"""What data can have that BGe's prior takes badly: scales, locations, columns that say the same."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from orderspn.data.dataset import Dataset
from orderspn.scores.scatter import Scatter

SMALL_VARIANCE = 0.08
"""Variance, as a share of the expected one, below which it is warned of: by default at a standard deviation of 0.2,
where twice as many edges are found in the protein data as at 1."""

LARGE_DEVIATION = 30.0
"""Standard deviation beyond which the prior's scale is warned of."""

ROUNDING = 1e-12
"""Smallest eigenvalue of a scaled matrix that is still told apart from 0."""


def warn_of_data(
    data: Dataset, scatter: Scatter, group: np.ndarray, matrices: np.ndarray, alpha_mu: float, t: float, expected: float
) -> None:
    """Warn of each, given what the score was fitted to and the variance that the prior expects."""
    own = _Own.of(scatter, group)
    _warn_of_scale(data, own, t, expected)
    _warn_of_location(data, own, alpha_mu)
    _warn_of_collinearity(data, matrices)


class _Own(NamedTuple):
    """Of each variable, in the rows left to it: how many they are, its mean and its sum of squares."""

    n_rows: np.ndarray  # (d,)
    mean: np.ndarray  # (d,)
    squares: np.ndarray  # (d,)

    @classmethod
    def of(cls, scatter: Scatter, group: np.ndarray) -> _Own:
        place = np.arange(group.size)
        return cls(scatter.n_rows[group], scatter.mean[group, place], scatter.matrix[group, place, place])


def _warn_of_scale(data: Dataset, own: _Own, t: float, expected: float) -> None:
    """The prior takes variances to be of order 1: far below it adds edges, in the end as if there were no data.

    Far above it prefers fewer edges.
    """
    weak = (own.squares < np.maximum(t, SMALL_VARIANCE * expected * own.n_rows)) & (own.n_rows > 0)
    large = own.squares > LARGE_DEVIATION**2 * own.n_rows
    if weak.any():
        _warn(
            f"the values of {_listed(data, weak)} vary so little{_where(data)} that the prior (t = {t:g}) outweighs "
            "the data, and edges appear that these do not show; "
            f"{_or_standardize(data, 'pass a smaller t to scores.BGe')}."
        )
    if large.any():
        _warn(
            f"the values of {_listed(data, large)} vary so much (standard deviations above {LARGE_DEVIATION:g}) that "
            f"BGe's prior, made for about 1, counts against their edges; {_or_standardize(data, 'change their unit')}."
        )


def _where(data: Dataset) -> str:
    return "" if data.intervened is None else " where they were not set"


def _warn_of_collinearity(data: Dataset, matrices: np.ndarray) -> None:
    """Where a column follows from others to the last digit, what is left of it is rounding."""
    for matrix in matrices:
        deviations = np.sqrt(np.diag(matrix))
        scaled = matrix / np.outer(deviations, deviations)
        if np.linalg.eigvalsh(scaled)[0] < ROUNDING:
            concerned = np.abs(np.linalg.eigh(scaled)[1][:, 0]) > 0.1
            _warn(
                f"the values of {_listed(data, concerned)} are linear functions of each other up to rounding, so that "
                f"scores of sets with all of them mean little; {_or_standardize(data, 'drop one of them')}."
            )
            return


def _warn_of_location(data: Dataset, own: _Own, alpha_mu: float) -> None:
    """The prior mean of 0 acts like rows at minus the mean: two shifted columns look correlated.

    It matters where it exceeds the sampling error of a correlation, 1 / sqrt(N).
    """
    shift = own.n_rows * alpha_mu / (own.n_rows + alpha_mu)
    shifted = shift * own.mean**2 > own.squares / np.sqrt(np.maximum(own.n_rows, 1))
    if shifted.sum() >= 2:
        _warn(
            f"the means of {_listed(data, shifted)} are far from 0, which BGe's prior takes them to be, so that "
            f"unrelated variables seem related; {_or_standardize(data, 'centre the data (data - data.mean())')}."
        )


def _or_standardize(data: Dataset, remedy: str) -> str:
    """A remedy, and another that is left where it was taken already."""
    return remedy if data.standardized else f"{remedy}, or pass standardize=True"


def _listed(data: Dataset, chosen: np.ndarray) -> str:
    names = [repr(data.variables[i]) for i in np.flatnonzero(chosen)]
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")


def _warn(message: str) -> None:
    # Six calls up is whoever called learn or family_scores.
    warnings.warn(message, UserWarning, stacklevel=7)
