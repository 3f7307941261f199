"""Whole graphs and their probabilities: all graphs if there are few, the list that a model is, or draws."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from orderspn.chains.sample import LEAST_DRAWS
from orderspn.core.dag import all_dags
from orderspn.models.capabilities import CHAINS, GRAPH_LIST, GRAPH_SCORES
from orderspn.models.graph_probabilities import log_probabilities_of
from orderspn.models.protocol import GraphModel
from orderspn.queries.edges import Edges
from orderspn.queries.precision import standard_errors
from orderspn.queries.sampling import GraphSamples

LISTED_UP_TO = 5
"""Largest number of variables for which all DAGs are enumerated: there are 29,281 of 5, and 3.8 million of 6."""

Basis = Literal["all graphs", "listed graphs", "sampled graphs"]
"""Where shares of graphs come from: they are exact, those of a list that the posterior is, or those of draws."""


@dataclass(frozen=True, eq=False)
class GraphShares:
    """Graphs with weights, whose weighted shares are probabilities or estimates of them.

    Attributes
    ----------
    graphs : numpy.ndarray
        Shape (n, d, d), bool, [cause, effect]; the same graph may be there several times.
    weights : numpy.ndarray
        Shape (n,), with sum 1.
    basis : str
    n_runs : int, optional
        Number of Markov chains that the graphs come from, one after the other.
    exact : bool
        Whether the probabilities of the model itself are free of Monte Carlo errors.
    """

    graphs: np.ndarray
    weights: np.ndarray
    basis: Basis
    n_runs: int | None = None
    exact: bool = False

    def shares(self, kinds: np.ndarray, n_kinds: int) -> np.ndarray:
        """Return the weighted share of each kind, given the kind of each graph (n,), shape (n_kinds,)."""
        return np.minimum(np.bincount(kinds, self.weights, n_kinds), 1.0)  # sums may exceed 1 by rounding

    def error_of(self, values: np.ndarray) -> float:
        """Return the Monte Carlo standard error of the weighted mean of values (n,); NaN if it is unknown.

        It is 0 if all graphs of an exact model are there. Draws have that of a mean with weights, and chains that of
        their draws. It is unknown for other lists, and if all values agree.
        """
        if self.basis == "all graphs":
            return 0.0 if self.exact else math.nan
        values = values.astype(np.float64)
        if (values == values[0]).all():
            return math.nan
        if self.basis == "sampled graphs":
            return float(np.sqrt(np.sum(self.weights**2 * (values - self.weights @ values) ** 2)))
        if self.n_runs is None or len(values) < LEAST_DRAWS * self.n_runs:
            return math.nan
        return float(standard_errors(values.reshape(self.n_runs, -1)))


def graph_shares(
    model: GraphModel, evidence: Edges, draw: Callable[[], GraphSamples], *, drawn_only: bool = False
) -> GraphShares:
    """Return the graphs of a model, conditioned on `evidence` already, with their probabilities; or else draws.

    `draw` is called if there are too many graphs, or always if `drawn_only`.
    """
    if not drawn_only:
        listed = GRAPH_LIST.optional(model)
        if listed is not None:
            chains = CHAINS.optional(model)
            return GraphShares(
                *listed.weighted_graphs(), "listed graphs", None if chains is None else chains.draws().n_runs
            )
        if len(model.variables) <= LISTED_UP_TO and GRAPH_SCORES.of(model):
            graphs = all_dags(len(model.variables))
            probabilities = np.exp(log_probabilities_of(model, evidence, graphs, "the probability of a graph"))
            possible = probabilities > 0.0
            weights = probabilities[possible] / probabilities.sum()
            return GraphShares(graphs[possible], weights, "all graphs", exact=is_exact(model))
    samples = draw()
    n = len(samples)
    weights = np.full(n, 1.0 / n) if samples.weights is None else samples.weights
    return GraphShares(samples.adjacency, weights, "sampled graphs")


def is_exact(model: GraphModel) -> bool:
    """Whether the probabilities of a model have no Monte Carlo error."""
    return not model.edge_standard_errors().any()  # NaN, unknown, counts as an error
