"""Capabilities that only some scores have, and what to use for the others."""

from __future__ import annotations

from typing import Any

from orderspn.core.capabilities import Capability
from orderspn.data.units import Units
from orderspn.scores.column_model import ColumnModel
from orderspn.scores.protocol import (
    ColumnLikelihood,
    CompletingLikelihood,
    LinearLikelihood,
    PredictiveLikelihood,
    StorableLikelihood,
    TableLikelihood,
)

WEIGHTS: Capability[LinearLikelihood] = Capability(
    ("expected_weights", "weights_given"),
    "need weights of edges",
    "Ask for the distribution of a variable under interventions on others: posterior.interventional('Y', "
    "do={'X': 'level'}), or posterior.effect_curve('X', 'Y') where numbers have curves or categories beside them.",
)

COMPLETIONS: Capability[CompletingLikelihood] = Capability(
    ("completed",),
    "need a score that draws missing values",
    "Use scores.BGe() or scores.BDeu(), pass missing='drop' to leave out incomplete rows, or fill them in first.",
)

COLUMNS: Capability[ColumnLikelihood] = Capability(
    ("column_model",),
    "needs numbers",
    "Ask for the distribution of a variable under interventions on others: posterior.interventional('Y', "
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
    """Return the fitted score if it has weights of edges; else raise the error for total effects."""
    return WEIGHTS.require(likelihood, "total effects", _lacks(likelihood))


def columns_behind(likelihood: Any, units: Units | None) -> ColumnModel:
    """Return the model of columns of a fitted score; else raise the error for `effect_curve`."""
    return COLUMNS.require(likelihood, "effect_curve()", _lacks(likelihood)).column_model(units)


def completing(likelihood: Any) -> CompletingLikelihood:
    """Return the fitted score if it draws missing cells; else raise the error for missing values."""
    return COMPLETIONS.require(likelihood, "missing values", _lacks(likelihood))


def tables_of(likelihood: Any) -> TableLikelihood:
    """Return the fitted score if it has tables of probabilities; else raise the error for `interventional`."""
    return TABLES.require(likelihood, "interventional()", _lacks(likelihood))


def arrays_of(likelihood: Any) -> StorableLikelihood:
    """Return the fitted score if it has arrays to save; else raise the error for saving."""
    return ARRAYS.require(likelihood, "saving", _lacks(likelihood))


def _lacks(likelihood: Any) -> str:
    return f"the score {likelihood.settings()['name']!r} of this posterior has none"
