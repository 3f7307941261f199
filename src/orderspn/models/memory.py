"""Bytes that a distribution over graphs takes at the peak of the usual questions, from its sizes alone.

The usual questions are edge probabilities, the same under evidence while the posterior without it is kept, the most
probable graph of both, and samples. Methods ask before any work, and so does whoever reads a file, before any table is
made. What is counted was measured by `benchmarks/limits.py`; the interpreter and compiled functions are not in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from orderspn.circuit.weighing import leaf_entries
from orderspn.core.errors import InvalidValue
from orderspn.core.masks import MOST_IN_CIRCUIT_BLOCK, check_ordered
from orderspn.dags.exact_dags import MOST_VARIABLES, dag_bytes
from orderspn.parents.sizes import FamilySizes

NUMBER = 8
"""Bytes of a number."""

SHARED_TABLES = 9
"""Numbers per parent set where blocks read the tables of families: scores, masses and best scores by family; masses in
one array, and posteriors, with and without evidence; and one more array while a question is answered."""

OWN_TABLES = 5
"""The same where blocks have leaf tables of their own: scores, what a search reads, posteriors twice, and one more."""

LATTICES, LEAF_TABLES = 3, 3
"""Numbers per node of a lattice: sums with and without evidence, and one more while a question is answered; and per
entry of leaf tables: values with and without evidence, and best ones."""

AT_WORK, PLACEMENTS = 5, 2
"""Numbers per parent set of a family that a thread works on, and per entry of one of its leaf tables."""

SLACK = 12
"""One part in so many is added for what allocators waste."""

GRAPH_COPIES = 3
"""Bytes of a pair of variables in a listed graph: itself, and twice while a question is answered."""


def exact_order_bytes(sizes: FamilySizes, n_jobs: int) -> int:
    """Bytes for all orders of all variables.

    Examples
    --------
    >>> from orderspn.core.memory import readable_bytes
    >>> readable_bytes(exact_order_bytes(FamilySizes.of([19] * 20), 2))
    '849.3 MiB'
    """
    check_ordered(sizes.d)
    return order_bytes(sizes, [sizes.d], n_jobs)


def circuit_bytes(sizes: FamilySizes, block_sizes: Sequence[int], n_jobs: int) -> int:
    """Bytes for a circuit with blocks of so many variables each.

    Examples
    --------
    >>> from orderspn.core.memory import readable_bytes
    >>> readable_bytes(circuit_bytes(FamilySizes.of([12] * 40, [27] * 40), [10] * 4096, 2))
    '823.1 MiB'
    """
    largest = max(block_sizes, default=0)
    if largest > MOST_IN_CIRCUIT_BLOCK:
        raise InvalidValue(f"a block may order at most {MOST_IN_CIRCUIT_BLOCK} variables; got {largest}.")
    return order_bytes(sizes, block_sizes, n_jobs)


def order_bytes(sizes: FamilySizes, block_sizes: Sequence[int], n_jobs: int) -> int:
    """Bytes for blocks of so many variables each."""
    numbers = LATTICES * sum(1 << n for n in block_sizes) + at_work(sizes, n_jobs)
    if sizes.has_outsiders:
        largest = 1 << max(block_sizes, default=0) >> 1
        numbers += LEAF_TABLES * leaf_entries(block_sizes) + PLACEMENTS * min(n_jobs, sizes.d) * largest
        return with_slack(NUMBER * (numbers + OWN_TABLES * sizes.total))
    return with_slack(NUMBER * (numbers + SHARED_TABLES * sizes.total))


def exact_dag_bytes(sizes: FamilySizes, n_jobs: int) -> int:
    """Bytes for all DAGs of all variables: sums over beginnings and scores are there with and without evidence."""
    d = sizes.d
    if d > MOST_VARIABLES:
        raise InvalidValue(
            f"target='dag' sums over all DAGs of at most {MOST_VARIABLES} variables; got {d}. Use method='gadget', "
            "which samples them, or target='order', or choose fewer columns with variables=[...]."
        )
    again = NUMBER * (3**d + 2 * d * 2**d + d * d * 2 ** max(d - 1, 0))
    return dag_bytes(d) + again + exact_order_bytes(sizes, n_jobs)


def listed_bytes(n_graphs: int, d: int) -> int:
    """Bytes for a list of graphs of d variables, and questions about it."""
    return with_slack(n_graphs * (GRAPH_COPIES * d * d + 4 * NUMBER))


def with_slack(needed: int) -> int:
    """So many bytes, and what allocators waste of them."""
    return needed + needed // SLACK


def at_work(sizes: FamilySizes, n_jobs: int) -> int:
    """Numbers of the families that threads work on at the same time."""
    return AT_WORK * min(n_jobs, sizes.d) * sizes.largest
