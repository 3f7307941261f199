"""The degree of polynomials, compared by how well the numbers themselves are explained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from orderspn.scores.group_bge import GroupBGe
from orderspn.scores.protocol import Score

DEGREES = (1, 2, 3)
"""The degrees that are compared."""

GRAPHS = 100
"""Graphs of each posterior over which the evidence is averaged."""


def is_auto(score: Score) -> bool:
    """Whether a score leaves the degree open."""
    return getattr(score, "degree", 1) == "auto"


def with_best_degree(score: Any, learn: Callable[[Score], Any], table: Any) -> Score:
    """Return the score with the degree of the highest mean log evidence of the numbers.

    `learn` returns a posterior under a score. The evidence of all columns cannot be compared: with a higher degree
    there are more of them.
    """
    found = {}
    for degree in DEGREES:
        tried = replace(score, degree=degree)
        graphs = learn(tried).sample(GRAPHS, rng=0).adjacency
        fitted = GroupBGe(tried.alpha_mu, tried.alpha_w, tried.t, degree).fit(table)
        distinct, counts = np.unique(graphs, axis=0, return_counts=True)
        each = [fitted.log_evidence_of_numbers(graph) for graph in distinct]
        found[degree] = float(np.average(each, weights=counts))
    return replace(score, degree=max(found, key=lambda degree: found[degree]))
