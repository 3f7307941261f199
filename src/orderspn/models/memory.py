"""Peak memory in bytes of a distribution over graphs during the usual queries, computed from its sizes.

The usual queries are edge probabilities, the same under evidence while the posterior without it is kept, the most
probable graph of both, the best graph, and samples. Methods and `load` check the memory before they allocate any table.
The counts were measured with `benchmarks/limits.py`; they do not contain the interpreter and compiled functions.
"""

from __future__ import annotations

from collections.abc import Sequence

from orderspn.circuit.weighing import leaf_entries
from orderspn.core.errors import InvalidValue
from orderspn.core.masks import MOST_IN_CIRCUIT_BLOCK, check_ordered
from orderspn.dags.exact_dags import MOST_VARIABLES, dag_bytes
from orderspn.leaves.family import Family
from orderspn.parents.sizes import FamilySizes

NUMBER = 8
"""Bytes of one float64."""

SHARED_TABLES = 9
"""Numbers per parent set if blocks read the tables of families: scores, masses and best scores by family; masses in one
array, and posteriors, with and without evidence; and one temporary array of a query."""

SEARCHED_TABLES = 13
"""The same of a circuit, whose best graph is searched for: tables of the search, and best scores in one array."""

OWN_TABLES = 5
"""Numbers per parent set if blocks have their own leaf tables: scores, tables of the search, posteriors with and
without evidence, and one temporary array."""

LATTICES, LEAF_TABLES = 3, 3
"""Numbers per node of a lattice: sums with and without evidence, and one temporary array of a query; and per entry of
leaf tables: values with and without evidence, and best values."""

KEPT_SUMS = 2
"""More numbers per node of the lattices of a circuit: it keeps the sums from the end, with and without evidence."""

OPENINGS = 4
"""A circuit keeps about one opening, with and without evidence, for so many entries of leaf tables."""

AT_WORK, PLACEMENTS = 5, 2
"""Numbers per parent set of a family that a thread works on, and per entry of one of its leaf tables."""

SLACK = 12
"""A share of 1 / SLACK is added for the overhead of allocators."""

GRAPH_COPIES = 3
"""Bytes of a pair of variables in a listed graph: one for the graph, two for temporary copies of a query."""


def exact_order_bytes(sizes: FamilySizes, n_jobs: int) -> int:
    """Return the bytes for all orders of all variables.

    Examples
    --------
    >>> from orderspn.core.memory import readable_bytes
    >>> readable_bytes(exact_order_bytes(FamilySizes.of([19] * 20), 2))
    '849.3 MiB'
    """
    check_ordered(sizes.n_ordered)
    return order_bytes(sizes, [sizes.n_ordered], n_jobs, LATTICES, SHARED_TABLES)


def circuit_bytes(sizes: FamilySizes, block_sizes: Sequence[int], n_jobs: int) -> int:
    """Return the bytes for a circuit with blocks of the given numbers of variables.

    Examples
    --------
    >>> from orderspn.core.memory import readable_bytes
    >>> readable_bytes(circuit_bytes(FamilySizes.of([12] * 40, [27] * 40), [10] * 4096, 2))
    '1,022.4 MiB'
    """
    largest = max(block_sizes, default=0)
    if largest > MOST_IN_CIRCUIT_BLOCK:
        raise InvalidValue(f"a block may have at most {MOST_IN_CIRCUIT_BLOCK} variables; got {largest}.")
    return order_bytes(sizes, block_sizes, n_jobs)


def order_bytes(
    sizes: FamilySizes,
    block_sizes: Sequence[int],
    n_jobs: int,
    lattices: int = LATTICES + KEPT_SUMS,
    tables: int = SEARCHED_TABLES,
) -> int:
    """Return the bytes for blocks of the given numbers of variables.

    A node of a lattice has so many numbers, and a parent set so many in `tables` if blocks share them.
    """
    numbers = lattices * sum(1 << n for n in block_sizes) + at_work(sizes, n_jobs)
    if sizes.has_outsiders:
        largest = 1 << max(block_sizes, default=0) >> 1
        entries = leaf_entries(block_sizes)
        numbers += LEAF_TABLES * entries + 3 * entries // OPENINGS + PLACEMENTS * min(n_jobs, sizes.d) * largest
        return with_slack(NUMBER * (numbers + OWN_TABLES * sizes.total))
    return with_slack(NUMBER * (numbers + tables * sizes.total))


def kept_order_bytes(
    families: Sequence[Family], block_sizes: Sequence[int], under_evidence: bool, lattices: int = 1
) -> int:
    """Return the bytes that blocks and families keep between queries; under evidence, what was before is kept too."""
    sets = sum(family.log_score.size for family in families)
    nodes = lattices * sum(1 << n for n in block_sizes)
    if any(family.n_rows > 1 for family in families):
        entries = leaf_entries(block_sizes)
        numbers = sets + nodes + entries + 3 * entries // (2 * OPENINGS)
    else:
        numbers = 4 * sets + nodes  # scores, masses by family and in one array, and posteriors
    return with_slack(NUMBER * (1 + under_evidence) * numbers)


def exact_dag_bytes(sizes: FamilySizes, n_jobs: int) -> int:
    """Return the bytes for all DAGs of all variables: sums over beginnings, and scores, with and without evidence."""
    d = sizes.n_ordered
    if d > MOST_VARIABLES:
        raise InvalidValue(
            f"Exact(target='dag') sums over all DAGs of at most {MOST_VARIABLES} variables; got {d}. Use "
            "method='gadget', which samples them, methods.Exact(target='order'), or fewer columns (variables=[...])."
        )
    again = NUMBER * (3**d + 2 * d * 2**d + d * d * 2 ** max(d - 1, 0))
    return dag_bytes(d) + again + exact_order_bytes(sizes, n_jobs)


def listed_bytes(n_graphs: int, d: int) -> int:
    """Return the bytes for a list of graphs of d variables, and queries of it."""
    return with_slack(n_graphs * (GRAPH_COPIES * d * d + 4 * NUMBER))


def with_slack(needed: int) -> int:
    """Return the bytes with the overhead of allocators."""
    return needed + needed // SLACK


def at_work(sizes: FamilySizes, n_jobs: int) -> int:
    """Return the sizes of the families that threads work on at the same time."""
    return AT_WORK * min(n_jobs, sizes.d) * sizes.largest
