"""Parent sets by the names of their members."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from orderspn.leaves.family import Family

AT_ONCE = 4096
"""Parent sets that are spelled out together: each takes a byte for every variable."""


def listed_parent_sets(
    family: Family, probabilities: np.ndarray, top: int | None, variables: Sequence[str]
) -> tuple[list[tuple[str, ...]], np.ndarray]:
    """Names and probabilities of the possible parent sets of a family, most probable first, at most `top`."""
    best_first = np.argsort(-probabilities, kind="stable")
    best_first = best_first[probabilities[best_first] > 0.0][:top]
    return named_sets(family, best_first, variables), probabilities[best_first]


def named_sets(family: Family, parent_sets: np.ndarray, variables: Sequence[str]) -> list[tuple[str, ...]]:
    """The names of the members of each parent set, in the order of the variables."""
    names = np.array(variables, dtype=object)
    named: list[tuple[str, ...]] = []
    for start in range(0, parent_sets.size, AT_ONCE):
        inside = family.indicators(parent_sets[start : start + AT_ONCE], names.size)
        members = names[np.nonzero(inside)[1]].tolist()
        ends = np.cumsum(inside.sum(axis=1)).tolist()
        named += [tuple(members[first:last]) for first, last in zip([0, *ends[:-1]], ends, strict=True)]
    return named
