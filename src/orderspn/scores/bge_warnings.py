"""Warnings of data that BGe's prior does not suit: extreme scales, means far from 0, collinear columns."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from orderspn.data.dataset import Dataset
from orderspn.scores.scatter import Scatter

SMALL_VARIANCE = 0.08
"""Variance, as a share of the expected one, below which there is a warning: with default hyperparameters a standard
deviation of 0.2, at which twice as many edges are found in the protein data as at 1."""

LARGE_DEVIATION = 30.0
"""Standard deviation above which there is a warning."""

ROUNDING = 1e-12
"""Smallest eigenvalue of a scaled matrix that counts as different from 0."""


def warn_of_data(
    data: Dataset, scatter: Scatter, group: np.ndarray, matrices: np.ndarray, alpha_mu: float, t: float, expected: float
) -> None:
    """Warn of extreme scales, means far from 0 and collinear columns; the prior expects the variance `expected`."""
    own = _Own.of(scatter, group)
    _warn_of_scale(data, own, t, expected)
    _warn_of_location(data, own, alpha_mu)
    remedy = _or_standardize(data, "drop one of them")
    _warn_of_collinearity(data.variables, np.arange(group.size), matrices, remedy)


def warn_of_collinear_groups(variables: Sequence[str], owner: np.ndarray, matrices: np.ndarray) -> None:
    """Warn of variables whose columns are linear functions of each other, given the variable that owns each column."""
    _warn_of_collinearity(variables, owner, matrices, "drop one of them")


class _Own(NamedTuple):
    """Of each variable, in the rows that count for it: their number, its mean and its sum of squares."""

    n_rows: np.ndarray  # (d,)
    mean: np.ndarray  # (d,)
    squares: np.ndarray  # (d,)

    @classmethod
    def of(cls, scatter: Scatter, group: np.ndarray) -> _Own:
        place = np.arange(group.size)
        return cls(scatter.n_rows[group], scatter.mean[group, place], scatter.matrix[group, place, place])


def _warn_of_scale(data: Dataset, own: _Own, t: float, expected: float) -> None:
    """Warn of variances far from 1, which the prior expects.

    If they are far smaller, the prior adds edges; if they are far larger, it prefers fewer edges.
    """
    weak = (own.squares < np.maximum(t, SMALL_VARIANCE * expected * own.n_rows)) & (own.n_rows > 0)
    large = own.squares > LARGE_DEVIATION**2 * own.n_rows
    if weak.any():
        _warn(
            f"the values of {_listed(data.variables, weak)} vary so little{_where(data)} that the prior (t = {t:g}) "
            "outweighs the data, and the posterior has edges that the data do not support; "
            f"{_or_standardize(data, 'pass a smaller t to scores.BGe')}."
        )
    if large.any():
        _warn(
            f"the values of {_listed(data.variables, large)} vary so much (standard deviations above "
            f"{LARGE_DEVIATION:g}) that BGe's prior, made for about 1, counts against their edges; "
            f"{_or_standardize(data, 'change their unit')}."
        )


def _where(data: Dataset) -> str:
    return "" if data.intervened is None else " in the rows without intervention"


def _warn_of_collinearity(variables: Sequence[str], owner: np.ndarray, matrices: np.ndarray, remedy: str) -> None:
    """Warn of a column that is a linear function of others up to rounding: its residual is rounding error."""
    for matrix in matrices:
        deviations = np.sqrt(np.diag(matrix))
        scaled = matrix / np.outer(deviations, deviations)
        if np.linalg.eigvalsh(scaled)[0] < ROUNDING:
            concerned = np.zeros(len(variables), dtype=bool)
            concerned[owner[np.abs(np.linalg.eigh(scaled)[1][:, 0]) > 0.1]] = True
            _warn(
                f"the values of {_listed(variables, concerned)} are linear functions of each other up to rounding, so "
                f"that scores of sets with all of them are unreliable; {remedy}."
            )
            return


def _warn_of_location(data: Dataset, own: _Own, alpha_mu: float) -> None:
    """Warn of means far from 0: the prior mean of 0 makes two columns with such means seem correlated.

    This matters if it exceeds the sampling error of a correlation, 1 / sqrt(N).
    """
    shift = own.n_rows * alpha_mu / (own.n_rows + alpha_mu)
    shifted = shift * own.mean**2 > own.squares / np.sqrt(np.maximum(own.n_rows, 1))
    if shifted.sum() >= 2:
        _warn(
            f"the means of {_listed(data.variables, shifted)} are far from 0, which BGe's prior takes them to be, "
            "so that unrelated variables seem related; "
            f"{_or_standardize(data, 'centre the data (data - data.mean())')}."
        )


def _or_standardize(data: Dataset, remedy: str) -> str:
    """Return the remedy, followed by `standardize=True` unless the data are standardized already."""
    return remedy if data.standardized else f"{remedy}, or pass standardize=True"


def _listed(variables: Sequence[str], chosen: np.ndarray) -> str:
    names = [repr(variables[i]) for i in np.flatnonzero(chosen).tolist()]
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")


def _warn(message: str) -> None:
    # Six calls up is the caller of family_scores; `learn` passes warnings on by itself.
    warnings.warn(message, UserWarning, stacklevel=7)
