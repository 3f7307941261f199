"""How much memory the expected weights take when effects are averaged exactly."""

from __future__ import annotations

from collections.abc import Sequence

from orderspn.leaves.family import Family

NUMBER = 8
"""Bytes of a number."""

COPIES = 2
"""Tables of a family that is being averaged: weights given parent sets, and their means."""


def effects_memory(families: Sequence[Family], largest_block: int, n_jobs: int) -> int:
    """Bytes at the peak, for blocks of up to `largest_block` variables; see `lattice/expected_weights.py`.

    Without outsiders all blocks read one table with a number for every variable and parent set. With them the averages
    of a family have its candidates and the outsiders of a row only, and each block that is being worked on has a table
    of its own.
    """
    d = len(families)
    own = [f.log_score.size * (f.candidates.size + f.outsiders.shape[1]) for f in families]
    at_work = n_jobs * COPIES * max(own)
    if any(f.n_rows > 1 for f in families):
        blocks = n_jobs * (largest_block << (largest_block - 1)) * d
        log_masses = sum(f.log_score.size for f in families)
        return NUMBER * (sum(own) + log_masses + max(at_work, blocks))
    if largest_block == 1:  # single entries are read, and no table is made
        return NUMBER * at_work
    return NUMBER * (d * sum(f.log_score.size for f in families) + at_work)
