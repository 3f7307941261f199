"""The prior over graphs by itself: a posterior of data that say nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

import orderspn as osp
from orderspn.scores.local import subset_sizes
from orderspn.scores.structure_prior import SizePrior


@dataclass(frozen=True)
class SaysNothing:
    """A score under which every set of parents explains the data equally well."""

    name: ClassVar[str] = "says-nothing"

    def fit(self, data: Any) -> FittedSaysNothing:
        return FittedSaysNothing(data.values.shape[1])

    @classmethod
    def restore(cls, settings: Mapping[str, Any], _: Mapping[str, np.ndarray]) -> FittedSaysNothing:
        return FittedSaysNothing(settings["variables"])


@dataclass(frozen=True)
class FittedSaysNothing:
    """The same for a number of variables."""

    n_variables: int

    def log_likelihoods(
        self, child: int, candidates: np.ndarray, max_parents: int, always: np.ndarray | tuple[()] = ()
    ) -> np.ndarray:
        del child
        return np.where(subset_sizes(len(candidates)) + len(always) <= max_parents, 0.0, -np.inf)

    def log_likelihoods_with_one_more(self, child: int, parents: np.ndarray) -> np.ndarray:
        values = np.zeros(self.n_variables)
        values[[child, *parents]] = -np.inf
        return values

    def settings(self) -> dict[str, Any]:
        return {"name": SaysNothing.name, "variables": self.n_variables}


@cache
def prior_of_graphs(d: int, prior: SizePrior = "fair", target: str = "order") -> osp.Posterior:
    """Return the prior of `learn`; its `log_evidence` is the log of the mass of all graphs without cycles.

    The prior of parent sets is a product over variables. It is 1 in sum over all sets of each, but many of their
    combinations have cycles. With the target "order" the mass is `d! prod_k tau_k`, where `tau_k` is the probability of
    the sets of k predecessors, because every order counts with weight 1.
    """
    nothing = np.random.default_rng(0).normal(size=(2, d))
    return osp.learn(
        nothing, score=SaysNothing(), prior=prior, method=osp.methods.Exact(target=target), check=False, n_jobs=1
    )
