"""How far out in the posterior something is: the probability of what is at most as probable.

If a graph is drawn from the prior and data are drawn given the graph, the graph is one more draw from the posterior.
So whatever graphs are ranked by, its rank among n other draws is uniform, or higher where there are ties: the share of
draws at or below it, with itself counted among them, is below a level no more often than the level says.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from orderspn.judging.draws import PosteriorDraws
from orderspn.leaves.family import tie_tolerance


@dataclass(frozen=True)
class Tail:
    """The posterior probability of everything that is at most as probable.

    Attributes
    ----------
    probability : float
        The share of draws at or below, the graph itself counted as one of them; 0 for an impossible graph.
    standard_error : float
        Monte Carlo standard error; NaN if it is not known.
    n_draws : float
        Number of draws; for weighted ones, the number of equal ones that are worth as much.
    """

    probability: float
    standard_error: float
    n_draws: float


def tail_of(value: float, values: np.ndarray, draws: PosteriorDraws) -> Tail:
    """Return the tail at a value, among the values of draws (n,); equal ones, up to rounding, count as below."""
    n = draws.worth
    if value == -np.inf:
        return Tail(0.0, 0.0, n)
    below, error = draws.share(values <= value + tie_tolerance(value))
    return Tail((below * n + 1.0) / (n + 1.0), error, n)
