"""DAGs as lists of parents: exact draws given layers, and scores."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from orderspn.gadget.layers import layers_of_dag
from orderspn.gadget.parent_draws import draw_parents
from orderspn.kernels.kernel import kernel


class Dag(NamedTuple):
    """A DAG over a block."""

    parent_sets: np.ndarray  # (n,): numbers `row * 2**K + mask`
    parents: np.ndarray  # (n, most): those within the block
    n_parents: np.ndarray  # (n,)


@kernel
def empty_dag(parent_scores):
    """Allocate a DAG without parents."""
    n, most = parent_scores.candidates.shape
    width = parent_scores.outsiders.shape[2]
    return Dag(np.zeros(n, np.int64), np.zeros((n, most + width), np.int64), np.zeros(n, np.int64))


@kernel
def dag_of(parent_sets, parent_scores):
    """Return the DAG with given parent sets (n,)."""
    dag = empty_dag(parent_scores)
    for j in range(parent_sets.size):
        set_parents(j, parent_sets[j], dag, parent_scores)
    return dag


@kernel
def draw_dag(level, dag, rng, parent_scores):
    """Draw the parents of every variable given its layer."""
    for j in range(level.size):
        set_parents(j, draw_parents(j, level, level[j], level[j] > 0, rng, parent_scores), dag, parent_scores)


@kernel
def layers_along(order, rng, parent_scores):
    """Draw a DAG given an order and return its layers: a possible start if the order is possible."""
    n = order.size
    place = np.empty(n, np.int64)
    for position in range(n):
        place[order[position]] = position
    dag = empty_dag(parent_scores)
    for j in range(n):
        set_parents(j, draw_parents(j, place, place[j], False, rng, parent_scores), dag, parent_scores)
    level = np.empty(n, np.int64)
    layers_of_dag(dag.parents, dag.n_parents, level)
    return level


@kernel
def set_parents(j, parent_set, dag, parent_scores):
    """Give a variable a parent set."""
    parent_sets, parents, n_parents = dag
    variables, candidates, outsiders, tables, _ = parent_scores
    n_bits = tables.n_bits[variables[j]]
    parent_sets[j] = parent_set
    row, mask = parent_set >> n_bits, parent_set & ((1 << n_bits) - 1)
    count = 0
    for bit in range(n_bits):
        if (mask >> bit) & 1 and candidates[j, bit] >= 0:
            parents[j, count] = candidates[j, bit]
            count += 1
    for place in range(outsiders.shape[2]):
        if outsiders[j, row, place] >= 0:
            parents[j, count] = outsiders[j, row, place]
            count += 1
    n_parents[j] = count


@kernel
def log_score_of(dag, parent_scores):
    """Return the log score of a DAG."""
    variables, _, _, tables, _ = parent_scores
    total = 0.0
    for j in range(variables.size):
        total += tables.log_score[tables.starts[variables[j]] + dag.parent_sets[j]]
    return total
