"""Bytes that learning takes at its peak, known from sizes alone and asked for before any work.

What a posterior itself takes, and the usual questions about it, is in `models/memory.py`; what is special to a method
is in the method's own file. What is counted was measured by `benchmarks/limits.py`; the interpreter and compiled
functions are not in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from orderspn.chains.diagnostics import MOST_EDGES
from orderspn.core.errors import InvalidValue
from orderspn.core.memory import readable_bytes
from orderspn.models.memory import NUMBER, at_work
from orderspn.parents.sizes import FamilySizes

SAMPLER_TABLES = 4
"""Numbers per parent set while graphs are sampled: scores, and three that chains or particles read."""

TRACES = 3
"""Numbers per draw of an edge whose runs are compared: the trace, and what is made of it."""


@dataclass(frozen=True)
class Demand:
    """Bytes that a method asks for; `what` begins and `remedy` ends the message if they are too many."""

    needed: int
    what: str
    remedy: str

    def check(self, limit: int) -> None:
        """Refuse what would take more than `limit` bytes."""
        if self.needed > limit:
            raise InvalidValue(
                f"{self.what} about {readable_bytes(self.needed)} of memory; the limit is {readable_bytes(limit)}. "
                f"{self.remedy}, or raise memory_limit= (in bytes)."
            )


def fitting_threads(needed: Callable[[int], int], n_jobs: int, limit: int) -> int:
    """As many of `n_jobs` threads as there is memory for, given the bytes that so many of them need; at least one."""
    while n_jobs > 1 and needed(n_jobs) > limit:
        n_jobs -= 1
    return n_jobs


def sampler_bytes(sizes: FamilySizes, n_jobs: int) -> int:
    """Bytes of the tables that a sampler of graphs reads."""
    return NUMBER * (SAMPLER_TABLES * sizes.total + at_work(sizes, n_jobs))


def comparison_bytes(draws: int, d: int) -> int:
    """Bytes for comparing runs by the edges that vary most."""
    return NUMBER * TRACES * draws * min(d * (d - 1), MOST_EDGES)
