"""What a score must offer, so that everything above it needs to know none by name."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

NOBODY = np.empty(0, dtype=np.int64)
"""No variables."""


class MarginalLikelihood(Protocol):
    """A score fitted to data: log marginal likelihoods of one variable given sets of parents.

    Parent sets of a family are masks over its `candidates`: bit b stands for `candidates[b]`.
    """

    @property
    def n_variables(self) -> int:
        """Number of variables, d."""

    def log_likelihoods(
        self, child: int, candidates: np.ndarray, max_parents: int, always: np.ndarray = ...
    ) -> np.ndarray:
        """All subsets of the candidates, each with all of `always`, shape (2**K,); -inf beyond `max_parents`."""

    def log_likelihoods_with_one_more(self, child: int, parents: np.ndarray) -> np.ndarray:
        """`parents` and one more variable, shape (d,); -inf for the child and for the parents themselves."""

    def expected_weights(
        self, child: int, candidates: np.ndarray, max_parents: int, always: np.ndarray = ...
    ) -> np.ndarray:
        """Posterior mean of the weights on the child given each of these sets, shape (2**K, K + always).

        A likelihood with `linear = False` has no weights, and this is an error.
        """

    def weights_given(self, child: int, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Posterior of the weights of `parents`, a t distribution: location (p,), scale (p, p), degrees of freedom."""

    def settings(self) -> dict[str, Any]:
        """Name and hyperparameters, as JSON values."""

    def arrays(self) -> dict[str, np.ndarray]:
        """What, with `settings`, restores the fitted score from a file."""


class Score(Protocol):
    """A score with its hyperparameters, not yet fitted."""

    def fit(self, data: Any) -> MarginalLikelihood:
        """Take from the data what the marginal likelihoods need.

        The data are a `Dataset` of numbers, or `Categories` for a score that has `reads = "categories"`. One that has
        `leaves_rows_out = True` scores a variable by the rows in which `data.intervened` does not say that it was set;
        others are given no such data.
        """
