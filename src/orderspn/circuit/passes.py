"""Passes over the sum and product nodes of a circuit; each visits every edge once.

Values belong to regions and are logarithms. The values of blocks are given. Regions are numbered in topological order,
so an upward pass goes from the last to the first, and a downward pass from the first to the last.
"""

from __future__ import annotations

import math

import numpy as np

from orderspn.circuit.structure import Structure
from orderspn.kernels.kernel import kernel


def upward_sum(structure: Structure, log_weights: np.ndarray, log_blocks: np.ndarray) -> np.ndarray:
    """Return the log of the weighted sum over partitions of the products of their parts, for every region."""
    log_values = _with_blocks(structure, log_blocks)
    _sum_up(structure.partition_starts, structure.first, structure.second, log_weights, log_values)
    return log_values


def upward_max(structure: Structure, log_weights: np.ndarray, log_blocks: np.ndarray) -> np.ndarray:
    """Return the same with the largest term instead of the sum."""
    log_values = _with_blocks(structure, log_blocks)
    _max_up(structure.partition_starts, structure.first, structure.second, log_weights, log_values)
    return log_values


def upward_mean(structure: Structure, log_weights: np.ndarray, block_values: np.ndarray) -> np.ndarray:
    """Return the ELBO of every region: the weighted mean over partitions of (sum of the parts' values - log weight)."""
    values = _with_blocks(structure, block_values)
    _mean_up(structure.partition_starts, structure.first, structure.second, log_weights, values)
    return values


def log_shares(structure: Structure, log_weights: np.ndarray, log_values: np.ndarray) -> np.ndarray:
    """Return the log posterior probability of each partition given its region, from the values of an upward sum."""
    log_terms = log_weights + log_values[structure.first] + log_values[structure.second]
    log_totals = log_values[structure.owner]
    possible = log_totals > -np.inf
    return np.where(possible, log_terms - np.where(possible, log_totals, 0.0), -np.inf)


def downward(structure: Structure, log_share: np.ndarray) -> np.ndarray:
    """Return the probability that an order passes through each region, shape (regions,)."""
    probability = np.zeros(structure.n_regions)
    probability[0] = 1.0
    _send_down(structure.partition_starts, structure.first, structure.second, log_share, probability)
    return probability


def descend(structure: Structure, log_share: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
    """Draw one partition at each sum node on the way down, for each row of `uniforms` (draws, d).

    A row (draw, block, place) of the result means that the block has the variables of the draw from `place` on.
    """
    visited = np.empty((uniforms.size, 3), dtype=np.int64)
    n_visited = _walk(
        structure.partition_starts,
        structure.first,
        structure.second,
        structure.block_number,
        structure.sizes,
        log_share,
        uniforms,
        visited,
    )
    return visited[:n_visited]


def _with_blocks(structure: Structure, block_values: np.ndarray) -> np.ndarray:
    values = np.empty(structure.n_regions)
    values[structure.blocks] = block_values
    return values


@kernel
def _sum_up(starts, first, second, log_weights, log_values):
    for region in range(starts.size - 2, -1, -1):
        if starts[region] == starts[region + 1]:
            continue
        largest = -np.inf
        for p in range(starts[region], starts[region + 1]):
            largest = max(largest, log_weights[p] + log_values[first[p]] + log_values[second[p]])
        total = 0.0
        if largest > -np.inf:
            for p in range(starts[region], starts[region + 1]):
                total += math.exp(log_weights[p] + log_values[first[p]] + log_values[second[p]] - largest)
        log_values[region] = largest + math.log(total) if total > 0.0 else -np.inf


@kernel
def _max_up(starts, first, second, log_weights, log_values):
    for region in range(starts.size - 2, -1, -1):
        if starts[region] < starts[region + 1]:
            largest = -np.inf
            for p in range(starts[region], starts[region + 1]):
                largest = max(largest, log_weights[p] + log_values[first[p]] + log_values[second[p]])
            log_values[region] = largest


@kernel
def _mean_up(starts, first, second, log_weights, values):
    for region in range(starts.size - 2, -1, -1):
        if starts[region] < starts[region + 1]:
            mean = 0.0
            for p in range(starts[region], starts[region + 1]):
                if log_weights[p] > -np.inf:
                    term = values[first[p]] + values[second[p]] - log_weights[p]
                    mean += math.exp(log_weights[p]) * term
            values[region] = mean


@kernel
def _send_down(starts, first, second, log_share, probability):
    for region in range(starts.size - 1):
        for p in range(starts[region], starts[region + 1]):
            passed = probability[region] * math.exp(log_share[p])
            probability[first[p]] += passed
            probability[second[p]] += passed


@kernel
def _walk(starts, first, second, block_number, sizes, log_share, uniforms, visited):
    n_samples, d = uniforms.shape
    stack = np.empty((d + 1, 2), np.int64)
    n_visited = 0
    for sample in range(n_samples):
        stack[0, 0], stack[0, 1] = 0, 0
        height = 1
        n_choices = 0
        while height > 0:
            height -= 1
            region, place = stack[height]
            if block_number[region] >= 0:
                visited[n_visited, 0] = sample
                visited[n_visited, 1] = block_number[region]
                visited[n_visited, 2] = place
                n_visited += 1
                continue
            cumulated = 0.0
            chosen = -1
            for p in range(starts[region], starts[region + 1]):
                if log_share[p] > -np.inf:
                    # Kept, so that rounding of the sum cannot select a partition of probability 0.
                    chosen = p
                    cumulated += math.exp(log_share[p])
                    if cumulated > uniforms[sample, n_choices]:
                        break
            n_choices += 1
            stack[height, 0], stack[height, 1] = second[chosen], place + sizes[first[chosen]]
            stack[height + 1, 0], stack[height + 1, 1] = first[chosen], place
            height += 2
    return n_visited
