"""What only some scores have, and what to ask of the others instead."""

from __future__ import annotations

from typing import Any

from orderspn.core.capabilities import Capability
from orderspn.scores.protocol import LinearLikelihood, PredictiveLikelihood, StorableLikelihood, TableLikelihood

WEIGHTS: Capability[LinearLikelihood] = Capability(
    ("expected_weights", "weights_given"),
    "need weights of edges",
    "Ask for the distribution of a variable when others are set from outside: posterior.interventional('Y', "
    "do={'X': 'level'}).",
)

TABLES: Capability[TableLikelihood] = Capability(
    ("levels", "strengths_given"),
    "needs the tables of probabilities of categories",
    "Ask for causal_effects(), the change of one variable per unit change of another.",
)

PREDICTIONS: Capability[PredictiveLikelihood] = Capability(
    ("predictive",),
    "needs a score that predicts rows",
    "Compare posterior.log_evidence, or use metrics.marginal_log_likelihood, which takes any score.",
)

ARRAYS: Capability[StorableLikelihood] = Capability(
    ("arrays",),
    "needs a score that gives its arrays",
    "Give it a method arrays() and its class a method restore(settings, arrays).",
)


def weights_of(likelihood: Any) -> LinearLikelihood:
    """A fitted score with weights of edges; else the error for a question about total effects."""
    return WEIGHTS.require(likelihood, "total effects", _lacks(likelihood))


def tables_of(likelihood: Any) -> TableLikelihood:
    """A fitted score with tables of probabilities; else the error for `interventional`."""
    return TABLES.require(likelihood, "interventional()", _lacks(likelihood))


def arrays_of(likelihood: Any) -> StorableLikelihood:
    """A fitted score that gives its arrays; else the error for saving it."""
    return ARRAYS.require(likelihood, "saving", _lacks(likelihood))


def _lacks(likelihood: Any) -> str:
    return f"the score {likelihood.settings()['name']!r} of this posterior has none"
