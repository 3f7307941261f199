"""One posterior in a file: its description, its arrays, and what is made of them again.

A file contains sufficient statistics, prior, candidates, evidence and, unless `learn` was told otherwise, histograms of
the data: a few kilobytes. Tables and lattices are rebuilt from them, in less time than it would take to read them.
Samples of graphs are stored as they are.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from orderspn.core.errors import InvalidValue
from orderspn.core.registry import place_of
from orderspn.knowledge.context import read_context
from orderspn.knowledge.rules import parent_rules
from orderspn.models.ancestry import without_draws
from orderspn.models.capabilities import MASSES
from orderspn.models.parts import Parts
from orderspn.models.protocol import GraphModel
from orderspn.models.registry import MODELS
from orderspn.posterior import Posterior
from orderspn.scores.capabilities import arrays_of
from orderspn.scores.local import LocalScore
from orderspn.scores.registry import SCORES
from orderspn.storage.demands import Budget, sizes_under
from orderspn.storage.local_scores import restore_local_score
from orderspn.storage.members import check_arrays
from orderspn.storage.parents import check_context_parents, parent_arrays, split_candidates, split_outsiders
from orderspn.storage.schema import Description, described_evidence
from orderspn.storage.units import restore_units, unit_arrays


def described(posterior: Posterior) -> dict[str, Any]:
    """Return what a manifest says about a posterior."""
    model = without_draws(posterior.model)
    return {
        "variables": posterior.variables,
        "model": model.kind,
        "settings": dict(posterior.settings),
        "evidence": described_evidence(posterior.evidence),
        **_classes(model, posterior.settings["score"]["name"]),
    }


def arrays_in_file(posterior: Posterior) -> dict[str, np.ndarray]:
    """Return the arrays of the score, of the model, and of every posterior."""
    model = without_draws(posterior.model)
    common = {"log_prior": model.score.log_prior, **parent_arrays(model.candidates, model.outsider_rows)}
    common.update(unit_arrays(posterior.units))
    parts = arrays_of(model.score.likelihood).arrays(), model.arrays(), common
    counted = Counter(name for part in parts for name in part)
    name, times = counted.most_common(1)[0]
    if times > 1:
        raise InvalidValue(
            f"two parts of this posterior have an array {name!r}: its score, its model, or the common part of all "
            "posteriors. Give it another name."
        )
    return {name: array for part in parts for name, array in part.items()}


def check_readable(posterior: Posterior, description: Description, arrays: Mapping[str, np.ndarray]) -> None:
    """Raise an error for what `load` would refuse, except for the checks that a model makes of its own arrays."""
    model = without_draws(posterior.model)
    description.report.check_model(model)
    check_arrays(arrays, description.settings["score"]["name"], description.model)
    restored, _ = restore_local_score(description.report, arrays, description.n_variables)
    restore_units(arrays, description.report.standardized, description.n_variables)
    own = model.score.likelihood
    if type(restored) is not type(own):
        raise ValueError(
            f"its score, {description.settings['score']['name']!r}, is a {type(own).__name__} and would be loaded as "
            f"{type(restored).__name__}. Give it another name"
        )


def _classes(model: GraphModel, score: str) -> dict[str, str]:
    """Return the places of registered classes of users, for the message that asks to register them."""
    if score not in SCORES:
        raise InvalidValue(
            f"the score {score!r} is not registered, so its file could not be loaded. Call "
            "orderspn.scores.register with its class, which needs name = "
            f"{score!r} and a classmethod restore(settings, arrays)."
        )
    if MODELS.get(model.kind) is not type(model):
        raise InvalidValue(
            f"the model {model.kind!r} is not registered, so its file could not be loaded. Call "
            f"orderspn.models.register({type(model).__name__}) first."
        )
    places = {} if SCORES.is_own(score) else {"score_class": place_of(SCORES[score])}
    return places if MODELS.is_own(model.kind) else {**places, "model_class": place_of(type(model))}


def restored(
    description: Description, settings: Mapping[str, Any], arrays: Mapping[str, np.ndarray], budget: Budget
) -> Posterior:
    """Return the posterior of a description and its arrays, both of which may come from an unknown source.

    `settings` are those of the file as they are; those of the description have been converted.
    """
    check_arrays(arrays, description.settings["score"]["name"], description.model)
    units = restore_units(arrays, description.report.standardized, description.n_variables)
    model = MODELS[description.model].restore(_parts(description, arrays, budget))
    description.report.check_model(model)
    posterior = Posterior(model, settings, units=units).given(description.evidence.edges())
    if MASSES.of(posterior.model) and not math.isfinite(posterior.log_evidence):
        raise ValueError("its log evidence is not finite.")
    return posterior


def _parts(description: Description, arrays: Mapping[str, np.ndarray], budget: Budget) -> Parts:
    """Return the parts of the posterior before evidence."""
    variables, settings, known = tuple(description.variables), description.report, description.knowledge
    likelihood, log_prior = restore_local_score(settings, arrays, len(variables))
    context = read_context(settings.context, variables)
    rules = parent_rules(known, variables, settings.max_parents, log_prior, context) if known else None
    candidates = split_candidates(arrays, len(variables))
    rows = split_outsiders(arrays, candidates)
    check_context_parents(candidates, rows, context)
    return Parts(
        variables,
        LocalScore(likelihood, log_prior, settings.max_parents, rules, context),
        candidates,
        rows,
        sizes_under(description.evidence.edges(), candidates, rows, variables, context.size),
        arrays,
        description.settings,
        budget.workers_for,
    )
