"""Circuits as arrays: structure and weights, sets of variables as packed bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from orderspn.circuit.circuit_orders import CircuitOrders
from orderspn.circuit.learning import weigh_circuit
from orderspn.circuit.prior import Prior
from orderspn.circuit.structure import Structure
from orderspn.circuit.validation import check_weights, validate
from orderspn.core.workers import Workers
from orderspn.leaves.family import Family


def circuit_arrays(prior: Prior) -> dict[str, np.ndarray]:
    """Structure and weights of a circuit."""
    return {
        "circuit_before": np.packbits(prior.structure.before, axis=1),
        "circuit_variables": np.packbits(prior.structure.variables, axis=1),
        "circuit_partition_starts": prior.structure.partition_starts,
        "circuit_first": prior.structure.first,
        "circuit_second": prior.structure.second,
        "circuit_multiplicity": prior.structure.multiplicity,
        "circuit_log_weights": prior.log_weights,
    }


def restore_circuit(arrays: Mapping[str, np.ndarray], families: Sequence[Family], workers: Workers) -> CircuitOrders:
    """Rebuild a circuit, validated."""
    d = len(families)
    structure = Structure(
        np.unpackbits(arrays["circuit_before"], axis=1, count=d).astype(bool),
        np.unpackbits(arrays["circuit_variables"], axis=1, count=d).astype(bool),
        arrays["circuit_partition_starts"],
        arrays["circuit_first"],
        arrays["circuit_second"],
        arrays["circuit_multiplicity"],
    )
    validate(structure)
    log_weights = arrays["circuit_log_weights"]
    check_weights(structure, log_weights)
    return weigh_circuit(structure, families, log_weights, workers)
