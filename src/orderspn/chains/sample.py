"""Draws of several independent runs, and the selection of runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

STUCK_BELOW = 10.0
"""Difference in nats to the mean log score of the best run beyond which a run is dropped."""

LEAST_DRAWS = 4
"""Fewest draws of each run: with fewer, runs cannot be compared."""


def kept_runs(means: np.ndarray) -> np.ndarray:
    """Return which runs are not stuck below the best, shape (runs,), bool, given their mean log scores.

    Examples
    --------
    >>> kept_runs(np.array([-100.0, -104.0, -250.0])).tolist()
    [True, True, False]
    """
    kept: np.ndarray = means >= means.max() - STUCK_BELOW
    return kept


@dataclass(frozen=True, eq=False)
class Sample:
    """Draws from the posterior over states, of the runs that count.

    Attributes
    ----------
    states : numpy.ndarray
        Shape (runs that count, draws, n).
    log_scores : numpy.ndarray
        Shape (runs that count, draws).
    means : numpy.ndarray
        Shape (runs,): mean log score of every run, which decides whether it counts. The mean is over the same number of
        draws for all runs.
    """

    states: np.ndarray
    log_scores: np.ndarray
    means: np.ndarray

    @property
    def kept(self) -> np.ndarray:
        """Which runs count, shape (runs,), bool."""
        return kept_runs(self.means)

    @property
    def all_states(self) -> np.ndarray:
        """The draws of all runs that count, one run after the other, shape (runs that count * draws, n)."""
        return self.states.reshape(-1, self.states.shape[2])
