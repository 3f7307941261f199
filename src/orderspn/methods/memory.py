"""Peak memory in bytes of learning, computed from sizes and checked before any work.

The memory of a posterior and its usual queries is in `models/memory.py`; that of single methods is in their own files.
The counts were measured with `benchmarks/limits.py`; they do not contain the interpreter and compiled functions.
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
"""Numbers per parent set while graphs are sampled: scores, and three tables of chains or particles."""

TRACES = 3
"""Numbers per draw of an edge whose runs are compared: the trace and temporary copies of it."""


@dataclass(frozen=True)
class Demand:
    """Bytes that a method needs; `what` begins and `remedy` ends the message if they are too many."""

    needed: int
    what: str
    remedy: str

    def check(self, limit: int) -> None:
        """Raise an error if more than `limit` bytes are needed."""
        if self.needed > limit:
            raise InvalidValue(
                f"{self.what} about {readable_bytes(self.needed)} of memory; the limit is {readable_bytes(limit)}. "
                f"{self.remedy}, or raise memory_limit= (in bytes)."
            )


def fitting_threads(needed: Callable[[int], int], n_jobs: int, limit: int) -> int:
    """Return the number of threads, at most `n_jobs` and at least one, for which there is memory."""
    while n_jobs > 1 and needed(n_jobs) > limit:
        n_jobs -= 1
    return n_jobs


def sampler_bytes(sizes: FamilySizes, n_jobs: int) -> int:
    """Return the bytes of the tables that a sampler of graphs reads."""
    return NUMBER * (SAMPLER_TABLES * sizes.total + at_work(sizes, n_jobs))


def comparison_bytes(draws: int, d: int) -> int:
    """Return the bytes for comparing runs by the edges that vary most."""
    return NUMBER * TRACES * draws * min(d * (d - 1), MOST_EDGES)
