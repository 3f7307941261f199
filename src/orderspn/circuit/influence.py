"""How much each sampled order contributes to an answer of a circuit, for Monte Carlo standard errors.

The weights of a circuit from sampled orders are shares of draws: `w_p = n_p / N_r` for a partition p of a region r that
`N_r` of all n draws pass. So every answer is a smooth function of the draws, and to first order it is a mean over them.
The *influence* of a draw is its term in that mean, less the answer: the derivative of the answer with respect to the
share of the draw. Influences have mean 0. The standard error of their mean, with the autocorrelation of the chains, is
that of the answer.

Let `V_r` be the probability of an event given region r, `passed_r` the probability of the region given the event, and
`share_p` that of a partition given its region and the event. The derivative of log V of the root with respect to w_p is
`passed_r share_p / w_p`. So the influence of a draw on log V is the sum over its partitions p, of regions r, of
`(n / N_r) passed_r (share_p / w_p - 1)`.

The probability of an edge into j given an event is a mean `E_r` over the blocks with j. The influence on it has two
parts. For a partition of a region with j, the terms are as above with the edge inside. A region without j changes the
answer only by its dependence on the event: `A_r` is the probability of region and edge together.
"""

from __future__ import annotations

import numpy as np

from orderspn.circuit.passes import downward
from orderspn.circuit.weighted_circuit import WeightedCircuit
from orderspn.kernels.kernel import kernel

AT_ONCE = 1 << 20
"""Most numbers in an array of values by region and cause."""


class Influences:
    """Influences of the draws of a circuit under evidence, given the log shares of partitions under it."""

    def __init__(self, circuit: WeightedCircuit, log_shares: np.ndarray) -> None:
        structure, self.paths = circuit.structure, circuit.paths
        self.structure = structure
        self.shares = np.exp(log_shares)
        self.passed = downward(structure, log_shares)
        drawn = np.bincount(structure.owner[self.paths.ravel()], minlength=structure.n_regions)
        n_draws = self.paths.shape[0] * self.paths.shape[1]
        self.per_draw = n_draws / np.maximum(drawn, 1)  # a region without draws is on no path
        used = circuit.log_weights > -np.inf
        self.ratios = np.where(used, np.exp(log_shares - np.where(used, circuit.log_weights, 0.0)), 0.0)

    def on_log_mass(self) -> np.ndarray:
        """Return the influence of each draw on the log of the mass of the evidence, shape (runs, draws)."""
        owner = self.structure.owner
        by_partition = (self.per_draw * self.passed)[owner] * (self.ratios - 1.0)
        influences: np.ndarray = by_partition[self.paths].sum(axis=2)
        return influences

    def on_edges(self, holders: np.ndarray, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the probabilities of the edges into a variable (d,), and the influences on them (runs, draws, d).

        The `edges` (blocks, d) are their probabilities given each of the blocks `holders` that contain the variable.
        """
        structure = self.structure
        holds = np.zeros(structure.n_regions, dtype=bool)
        holds[structure.blocks[holders]] = True
        _mark_holders(structure.partition_starts, structure.first, structure.second, holds)
        probabilities = np.empty(edges.shape[1])
        found = np.empty((*self.paths.shape[:2], edges.shape[1]))
        step = max(1, AT_ONCE // structure.n_regions)
        for start in range(0, edges.shape[1], step):
            causes = slice(start, start + step)
            given = np.zeros((structure.n_regions, edges[:, causes].shape[1]))
            given[structure.blocks[holders]] = edges[:, causes]
            by_partition = np.empty((structure.n_partitions, given.shape[1]))
            _spread(
                structure.partition_starts,
                structure.first,
                structure.second,
                holds,
                self.shares,
                self.ratios,
                self.passed,
                self.per_draw,
                given,
                by_partition,
            )
            probabilities[causes] = given[0]
            found[:, :, causes] = 0.0
            for cut in range(self.paths.shape[2]):
                found[:, :, causes] += by_partition[self.paths[:, :, cut]]
        return np.clip(probabilities, 0.0, 1.0), found


@kernel
def _mark_holders(starts, first, second, holds):
    """Mark the regions with the variable, given the blocks with it."""
    for region in range(starts.size - 2, -1, -1):
        if starts[region] < starts[region + 1]:
            holds[region] = holds[first[starts[region]]] or holds[second[starts[region]]]


@kernel
def _spread(starts, first, second, holds, shares, ratios, passed, per_draw, given, by_partition):
    """Compute the terms of all partitions, from edge probabilities `given` blocks; those of regions are filled in."""
    n_causes = given.shape[1]
    for region in range(starts.size - 2, -1, -1):
        if holds[region]:
            for p in range(starts[region], starts[region + 1]):
                child = first[p] if holds[first[p]] else second[p]
                for k in range(n_causes):
                    given[region, k] += shares[p] * given[child, k]
    together = np.zeros(given.shape)
    for region in range(starts.size - 1):
        for p in range(starts[region], starts[region + 1]):
            if holds[region]:
                child, other = (first[p], second[p]) if holds[first[p]] else (second[p], first[p])
                factor = per_draw[region] * passed[region]
                for k in range(n_causes):
                    together[other, k] += passed[region] * shares[p] * given[child, k]
                    inside = ratios[p] * (given[child, k] - given[0, k]) - (given[region, k] - given[0, k])
                    by_partition[p, k] = factor * inside
            else:
                factor = per_draw[region] * (ratios[p] - 1.0)
                for k in range(n_causes):
                    together[first[p], k] += shares[p] * together[region, k]
                    together[second[p], k] += shares[p] * together[region, k]
                    by_partition[p, k] = factor * (together[region, k] - given[0, k] * passed[region])
