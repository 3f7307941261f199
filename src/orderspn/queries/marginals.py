"""Edge probabilities and the entropy from the posteriors of parent sets, and both with the names of variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from orderspn.leaves.family import Family

if TYPE_CHECKING:
    import pandas as pd

AT_ONCE = 4096
"""Number of parent sets whose names are listed at a time; each takes a byte for every variable."""


def edge_matrix(families: Sequence[Family], parent_sets: Sequence[np.ndarray]) -> np.ndarray:
    """Return edge probabilities, row = cause, column = effect, given those of the parent sets."""
    matrix = np.zeros((len(families), len(families)))
    for family, probabilities in zip(families, parent_sets, strict=True):
        matrix[:, family.child] = family.edge_marginals(probabilities, len(families))
    # Rounding errors of long sums may exceed the unit interval.
    return np.clip(matrix, 0.0, 1.0)


def entropy(mean_log_excess: float, families: Sequence[Family], parent_sets: Sequence[np.ndarray]) -> float:
    """Return the entropy of the posterior over (order, graph), in nats.

    The log probability of a pair is its log score minus an excess that depends on the order, whose mean is given. The
    log score is a sum over families, so its mean depends only on the posteriors of single families.
    """
    mean_log_score = 0.0
    for family, probabilities in zip(families, parent_sets, strict=True):
        possible = probabilities > 0.0
        mean_log_score += float(np.dot(probabilities[possible], family.log_score[possible]))
    return max(0.0, mean_log_excess - mean_log_score)  # rounding must not make it negative


def listed_parent_sets(
    family: Family, probabilities: np.ndarray, top: int | None, variables: Sequence[str]
) -> tuple[list[tuple[str, ...]], np.ndarray]:
    """Return names and probabilities of the possible parent sets of a family, most probable first, at most `top`."""
    best_first = np.argsort(-probabilities, kind="stable")
    best_first = best_first[probabilities[best_first] > 0.0][:top]
    return named_sets(family, best_first, variables), probabilities[best_first]


def named_sets(family: Family, parent_sets: np.ndarray, variables: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the names of the members of each parent set, in the order of the variables."""
    names = np.array(variables, dtype=object)
    named: list[tuple[str, ...]] = []
    for start in range(0, parent_sets.size, AT_ONCE):
        inside = family.indicators(parent_sets[start : start + AT_ONCE], names.size)
        members = names[np.nonzero(inside)[1]].tolist()
        ends = np.cumsum(inside.sum(axis=1)).tolist()
        named += [tuple(members[first:last]) for first, last in zip([0, *ends[:-1]], ends, strict=True)]
    return named


def square_frame(matrix: np.ndarray, variables: Sequence[str]) -> pd.DataFrame:
    """Return a matrix (d, d) as a DataFrame with names: row = cause, column = effect."""
    import pandas as pd

    names = list(variables)
    return pd.DataFrame(matrix, index=pd.Index(names, name="cause"), columns=pd.Index(names, name="effect"))
