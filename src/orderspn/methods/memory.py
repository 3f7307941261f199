"""Bytes that a posterior takes at the peak of learning it and of the usual questions, from its sizes alone.

The usual questions are edge probabilities, the same under evidence while the posterior without it is kept, the most
probable graph, and samples. `learn` asks before any work, and so can whoever reads a file, before any table is made.
"""

from __future__ import annotations

from collections.abc import Sequence

from orderspn.core.errors import InvalidValue
from orderspn.core.masks import MOST_IN_CIRCUIT_BLOCK, check_ordered
from orderspn.core.memory import readable_bytes
from orderspn.dags.exact_dags import MOST_VARIABLES, dag_bytes
from orderspn.parents.sizes import FamilySizes

NUMBER = 8
"""Bytes of a number."""


def exact_order_bytes(sizes: FamilySizes, n_jobs: int) -> int:
    """Bytes for all orders of all variables.

    Examples
    --------
    >>> readable_bytes(exact_order_bytes(FamilySizes.of([19] * 20), 2))
    '800.0 MiB'
    """
    d = sizes.d
    check_ordered(d)
    nodes = 4 << d
    leaves = 2 * d << (d - 1) if sizes.has_outsiders else 3 * sizes.total
    return NUMBER * (nodes + leaves + 6 * sizes.total + _at_work(sizes, n_jobs))


def exact_dag_bytes(sizes: FamilySizes) -> int:
    """Bytes for all DAGs of all variables."""
    if sizes.d > MOST_VARIABLES:
        raise InvalidValue(
            f"target='dag' sums over all DAGs of at most {MOST_VARIABLES} variables; got {sizes.d}. Use "
            "method='gadget', which samples them, or target='order', or choose fewer columns with variables=[...]."
        )
    return 2 * dag_bytes(sizes.d) + NUMBER * 4 * sizes.total


def circuit_bytes(sizes: FamilySizes, block_sizes: Sequence[int], n_jobs: int) -> int:
    """Bytes for a circuit with blocks of so many variables each."""
    largest = max(block_sizes, default=0)
    if largest > MOST_IN_CIRCUIT_BLOCK:
        raise InvalidValue(f"a block may order at most {MOST_IN_CIRCUIT_BLOCK} variables; got {largest}.")
    nodes = sum(4 << n for n in block_sizes)
    leaves = sum(3 * n << n >> 1 for n in block_sizes) if sizes.has_outsiders else 3 * sizes.total
    return NUMBER * (nodes + leaves + 6 * sizes.total + _at_work(sizes, n_jobs))


def listed_bytes(n_graphs: int, d: int) -> int:
    """Bytes for a list of graphs of d variables, and questions about it."""
    return 3 * n_graphs * d * d + 32 * n_graphs


def _at_work(sizes: FamilySizes, n_jobs: int) -> int:
    """Numbers of the families that threads work on at the same time."""
    return 6 * min(n_jobs, sizes.d) * sizes.largest


def check_memory(needed: int, limit: int, what: str, remedy: str) -> None:
    """Refuse what would take more than `limit` bytes; `what` begins and `remedy` ends the message."""
    if needed > limit:
        raise InvalidValue(
            f"{what} about {readable_bytes(needed)} of memory; the limit is {readable_bytes(limit)}. {remedy}, or "
            "raise memory_limit= (in bytes)."
        )
