"""Scores that are functions of a regression: of the residual of the child, and of the determinant of its parents.

For a child j and parents Q of number l,

    log score = log_by_size[l] - weight * log|R_QQ| - exponents[l] * log(residual of j in the regression on Q by R),

where R is a matrix of squares and products: that of BGe with weight 1/2, that of BIC with weight 0. Fitted scores with
a method `regression_terms(largest)` are searched by compiled code (`climbing/`); all others are asked set by set.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np


class RegressionTerms(NamedTuple):
    """What such a score depends on; variables that are scored by the same rows form a group."""

    matrices: np.ndarray  # (groups, d, d): R, without the part of the shifts
    shifts: np.ndarray  # (groups, d): z, where R is the matrix plus `z z'`; 0 if nothing is kept separate
    group: np.ndarray  # (d,): the group of each variable
    floors: np.ndarray  # (groups, d): smallest residual that a variable may have; less is rounding
    log_by_size: np.ndarray  # (groups, largest + 1)
    exponents: np.ndarray  # (groups, largest + 1)
    log_det_weight: float


class RegressionLikelihood(Protocol):
    """A fitted score that is a function of regressions."""

    def regression_terms(self, largest: int) -> RegressionTerms:
        """Return the terms for up to `largest` parents."""
