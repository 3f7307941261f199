"""Held-out rows: their marginal likelihood and predictive density under the graphs of a posterior."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from orderspn.core.arguments import check_integer
from orderspn.core.errors import InvalidType
from orderspn.core.matrices import Matrices
from orderspn.core.randomness import RNGLike
from orderspn.data.categories import Categories
from orderspn.data.dataset import Dataset
from orderspn.data.mixed import MixedTable, Table
from orderspn.metrics.components import check_named, components_of, trained_components
from orderspn.metrics.graph_scoring import (
    context_of,
    fit_quietly,
    learned_levels,
    learned_variables,
    read_distinct,
    score_of,
    sum_over_families,
    table_of,
)
from orderspn.metrics.held_out_mixed import read_mixed_rows
from orderspn.metrics.held_out_rows import (
    check_interventions,
    read_category_rows,
    read_intervened,
    read_rows,
    with_interventions,
)
from orderspn.metrics.units import check_same_units, in_learned_units, log_unit_change, log_unit_changes
from orderspn.scores.answers import read_log_values
from orderspn.scores.capabilities import PREDICTIONS
from orderspn.scores.protocol import NO_VARIABLES, MarginalLikelihood, Score, ValueOfFamily
from orderspn.scores.registry import reads

ROWS_AT_ONCE = 1024
"""Rows whose densities given each graph are in memory at a time: 8 kilobytes per graph."""


def marginal_log_likelihood(
    graphs: Any,
    rows: Any,
    *,
    interventions: Any = None,
    targets: Mapping[Any, Any] | None = None,
    score: str | Score | None = None,
    n_samples: int = 1000,
    rng: RNGLike = 0,
) -> float:
    """Compute the mean, over graphs, of the log marginal likelihood of held-out rows given the graph: the paper's MLL.

    For each graph, this is the likelihood of all rows together, averaged over the prior of its parameters. Higher is
    better; compare only values for the same rows in the same units. It is a density in the units of the data, whether
    or not the posterior was learned from standardized columns. A row counts only for the variables that were not
    intervened on in it. For a mixture it is the weighted mean over its components, each with its own score.

    Parameters
    ----------
    graphs : Posterior, or sampled graphs (GraphSamples, array of shape (n, d, d), list of networkx.DiGraph)
    rows : DataFrame or array
        Held-out rows, in the units of the data that the posterior was learned from. Columns are matched by name if
        both have names, and columns that are not variables of the graphs are ignored. Categories must have levels that
        the posterior was learned with. For sampled graphs, the levels are those that `read_categories` finds in these
        rows.
    interventions, targets
        The interventions in the held-out rows, as for `learn`. A column may be constant, for example because its
        variable was set to one value in all rows.
    score : "bge", "bdeu" or score object, optional
        The marginal likelihood (default: the one that the posterior was learned with; `BGe()` for sampled graphs).
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
    check_named("rows", rows, graphs)
    return sum(
        weight * _marginal_log_likelihood(component, rows, interventions, targets, score, count, seed)
        for weight, component, seed in components_of(graphs, rng)
    )


def _marginal_log_likelihood(
    graphs: Any, rows: Any, interventions: Any, targets: Any, score: str | Score | None, count: int, rng: RNGLike
) -> float:
    """Return the mean log marginal likelihood of rows under a posterior that is no mixture, or sampled graphs."""
    sampled = read_distinct(graphs, count, rng)
    chosen = score_of(graphs, score)
    change = 0.0
    learned = learned_variables(graphs)
    if learned is not None and score is None:
        fitted = fit_quietly(chosen, read_mixed_rows("rows", rows, graphs, learned, interventions, targets))
    elif reads(chosen) == "categories":
        levels = learned_levels(graphs)
        fitted = fit_quietly(chosen, read_category_rows("rows", rows, sampled.graphs, levels, interventions, targets))
    else:
        table = _read_rows(
            "rows", with_interventions("rows", rows, sampled.graphs, interventions, targets), graphs, sampled.graphs
        )
        fitted = fit_quietly(chosen, table)
        change = log_unit_change(graphs, table.n_rows, table.intervened)

    def log_likelihood(child: int, parents: np.ndarray) -> np.ndarray:
        # No candidates, and all parents always: one parent set.
        answer = fitted.log_likelihoods(child, NO_VARIABLES, parents.size, parents)
        return read_log_values(fitted, "log_likelihoods", answer, (1,))

    summed = sum_over_families(sampled.graphs.values, log_likelihood, 1, context_of(graphs))
    return change + float(sampled.weights @ summed[:, 0])


