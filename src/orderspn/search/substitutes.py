"""Substitutes: variables that replace a parent if it is excluded, and so should be candidates too.

An edge k -> j can be reversed only if other candidates then explain j. These may be several variables that add little
while k is a parent. So the edge probabilities of sampled orders do not show them. They are found by forward selection
among the usual predecessors of j without k, for each of the strongest parents k of each variable j. A selection ends
where the score falls.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from orderspn.core.deadline import now
from orderspn.core.workers import Workers
from orderspn.scores.local import LocalScore
from orderspn.search.selections import SELECTED, claims_in_a_row, selected

PARENTS, STRONG = 2, 0.5
"""Number of parents of each variable that are left out, one at a time, if they are more probable than STRONG."""


def substitute_claims(edges: np.ndarray, orders: np.ndarray, local: LocalScore, workers: Workers) -> np.ndarray:
    """Return claims of substitutes (d, d), [cause, effect], given edge probabilities and the sampled orders (m, d)."""
    d = len(edges)
    places = np.argsort(orders, axis=1)
    claims = np.zeros((d, d))

    def fill(child: int) -> None:
        usual = (places < places[:, [child]]).mean(axis=0) > 0.5
        for parent in np.argsort(-edges[:, child], kind="stable")[:PARENTS].tolist():
            if edges[parent, child] > STRONG:
                allowed = usual & (np.arange(d) != parent)
                causes = selected(local, child, allowed)
                claims[causes, child] = np.maximum(claims[causes, child], claims_in_a_row(len(causes)))

    explained = np.setdiff1d(np.arange(d), local.context)
    workers.run([partial(fill, child) for child in explained.tolist()])
    return claims


def substitute_seconds(local: LocalScore) -> float:
    """Return an upper bound of the time for all claims, from the time of one step of a selection."""
    d = local.log_prior.size
    begin = now()
    child = int(np.setdiff1d(np.arange(d), local.context)[0])
    local.with_one_more(child, np.delete(np.arange(d), child)[: SELECTED - 1])
    return (now() - begin) * d * PARENTS * SELECTED
