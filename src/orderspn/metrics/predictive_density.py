"""How well the graphs of a posterior predict rows that it has not seen, after those that it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from orderspn.core.arguments import check_integer
from orderspn.core.errors import InvalidType
from orderspn.core.matrices import Matrices
from orderspn.core.randomness import RandomState
from orderspn.data.categories import Categories
from orderspn.data.dataset import Dataset
from orderspn.metrics.behind import levels_behind, was_standardized
from orderspn.metrics.category_predictive import CategoryPredictive
from orderspn.metrics.category_rows import read_category_rows, reads_categories
from orderspn.metrics.judged_graphs import (
    ValueOfFamily,
    fit_quietly,
    read_distinct,
    score_of,
    sum_over_families,
    table_of,
)
from orderspn.metrics.predictive import Predictive
from orderspn.metrics.rows import (
    check_interventions,
    check_standardized,
    read_intervened,
    read_rows,
    read_train,
    standard_units,
    with_interventions,
)
from orderspn.scores.bdeu import BDeu, FittedBDeu
from orderspn.scores.bge import BGe, FittedBGe
from orderspn.scores.choosing import Table
from orderspn.scores.protocol import MarginalLikelihood

ROWS_AT_ONCE = 1024
"""Rows whose densities given every graph are kept at a time: 8 kilobytes for each graph."""


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
    sampled = read_distinct(graphs, count, rng)
    chosen = score_of(graphs, score)
    read = _read_categories if reads_categories(chosen) else _read_numbers
    known, rows = read(graphs, train, test, sampled.graphs, interventions, targets)
    fitted = fit_quietly(chosen, known)
    total = 0.0
    for start in range(0, rows.n_rows, ROWS_AT_ONCE):
        some = _portion(rows, slice(start, start + ROWS_AT_ONCE))
        densities = sum_over_families(sampled.graphs.values, _log_densities(fitted, known, some), some.n_rows)
        total += _log_mean(densities, sampled.weights).sum()
    return float(total / rows.n_rows)


def _read_numbers(
    graphs: Any, train: Any, test: Any, variables: Matrices, interventions: Any, targets: Any
) -> tuple[Dataset, Dataset]:
    test = with_interventions("test", test, variables, interventions, targets)
    check_standardized(graphs, train, "test", test)
    known, was_set = read_train(graphs, train, variables)
    rows = read_rows("test", test, variables)
    if was_standardized(graphs):
        units = standard_units(graphs, known, was_set)
        known, rows = units.applied(known), units.applied(rows)
    return table_of(known, was_set, variables), table_of(rows, read_intervened(test, variables), variables)


def _read_categories(
    graphs: Any, train: Any, test: Any, variables: Matrices, interventions: Any, targets: Any
) -> tuple[Categories, Categories]:
    known = read_category_rows("train", train, variables, levels_behind(graphs))
    check_interventions(graphs, known.intervened)
    return known, read_category_rows("test", test, variables, known.levels, interventions, targets)


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


def _log_mean(log_values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Log of the weighted mean of exp(log_values) (n, M) over the first axis, shape (M,)."""
    largest = log_values.max(axis=0)
    return largest + np.log(weights @ np.exp(log_values - largest))
