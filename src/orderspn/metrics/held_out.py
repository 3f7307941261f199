"""How well the graphs of a posterior explain rows that it has not seen."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from orderspn.core.arguments import check_integer
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.matrices import Matrices
from orderspn.core.randomness import RandomState
from orderspn.data.dataset import Dataset
from orderspn.metrics.acyclic import check_acyclic
from orderspn.metrics.arguments import WeightedGraphs, read_sampled
from orderspn.metrics.predictive import Predictive
from orderspn.metrics.rows import in_standard_units, read_rows, was_standardized
from orderspn.queries.sampling import distinct_graphs
from orderspn.scores.bge import BGe, FittedBGe
from orderspn.scores.choosing import fit_score
from orderspn.scores.protocol import MarginalLikelihood, Score

ROWS_AT_ONCE = 1024
"""Rows whose densities given every graph are kept at a time: 8 kilobytes for each graph."""

NOBODY = np.empty(0, dtype=np.int64)


def marginal_log_likelihood(
    graphs: Any,
    rows: Any,
    *,
    score: str | Score | None = None,
    train: Any = None,
    n_samples: int = 1000,
    rng: RandomState = 0,
) -> float:
    """Mean, over graphs, of the log marginal likelihood of held-out rows given the graph: the paper's MLL.

    Of each graph, the likelihood of all rows together, its parameters averaged over their prior. Higher is better;
    only values for the same rows in the same units compare.

    Parameters
    ----------
    graphs : Posterior, or sampled graphs (GraphSamples, array of shape (n, d, d), list of networkx.DiGraph)
    rows : DataFrame or array
        Held-out rows, in the units of the data that the posterior was learned from. Columns are matched by name if
        both have names, and others than the graphs' variables are left out.
    score : "bge" or score object, optional
        The marginal likelihood (default: the one that the posterior was learned with; of sampled graphs `BGe()`).
    train : DataFrame or array, optional
        Needed for a posterior that was learned with `standardize=True`, and for no other: the rows that it was learned
        from. The held-out ones are then centred and divided by the means and standard deviations of these.
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
    values = read_rows("rows", rows, sampled.graphs)
    if train is not None:
        values = in_standard_units(graphs, read_rows("train", train, sampled.graphs), values)
    fitted = _fit(_score_of(graphs, score), values, sampled.graphs)

    def log_likelihood(child: int, parents: np.ndarray) -> np.ndarray:
        # No candidates, and all parents always: one parent set.
        return fitted.log_likelihoods(child, NOBODY, parents.size, parents)

    return float(sampled.weights @ _sum_over_families(sampled.graphs.values, log_likelihood, 1)[:, 0])


def log_predictive_density(
    graphs: Any,
    train: Any,
    test: Any,
    *,
    score: str | BGe | None = None,
    n_samples: int = 1000,
    rng: RandomState = 0,
) -> float:
    """Mean, over test rows, of the log density that the posterior predicts: `log E_G p(row | G, train)`.

    Graphs are averaged, and given each graph its parameters: the density of a row is the ratio of the marginal
    likelihoods of the data with and without it. Higher is better; only values for the same rows in the same units
    compare.

    Parameters
    ----------
    graphs : Posterior, or sampled graphs (GraphSamples, array of shape (n, d, d), list of networkx.DiGraph)
    train : DataFrame or array
        The rows that the posterior was learned from. If that was with `standardize=True`, these and the test rows are
        centred and divided by the means and standard deviations of these, so that densities are per standard deviation.
    test : DataFrame or array
        Rows to predict, in the units of `train`. Columns are matched by name if both have names, and others than the
        graphs' variables are left out.
    score : "bge" or BGe, optional
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
    """
    count = check_integer("n_samples", n_samples, 1)
    sampled = _read_distinct(graphs, count, rng)
    known, rows = read_rows("train", train, sampled.graphs), read_rows("test", test, sampled.graphs)
    if was_standardized(graphs):
        rows, known = in_standard_units(graphs, known, rows), in_standard_units(graphs, known, known)
    fitted = _fit(_score_of(graphs, score), known, sampled.graphs)
    if not isinstance(fitted, FittedBGe):
        raise InvalidType(
            f"score must be BGe, whose predictive density is known; got one that fits {type(fitted).__name__}. Pass "
            "score=osp.scores.BGe(), or use marginal_log_likelihood, which takes any."
        )
    total = 0.0
    for start in range(0, len(rows), ROWS_AT_ONCE):
        some = rows[start : start + ROWS_AT_ONCE]
        densities = Predictive.of(fitted, known, some).log_densities
        total += _log_mean(_sum_over_families(sampled.graphs.values, densities, len(some)), sampled.weights).sum()
    return float(total / len(rows))


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
    if learned_with.get("name") != "bge":
        raise InvalidValue(
            f"the posterior was learned with the score {learned_with.get('name')!r}, which cannot be made again from "
            "its settings: pass it as score=."
        )
    return BGe(learned_with["alpha_mu"], learned_with["alpha_w"], learned_with["t"])


def _fit(score: str | Score, values: np.ndarray, graphs: Matrices) -> MarginalLikelihood:
    names = graphs.variables or tuple(f"X{v + 1}" for v in range(graphs.n_variables))
    with warnings.catch_warnings():
        # What a score says of scales and means is advice for learning, and a few rows need not vary much.
        warnings.simplefilter("ignore", UserWarning)
        return fit_score(score, Dataset(names, values))


def _sum_over_families(graphs: np.ndarray, value: Callable[[int, np.ndarray], np.ndarray], width: int) -> np.ndarray:
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
