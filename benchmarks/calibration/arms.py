"""The settings whose probabilities are judged, and what each answers about a table."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

import orderspn as osp
from benchmarks.calibration.graph_prior import prior_of_graphs
from orderspn.scores.structure_prior import SizePrior


@dataclass(frozen=True)
class Sparse:
    """A prior under which each variable is a parent with a probability, independently of the others."""

    share: float

    def __call__(self, size: int) -> float:
        """Return the weight of a set of parents."""
        return (self.share / (1.0 - self.share)) ** size


@dataclass(frozen=True)
class One:
    """Settings of one posterior; 0.5 is the default scale of the score, and None leaves it open."""

    prior: SizePrior = "fair"
    t: float | None = 0.5
    target: str = "order"
    standardize: bool = True
    degree: int = 1


ORDERS, DAGS, LEARNED = "orders", "dags", "learned"
SCALES = (0.5, 2.0, 5.0)
SHARES = (0.15, 0.4, 0.7)


def over(priors: Iterable[SizePrior], scales: Iterable[float], target: str = "order") -> tuple[One, ...]:
    """Return posteriors with each prior and each scale."""
    listed = tuple(scales)
    return tuple(One(prior, t, target) for prior in priors for t in listed)


@dataclass(frozen=True)
class Arm:
    """One posterior, or a mixture by evidence of several; arms of a group are measured together."""

    name: str
    label: str
    parts: tuple[One, ...]
    group: str = ORDERS


SPARSITIES = tuple(Sparse(share) for share in SHARES)
DEFAULT = Arm("default", "default: fair, t = 0.5, orders", (One(),))
_LISTED = (
    DEFAULT,
    Arm("t2", "t = 2", (One(t=2.0),)),
    Arm("t5", "t = 5", (One(t=5.0),)),
    Arm("share-15", "share 0.15", (One(Sparse(0.15)),)),
    Arm("share-40", "share 0.4", (One(Sparse(0.4)),)),
    Arm("uniform", "uniform (share 0.5)", (One("uniform"),)),
    Arm("share-70", "share 0.7", (One(Sparse(0.7)),)),
    Arm("mix-t", "mixture over t", over(("fair",), SCALES)),
    Arm("mix-shares", "mixture over shares", over(SPARSITIES, SCALES[:1])),
    Arm("mix-both", "mixture over shares and t", over(SPARSITIES, SCALES)),
    Arm("degree-3", "curves, degree=3", (One(degree=3),)),
    Arm("raw", "standardize=False", (One(standardize=False),)),
    Arm("dag", 'target="dag"', (One(target="dag"),), DAGS),
    Arm("dag-t2", 'target="dag", t = 2', (One(t=2.0, target="dag"),), DAGS),
    Arm("dag-raw", 'target="dag", standardize=False', (One(target="dag", standardize=False),), DAGS),
    Arm("learned", 'prior="learned"', (One("learned", None),), LEARNED),
)
ARMS = {arm.name: arm for arm in _LISTED}
TABLES = {ORDERS: 100, DAGS: 100, LEARNED: 30}
"""Tables of each kind for the arms of a group; learning the prior takes much longer than learning with one."""

GROUPS = tuple(TABLES)


def edges_by_arm(frame: pd.DataFrame, arms: Sequence[Arm]) -> dict[str, np.ndarray]:
    """Return the edge probabilities (d, d) of each arm; posteriors that several arms need are learned once."""
    learned: dict[One, osp.Posterior] = {}
    for one in {one for arm in arms for one in arm.parts}:
        learned[one] = _learned(frame, one)
    return {
        arm.name: mixed([learned[one] for one in arm.parts], arm.parts).edge_probabilities().to_numpy() for arm in arms
    }


def _learned(frame: pd.DataFrame, one: One) -> osp.Posterior:
    with warnings.catch_warnings():
        # Raw columns may have means far from 0 and variances far from 1: what this does is measured here.
        warnings.filterwarnings("ignore", "the (means|values) of ")
        return osp.learn(
            frame.to_numpy(),
            score=osp.scores.BGe(t=one.t, degree=one.degree),
            prior=one.prior,
            standardize=one.standardize,
            method=osp.methods.Exact(target=one.target),
            check=False,
            distributions=False,
            n_jobs=1,
        )


def mixed(posteriors: Sequence[osp.Posterior], parts: Sequence[One]) -> osp.Posterior:
    """Return the mixture by evidence of posteriors with these settings, or the only one."""
    if len(posteriors) == 1:
        return posteriors[0]
    d = len(posteriors[0].variables)
    log_weights = np.array(
        [posterior.log_evidence - log_prior_mass(d, one) for posterior, one in zip(posteriors, parts, strict=True)]
    )
    return osp.mix(posteriors, weights=np.exp(log_weights - log_weights.max()))


def log_prior_mass(d: int, one: One) -> float:
    """Return the log of the sum of the prior over all that the posterior sums over.

    A log evidence is a sum over graphs without cycles of prior times likelihood, but the prior of parent sets sums to 1
    over all combinations of sets, also those with cycles. Dense priors lose more of their mass to cycles than sparse
    ones, so their log evidences are comparable only after the log of what is left is subtracted.
    """
    return prior_of_graphs(d, one.prior, one.target).log_evidence
