"""Probabilities of edges from context variables given single orders.

Context variables come before all orders, so chains over orders do not know them. Given an order, the probability of
k -> j is 1 minus the ratio of the masses of j without and with k, as for other edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from orderspn.core.workers import Workers
from orderspn.leaves.context import root_block
from orderspn.leaves.family import Family


def context_edges(orders: np.ndarray, families: Sequence[Family], workers: Workers) -> np.ndarray:
    """Return the mean probability of every edge from context over orders (m, d), shape (d, d), [cause, effect].

    Orders are of all variables, context first. Edges from other variables are 0.
    """
    d = len(families)
    context, variables = root_block(families)
    edges = np.zeros((d, d))
    if not context.size:
        return edges
    places = np.argsort(orders, axis=1)

    def fill(child: int) -> None:
        before = places < places[:, [child]]
        edges[:, child] = _of_family(families[child], before, context).mean(axis=0)

    workers.run([partial(fill, child) for child in variables.tolist()])
    return edges


def _of_family(family: Family, before: np.ndarray, context: np.ndarray) -> np.ndarray:
    """Return the probabilities of edges from context given predecessors (m, d), same shape."""
    masks, opened = family.opened_by(before)
    log_mass = family.log_mass.reshape(family.n_rows, family.n_masks)

    def total(masks: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return np.asarray(np.logaddexp.reduce(np.where(rows, log_mass[:, masks].T, -np.inf), axis=1))

    whole = total(masks, opened)
    found = np.zeros(before.shape)
    for bit, cause in enumerate(family.candidates.tolist()):
        if cause in context:
            found[:, cause] = 1.0 - np.exp(total(masks & ~(1 << bit), opened) - whole)
    for cause in np.intersect1d(family.outsiders, context).tolist():
        without = np.concatenate([[True], ~(family.outsider_rows == cause).any(axis=1)])
        found[:, cause] = 1.0 - np.exp(total(masks, opened & without) - whole)
    return np.maximum(found, 0.0)
