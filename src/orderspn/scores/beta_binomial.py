"""A prior over parent sets in which every other variable is a parent with a probability of the child's own."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from orderspn.core.arguments import check_fraction, check_within

LEAST_CONCENTRATED, MOST_CONCENTRATED = 1e-6, 1e9
"""Range of finite concentrations. Beyond, shares are 0 or 1, or all the same, up to rounding."""


@dataclass(frozen=True)
class BetaBinomial:
    """A prior over parent sets: the share of the other variables that are parents is a draw from a beta distribution.

    Each variable draws a share from `Beta(mean * concentration, (1 - mean) * concentration)`, and each of the others is
    its parent with this probability.

    Parameters
    ----------
    mean : float
        Mean share, between 0 and 1, both excluded.
    concentration : float, default infinity
        How much alike the shares of different variables are, 1e-6 to 1e9. With infinity all are the mean: edges are
        independent. `BetaBinomial(0.5, 2)` is the prior "fair", `BetaBinomial(0.5)` is "uniform".

    Examples
    --------
    >>> import numpy as np, orderspn as osp
    >>> fair = osp.scores.BetaBinomial(0.5, 2)
    >>> bool(np.allclose(fair.log_prior(6), osp.scores.log_prior_by_size("fair", 6)))
    True

    About two parents of each of 11 variables, before there are data:

    >>> sparse = osp.scores.BetaBinomial(2 / 10)
    >>> osp.learn(osp.load_sachs(log=True).data, prior=sparse).settings["prior"]
    'custom'
    """

    mean: float
    concentration: float = math.inf

    def __post_init__(self) -> None:
        check_fraction("mean", self.mean)
        if self.concentration != math.inf:
            check_within("concentration", self.concentration, LEAST_CONCENTRATED, MOST_CONCENTRATED)

    def log_prior(self, n_variables: int) -> np.ndarray:
        """Return the log prior probability of one parent set, by its size 0 .. d-1, shape (d,)."""
        sizes = np.arange(n_variables)
        return self.log_probability(sizes, n_variables - 1 - sizes)

    def log_probability(self, present: np.ndarray, absent: np.ndarray) -> np.ndarray:
        """Return the log probability that these numbers of given variables are parents, and are not."""
        if self.concentration == math.inf:
            return np.asarray(present * math.log(self.mean) + absent * math.log1p(-self.mean))
        from scipy.special import betaln

        a, b = self.mean * self.concentration, (1.0 - self.mean) * self.concentration
        return np.asarray(betaln(a + present, b + absent) - betaln(a, b))
