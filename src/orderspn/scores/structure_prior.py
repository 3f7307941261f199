"""Priors over parent sets that depend on their size alone."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from orderspn.core.arguments import as_float
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.scores.beta_binomial import BetaBinomial

SizePrior = str | Callable[[int], float] | BetaBinomial

LEARNED = "learned"
"""The prior whose hyperparameters `learn` chooses by the data."""

PRIORS = ("fair", "uniform", LEARNED)


def is_learned(prior: SizePrior) -> bool:
    """Whether a prior is left to the data."""
    return isinstance(prior, str) and prior == LEARNED


def log_prior_by_size(prior: SizePrior, n_variables: int) -> np.ndarray:
    """Return the log prior probability of one parent set, by its size 0 .. d-1.

    It is normalised over all parent sets, `sum_k C(d-1, k) exp(log_prior[k]) = 1`, also if candidates or a limit on the
    size exclude some of them. So the evidences of restricted models are comparable.

    Parameters
    ----------
    prior : {"fair", "uniform"}, BetaBinomial or callable
        "fair": every size equally probable, `1 / (d C(d-1, k))` for one set of size k. "uniform": every set
        equally probable. `BetaBinomial(mean, concentration)` lies between and around them. A callable maps a size to
        the relative weight (not its logarithm) of one set.
    n_variables : int

    Returns
    -------
    numpy.ndarray
        Shape (d,).
    """
    others = n_variables - 1
    log_ways = np.array([_log_binomial(others, k) for k in range(n_variables)])
    if prior == "fair":
        return -math.log(n_variables) - log_ways
    if prior == "uniform":
        return np.full(n_variables, -others * math.log(2.0))
    if isinstance(prior, BetaBinomial):
        return prior.log_prior(n_variables)
    if is_learned(prior):
        raise InvalidValue(
            "prior='learned' is for learn, which chooses the prior by the data. Elsewhere pass 'fair', 'uniform', or "
            "scores.BetaBinomial(mean, concentration) with the numbers of settings['learned_prior']."
        )
    if callable(prior):
        return _from_callable(prior, log_ways)
    listed = ", ".join(repr(p) for p in PRIORS)
    raise InvalidValue(
        f"prior must be one of {listed}, a scores.BetaBinomial, or a callable from the size of a parent set to its "
        f"weight; got {prior!r}."
    )


def _from_callable(prior: Callable[[int], Any], log_ways: np.ndarray) -> np.ndarray:
    weights = np.empty(log_ways.size)
    for size in range(log_ways.size):
        weight = prior(size)
        if isinstance(weight, bool) or not isinstance(weight, numbers.Real):
            raise InvalidType(f"prior({size}) must be a number; got {weight!r} of type {type(weight).__name__}.")
        if not 0.0 <= as_float(weight) < math.inf:
            raise InvalidValue(f"prior({size}) must be a finite weight of at least 0; got {weight}.")
        weights[size] = float(weight)
    if not weights.any():
        raise InvalidValue("prior gives weight 0 to parent sets of every size; at least one size needs more.")
    with np.errstate(divide="ignore"):
        log_weights = np.log(weights)
    return log_weights - np.logaddexp.reduce(log_weights + log_ways)


def is_log_prior(log_prior: np.ndarray) -> bool:
    """Whether these are log priors of single parent sets by their size (d,), normalised over all sets.

    Examples
    --------
    >>> is_log_prior(log_prior_by_size("fair", 5)), is_log_prior(np.zeros(5))
    (True, False)
    """
    if np.isnan(log_prior).any() or log_prior[0] == -np.inf:
        return False
    log_ways = np.array([_log_binomial(log_prior.size - 1, k) for k in range(log_prior.size)])
    return bool(abs(np.logaddexp.reduce(log_prior + log_ways)) < 1e-6)


def _log_binomial(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
