"""The memory that a posterior from a file needs, computed from its sizes before any table is allocated."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx
import numpy as np

from orderspn.core.errors import UnreadableFile
from orderspn.core.memory import readable_bytes
from orderspn.parents.sizes import FamilySizes
from orderspn.queries.edges import Edges
from orderspn.queries.evidence import not_implied


def sizes_under(
    evidence: Edges,
    candidates: Sequence[np.ndarray],
    outsiders: Sequence[np.ndarray],
    variables: Sequence[str],
    n_context: int = 0,
) -> FamilySizes:
    """Return the sizes of families under evidence: order constraints make variables candidates."""
    n_candidates = [causes.size for causes in candidates]
    index = {name: v for v, name in enumerate(variables)}
    if nx.is_directed_acyclic_graph(nx.DiGraph([*evidence.present, *evidence.before])):  # else conditioning raises
        for first, second in not_implied(evidence):
            n_candidates[index[second]] += index[first] not in candidates[index[second]]
    return FamilySizes.of(n_candidates, [len(rows) for rows in outsiders], n_context)


def check_demand(needed: int, limit: int, path: str) -> None:
    """Raise an error for a file that needs more memory than the limit."""
    if needed > limit:
        raise UnreadableFile(
            f"{path!r} holds a posterior that takes about {readable_bytes(needed)} of memory; the limit is "
            f"{readable_bytes(limit)}. Raise memory_limit= (in bytes)."
        )
