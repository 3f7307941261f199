"""Circuits as arrays: structure, weights and paths, sets of variables as packed bits."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from orderspn.circuit.structure import Structure
from orderspn.circuit.validation import check_paths, check_weights, validate
from orderspn.circuit.weighted_circuit import WeightedCircuit
from orderspn.core.stored_arrays import BYTE, INTEGER, NUMBER, StoredArray, StoredArrays

STORED_CIRCUIT: StoredArrays = {
    "circuit_before": StoredArray((BYTE,), (2,)),
    "circuit_variables": StoredArray((BYTE,), (2,)),
    "circuit_partition_starts": StoredArray((INTEGER,), (1,)),
    "circuit_first": StoredArray((INTEGER,), (1,)),
    "circuit_second": StoredArray((INTEGER,), (1,)),
    "circuit_multiplicity": StoredArray((INTEGER,), (1,)),
    "circuit_log_weights": StoredArray((NUMBER,), (1,)),
    "circuit_paths": StoredArray((INTEGER,), (3,)),
}
"""The arrays of a circuit in a file."""


def circuit_arrays(circuit: WeightedCircuit) -> dict[str, np.ndarray]:
    """Structure and weights of a circuit, and the paths of its draws."""
    return {
        "circuit_before": np.packbits(circuit.structure.before, axis=1),
        "circuit_variables": np.packbits(circuit.structure.variables, axis=1),
        "circuit_partition_starts": circuit.structure.partition_starts,
        "circuit_first": circuit.structure.first,
        "circuit_second": circuit.structure.second,
        "circuit_multiplicity": circuit.structure.multiplicity,
        "circuit_log_weights": circuit.log_weights,
        "circuit_paths": circuit.paths,
    }


def restore_circuit(arrays: Mapping[str, np.ndarray], d: int) -> tuple[Structure, np.ndarray, np.ndarray]:
    """Structure, weights and paths of a circuit over d variables, validated."""
    structure = Structure(
        _unpacked(arrays["circuit_before"], d),
        _unpacked(arrays["circuit_variables"], d),
        arrays["circuit_partition_starts"],
        arrays["circuit_first"],
        arrays["circuit_second"],
        arrays["circuit_multiplicity"],
    )
    validate(structure)
    log_weights = arrays["circuit_log_weights"]
    check_weights(structure, log_weights)
    paths = arrays["circuit_paths"]
    check_paths(structure, log_weights, paths)
    return structure, log_weights, paths


def _unpacked(packed: np.ndarray, d: int) -> np.ndarray:
    """Sets of d variables as booleans (regions, d)."""
    if packed.shape[1] != -(-d // 8):
        raise ValueError("its sets of variables do not match the variables")
    return np.unpackbits(packed, axis=1, count=d).astype(bool)
