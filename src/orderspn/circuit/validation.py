"""What makes arrays an OrderSPN: checked when one is built and when one is read from a file."""

from __future__ import annotations

import numpy as np

from orderspn.circuit.structure import Structure
from orderspn.core.errors import InvalidValue


def validate(structure: Structure) -> None:
    """Refuse a structure that is not complete, decomposable and deterministic, or breaks the support rule.

    - The root orders all variables, after none.
    - Complete and decomposable: the two parts of a partition are disjoint, not empty, and make up its S_2.
    - Support: parents come from S_1, so the part that comes first adds nothing to its own S_1 and is added to that
      of the second; S_1 and S_2 are disjoint.
    - Deterministic: no two partitions of a sum node are the same.
    - Every region is reached from the root, and comes after all that lead to it.
    """
    before, variables = structure.before, structure.variables
    first, second, owner = structure.first, structure.second, structure.owner
    _require(before.dtype == bool and variables.dtype == bool, "sets of variables must be boolean")
    _require(before.shape == variables.shape and before.ndim == 2, "S_1 and S_2 must have the same shape")
    starts = structure.partition_starts
    _require(starts.shape == (structure.n_regions + 1,), "each region needs its range of partitions")
    _require(starts[0] == 0 and (np.diff(starts) >= 0).all(), "ranges of partitions must ascend")
    _require(starts[-1] == first.size == second.size == structure.multiplicity.size, "partitions are missing")
    _require(not before[0].any() and bool(variables[0].all()), "the root must order all variables")
    _require(bool(variables.any(axis=1).all()), "a region orders no variable")
    _require(not (before & variables).any(), "a region has variables both before it and in it")
    if first.size:
        _require(_within(first, owner, structure) and _within(second, owner, structure), "a part precedes its whole")
        _require(not (variables[first] & variables[second]).any(), "the parts of a partition overlap")
        together = variables[first] | variables[second]
        _require(np.array_equal(together, variables[owner]), "the parts of a partition are not its whole")
        _require(np.array_equal(before[first], before[owner]), "a first part has other variables before it")
        expected = before[owner] | variables[first]
        _require(np.array_equal(before[second], expected), "a second part has other variables before it")
        pairs = np.stack([owner, first], axis=1)
        _require(len(np.unique(pairs, axis=0)) == len(pairs), "a sum node has the same partition twice")
        _require(bool((structure.multiplicity >= 0).all()), "a multiplicity is negative")
    reached = np.zeros(structure.n_regions, dtype=bool)
    reached[0] = True
    reached[first] = True
    reached[second] = True
    _require(bool(reached.all()), "a region is reached from nowhere")


def _within(part: np.ndarray, owner: np.ndarray, structure: Structure) -> bool:
    return bool(((part > owner) & (part < structure.n_regions)).all())


def _require(condition: bool | np.bool_, message: str) -> None:
    if not condition:
        raise InvalidValue(f"not an OrderSPN: {message}.")
