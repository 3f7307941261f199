"""How well the graphs of a posterior explain rows that it has not seen."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from orderspn.core.arguments import check_integer
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.matrices import Matrices
from orderspn.core.randomness import RandomState
from orderspn.data.categories import Categories
from orderspn.data.dataset import Dataset
from orderspn.data.units import Units
from orderspn.metrics.acyclic import check_acyclic
from orderspn.metrics.arguments import WeightedGraphs, read_sampled
from orderspn.metrics.behind import levels_behind, was_standardized
from orderspn.metrics.category_predictive import CategoryPredictive
from orderspn.metrics.category_rows import read_category_rows, reads_categories
from orderspn.metrics.predictive import Predictive
from orderspn.metrics.rows import (
    check_interventions,
    check_standardized,
    read_intervened,
    read_rows,
    standard_units,
    with_interventions,
)
from orderspn.queries.sampling import distinct_graphs
from orderspn.scores.bdeu import BDeu, FittedBDeu
from orderspn.scores.bge import BGe, FittedBGe
from orderspn.scores.choosing import Table, fit_score
from orderspn.scores.protocol import MarginalLikelihood, Score

ROWS_AT_ONCE = 1024
"""Rows whose densities given every graph are kept at a time: 8 kilobytes for each graph."""

NOBODY = np.empty(0, dtype=np.int64)

ValueOfFamily = Callable[[int, np.ndarray], np.ndarray]
"""From a child and its parents to numbers, shape (width,)."""


def marginal_log_likelihood(
    graphs: Any,
    rows: Any,
    *,
    interventions: Any = None,
    targets: Mapping[Any, Any] | None = None,
    score: str | Score | None = None,
    train: Any = None,
    n_samples: int = 1000,
    rng: RandomState = 0,
) -> float:
    """Mean, over graphs, of the log marginal likelihood of held-out rows given the graph: the paper's MLL.

    Of each graph, the likelihood of all rows together, its parameters averaged over their prior. Higher is better;
    only values for the same rows in the same units compare. Rows under interventions count for those variables only
    that were not set in them.

    Parameters
    ----------
    graphs : Posterior, or sampled graphs (GraphSamples, array of shape (n, d, d), list of networkx.DiGraph)
    rows : DataFrame or array
        Held-out rows, in the units of the data that the posterior was learned from. Columns are matched by name if
        both have names, and others than the graphs' variables are left out. Of a posterior of categories they must
        have levels that it knows. With sampled graphs the levels of categories are those that `read_categories` finds
        in these rows.
    interventions, targets
        What was set from outside in the held-out rows, as for `learn`. A column may be constant, as it is where a
        variable had one value in all of them.
    score : "bge", "bdeu" or score object, optional
        The marginal likelihood (default: the one that the posterior was learned with; of sampled graphs `BGe()`).
    train : DataFrame or array, optional
        Needed for a posterior that was learned with `standardize=True`, and for no other: the rows that it was learned
        from. The held-out ones are then centred and divided by the means and standard deviations of these. If some of
        them were under interventions, pass `read_table(data, interventions=...)`.
    n_samples : int, default 1000
        Graphs to draw from a posterior.
    rng : int, SeedSequence, Generator or None
        For these draws.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np, orderspn as osp
    >>> data = osp.simulate.linear_gaussian(5, n_rows=300, rng=0).data
    >>> posterior = osp.learn(data[:200])
    >>> no_edges = np.zeros((1, 5, 5))
    >>> unseen = data[200:]
    >>> osp.metrics.marginal_log_likelihood(posterior, unseen) > osp.metrics.marginal_log_likelihood(no_edges, unseen)
    True
    """
    count = check_integer("n_samples", n_samples, 1)
    _check_units(graphs, train)
    sampled = _read_distinct(graphs, count, rng)
    chosen = _score_of(graphs, score)
    if reads_categories(chosen):
        levels = levels_behind(graphs)
        fitted = _fit(chosen, read_category_rows("rows", rows, sampled.graphs, levels, interventions, targets))
    else:
        rows = with_interventions("rows", rows, sampled.graphs, interventions, targets)
        check_standardized(graphs, train, "rows", rows)
        values = read_rows("rows", rows, sampled.graphs)
        if train is not None:
            values = _units(graphs, train, sampled.graphs).applied(values)
        fitted = _fit(chosen, _table(values, read_intervened(rows, sampled.graphs), sampled.graphs))

    def log_likelihood(child: int, parents: np.ndarray) -> np.ndarray:
        # No candidates, and all parents always: one parent set.
        return fitted.log_likelihoods(child, NOBODY, parents.size, parents)

    return float(sampled.weights @ _sum_over_families(sampled.graphs.values, log_likelihood, 1)[:, 0])


def log_predictive_density(
    graphs: Any,
    train: Any,
    test: Any,
    *,
    interventions: Any = None,
    targets: Mapping[Any, Any] | None = None,
    score: str | BGe | BDeu | None = None,
    n_samples: int = 1000,
    rng: RandomState = 0,
) -> float:
    """Mean, over test rows, of the log density that the posterior predicts: `log E_G p(row | G, train)`.

    Graphs are averaged, and given each graph its parameters: the density of a row is the ratio of the marginal
    likelihoods of the data with and without it; of categories it is a probability. Higher is better; only values for
    the same rows in the same units compare. A variable that was set from outside counts for nothing in that row.

    Parameters
    ----------
    graphs : Posterior, or sampled graphs (GraphSamples, array of shape (n, d, d), list of networkx.DiGraph)
    train : DataFrame or array
        The rows that the posterior was learned from. If that was with `standardize=True`, these and the test rows are
        centred and divided by the means and standard deviations of these, so that densities are per standard deviation.
        If some were under interventions, pass `read_table(data, interventions=...)`, or `read_categories`.
    test : DataFrame or array
        Rows to predict, in the units of `train`. Columns are matched by name if both have names, and others than the
        graphs' variables are left out. Categories must have levels that the posterior knows, or of sampled graphs
        those of `train`.
    interventions, targets
        What was set from outside in the test rows, as for `learn`. A column may be constant, as it is where a variable
        had one value in all of them.
    score : "bge", "bdeu", BGe or BDeu, optional
        The marginal likelihood (default: the one that the posterior was learned with; of sampled graphs `BGe()`).
    n_samples : int, default 1000
        Graphs to draw from a posterior.
    rng : int, SeedSequence, Generator or None
        For these draws.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np, orderspn as osp
    >>> data = osp.simulate.linear_gaussian(5, n_rows=300, rng=0).data
    >>> train, test = data[:200], data[200:]
    >>> ours = osp.metrics.log_predictive_density(osp.learn(train), train, test)
    >>> ours > osp.metrics.log_predictive_density(np.zeros((1, 5, 5)), train, test)  # no edges
    True

    Categories:

    >>> patients = osp.load_asia().data
    >>> train, test = patients[:1500], patients[1500:]
    >>> ours = osp.metrics.log_predictive_density(osp.learn(train), train, test)
    >>> ours > osp.metrics.log_predictive_density(np.zeros((1, 8, 8)), train, test, score="bdeu")
    True

    Rows in which a variable was set to the same value:

    >>> set_to = test.assign(smoke="no")
    >>> density = osp.metrics.log_predictive_density(osp.learn(train), train, set_to, interventions=["smoke"] * 500)
    >>> density > osp.metrics.log_predictive_density(osp.learn(train), train, set_to)  # which counts that value
    True
    """
    count = check_integer("n_samples", n_samples, 1)
    sampled = _read_distinct(graphs, count, rng)
    chosen = _score_of(graphs, score)
    read = _read_categories if reads_categories(chosen) else _read_numbers
    known, rows = read(graphs, train, test, sampled.graphs, interventions, targets)
    fitted = _fit(chosen, known)
    total = 0.0
    for start in range(0, rows.n_rows, ROWS_AT_ONCE):
        some = _portion(rows, slice(start, start + ROWS_AT_ONCE))
        densities = _sum_over_families(sampled.graphs.values, _log_densities(fitted, known, some), some.n_rows)
        total += _log_mean(densities, sampled.weights).sum()
    return float(total / rows.n_rows)


def _read_numbers(
    graphs: Any, train: Any, test: Any, variables: Matrices, interventions: Any, targets: Any
) -> tuple[Dataset, Dataset]:
    test = with_interventions("test", test, variables, interventions, targets)
    check_standardized(graphs, train, "test", test)
    known, rows = read_rows("train", train, variables), read_rows("test", test, variables)
    was_set = read_intervened(train, variables)
    check_interventions(graphs, was_set)
    if was_standardized(graphs):
        units = standard_units(graphs, known, was_set)
        known, rows = units.applied(known), units.applied(rows)
    return _table(known, was_set, variables), _table(rows, read_intervened(test, variables), variables)


def _read_categories(
    graphs: Any, train: Any, test: Any, variables: Matrices, interventions: Any, targets: Any
) -> tuple[Categories, Categories]:
    known = read_category_rows("train", train, variables, levels_behind(graphs))
    check_interventions(graphs, known.intervened)
    return known, read_category_rows("test", test, variables, known.levels, interventions, targets)


def _units(graphs: Any, train: Any, variables: Matrices) -> Units:
    """The units of a posterior that was learned from `train` standardised."""
    was_set = read_intervened(train, variables)
    check_interventions(graphs, was_set)
    return standard_units(graphs, read_rows("train", train, variables), was_set)


def _portion(rows: Table, chosen: slice) -> Table:
    was_set = None if rows.intervened is None else rows.intervened[chosen]
    if isinstance(rows, Categories):
        return replace(rows, codes=rows.codes[chosen], intervened=was_set)
    return replace(rows, values=rows.values[chosen], intervened=was_set)


def _log_densities(fitted: MarginalLikelihood, train: Table, rows: Table) -> ValueOfFamily:
    """The log density of a child given its parents in each row, after the rows that the score was fitted to."""
    if isinstance(fitted, FittedBGe) and isinstance(train, Dataset) and isinstance(rows, Dataset):
        return Predictive.of(fitted, train, rows.values, rows.intervened).log_densities
    if isinstance(fitted, FittedBDeu) and isinstance(rows, Categories):
        return CategoryPredictive(fitted, rows).log_probabilities
    raise InvalidType(
        f"score must be BGe or BDeu, whose predictive densities are known; got one that fits {type(fitted).__name__}. "
        "Pass score=osp.scores.BGe(), or osp.scores.BDeu() for categories, or use marginal_log_likelihood, which takes "
        "any."
    )


def _check_units(graphs: Any, train: Any) -> None:
    standardized = was_standardized(graphs)
    if standardized and train is None:
        raise InvalidValue(
            "the posterior was learned with standardize=True and does not keep the means and standard deviations that "
            "rows would have to be divided by: pass the rows it was learned from as train=, in the units of rows."
        )
    if not standardized and train is not None:
        raise InvalidValue(
            "train belongs to posteriors that were learned with standardize=True; others, and sampled graphs, take "
            "rows as they are. Leave it out."
        )


def _read_distinct(graphs: Any, n_samples: int, rng: RandomState) -> WeightedGraphs:
    """Sampled graphs without cycles, each of them once, with the weight of all that are the same."""
    sampled, weights = read_sampled("graphs", graphs, n_samples, rng)
    check_acyclic("graphs", sampled)
    used = weights > 0.0
    distinct, which = distinct_graphs(sampled.values[used])
    return WeightedGraphs(Matrices(distinct, sampled.variables), np.bincount(which, weights[used]))


def _score_of(graphs: Any, score: str | Score | None) -> str | Score:
    """The score asked for, or else that of the posterior."""
    if score is not None:
        return score
    learned_with = getattr(graphs, "settings", {}).get("score")
    if learned_with is None:
        return BGe()
    if learned_with.get("name") == "bdeu":
        return BDeu(learned_with["equivalent_sample_size"])
    if learned_with.get("name") != "bge":
        raise InvalidValue(
            f"the posterior was learned with the score {learned_with.get('name')!r}, which cannot be made again from "
            "its settings: pass it as score=."
        )
    return BGe(learned_with["alpha_mu"], learned_with["alpha_w"], learned_with["t"])


def _table(values: np.ndarray, intervened: np.ndarray | None, graphs: Matrices) -> Dataset:
    names = graphs.variables or tuple(f"X{v + 1}" for v in range(graphs.n_variables))
    return Dataset(names, values, intervened=intervened)


def _fit(score: str | Score, table: Table) -> MarginalLikelihood:
    with warnings.catch_warnings():
        # What a score says of scales and means is advice for learning, and a few rows need not vary much.
        warnings.simplefilter("ignore", UserWarning)
        return fit_score(score, table)


def _sum_over_families(graphs: np.ndarray, value: ValueOfFamily, width: int) -> np.ndarray:
    """Sum of `value(child, parents)` over the families of each graph (n, d, d), each asked once, shape (n, width)."""
    totals = np.zeros((len(graphs), width))
    for child in range(graphs.shape[1]):
        sets, which = np.unique(graphs[:, :, child], axis=0, return_inverse=True)
        values = np.empty((len(sets), width))
        for place, parents in enumerate(sets):
            values[place] = value(child, np.flatnonzero(parents))
        totals += values[which.ravel()]
    return totals


def _log_mean(log_values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Log of the weighted mean of exp(log_values) (n, M) over the first axis, shape (M,)."""
    largest = log_values.max(axis=0)
    return largest + np.log(weights @ np.exp(log_values - largest))
