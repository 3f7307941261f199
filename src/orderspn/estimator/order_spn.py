"""`OrderSPN`: a scikit-learn estimator that also works without scikit-learn installed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from orderspn.core.errors import InvalidValue
from orderspn.core.randomness import RNGLike
from orderspn.data.categories import Categories, read_categories
from orderspn.data.columns import is_frame
from orderspn.data.dataset import Dataset, read_table
from orderspn.data.interventions import by_position, column_named, has_index, native, read_with_interventions
from orderspn.data.mixed import Table
from orderspn.data.mixed_reading import read_mixed
from orderspn.estimator.columns import FROZEN, checked_columns, names_of
from orderspn.estimator.parameters import Base, NotFitted, complete, signature_of_init
from orderspn.imputation.learning import Incomplete
from orderspn.learning import learn
from orderspn.metrics.components import CompletedTables
from orderspn.metrics.held_out import log_predictive_density
from orderspn.mixture import Mixture
from orderspn.posterior import Posterior
from orderspn.queries.edges import EdgesLike
from orderspn.queries.sampling import GraphSamples
from orderspn.scores.capabilities import PREDICTIONS

if TYPE_CHECKING:
    import pandas as pd

READERS: Mapping[str, Callable[..., Dataset | Categories]] = {"numbers": read_table, "categories": read_categories}
"""The function that reads the rows of `fit`, by how the score reads them."""

GRAPHS = 1000
"""Graphs that `score` draws, over all components of the posterior."""


class OrderSPN(Base):
    """A posterior over causal graphs as a scikit-learn estimator.

    For pipelines, cross-validation and parameter search; scikit-learn need not be installed. All queries are methods of
    `posterior_`.

    Parameters
    ----------
    score_function : {"auto", "bge", "bdeu"} or score object
        The argument `score` of `learn`, renamed because `score` is a method of estimators. With "auto", arrays contain
        numbers, also if they are integers, as everywhere in scikit-learn; categories must be in DataFrames.
    variables, prior, candidates, max_parents, knowledge, context, method, standardize, rng, n_jobs, memory_limit, \
    time_limit, check, distributions, progress
        As for `learn`. Settings of the method are nested parameters: `set_params(method__effort=2.0)`.

    Attributes
    ----------
    posterior_ : Posterior
    edge_probabilities_ : pandas.DataFrame
        Row = cause, column = effect.
    n_features_in_ : int
        Number of columns of the data.
    feature_names_in_ : numpy.ndarray
        Names of the columns, if they are strings.

    Examples
    --------
    >>> import orderspn as osp
    >>> data = osp.load_sachs(log=True).data
    >>> model = osp.OrderSPN().fit(data)
    >>> model.posterior_
    <Posterior: exact, 11 variables, 853 rows>
    >>> model.n_features_in_, model.edge_probabilities_.shape
    (11, (11, 11))

    Settings of the method:

    >>> osp.OrderSPN(method="gadget").set_params(method__n_graphs=500).method.n_graphs
    500

    Fewer parents, judged by cross-validation:

    >>> from sklearn.model_selection import cross_val_score
    >>> scores = [cross_val_score(osp.OrderSPN(max_parents=k, check=False), data, cv=3).mean() for k in (0, 2)]
    >>> bool(scores[1] > scores[0])
    True
    """

    def __init__(self, **parameters: Any) -> None:
        for name, value in complete(parameters).items():
            setattr(self, name, value)

    __init__.__signature__ = signature_of_init()  # type: ignore[attr-defined]

    variables: Sequence[str] | None
    score_function: Any
    posterior_: Posterior
    edge_probabilities_: pd.DataFrame
    n_features_in_: int
    feature_names_in_: np.ndarray
    _train: Table | CompletedTables | None
    _intervention_column: dict[str, Any]
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
            As `data` for `learn`. A `Dataset` or `Categories` is also accepted.
        y : ignored
        interventions, targets
            Interventions in the rows, as for `learn`. If they are a column of X, `score` reads this column too;
            otherwise pass the interventions of its rows to `score`.

        Returns
        -------
        OrderSPN
            Itself.

        Examples
        --------
        >>> import orderspn as osp
        >>> model = osp.OrderSPN().fit(osp.load_sachs(log=True).data)
        >>> bool(abs(model.posterior_.probability("Erk -> Akt") - model.edge_probabilities_.loc["Erk", "Akt"]) < 1e-9)
        True
        """
        table = checked_columns(self, X, fitting=True)
        settings = self.get_params(deep=False)
        settings["score"] = settings.pop("score_function")
        about_interventions: dict[str, Any] = {"interventions": interventions, "targets": targets}
        posterior = learn(table, **settings, **about_interventions)
        self._train = _training_rows(posterior, table, self.variables, about_interventions)
        column = column_named(table, interventions)
        self._intervention_column = {} if column is None else {"interventions": column, "targets": targets}
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
        """Return the mean log predictive density of rows: `metrics.log_predictive_density`.

        It is averaged over the posterior of graphs and parameters after the rows of `fit`. Higher is better. It is
        a density in the units of the data; for categories it is a probability. 1000 graphs are drawn, always the same
        ones. If values were missing in `fit`, it is also averaged over the completed tables, of which each component of
        the posterior has its own.

        Parameters
        ----------
        X : DataFrame or array
            Rows with the columns of `fit`, without missing values; or a `Dataset` or `Categories` with its variables,
            not standardised.
        y : ignored
        interventions, targets
            The interventions in these rows, as for `learn`; a variable does not count in a row in which it was
            intervened on. If `fit` got the name of a column, this column is read again and nothing need be passed. If
            `fit` got them in another form, pass them here too: `[None] * len(X)` for rows without interventions.

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

        Half of the rows have an intervention that sets X1 to 0:

        >>> intervened = ["X1"] * 50 + [None] * 50
        >>> rows = data[200:].assign(X1=data["X1"].where(data.index >= 250, 0.0))
        >>> bool(abs(osp.OrderSPN().fit(data[:200]).score(rows, interventions=intervened)) < 10.0)
        True
        """
        self._check_fitted()
        if self._train is None:
            name = _components(self.posterior_)[0].settings["score"]["name"]
            raise PREDICTIONS.missing("score(X)", f"the score {name!r} does not")
        rows = self._in_own_columns(checked_columns(self, X, fitting=False))
        return log_predictive_density(
            self.posterior_,
            self._train,
            rows,
            n_samples=math.ceil(GRAPHS / len(_components(self.posterior_))),
            **self._interventions_in(X, interventions, targets),
        )

    def sample(self, n_samples: int = 1, given: EdgesLike = None, rng: RNGLike = None) -> GraphSamples:
        """Draw graphs (not rows) from the posterior, as `posterior_.sample`.

        Examples
        --------
        >>> import orderspn as osp
        >>> model = osp.OrderSPN().fit(osp.load_sachs(log=True).data)
        >>> len(model.sample(10, given="Erk -> Akt", rng=0))
        10
        """
        self._check_fitted()
        return self.posterior_.sample(n_samples, given, rng)

    def _check_fitted(self) -> None:
        if not hasattr(self, "posterior_"):
            raise NotFitted("this OrderSPN is not fitted yet: call fit(X) with data first.")

    def _interventions_in(self, X: Any, interventions: Any, targets: Any) -> dict[str, Any]:
        """Return the interventions in rows to score, as arguments of metrics."""
        if interventions is not None or targets is not None:
            # Only tables with an index are matched by it.
            return {"interventions": interventions if has_index(X) else by_position(interventions), "targets": targets}
        if isinstance(X, FROZEN):
            unknown = X.intervened is None
        elif self._intervention_column:
            return self._intervention_column
        else:
            unknown = True
        if unknown and self._train is not None and self._train.intervened is not None:
            raise InvalidValue(
                "this OrderSPN was fitted to rows with interventions, so score needs the interventions in X: pass "
                "interventions= to score ([None] * len(X) if there are none), or put them into a column of X and pass "
                "its name to fit."
            )
        return {}

    def _names_of_columns(self, table: Any) -> list[str]:
        """Return the names of all columns of the table of `fit`, also those that are not used."""
        return [str(name) for name in names_of(table)] if is_frame(table) else self.posterior_.variables

    def _in_own_columns(self, table: Any) -> Any:
        """Return a table with the names of the table of `fit`: by position if one of the two had none."""
        import narwhals as nw
        import pandas as pd

        if isinstance(table, FROZEN) or (is_frame(table) and hasattr(self, "feature_names_in_")):
            return table
        if not is_frame(table):
            return pd.DataFrame(np.asarray(table), columns=pd.Index(self._columns))
        if has_index(table):  # the names of its columns may be numbers
            return native(table).set_axis(self._columns, axis=1)
        frame = nw.from_native(table, eager_only=True)
        return frame.rename(dict(zip(frame.columns, self._columns, strict=True))).to_native()


