"""Forward selection of causes by their score, and the claims of causes so selected to be candidates.

With few rows, many graphs score almost as well as the one that a climb finds, and have other parents. So causes that
are selected among all others, without any order, are candidates to begin with, too. Without them, searches with
different seeds could end in different families, which no diagnostic of a single search shows.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from orderspn.core.workers import Workers
from orderspn.scores.local import LocalScore

FALL = 3.0
"""A selection ends where the log score is this much below its highest value."""

SELECTED = 6
"""Most causes of one selection."""

FIRST_CLAIM, LESS_EACH = 0.45, 0.05
"""The claim of the first selected cause to be a candidate, and the difference from each to the next."""


def selection_claims(local: LocalScore, workers: Workers) -> np.ndarray:
    """Return claims of causes that are selected among all others (d, d), [cause, effect]."""
    d = local.log_prior.size
    claims = np.zeros((d, d))

    def fill(child: int) -> None:
        causes = selected(local, child, np.ones(d, dtype=bool))
        claims[causes, child] = claims_in_a_row(len(causes))

    explained = np.setdiff1d(np.arange(d), local.context)
    workers.run([partial(fill, child) for child in explained.tolist()])
    return claims


def claims_in_a_row(count: int) -> np.ndarray:
    """Return the claims of so many selected causes, the first one first."""
    return FIRST_CLAIM - LESS_EACH * np.arange(count)


def selected(local: LocalScore, child: int, allowed: np.ndarray) -> list[int]:
    """Add up to `SELECTED` causes to the required ones, each time the one with the best score, until the score falls.

    `allowed` (d,), bool, limits the choice.
    """
    chosen = local.rules.required_of(child)
    highest, found = -np.inf, []
    for _ in range(SELECTED):
        log_score = np.where(allowed, local.with_one_more(child, chosen), -np.inf)
        best = int(np.argmax(log_score))
        value = float(log_score[best] + local.log_prior[chosen.size + 1]) if chosen.size < allowed.size - 1 else -np.inf
        if value == -np.inf or value < highest - FALL:
            break
        highest = max(highest, value)
        chosen = np.append(chosen, best)
        found.append(best)
    return found
