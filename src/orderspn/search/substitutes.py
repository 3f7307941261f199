"""What would take a parent's place if it were gone: claims to be a candidate that no sampled order shows.

An edge k -> j can turn only if what then explains j is at hand, and that may be several variables at once, each of
little use while k is there. So chains whose candidates were chosen by what they saw never see them. For the strongest
parents of every variable forward selection among its usual predecessors, without that parent, names them.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from orderspn.core.deadline import now
from orderspn.core.workers import Workers
from orderspn.parents.candidates import forward_selection
from orderspn.scores.local import LocalScore

PARENTS, STRONG = 2, 0.5
"""How many parents of each variable are taken away, one at a time, if they are more probable than this."""

SUBSTITUTES = 6
"""How many variables take the place of each."""

FIRST_CLAIM, LESS_EACH = 0.45, 0.05
"""Claim of the first of them, and by how much that of the next is smaller."""


def substitute_claims(edges: np.ndarray, orders: np.ndarray, local: LocalScore, workers: Workers) -> np.ndarray:
    """Claims (d, d), [cause, effect], given edge probabilities and the orders (m, d) that they are from."""
    d = len(edges)
    places = np.argsort(orders, axis=1)
    claims = np.zeros((d, d))

    def fill(child: int) -> None:
        usual = (places < places[:, [child]]).mean(axis=0) > 0.5
        for parent in np.argsort(-edges[:, child], kind="stable")[:PARENTS].tolist():
            if edges[parent, child] > STRONG:
                allowed = usual & (np.arange(d) != parent)
                for rank, cause in enumerate(forward_selection(local, child, SUBSTITUTES, allowed).tolist()):
                    claims[cause, child] = max(claims[cause, child], FIRST_CLAIM - LESS_EACH * rank)

    workers.run([partial(fill, child) for child in range(d)])
    return claims


def substitute_seconds(local: LocalScore) -> float:
    """What the claims take at most, by the time that one step of a selection takes."""
    d = local.log_prior.size
    begin = now()
    local.with_one_more(0, np.arange(1, min(d, SUBSTITUTES)))
    return (now() - begin) * d * PARENTS * SUBSTITUTES
