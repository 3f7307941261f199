"""Rows of an experiment under a network of categories: tables of probabilities are drawn, then rows by them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from orderspn.core.dag import topological_order
from orderspn.data.categories import Categories
from orderspn.design.experiment import Experiment
from orderspn.scores.bdeu import FittedBDeu

Tables = Sequence[tuple[np.ndarray, np.ndarray]]
"""Of each variable its parents and the logs of its table (r_1, ..., r_p, r_child)."""


def after_experiment(
    fitted: FittedBDeu, tables: Tables, experiment: Experiment, rng: np.random.Generator
) -> FittedBDeu:
    """Return the score after rows of an experiment that are drawn given tables; these rows are not kept."""
    codes = simulated_codes(tables, experiment, rng)
    intervened = np.broadcast_to(experiment.intervened(len(tables)), codes.shape)
    names = tuple(map(str, range(len(tables))))
    return fitted.with_rows(Categories(names, codes, fitted.levels, intervened if experiment.targets else None))


def simulated_codes(tables: Tables, experiment: Experiment, rng: np.random.Generator) -> np.ndarray:
    """Draw the rows of an experiment (rows, d), from causes to effects."""
    d = len(tables)
    graph = np.zeros((d, d), dtype=bool)
    for child, (parents, _) in enumerate(tables):
        graph[parents, child] = True
    graph[:, list(experiment.targets)] = False
    codes = np.zeros((experiment.rows, d), dtype=np.uint16)
    if experiment.targets:
        rows = [values for values, count in experiment.settings() for _ in range(count)]
        codes[:, list(experiment.targets)] = np.array(rows)
    uniform = rng.random((experiment.rows, d))
    for child in topological_order("graph", graph):
        if child not in experiment.targets:
            parents, logs = tables[child]
            shares = np.exp(logs[tuple(codes[:, parent] for parent in parents)])
            steps = np.cumsum(np.broadcast_to(shares, (experiment.rows, logs.shape[-1])), axis=1)
            codes[:, child] = (uniform[:, [child]] * steps[:, [-1]] >= steps[:, :-1]).sum(axis=1)
    return codes
