"""The probabilities of whole graphs under a model that knows their weights."""

from __future__ import annotations

import math

import numpy as np

from orderspn.models import orientations
from orderspn.models.capabilities import GRAPH_SCORES, require
from orderspn.models.protocol import GraphModel
from orderspn.queries.edges import Edges
from orderspn.queries.most_probable import adjacency_as_event


def log_probabilities_of(model: GraphModel, evidence: Edges, graphs: np.ndarray, asked: str) -> np.ndarray:
    """Return the log probability of each of the DAGs (n, d, d), shape (n,), under a model that sums over families.

    The model is conditioned on `evidence` already. Each probability is proportional to the product of the scores of
    families, times the mass of its orders if the model is over orders and graphs. The most probable DAG is queried as
    an event, which gives the normalising constant.
    """
    log_weights = require(model, GRAPH_SCORES, asked).log_weights_of(graphs)
    best = int(np.argmax(log_weights))
    if log_weights[best] == -math.inf:
        return log_weights
    event = adjacency_as_event(graphs[best], model.variables)
    return log_weights - log_weights[best] + orientations.log_probability(model, evidence, event)