def log_predictive_density(
    graphs: Any,
    train: Any,
    test: Any,
    *,
    interventions: Any = None,
    targets: Mapping[Any, Any] | None = None,
    score: str | Score | None = None,
    n_samples: int = 1000,
    rng: RNGLike = 0,
) -> float:
    """Compute the mean, over test rows, of the log density that the posterior predicts: `log E_G p(row | G, train)`.

    Both graphs and parameters are averaged over. Given a graph, the density of a row is the ratio of the marginal
    likelihoods of the data with and without it; for categories it is a probability. Higher is better; compare only
    values for the same rows in the same units. A variable does not count in a row in which it was intervened on. Of
    variables with several columns (categories beside numbers, polynomials) it is the density of the whitened columns,
    for comparisons of graphs under the same score. The density of a mixture is the weighted mean of those of its
    components, each with its own score.

    Parameters
    ----------
    graphs : Posterior, or sampled graphs (GraphSamples, array of shape (n, d, d), list of networkx.DiGraph)
    train : DataFrame, array or Imputations
        The rows that the posterior was learned from, in the units of the data. If the posterior was learned from
        standardized columns, rows are standardized in the same way, and densities are given in the units of the data.
        If it was with interventions, pass `read_table(data, interventions=...)`, or `read_categories`. If values were
        missing, pass `posterior.imputations()`; test rows must be complete.
    test : DataFrame or array
        Rows to predict, in the units of `train`. Columns are matched by name if both have names, and columns that are
        not variables of the graphs are ignored. Categories must have levels that the posterior was learned with, or for
        sampled graphs those of `train`.
    interventions, targets
        The interventions in the test rows, as for `learn`. A column may be constant, for example because its variable
        was set to one value in all rows.
    score : "bge", "bdeu" or score object that predicts rows, optional
        The marginal likelihood (default: the one that the posterior was learned with; `BGe()` for sampled graphs).
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

    Missing values in the training rows:

    >>> gaps = patients[:1500].mask(np.random.default_rng(0).random((1500, 8)) < 0.1)
    >>> imputed = osp.learn(gaps, imputations=4, check=False)
    >>> abs(osp.metrics.log_predictive_density(imputed, imputed.imputations(), test) - ours) < 0.1
    True

    Test rows in which a variable was set to the same value by an intervention:

    >>> set_to = test.assign(smoke="no")
    >>> density = osp.metrics.log_predictive_density(osp.learn(train), train, set_to, interventions=["smoke"] * 500)
    >>> density > osp.metrics.log_predictive_density(osp.learn(train), train, set_to)  # without the intervention
    True
    """
    count = check_integer("n_samples", n_samples, 1)
    check_named("train", train, graphs)
    check_named("test", test, graphs)
    densities = [
        math.log(weight) + _log_predictive_densities(component, known, test, interventions, targets, score, count, seed)
        for (weight, component, seed), known in trained_components(graphs, train, rng)
    ]
    return float(np.logaddexp.reduce(densities, axis=0).mean())


