"""What a score must offer, and what it may, so that everything above it needs to know none by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

NOBODY = np.empty(0, dtype=np.int64)
"""No variables."""

Reads = Literal["numbers", "categories"]
"""How a score reads the rows of a table."""

ValueOfFamily = Callable[[int, np.ndarray], np.ndarray]
"""Maps a child and its parents to numbers, shape (width,)."""


class MarginalLikelihood(Protocol):
    """A score fitted to data: log marginal likelihoods of one variable given sets of parents.

    Parent sets of a family are masks over its `candidates`: bit b stands for `candidates[b]`.

    A fitted score may also have the attributes of the protocols below, each of which answers more questions, and

    - `reads`: how it reads rows, where these are categories;
    - `scratch_bytes`: memory that a thread needs to score a family, besides its scores;
    - `times_set`, shape (d,): the number of rows in which each variable was set from outside;
    - `unfitted`: the score with the same hyperparameters, to be fitted to other rows.
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

    def settings(self) -> dict[str, Any]:
        """Name and hyperparameters, as JSON values."""


class LinearLikelihood(Protocol):
    """A fitted score whose edges have weights: then there are total effects."""

    def expected_weights(
        self, child: int, candidates: np.ndarray, max_parents: int, always: np.ndarray = ...
    ) -> np.ndarray:
        """Posterior mean of the weights on the child given each of these sets, shape (2**K, K + always)."""

    def weights_given(self, child: int, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Posterior of the weights of `parents`, a t distribution: location (p,), scale (p, p), degrees of freedom."""


class TableLikelihood(Protocol):
    """A fitted score of categories, with tables of probabilities: then there are distributions under interventions."""

    @property
    def levels(self) -> tuple[tuple[str, ...], ...]:
        """Names of the levels of each variable."""

    def strengths_given(self, child: int, parents: np.ndarray) -> np.ndarray:
        """Dirichlet parameters of the table of a child, shape (r_1, ..., r_p, r_child), parents in their order."""


class PredictiveLikelihood(Protocol):
    """A fitted score that predicts rows: then rows that were held out can be judged."""

    def predictive(self, train: Any, rows: Any) -> ValueOfFamily:
        """Log densities of a child given its parents in each of `rows`, after `train`, the rows of the fit."""


class StorableLikelihood(Protocol):
    """A fitted score that can be written to a file, if its class is registered."""

    def settings(self) -> dict[str, Any]:
        """Name and hyperparameters, as JSON values."""

    def arrays(self) -> dict[str, np.ndarray]:
        """What, with `settings`, restores the fitted score from a file."""


class Score(Protocol):
    """A score with its hyperparameters, not yet fitted.

    It may have `reads = "categories"`, if it takes categories instead of numbers, and `leaves_rows_out = True`, if it
    scores a variable by the rows in which `data.intervened` does not say that it was set; others are given no such
    data.
    """

    def fit(self, data: Any) -> MarginalLikelihood:
        """Take from the data, a `Dataset` or `Categories`, what the marginal likelihoods need."""


class RegisteredScore(Score, Protocol):
    """A class of scores that files can be read with. It is called without arguments for the usual hyperparameters.

    It may have `described`, a msgspec Struct that `settings()` of its fitted form must fit into, and `stored`, the
    types of its arrays (`core/stored_arrays.py`). Without them any JSON values, and any arrays of numbers, are taken.
    """

    name: ClassVar[str]

    @classmethod
    def restore(cls, settings: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> MarginalLikelihood:
        """Rebuild the fitted score from its `settings()` and `arrays()`, which anybody may have written."""
