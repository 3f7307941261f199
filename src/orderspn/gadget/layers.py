"""The state of a chain over ordered partitions: the layer of every variable, and its mass given the earlier layers.

The layers of a DAG are unique: roots first, then every variable whose parents are all in earlier layers, at least one
of them in the layer just before. So ordered partitions divide the DAGs among them, and the score of a partition, the
product of `tau_j(U, T)` with U all earlier layers and T the one just before, is the mass of its DAGs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from orderspn.gadget.parent_mass import log_tau
from orderspn.kernels.copying import copy_into
from orderspn.kernels.kernel import kernel


class Layers(NamedTuple):
    """Layers of n variables, and arrays for a proposal."""

    level: np.ndarray  # (n,): layer of each variable, from 0 without gaps
    log_mass: np.ndarray  # (n,)
    new_level: np.ndarray  # (n,)
    new_log_mass: np.ndarray  # (n,)
    sizes: np.ndarray  # (n + 1,): of each layer; one more than there can be, for proposals


@kernel
def make_layers(level, parent_scores):
    """Return the state of given layers."""
    n = level.size
    state = Layers(level.copy(), np.empty(n), level.copy(), np.empty(n), np.zeros(n + 1, np.int64))
    for j in range(n):
        state.log_mass[j] = log_tau(j, state.level, state.level[j], state.level[j] > 0, parent_scores)
        state.sizes[state.level[j]] += 1
    copy_into(state.new_log_mass, state.log_mass)
    return state


@kernel
def gain_of(first, last, state, parent_scores):
    """Return the change of the log score by `new_level`, which affects only its layers `first` to `last`."""
    level, log_mass, new_level, new_log_mass, _ = state
    gain = 0.0
    for j in range(level.size):
        if first <= new_level[j] <= last:
            new_log_mass[j] = log_tau(j, new_level, new_level[j], new_level[j] > 0, parent_scores)
            gain += new_log_mass[j] - log_mass[j]
            if gain == -np.inf:
                return gain
        else:
            new_log_mass[j] = log_mass[j]
    return gain


@kernel
def accept(state):
    """Make the proposal the state."""
    level, log_mass, new_level, new_log_mass, sizes = state
    sizes[:] = 0
    for j in range(level.size):
        level[j] = new_level[j]
        log_mass[j] = new_log_mass[j]
        sizes[level[j]] += 1


@kernel
def n_layers(state):
    """Return the number of layers."""
    last = 0
    for level in state.level:
        last = max(last, level)
    return last + 1


@kernel
def layers_of_dag(parents, n_parents, level):
    """Fill in the layers of a DAG given the parents of each variable within the block: (n, most), (n,)."""
    n = n_parents.size
    level[:] = -1
    n_placed = 0
    depth = 0
    while n_placed < n:
        for j in range(n):
            if level[j] < 0:
                ready = True
                for i in range(n_parents[j]):
                    if level[parents[j, i]] < 0 or level[parents[j, i]] == depth:
                        ready = False
                        break
                if ready:
                    level[j] = depth
                    n_placed += 1
        depth += 1
