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
    by_row = np.where(opened, log_mass[:, masks].T, -np.inf)  # (m, rows)
    largest = by_row.max(axis=1, keepdims=True)
    total = np.exp(by_row - largest).sum(axis=1)
    found = np.zeros((len(before), before.shape[1] + 1))
    for bit, cause in enumerate(family.candidates.tolist()):
        if cause in context:
            without = np.where(opened, log_mass[:, masks & ~(1 << bit)].T, -np.inf)
            found[:, cause] = 1.0 - np.exp(without - largest).sum(axis=1) / total
    shares = np.exp(by_row[:, 1:] - largest) / total[:, None]
    for column in family.outsider_rows.T:
        np.add.at(found.T, column, shares.T)  # -1, for no outsider, is the column that is cut off
    found[:, np.setdiff1d(np.arange(before.shape[1]), context)] = 0.0
    return np.clip(found[:, :-1], 0.0, 1.0)