def _log_predictive_densities(
    graphs: Any,
    train: Any,
    test: Any,
    interventions: Any,
    targets: Any,
    score: str | Score | None,
    count: int,
    rng: RNGLike,
) -> np.ndarray:
    """Return the log predictive density of each test row, for a posterior that is no mixture or for sampled graphs."""
    sampled = read_distinct(graphs, count, rng)
    chosen = score_of(graphs, score)
    known, rows = _reader(graphs, chosen, score)(graphs, train, test, sampled.graphs, interventions, targets)
    fitted = fit_quietly(chosen, known)
    log_densities = log_unit_changes(graphs, rows.n_rows, rows.intervened)
    for start in range(0, rows.n_rows, ROWS_AT_ONCE):
        portion = slice(start, start + ROWS_AT_ONCE)
        some = _portion(rows, portion)
        own = _log_densities(fitted, known, some)
        densities = sum_over_families(sampled.graphs.values, own, some.n_rows, context_of(graphs))
        log_densities[portion] += _log_mean(densities, sampled.weights)
    return log_densities


def _reader(graphs: Any, chosen: str | Score, given: str | Score | None) -> Callable[..., tuple[Table, Table]]:
    """Return the function that reads training and test rows, for a score that was chosen or given."""
    if learned_variables(graphs) is not None and given is None:
        return _read_mixed
    return _read_categories if reads(chosen) == "categories" else _read_numbers


def _read_mixed(
    graphs: Any, train: Any, test: Any, _: Matrices, interventions: Any, targets: Any
) -> tuple[MixedTable, MixedTable]:
    learned = learned_variables(graphs) or ()
    known = read_mixed_rows("train", train, graphs, learned)
    check_interventions(graphs, known.intervened)
    return known, read_mixed_rows("test", test, graphs, learned, interventions, targets)


def _read_numbers(
    graphs: Any, train: Any, test: Any, variables: Matrices, interventions: Any, targets: Any
) -> tuple[Dataset, Dataset]:
    test = with_interventions("test", test, variables, interventions, targets)
    if not hasattr(graphs, "settings"):
        check_same_units(train, test)
    known = _read_rows("train", train, graphs, variables)
    check_interventions(graphs, known.intervened)
    return known, _read_rows("test", test, graphs, variables)


def _read_rows(name: str, table: Any, graphs: Any, variables: Matrices) -> Dataset:
    """Read numbers in the units that the posterior was learned in."""
    values = in_learned_units(name, table, read_rows(name, table, variables), graphs)
    return table_of(values, read_intervened(table, variables), variables)


def _read_categories(
    graphs: Any, train: Any, test: Any, variables: Matrices, interventions: Any, targets: Any
) -> tuple[Categories, Categories]:
    known = read_category_rows("train", train, variables, learned_levels(graphs))
    check_interventions(graphs, known.intervened)
    return known, read_category_rows("test", test, variables, known.levels, interventions, targets)


def _portion(rows: Table, chosen: slice) -> Table:
    intervened = None if rows.intervened is None else rows.intervened[chosen]
    if isinstance(rows, MixedTable):
        return rows.rows(chosen)
    if isinstance(rows, Categories):
        return replace(rows, codes=rows.codes[chosen], intervened=intervened)
    return replace(rows, values=rows.values[chosen], intervened=intervened)


def _log_densities(fitted: MarginalLikelihood, train: Table, rows: Table) -> ValueOfFamily:
    """Return a function to log predictive densities of a child given its parents in each row."""
    predicting = PREDICTIONS.optional(fitted)
    if predicting is None:
        raise InvalidType(
            "score must have predictive densities, as BGe and BDeu have; got one whose fit returns "
            f"{type(fitted).__name__}. Pass score=osp.scores.BGe(), or osp.scores.BDeu() for categories, or use "
            "marginal_log_likelihood, which takes any score."
        )
    return predicting.predictive(train, rows)


def _log_mean(log_values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the log of the weighted mean of exp(log_values) (n, M) over the first axis, shape (M,)."""
    largest = log_values.max(axis=0)
    return largest + np.log(weights @ np.exp(log_values - largest))
