"""The memory that a posterior from a file needs, computed from its sizes before any table is allocated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import networkx as nx
import numpy as np

from orderspn.core.errors import UnreadableFile
from orderspn.core.memory import readable_bytes
from orderspn.core.workers import Workers
from orderspn.methods.memory import fitting_threads
from orderspn.models.parts import BytesForThreads
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


class Budget:
    """The memory that is left of the limit, while the parts of a file are restored one after the other."""

    def __init__(self, workers: Workers, limit: int, path: str) -> None:
        self._workers, self._limit, self._path = workers, limit, path
        self._spent = 0
        self._current = 0

    def workers_for(self, needed: BytesForThreads) -> Workers:
        """Return as many threads as there is memory for; raise an error if there is not enough for one."""
        n_jobs = fitting_threads(needed, self._workers.n_jobs, max(1, self._limit - self._spent))
        self._current = max(self._current, needed(n_jobs))  # a model may ask twice for the same memory
        check_demand(self._spent + self._current, self._limit, self._path)
        return replace(self._workers, n_jobs=n_jobs, memory=max(1, self._limit - self._spent))

    def close_part(self) -> None:
        """Count the memory of the part that has been restored, before the next one."""
        self._spent, self._current = self._spent + self._current, 0


def check_demand(needed: int, limit: int, path: str) -> None:
    """Raise an error for a file that needs more memory than the limit."""
    if needed > limit:
        raise UnreadableFile(
            f"{path!r} holds a posterior that takes about {readable_bytes(needed)} of memory; the limit is "
            f"{readable_bytes(limit)}. Raise memory_limit= (in bytes)."
        )
