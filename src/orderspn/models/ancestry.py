"""Ancestors in events and evidence. "A ~> B" means that there is a directed path from A to B.

In posteriors over all orders, the descendants of one variable have an exact distribution for up to 15 variables
(`lattice/descendants.py`). In a list of graphs relations are counted. Everything else is estimated from draws.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from orderspn.core.randomness import RNGLike
from orderspn.models import orientations
from orderspn.models.ancestral_graphs import (
    DRAWS,
    AncestralGraphs,
    ancestral,
    batches,
    best_with_ancestors,
    under_implied_orders,
)
from orderspn.models.capabilities import DESCENDANTS
from orderspn.models.protocol import GraphModel
from orderspn.queries.descendant_sets import DescendantSets, binomial_error
from orderspn.queries.edges import Edges
from orderspn.queries.evidence import find_contradiction, satisfying
from orderspn.queries.most_probable import BestGraph


class Estimate(NamedTuple):
    """The log of a probability, and its standard error, 0 if it is exact."""

    log_probability: float
    standard_error: float


def condition(model: GraphModel, evidence: Edges, added: Edges) -> GraphModel:
    """Condition a model on evidence, of which `added` is new, also on neighbours and ancestors."""
    if not added.ancestry or _tests_ancestors(model):
        return orientations.condition(model, evidence, added)
    rest = added.without_ancestry
    base = orientations.condition(model, evidence.without_ancestry, rest) if rest else model
    return ancestral(base, evidence)


def log_probability(model: GraphModel, evidence: Edges, event: Edges) -> float:
    """Return the log probability of an event; the model is conditioned on `evidence` already."""
    if not event.ancestry or _tests_ancestors(model):
        return orientations.log_probability(model, evidence, event)
    return _estimate(model, evidence, event).log_probability


def standard_error(model: GraphModel, evidence: Edges, event: Edges) -> float:
    """Return the Monte Carlo standard error of the probability of an event."""
    if not event.ancestry or _tests_ancestors(model):
        return orientations.standard_error(model, event)
    return _estimate(model, evidence, event).standard_error


def best_graph(model: GraphModel, evidence: Edges, added: Edges, effort: float, rng: RNGLike) -> BestGraph:
    """Search for the best graph under evidence, of which `added` is new."""
    if not added.ancestry or _tests_ancestors(model):
        return orientations.best_graph(model, evidence, added, effort, rng)
    return best_with_ancestors(model, evidence, evidence & added, effort, rng)


def without_draws(model: GraphModel) -> GraphModel:
    """Return the model without ancestors and neighbours among its evidence, which files keep."""
    return orientations.unoriented(model.base if isinstance(model, AncestralGraphs) else model)


def exact_descendants(model: GraphModel, source: int) -> DescendantSets | None:
    """Return the exact distribution of the descendants of a variable; None if it can only be estimated."""
    if isinstance(model, orientations.OrientedGraphs):
        if not DESCENDANTS.of(model.base):
            return None
        shares, parts = zip(*model.parts(), strict=True)
        found = [part.exact_descendants(source) for part in parts]
        return None if any(each is None for each in found) else DescendantSets.mixed(shares, found)
    capable = DESCENDANTS.optional(model)
    return None if capable is None else capable.exact_descendants(source)


def error_of_model(model: GraphModel) -> float:
    """Return the standard error that a model itself has: the largest of its edges, as a cautious value for others."""
    return float(model.edge_standard_errors().max(initial=0.0))


def _estimate(model: GraphModel, evidence: Edges, event: Edges) -> Estimate:
    """Return the probability of all but the ancestors, times that of the ancestors given all else."""
    if find_contradiction(evidence & event) is not None:
        return Estimate(-math.inf, 0.0)
    rest = event.without_ancestry
    log_rest, error, conditioned = 0.0, 0.0, model
    if rest:
        log_rest = orientations.log_probability(model, evidence, rest)
        if log_rest == -math.inf:
            return Estimate(-math.inf, 0.0)
        error = orientations.standard_error(model, rest)
        conditioned = orientations.condition(model, evidence & rest, rest)
    found = _of_ancestors(conditioned, evidence & rest, event.ancestry)
    own = math.exp(log_rest) * found.standard_error
    return Estimate(log_rest + found.log_probability, math.hypot(own, math.exp(found.log_probability) * error))


def _of_ancestors(model: GraphModel, evidence: Edges, ancestry: Edges) -> Estimate:
    """Return the probability of ancestors: exact for those of one variable if that is possible, else from draws."""
    index = {name: v for v, name in enumerate(model.variables)}
    sources = {ancestor for ancestor, _ in (*ancestry.ancestors, *ancestry.not_ancestors)}
    if len(sources) == 1:
        sets = exact_descendants(model, index[next(iter(sources))])
        if sets is not None:
            places = [
                np.array([index[name] for _, name in pairs], dtype=np.int64)
                for pairs in (ancestry.ancestors, ancestry.not_ancestors)
            ]
            found = sets.probability(*places)
            return Estimate(math.log(found) if found > 0.0 else -math.inf, 0.0)
    narrowed, log_implied = under_implied_orders(model, evidence & ancestry)
    if log_implied == -math.inf:
        return Estimate(-math.inf, 0.0)
    counts = [
        (int(satisfying(samples.adjacency, ancestry, model.variables).sum()), len(samples))
        for samples in batches(narrowed, DRAWS)
    ]
    kept, drawn = (sum(column) for column in zip(*counts, strict=True))
    share, implied = kept / drawn, math.exp(log_implied)
    error = implied * float(binomial_error(np.array(share), drawn))
    log_share = math.log(share) if kept else -math.inf
    return Estimate(log_implied + log_share, math.hypot(error, error_of_model(model)))


def _tests_ancestors(model: GraphModel) -> bool:
    """Whether a model takes ancestors as they are."""
    return bool(getattr(model, "tests_ancestors", False))
