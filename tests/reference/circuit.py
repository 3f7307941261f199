"""The probability of each order under a circuit, computed node by node.

`q(order, graph) = product of the weights on the way x product over blocks of score / mass`, with the mass of a block
summed over a list of its orders.
"""

import numpy as np

from reference.enumeration import Enumeration, log_sum_exp
from reference.lattice import OrderList


def members(row):
    return [int(v) for v in np.flatnonzero(row)]


def way(structure, order, region=0):
    """(partitions, blocks as regions) on the way of an order through the circuit; None if it is not covered."""
    own = range(structure.partition_starts[region], structure.partition_starts[region + 1])
    if not own:
        return [], [region]
    for p in own:
        first, second = int(structure.first[p]), int(structure.second[p])
        n_first = len(members(structure.variables[first]))
        if set(order[:n_first]) == set(members(structure.variables[first])):
            left, right = way(structure, order[:n_first], first), way(structure, order[n_first:], second)
            if left is None or right is None:
                return None
            return [p, *left[0], *right[0]], [*left[1], *right[1]]
    return None


def block_masses(structure, scores):
    """Region -> log mass, by listing the orders of each block."""
    return {
        int(r): OrderList(scores, members(structure.before[r]), members(structure.variables[r])).log_mass
        for r in structure.blocks
    }


def circuit_enumeration(structure, log_weights, scores):
    """The pairs that a circuit covers, weighted so that they sum to the mass of all pairs covered."""
    everything = Enumeration.of(scores)
    masses = block_masses(structure, scores)
    ways = {order: way(structure, order) for order in set(map(tuple, everything.orders.tolist()))}
    orders = list(map(tuple, everything.orders.tolist()))
    covered = np.array([ways[order] is not None for order in orders])
    log_covered = log_sum_exp(everything.log_weight[covered])
    factor = np.full(len(orders), -np.inf)
    for i, order in enumerate(orders):
        if covered[i]:
            partitions, blocks = ways[order]
            factor[i] = log_weights[partitions].sum() - sum(masses[b] for b in blocks) + log_covered
    keep = np.isfinite(factor)
    return Enumeration(everything.orders[keep], everything.masks[keep], everything.log_weight[keep] + factor[keep])
