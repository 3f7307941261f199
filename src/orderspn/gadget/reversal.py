"""Edge reversal (Grzegorczyk and Husmeier): a move between DAGs that reverses an edge and redraws the parents of both.

Both ends of an edge i -> j lose their parents. Then new parents of i are drawn among its non-descendants, j among them;
then new parents of j among its non-descendants in the graph so far. Both are drawn in proportion to their scores. So
the scores cancel in the acceptance ratio, and only the masses of the sets that were drawn from are left.
"""

from __future__ import annotations

import math

import numpy as np

from orderspn.gadget.dags import draw_dag, set_parents
from orderspn.gadget.layers import accept, gain_of, layers_of_dag
from orderspn.gadget.parent_draws import ALLOWED, CHILD, EXCLUDED, REQUIRED, draw_parents
from orderspn.gadget.parent_mass import log_tau
from orderspn.kernels.kernel import kernel


@kernel
def reverse_edges(state, dag, count, beta, rng, parent_scores):
    """Draw a DAG of the state's layers and propose `count` reversals; return the number accepted.

    The chain at inverse temperature beta samples layers by `score(layers)**beta` and, given layers, DAGs in proportion
    to their own scores. So a move between DAGs is accepted by its usual ratio times the ratio of
    `score(layers)**(beta - 1)`.
    """
    draw_dag(state.level, dag, rng, parent_scores)
    levels = np.empty(state.level.size, np.int64)
    accepted = 0
    for _ in range(count):
        accepted += _reverse_one(state, dag, beta, levels, rng, parent_scores)
    return accepted


@kernel
def _reverse_one(state, dag, beta, levels, rng, parent_scores):
    i, old_i, j, old_j, log_ratio = _propose(dag, levels, rng, parent_scores)
    if i < 0:
        return 0
    if _turn(state, dag, beta, log_ratio, rng, parent_scores):
        return 1
    _restore(i, old_i, j, old_j, dag, parent_scores)
    return 0


@kernel
def reverse_in_dag(dag, levels, rng, parent_scores):
    """Propose a reversal in a DAG that is not part of any layers; return whether it was accepted."""
    i, old_i, j, old_j, log_ratio = _propose(dag, levels, rng, parent_scores)
    if i < 0:
        return 0
    if log_ratio >= 0.0 or rng.random() < math.exp(log_ratio):
        return 1
    _restore(i, old_i, j, old_j, dag, parent_scores)
    return 0


@kernel
def _propose(dag, levels, rng, parent_scores):
    """Reverse an edge, and return its ends with their old parents, and the log of the acceptance ratio.

    If there is no edge, or none that can be reversed was drawn, the first number is -1 and the DAG is as before.
    """
    parent_sets, parents, n_parents = dag
    n_edges = n_parents.sum()
    if n_edges == 0:
        return -1, 0, -1, 0, 0.0
    i, j = _pick_edge(parents, n_parents, int(rng.random() * n_edges))
    old_i, old_j = parent_sets[i], parent_sets[j]
    n_parents_j = n_parents[j]

    n_parents[i], n_parents[j] = 0, 0
    _forbid_descendants(j, dag, levels)
    levels[i] = REQUIRED
    log_back = log_tau(j, levels, CHILD, True, parent_scores)
    _forbid_descendants(i, dag, levels)
    levels[j] = REQUIRED
    log_there = log_tau(i, levels, CHILD, True, parent_scores)
    n_parents[j] = n_parents_j
    if log_there > -np.inf:
        new_i = draw_parents(i, levels, CHILD, True, rng, parent_scores)
        # The reverse move draws the old parents of the child first, then those of the cause.
        _forbid_descendants(i, dag, levels)
        log_back += log_tau(i, levels, CHILD, False, parent_scores)
        n_parents[j] = 0
        set_parents(i, new_i, dag, parent_scores)
        _forbid_descendants(j, dag, levels)
        log_there += log_tau(j, levels, CHILD, False, parent_scores)
        if log_there > -np.inf:
            set_parents(j, draw_parents(j, levels, CHILD, False, rng, parent_scores), dag, parent_scores)
            return i, old_i, j, old_j, log_there - log_back + math.log(n_edges) - math.log(n_parents.sum())
    _restore(i, old_i, j, old_j, dag, parent_scores)
    return -1, 0, -1, 0, 0.0


@kernel
def _restore(i, old_i, j, old_j, dag, parent_scores):
    set_parents(i, old_i, dag, parent_scores)
    set_parents(j, old_j, dag, parent_scores)


@kernel
def _turn(state, dag, beta, log_ratio, rng, parent_scores):
    """Accept or reject the layers of a new DAG."""
    uniform = rng.random()
    if beta == 1.0 and log_ratio < 0.0 and uniform >= math.exp(log_ratio):
        return False  # known without the masses of the new layers, which are most of the work
    layers_of_dag(dag.parents, dag.n_parents, state.new_level)
    gain = gain_of(0, state.level.size, state, parent_scores)
    if uniform >= math.exp(min(0.0, log_ratio + (beta - 1.0) * gain)):
        return False
    accept(state)
    return True


@kernel
def _pick_edge(parents, n_parents, which):
    """Return cause and effect of edge number `which`, counted from 0."""
    for j in range(n_parents.size):
        if which < n_parents[j]:
            return parents[j, which], j
        which -= n_parents[j]
    return -1, -1


@kernel
def _forbid_descendants(j, dag, levels):
    """Fill in the levels for a draw of parents of j: all variables but itself and its descendants are allowed."""
    _, parents, n_parents = dag
    levels[:] = ALLOWED
    levels[j] = CHILD
    changed = True
    while changed:
        changed = False
        for child in range(levels.size):
            if levels[child] == ALLOWED:
                for place in range(n_parents[child]):
                    if levels[parents[child, place]] >= CHILD:
                        levels[child] = EXCLUDED
                        changed = True
                        break
