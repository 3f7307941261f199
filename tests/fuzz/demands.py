"""Forgeries that demand too much: more bits than a mask has, or more memory than there is."""

import numpy as np

from helpers.files import forge
from orderspn.scores.structure_prior import log_prior_by_size


def enlarged(path, d, n_candidates, change=lambda arrays, manifest: None):
    """An exact posterior as if of `d` variables with so many candidates each, in a file of few kilobytes."""

    def enlarge(arrays, manifest):
        manifest["variables"] = [f"V{v}" for v in range(d)]
        settings = manifest["settings"]
        settings.update(max_parents=d - 1, candidates=n_candidates, prior="fair", outsiders=0)
        settings["score"]["alpha_w"] = d + 2.0
        settings.pop("distributions", None)  # they are those of the variables that were there before
        others = [[v for v in range(d) if v != child][:n_candidates] for child in range(d)]
        arrays.update(
            log_prior=log_prior_by_size("fair", d),
            bge_matrix=np.eye(d) * 40,
            bge_mean=np.zeros((1, d)),
            candidates=np.array(others, dtype=np.int64).ravel(),
            n_candidates=np.full(d, n_candidates),
            outsiders=np.empty((0, 2), dtype=np.int64),
            n_outsider_rows=np.zeros(d, dtype=np.int64),
        )
        change(arrays, manifest)

    return forge(path, enlarge)


def one_block(arrays, manifest):
    """As if it were a circuit of a single block."""
    d = len(manifest["variables"])
    manifest["model"] = "circuit"
    manifest["settings"].update(method="trust", effort=1.0, block_size=d, weights="sampled", n_orders=1)
    arrays.update(
        circuit_before=np.zeros((1, -(-d // 8)), dtype=np.uint8),
        circuit_variables=np.packbits(np.ones((1, d), dtype=bool), axis=1),
        circuit_partition_starts=np.zeros(2, dtype=np.int64),
        circuit_first=np.empty(0, dtype=np.int64),
        circuit_second=np.empty(0, dtype=np.int64),
        circuit_multiplicity=np.empty(0, dtype=np.int64),
        circuit_log_weights=np.empty(0),
        circuit_paths=np.empty((0, 0, 0), dtype=np.int64),
    )
