"""What compiled climbs know of the local scores: matrices, terms by size with the prior, and rules for parents."""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np

from orderspn.scores.local import LocalScore
from orderspn.scores.regression_terms import RegressionLikelihood

SAFETY = 1e-6
"""Bounds of conditional variances are lowered by this share, against rounding of the inverse that gives them."""


class ClimbTerms(NamedTuple):
    """The local scores of all families, as functions of regressions. Rows are children, as kernels go by child."""

    matrices: np.ndarray  # (groups, d, d): R, without `z z'`
    shifts: np.ndarray  # (groups, d): z
    is_far: np.ndarray  # (groups,), bool: whether z is not 0
    group: np.ndarray  # (d,)
    floors: np.ndarray  # (groups, d)
    log_least: np.ndarray  # (groups, d): a lower bound of the log variance of each variable given any others
    log_by_size: np.ndarray  # (groups, most + 1): with the prior
    exponents: np.ndarray  # (groups, most + 1)
    log_det_weight: float
    log_constant: np.ndarray  # (d,)
    log_odds: np.ndarray  # (d, d), [child, cause]; -inf where the edge is not allowed
    required: np.ndarray  # (d, d), bool, [child, cause]
    most: np.ndarray  # (d,): largest number of parents


def climb_terms(local: LocalScore) -> ClimbTerms | None:
    """Return the terms of a local score; None if it is no function of regressions."""
    if not hasattr(local.likelihood, "regression_terms"):
        return None
    d, rules = local.log_prior.size, local.rules
    most = np.minimum(rules.most, local.max_parents).astype(np.int64)
    largest = int(most.max())
    terms = cast(RegressionLikelihood, local.likelihood).regression_terms(largest)
    known = local.known
    log_constant = (
        np.zeros(d) if known is None else np.array([-known.log_normalizer(v, local.log_prior) for v in range(d)])
    )
    return ClimbTerms(
        np.ascontiguousarray(terms.matrices),
        np.ascontiguousarray(terms.shifts),
        np.asarray(terms.shifts.any(axis=1)),
        terms.group,
        np.ascontiguousarray(terms.floors),
        np.log(_least_variances(terms.matrices, terms.floors)),
        terms.log_by_size + local.log_prior[: largest + 1],
        terms.exponents,
        float(terms.log_det_weight),
        log_constant,
        np.ascontiguousarray(np.where(rules.allowed, rules.log_odds, -np.inf).T),
        np.ascontiguousarray(rules.required.T),
        most,
    )


def _least_variances(matrices: np.ndarray, floors: np.ndarray) -> np.ndarray:
    """Return a lower bound of the residual of each variable in regressions on any others, shape (groups, d)."""
    least = floors.copy()
    for matrix, row in zip(matrices, least, strict=True):
        scale = np.sqrt(np.maximum(np.diag(matrix), row))
        try:
            precisions = np.diag(np.linalg.inv(matrix / scale / scale[:, None]))
        except np.linalg.LinAlgError:  # linear dependence: the floors are the only bound
            continue
        with np.errstate(divide="ignore", invalid="ignore"):
            residuals = scale**2 / precisions * (1.0 - SAFETY)
        trusted = (precisions > 0.0) & (precisions < 1e8)  # beyond, the inverse is rounding
        row[trusted] = np.maximum(row[trusted], residuals[trusted])
    return least
