"""How well the graphs of a posterior explain rows that it has not seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from orderspn.core.arguments import check_integer
from orderspn.core.errors import InvalidValue
from orderspn.core.matrices import Matrices
from orderspn.core.randomness import RandomState
from orderspn.data.dataset import Units
from orderspn.metrics.behind import levels_behind, was_standardized
from orderspn.metrics.category_rows import read_category_rows, reads_categories
from orderspn.metrics.judged_graphs import (
    fit_quietly,
    read_distinct,
    score_of,
    sum_over_families,
    table_of,
)
from orderspn.metrics.rows import (
    check_standardized,
    read_intervened,
    read_rows,
    read_train,
    standard_units,
    with_interventions,
)
from orderspn.scores.answers import read_log_values
from orderspn.scores.protocol import NOBODY, Score


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
    sampled = read_distinct(graphs, count, rng)
    chosen = score_of(graphs, score)
    if reads_categories(chosen):
        levels = levels_behind(graphs)
        fitted = fit_quietly(chosen, read_category_rows("rows", rows, sampled.graphs, levels, interventions, targets))
    else:
        rows = with_interventions("rows", rows, sampled.graphs, interventions, targets)
        check_standardized(graphs, train, "rows", rows)
        values = read_rows("rows", rows, sampled.graphs)
        if train is not None:
            values = _units(graphs, train, sampled.graphs).applied(values)
        fitted = fit_quietly(chosen, table_of(values, read_intervened(rows, sampled.graphs), sampled.graphs))

    def log_likelihood(child: int, parents: np.ndarray) -> np.ndarray:
        # No candidates, and all parents always: one parent set.
        answer = fitted.log_likelihoods(child, NOBODY, parents.size, parents)
        return read_log_values(fitted, "log_likelihoods", answer, (1,))

    return float(sampled.weights @ sum_over_families(sampled.graphs.values, log_likelihood, 1)[:, 0])


def _units(graphs: Any, train: Any, variables: Matrices) -> Units:
    """The units of a posterior that was learned from `train` standardised."""
    return standard_units(graphs, *read_train(graphs, train, variables))


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
