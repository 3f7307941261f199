"""Local scores from files: a fitted score and the prior of parent sets."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from orderspn.methods.report import Report
from orderspn.scores.protocol import MarginalLikelihood
from orderspn.scores.registry import SCORES
from orderspn.scores.structure_prior import LEARNED, is_log_prior, log_prior_by_size

UNNAMED = ("custom", LEARNED)
"""Priors that do not follow from their name."""


def restore_local_score(
    settings: Report, arrays: Mapping[str, np.ndarray], d: int
) -> tuple[MarginalLikelihood, np.ndarray]:
    """Return the fitted score of d variables and the log prior of their parent sets (d,), checked."""
    likelihood = SCORES[settings.score["name"]].restore(settings.score, arrays)
    if likelihood.n_variables != d:
        raise ValueError("the sizes of its parts differ.")
    return likelihood, _log_prior(settings.prior, arrays["log_prior"], d)


def _log_prior(name: str, log_prior: np.ndarray, d: int) -> np.ndarray:
    if log_prior.shape != (d,):
        raise ValueError("the sizes of its parts differ.")
    sound = is_log_prior(log_prior) if name in UNNAMED else np.allclose(log_prior, log_prior_by_size(name, d))
    if not sound:
        raise ValueError(f"its prior of parent sets is not {name!r}")
    return log_prior
