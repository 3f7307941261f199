"""Checks that arrays are an OrderSPN, when one is built or read from a file."""

from __future__ import annotations

import numpy as np

from orderspn.circuit.passes import downward
from orderspn.circuit.structure import Structure
from orderspn.core.errors import InvalidValue
from orderspn.core.masks import MOST_IN_CIRCUIT_BLOCK


def validate(structure: Structure) -> None:
    """Raise an error unless a structure is complete, decomposable and deterministic, and satisfies the support rule.

    - The root has all variables in S_2, except for context variables in S_1.
    - Complete and decomposable: the two parts of a partition are disjoint and not empty, and their union is S_2.
    - Support: parents come from S_1 or earlier parts. So the first part has the S_1 of its region, and the second part
      has this S_1 and the first part. S_1 and S_2 are disjoint.
    - Deterministic: no order belongs to two partitions of a sum node. So these differ and have first parts of equal
      size.
    - Every region is reached from the root, and regions are numbered in topological order.
    - A block has no more variables than a lattice of all their subsets can hold.
    """
    _check_arrays(structure)
    before, variables = structure.before, structure.variables
    first, second, owner = structure.first, structure.second, structure.owner
    _require(np.array_equal(before[0], ~variables[0]), "the root must order all variables that are no context")
    _require(bool(variables.any(axis=1).all()), "a region has no variables")
    _require(not (before & variables).any(), "a region has variables both before it and in it")
    _require(_within(first, owner, structure) and _within(second, owner, structure), "a part must be a later region")
    _require(not (variables[first] & variables[second]).any(), "the parts of a partition overlap")
    together = variables[first] | variables[second]
    _require(np.array_equal(together, variables[owner]), "the parts of a partition are not its region")
    _require(np.array_equal(before[first], before[owner]), "a first part has other variables before it")
    expected = before[owner] | variables[first]
    _require(np.array_equal(before[second], expected), "a second part has other variables before it")
    _check_determinism(structure)
    largest = int(structure.sizes[structure.blocks].max(initial=0))
    _require(largest <= MOST_IN_CIRCUIT_BLOCK, f"a block has {largest} variables, more than {MOST_IN_CIRCUIT_BLOCK}")
    reached = np.zeros(structure.n_regions, dtype=bool)
    reached[0] = True
    reached[first] = True
    reached[second] = True
    _require(bool(reached.all()), "a region is not reached from the root")


def check_weights(structure: Structure, log_weights: np.ndarray) -> None:
    """Raise an error unless the weights of each sum node sum to 1; those of a node with probability 0 may all be 0."""
    _require(log_weights.shape == structure.first.shape, "each partition needs a weight")
    _require(log_weights.dtype == np.float64, "weights must be of type float64")
    _require(not np.isnan(log_weights).any(), "a weight is missing")
    _require(not (log_weights > 1e-6).any(), "a weight is more than 1")
    totals = np.bincount(structure.owner, weights=np.exp(log_weights), minlength=structure.n_regions)
    splits = np.diff(structure.partition_starts) > 0
    sound = ~splits | np.isclose(totals, 1.0, rtol=0.0, atol=1e-6)
    reached = downward(structure, log_weights) > 0.0
    _require(bool((sound | ((totals == 0.0) & ~reached)).all()), "the weights of a sum node do not sum to 1")


def check_paths(structure: Structure, log_weights: np.ndarray, paths: np.ndarray) -> None:
    """Raise an error unless paths (runs, draws, cuts) lead from the root to blocks, and weights are shares of them.

    There may be none.
    """
    _require(paths.ndim == 3 and paths.dtype == np.int64, "paths must be three-dimensional, of type int64")
    if paths.size == 0:
        _require(paths.shape == (0, 0, 0), "paths are empty")
        return
    _require(bool(((paths >= 0) & (paths < structure.n_partitions)).all()), "a path has an unknown partition")
    _require(_lead_to_blocks(structure, paths.reshape(-1, paths.shape[2])), "a path does not lead to blocks")
    counts = np.bincount(paths.ravel(), minlength=structure.n_partitions)
    _require(np.array_equal(counts, structure.multiplicity), "paths and multiplicities differ")
    totals = np.bincount(structure.owner, weights=counts, minlength=structure.n_regions)
    shares = counts / np.maximum(totals, 1)[structure.owner]
    _require(np.allclose(np.exp(log_weights), shares, rtol=0.0, atol=1e-6), "weights are not shares of the paths")


def _lead_to_blocks(structure: Structure, paths: np.ndarray) -> bool:
    """Whether the regions that each path (draws, cuts) divides are the root and the parts that are no blocks."""
    nowhere = structure.n_regions
    parts = np.concatenate([structure.first[paths], structure.second[paths]], axis=1)
    left = np.sort(np.where(structure.block_number[parts] < 0, parts, nowhere), axis=1)
    divided = np.sort(structure.owner[paths], axis=1)
    cuts = paths.shape[1]
    return (
        not divided[:, 0].any()
        and np.array_equal(divided[:, 1:], left[:, : cuts - 1])
        and bool((left[:, cuts - 1 :] == nowhere).all())
    )


def _check_arrays(structure: Structure) -> None:
    before, variables, starts = structure.before, structure.variables, structure.partition_starts
    parts = (structure.first, structure.second, structure.multiplicity)
    _require(before.dtype == bool and variables.dtype == bool, "sets of variables must be boolean")
    _require(before.shape == variables.shape and before.ndim == 2, "S_1 and S_2 must have the same shape")
    _require(before.shape[0] > 0, "it has no region")
    _require(all(array.dtype == np.int64 for array in (starts, *parts)), "numbers must be of type int64")
    _require(starts.shape == (structure.n_regions + 1,), "each region needs a range of partitions")
    # Compared, not subtracted: differences may overflow.
    _require(starts[0] == 0 and bool((starts[1:] >= starts[:-1]).all()), "ranges of partitions must ascend")
    _require(all(array.shape == (starts[-1],) for array in parts), "partitions are missing")
    _require(bool((structure.multiplicity >= 0).all()), "a multiplicity is negative")


def _check_determinism(structure: Structure) -> None:
    owner = structure.owner
    first_parts = structure.variables[structure.first]
    keys = np.concatenate([owner[:, None], first_parts], axis=1)
    _require(len(np.unique(keys, axis=0)) == len(keys), "a sum node has the same partition twice")
    sizes = first_parts.sum(axis=1)
    cut = np.zeros(structure.n_regions, dtype=np.int64)
    cut[owner] = sizes
    _require(np.array_equal(cut[owner], sizes), "the partitions of a sum node are cut at different places")


def _within(part: np.ndarray, owner: np.ndarray, structure: Structure) -> bool:
    return bool(((part > owner) & (part < structure.n_regions)).all())


def _require(condition: bool | np.bool_, message: str) -> None:
    if not condition:
        raise InvalidValue(f"not an OrderSPN: {message}.")
