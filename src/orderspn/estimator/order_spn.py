"""The package as an estimator in the manner of scikit-learn, with it or without it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from orderspn.core.errors import InvalidValue, Unavailable
from orderspn.core.randomness import RandomState
from orderspn.core.workers import ProgressCallback
from orderspn.data.categories import Categories, read_categories
from orderspn.data.columns import is_frame
from orderspn.data.dataset import Dataset, read_table
from orderspn.data.interventions import by_position, column_named, has_index, native
from orderspn.estimator.columns import FROZEN, checked_columns, names_of
from orderspn.learning import learn
from orderspn.metrics.held_out import log_predictive_density
from orderspn.oracles.protocol import Oracle
from orderspn.parents.candidates import Candidates
from orderspn.posterior import Posterior
from orderspn.queries.edges import EdgesLike
from orderspn.queries.sampling import GraphSamples
from orderspn.scores.capabilities import PREDICTIONS
from orderspn.scores.protocol import Score
from orderspn.scores.structure_prior import SizePrior

if TYPE_CHECKING:
    import pandas as pd

READERS: Mapping[str, Callable[..., Dataset | Categories]] = {"numbers": read_table, "categories": read_categories}
"""How the rows of `fit` are kept, by how the score reads them."""


class Parameters:
    """Parameters of an estimator by name, as scikit-learn's `BaseEstimator` has them; for where it is not installed."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002
        """Parameters by name; none of them has parameters of its own, so that `deep` makes no difference."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name."""
        known = list(self.get_params())
        for name, value in params.items():
            if name not in known:
                raise InvalidValue(
                    f"{name!r} is no parameter of {type(self).__name__}, whose parameters are {', '.join(known)}."
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        changed = {name: value for name, value in self.get_params().items() if value is not defaults[name].default}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in changed.items())})"


if TYPE_CHECKING:
    Base = Parameters
    NotFitted = InvalidValue
else:
    try:
        from sklearn.base import BaseEstimator, DensityMixin
        from sklearn.exceptions import NotFittedError
    except ImportError:
        Base, NotFitted = Parameters, InvalidValue
    else:

        class Base(DensityMixin, BaseEstimator):
            """What scikit-learn offers every estimator of a density."""

        class NotFitted(InvalidValue, NotFittedError):
            """An estimator that has seen no data."""