def _components(posterior: Posterior) -> Sequence[Posterior]:
    """Return the posteriors of completed tables, or a posterior itself if no value was missing."""
    return posterior.components if isinstance(posterior, Mixture) else (posterior,)


def _training_rows(
    posterior: Posterior, table: Any, variables: Sequence[str] | None, about: Mapping[str, Any]
) -> Table | CompletedTables | None:
    """Return the rows of `fit` as the score reads them, also completed ones; None for a score that predicts nothing."""
    first = _components(posterior)[0]
    if not PREDICTIONS.of(first.model.score.likelihood):
        return None
    incomplete = None if isinstance(table, FROZEN) else Incomplete.found_in(table, variables, about["interventions"])
    if incomplete is None:
        return _read_as(first, table, variables, about)
    groups = [name for name in first.variables if name not in incomplete.columns]
    if not isinstance(posterior, Mixture):
        rows, entries = incomplete.complete_rows(about["targets"], groups)
        return _read_as(first, rows, None, {"interventions": entries})
    columns, mask = read_with_interventions(table, variables, **about, also=groups)
    completed = []
    for component, frame in zip(posterior.components, posterior.imputations(), strict=True):
        entries = None if mask is None else type(frame)(mask, columns=[*columns, *groups], index=frame.index)
        completed.append(_read_as(component, frame, None, {"interventions": entries}))
    return CompletedTables(completed)


def _read_as(
    posterior: Posterior, table: Any, variables: Sequence[str] | None, about_interventions: Mapping[str, Any]
) -> Table:
    """Read rows as the score of a posterior reads them."""
    likelihood = posterior.model.score.likelihood
    described = getattr(likelihood, "mixed_variables", None)
    if described is None:
        return READERS[getattr(likelihood, "reads", "numbers")](table, variables, **about_interventions)
    by_name = dict(zip(posterior.variables, described, strict=True))
    return read_mixed(
        table,
        variables,
        kinds={name: own.kind for name, own in by_name.items() if own.kind != "group"},
        groups={name: own.columns for name, own in by_name.items() if own.kind == "group"},
        **about_interventions,
    )
