"""The arrays that a file may have: their names, types and numbers of dimensions."""

from __future__ import annotations

from typing import NamedTuple

MANIFEST, CHECKSUM = "manifest", "checksum"

NUMBER, INTEGER, BYTE, SHORT = "<f8", "<i8", "|u1", "<u2"
"""Types of entries, as NumPy writes them: little-endian, whatever the machine."""


class Member(NamedTuple):
    """What one array of a file may be."""

    types: tuple[str, ...]
    dimensions: tuple[int, ...]


MEMBERS = {
    MANIFEST: Member((BYTE,), (1,)),
    CHECKSUM: Member((BYTE,), (1,)),
    "log_prior": Member((NUMBER,), (1,)),
    "candidates": Member((INTEGER,), (1,)),
    "n_candidates": Member((INTEGER,), (1,)),
    "outsiders": Member((INTEGER,), (2,)),
    "n_outsider_rows": Member((INTEGER,), (1,)),
    "bge_matrix": Member((NUMBER,), (2, 3)),
    "bge_rows": Member((INTEGER,), (1,)),
    "bge_group": Member((INTEGER,), (1,)),
    "bge_shift": Member((NUMBER,), (2,)),
    "bdeu_rows": Member((BYTE, SHORT), (2,)),
    "bdeu_levels": Member((BYTE,), (1,)),
    "bdeu_counts": Member((INTEGER,), (1, 2)),
    "bdeu_group": Member((INTEGER,), (1,)),
    "circuit_before": Member((BYTE,), (2,)),
    "circuit_variables": Member((BYTE,), (2,)),
    "circuit_partition_starts": Member((INTEGER,), (1,)),
    "circuit_first": Member((INTEGER,), (1,)),
    "circuit_second": Member((INTEGER,), (1,)),
    "circuit_multiplicity": Member((INTEGER,), (1,)),
    "circuit_log_weights": Member((NUMBER,), (1,)),
    "graphs": Member((BYTE,), (2,)),
    "graph_log_scores": Member((NUMBER,), (1,)),
    "graph_weights": Member((NUMBER,), (1,)),
}
