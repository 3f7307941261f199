"""Capabilities that only some models have, and what to do if one is missing."""

from __future__ import annotations

from typing import TypeVar

from orderspn.core.capabilities import Capability
from orderspn.models.protocol import (
    GraphList,
    GraphModel,
    Mixed,
    OverOrders,
    SampledByChains,
    WithCoverage,
    WithDescendants,
    WithExactEffects,
    WithGraphScores,
    WithMasses,
    WithSize,
)

P = TypeVar("P")

ORDERS: Capability[OverOrders] = Capability(
    ("precedence",),
    "is about orders",
    "Learn with methods.Exact(target='order') or methods.Trust().",
)

MASSES: Capability[WithMasses] = Capability(
    ("log_evidence", "entropy"),
    "needs a sum over all graphs covered",
    "Learn with method='exact' or 'trust'.",
)

EXACT_EFFECTS: Capability[WithExactEffects] = Capability(
    ("effects",),
    "needs effects averaged over orders",
    "Use estimate_effects(), which averages over sampled graphs, or learn with methods.Exact(target='order').",
)

SIZE: Capability[WithSize] = Capability(
    ("size",),
    "describes circuits over orders",
    "Learn with methods.Exact(target='order') or methods.Trust().",
)

COVERAGE: Capability[WithCoverage] = Capability(
    ("coverage",),
    "needs a sum over all graphs covered",
    "Learn with method='exact' or 'trust'.",
)

GRAPH_SCORES: Capability[WithGraphScores] = Capability(
    ("log_weights_of",),
    "needs the probability of any graph",
    "Pass sampled graphs instead: posterior.sample(10_000, rng=0).",
)

GRAPH_LIST: Capability[GraphList] = Capability(
    ("weighted_graphs",),
    "needs a list of graphs",
    "Draw one: posterior.sample(10_000, rng=0).",
)

MIXTURE: Capability[Mixed] = Capability(
    ("components", "log_weights", "entropy_bounds"),
    "needs a mixture of posteriors",
    "Make one with mix().",
)

DESCENDANTS: Capability[WithDescendants] = Capability(
    ("exact_descendants", "exact_ancestors"),
    "needs the distribution of descendants",
    "Learn with methods.Exact(target='order').",
)

CHAINS: Capability[SampledByChains] = Capability(
    ("draws",),
    "needs draws of Markov chains",
    "Learn with method='gadget'.",
)


def require(model: GraphModel, capability: Capability[P], asked: str) -> P:
    """Return the model if it has the capability that a query needs; else raise an error that says what to do."""
    return capability.require(model, asked, f"this posterior {model.nature}")
