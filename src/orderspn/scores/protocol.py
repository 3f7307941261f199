"""The methods that a score must have, and those that it may have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

import numpy as np

if TYPE_CHECKING:
    from orderspn.data.units import Units
    from orderspn.scores.column_model import ColumnModel

NO_VARIABLES = np.empty(0, dtype=np.int64)
"""An empty set of variables."""

Reads = Literal["numbers", "categories"]
"""How a score reads the rows of a table."""

ValueOfFamily = Callable[[int, np.ndarray], np.ndarray]
"""Maps a child and its parents to numbers, shape (width,)."""


class MarginalLikelihood(Protocol):
    """A score fitted to data: log marginal likelihoods of one variable given sets of parents.

    Parent sets of a family are masks over its `candidates`: bit b stands for `candidates[b]`.

    A fitted score may also have the methods of the protocols below, each of which makes more queries possible, and

    - `reads = "categories"`: if it reads rows as categories;
    - `log_likelihoods_of_rows(child, candidates, max_parents, rows)`, shape (rows, 2**K): `log_likelihoods` with the
      variables of each row (rows, width), -1 for none, if one call for all rows takes less time;
    - `scratch_bytes`: memory that a thread needs to score a family, in addition to the scores;
    - `n_interventions`, shape (d,): number of rows in which each variable was intervened on;
    - `unfitted`: the score with the same hyperparameters, to be fitted to other rows.
    """

    @property
    def n_variables(self) -> int:
        """Number of variables, d."""

    def log_likelihoods(
        self, child: int, candidates: np.ndarray, max_parents: int, always: np.ndarray = ...
    ) -> np.ndarray:
        """Return the value of each subset of candidates with all of `always`, (2**K,); -inf beyond `max_parents`."""

    def log_likelihoods_with_one_more(self, child: int, parents: np.ndarray) -> np.ndarray:
        """Return the value of `parents` with each one more variable, shape (d,); -inf for the child and the parents."""

    def settings(self) -> dict[str, Any]:
        """Return the name and the hyperparameters as JSON values."""


class LinearLikelihood(Protocol):
    """A fitted score with weights of edges, for total effects."""

    def expected_weights(
        self, child: int, candidates: np.ndarray, max_parents: int, always: np.ndarray = ...
    ) -> np.ndarray:
        """Return the posterior mean of the weights given each of these parent sets, shape (2**K, K + always)."""

    def weights_given(self, child: int, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Return location (p,), scale (p, p) and degrees of freedom of the t distribution of the parents' weights."""


class ColumnLikelihood(Protocol):
    """A fitted score that is linear in columns, for effects that are curves or of categories beside numbers."""

    def column_model(self, units: Units | None) -> ColumnModel:
        """Return the model of columns, given the units of the data."""


class CompletingLikelihood(Protocol):
    """A fitted score that draws missing cells, for tables with missing values."""

    def completed(self, table: Any, missing: np.ndarray, graph: np.ndarray, rng: np.random.Generator) -> Any:
        """Draw parameters given a graph (d, d), and missing cells given both; return the completed table."""

    @property
    def unfitted(self) -> Score:
        """The score with the same hyperparameters, to be fitted to other rows."""


class TableLikelihood(Protocol):
    """A fitted score with tables of probabilities of categories, for distributions under interventions."""

    @property
    def levels(self) -> tuple[tuple[str, ...], ...]:
        """Names of the levels of each variable."""

    def strengths_given(self, child: int, parents: np.ndarray) -> np.ndarray:
        """Return the Dirichlet parameters of a child's table, (r_1, ..., r_p, r_child), in the order of `parents`."""


class UpdatableLikelihood(Protocol):
    """A fitted score that takes more rows, without those that it was fitted to."""

    def with_rows(self, rows: Any) -> Any:
        """Return the score fitted to these rows and all earlier ones."""


class PredictiveLikelihood(Protocol):
    """A fitted score that predicts rows, for held-out rows."""

    def predictive(self, train: Any, rows: Any) -> ValueOfFamily:
        """Return a function of a child and its parents: log predictive densities in each of `rows`, after `train`."""


class StorableLikelihood(Protocol):
    """A fitted score that can be written to a file, if its class is registered."""

    def settings(self) -> dict[str, Any]:
        """Return the name and the hyperparameters as JSON values."""

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays that, with `settings`, restore the fitted score."""


class Score(Protocol):
    """A score with its hyperparameters, not yet fitted.

    It may have `reads = "categories"`, if it takes categories instead of numbers. It may have `leaves_rows_out = True`,
    if it scores each variable by the rows in which it was not intervened on (`data.intervened`); without this
    attribute, data with interventions are an error. It may have `standardizes = True`, if `learn` should standardize
    numbers for it by default.
    """

    def fit(self, data: Any) -> MarginalLikelihood:
        """Fit the score to data, a `Dataset` or `Categories`."""


class RegisteredScore(Score, Protocol):
    """A class of scores that can be saved and loaded. Called without arguments it has the default hyperparameters.

    It may have `described`, a msgspec Struct that `settings()` of the fitted score must match, and `stored`, the types
    of its arrays (`core/stored_arrays.py`). Without them any JSON values and any arrays of numbers are accepted.
    """

    name: ClassVar[str]

    @classmethod
    def restore(cls, settings: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> MarginalLikelihood:
        """Rebuild the fitted score from its `settings()` and `arrays()`, which may come from an unknown source."""