class OrderSPN(Base):
    """A posterior over causal graphs as an estimator in the manner of scikit-learn.

    For pipelines, cross-validation and searches over parameters; scikit-learn itself is not needed. All questions to
    the posterior are methods of `posterior_`.

    Parameters
    ----------
    score_function : {"auto", "bge", "bdeu"} or score object
        What `learn` calls `score`: in scikit-learn that is the name of a method. With "auto", arrays hold numbers, also
        where these are whole, as everywhere in scikit-learn; categories come in DataFrames.
    variables, prior, candidates, outsiders, refine, max_parents, knowledge, method, target, n_orders, n_graphs, \
    chains, effort, oracle, expansion, block_size, weights, standardize, rng, n_jobs, memory_limit, time_limit, progress
        As for `learn`.

    Attributes
    ----------
    posterior_ : Posterior
    edge_probabilities_ : pandas.DataFrame
        Row = cause, column = effect.
    n_features_in_ : int
        Columns of the data.
    feature_names_in_ : numpy.ndarray
        Their names, where they are strings.

    Examples
    --------
    >>> import orderspn as osp
    >>> data = osp.load_sachs().data
    >>> model = osp.OrderSPN(standardize=True).fit(data)
    >>> model.posterior_
    <Posterior: exact, 11 variables, 853 rows>
    >>> model.n_features_in_, model.edge_probabilities_.shape
    (11, (11, 11))

    Fewer parents, judged by cross-validation:

    >>> from sklearn.model_selection import cross_val_score
    >>> scores = [cross_val_score(osp.OrderSPN(max_parents=k, standardize=True), data, cv=3).mean() for k in (0, 2)]
    >>> bool(scores[1] > scores[0])
    True
    """

    def __init__(
        self,
        *,
        variables: Sequence[str] | None = None,
        score_function: str | Score = "auto",
        prior: SizePrior = "fair",
        candidates: Candidates = "auto",
        outsiders: int | str = "auto",
        refine: int | None = None,
        max_parents: int | None = None,
        knowledge: Any = None,
        method: str = "auto",
        target: str | None = None,
        n_orders: int | None = None,
        n_graphs: int | None = None,
        chains: int | None = None,
        effort: float | None = None,
        oracle: str | Oracle | None = None,
        expansion: Sequence[int] | None = None,
        block_size: int | None = None,
        weights: str | None = None,
        standardize: bool = False,
        rng: RandomState = 0,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        time_limit: float | None = None,
        progress: ProgressCallback | None = None,
    ) -> None:
        self.variables = variables
        self.score_function = score_function
        self.prior = prior
        self.candidates = candidates
        self.outsiders = outsiders
        self.refine = refine
        self.max_parents = max_parents
        self.knowledge = knowledge
        self.method = method
        self.target = target
        self.n_orders = n_orders
        self.n_graphs = n_graphs
        self.chains = chains
        self.effort = effort
        self.oracle = oracle
        self.expansion = expansion
        self.block_size = block_size
        self.weights = weights
        self.standardize = standardize
        self.rng = rng
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.time_limit = time_limit
        self.progress = progress

    posterior_: Posterior
    edge_probabilities_: pd.DataFrame
    n_features_in_: int
    feature_names_in_: np.ndarray
    _train: Dataset | Categories | None
    _said: dict[str, Any]
    _columns: list[str]

    def fit(
        self,
        X: Any,
        y: Any = None,  # noqa: ARG002
        *,
        interventions: Any = None,
        targets: Mapping[Any, Any] | None = None,
    ) -> Self:
        """Learn the posterior.

        Parameters
        ----------
        X : DataFrame or array
            As `data` for `learn`. A `Dataset` or `Categories` will do.
        y : ignored
        interventions, targets
            Rows in which variables were set from outside, as for `learn`. If they are a column of X, `score` reads that
            column as well; otherwise it must be told about its own rows.

        Returns
        -------
        OrderSPN
            Itself.

        Examples
        --------
        >>> import orderspn as osp
        >>> model = osp.OrderSPN(standardize=True).fit(osp.load_sachs().data)
        >>> bool(abs(model.posterior_.probability("Erk -> Akt") - model.edge_probabilities_.loc["Erk", "Akt"]) < 1e-9)
        True
        """
        table = checked_columns(self, X, fitting=True)
        settings = self.get_params(deep=False)
        settings["score"] = settings.pop("score_function")
        said: dict[str, Any] = {"interventions": interventions, "targets": targets}
        posterior = learn(table, **settings, **said)
        likelihood = posterior.model.score.likelihood
        read = READERS[getattr(likelihood, "reads", "numbers")]
        self._train = read(table, self.variables, **said) if PREDICTIONS.of(likelihood) else None
        column = column_named(table, interventions)
        self._said = {} if column is None else {"interventions": column, "targets": targets}
        self.edge_probabilities_ = posterior.edge_probabilities()
        self.posterior_ = posterior
        self._columns = self._names_of_columns(table)
        return self

    def score(
        self,
        X: Any,
        y: Any = None,  # noqa: ARG002
        *,
        interventions: Any = None,
        targets: Mapping[Any, Any] | None = None,
    ) -> float:
        """Mean log density that the posterior predicts for rows: `metrics.log_predictive_density`.

        Graphs and their parameters are averaged over what they are after the rows of `fit`. Higher is better. With
        `standardize=True` it is per standard deviation of the rows of `fit`; of categories it is a probability. Takes
        1000 graphs, the same ones each time.

        Parameters
        ----------
        X : DataFrame or array
            Rows with the columns that `fit` had; or a `Dataset` or `Categories` with its variables, not standardised.
        y : ignored
        interventions, targets
            What was set from outside in these rows, as for `learn`; a variable that was set counts for nothing in that
            row. Where `fit` was given the name of a column, it is read again and nothing need be said. Where `fit` was
            given them in another way, they must be given here too; `[None] * len(X)` for rows that were only observed.

        Returns
        -------
        float

        Examples
        --------
        >>> import orderspn as osp
        >>> data = osp.simulate.linear_gaussian(5, n_rows=300, rng=0).data
        >>> no_edges = osp.OrderSPN(max_parents=0).fit(data[:200])
        >>> osp.OrderSPN().fit(data[:200]).score(data[200:]) > no_edges.score(data[200:])
        True

        Half of the rows in which X1 was set to 0:

        >>> was_set = ["X1"] * 50 + [None] * 50
        >>> rows = data[200:].assign(X1=data["X1"].where(data.index >= 250, 0.0))
        >>> bool(abs(osp.OrderSPN().fit(data[:200]).score(rows, interventions=was_set)) < 10.0)
        True
        """
        self._check_fitted()
        if self._train is None:
            name = self.posterior_.settings["score"]["name"]
            raise PREDICTIONS.missing("score(X)", f"the score {name!r} does not")
        if self._train.standardized:
            raise Unavailable(
                "score(X) needs the units of the rows of fit, which was given a Dataset that had been standardised "
                "before. Pass fit the table as it was, with OrderSPN(standardize=True)."
            )
        rows = self._in_own_columns(checked_columns(self, X, fitting=False))
        return log_predictive_density(self.posterior_, self._train, rows, **self._set_in(X, interventions, targets))

    def sample(self, n_samples: int = 1, given: EdgesLike = None, rng: RandomState = None) -> GraphSamples:
        """Draw graphs (not rows) from the posterior, as `posterior_.sample`.

        Examples
        --------
        >>> import orderspn as osp
        >>> model = osp.OrderSPN(standardize=True).fit(osp.load_sachs().data)
        >>> len(model.sample(10, given="Erk -> Akt", rng=0))
        10
        """
        self._check_fitted()
        return self.posterior_.sample(n_samples, given, rng)

    def _check_fitted(self) -> None:
        if not hasattr(self, "posterior_"):
            raise NotFitted("this OrderSPN is not fitted yet: call fit(X) with data first.")

    def _set_in(self, X: Any, interventions: Any, targets: Any) -> dict[str, Any]:
        """What was set in rows to judge, as metrics take it."""
        if interventions is not None or targets is not None:
            # Only tables that have an index themselves are matched by it.
            return {"interventions": interventions if has_index(X) else by_position(interventions), "targets": targets}
        if isinstance(X, FROZEN):
            untold = X.intervened is None
        elif self._said:
            return self._said
        else:
            untold = True
        if untold and self._train is not None and self._train.intervened is not None:
            raise InvalidValue(
                "this OrderSPN was fitted to rows in which variables were set from outside, so score must know which "
                "were set in X: pass interventions= to score ([None] * len(X) if none were), or put them into a column "
                "of X and give its name to fit."
            )
        return {}

    def _names_of_columns(self, table: Any) -> list[str]:
        """Names of all columns of the table of `fit`, also those that are not used."""
        return [str(name) for name in names_of(table)] if is_frame(table) else self.posterior_.variables

    def _in_own_columns(self, table: Any) -> Any:
        """A table with the names that that of `fit` had: by position where one of the two had none."""
        import narwhals as nw
        import pandas as pd

        if isinstance(table, FROZEN) or (is_frame(table) and hasattr(self, "feature_names_in_")):
            return table
        if not is_frame(table):
            return pd.DataFrame(np.asarray(table), columns=pd.Index(self._columns))
        if has_index(table):  # whose columns may have numbers for names
            return native(table).set_axis(self._columns, axis=1)
        frame = nw.from_native(table, eager_only=True)
        return frame.rename(dict(zip(frame.columns, self._columns, strict=True))).to_native()
