"""The exact model of graphs again, with other scores: what is learned after an experiment."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from orderspn.core.workers import Workers
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.leaves.scoring import score_families
from orderspn.models import ancestry
from orderspn.models.dag_graphs import DagGraphs
from orderspn.models.exact_order_graphs import ExactOrderGraphs
from orderspn.models.protocol import GraphModel
from orderspn.queries.edges import Edges

ONE = Workers(n_jobs=1)
"""Many small models are learned side by side, each by one thread."""


def is_exact(model: GraphModel) -> bool:
    """Whether a model can be learned again by its sums alone."""
    return isinstance(model, ExactOrderGraphs | DagGraphs)


def learned_again(model: Any, likelihood: Any, evidence: Edges) -> GraphModel:
    """Return the model with the same candidates, prior and evidence, after the score was fitted to other rows."""
    local = replace(model.score, likelihood=likelihood)
    families = tuple(score_families(local, model.candidates, ONE, model.outsider_rows))
    again: GraphModel
    if isinstance(model, DagGraphs):
        again = DagGraphs(model.variables, local, families, ONE)
    else:
        again = ExactOrderGraphs(model.variables, local, families, ExactOrders.over_all(families, ONE), ONE)
    return ancestry.condition(again, evidence, evidence) if evidence else again
