"""Bytes that a posterior takes at the peak of learning it and of the usual questions, from its sizes alone.

The usual questions are edge probabilities, the same under evidence while the posterior without it is kept, the most
probable graph of both, and samples. `learn` asks before any work, and so can whoever reads a file, before any table is
made. What is counted was measured by `benchmarks/limits.py`; the interpreter and compiled functions are not in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from orderspn.chains.diagnostics import MOST_EDGES
from orderspn.circuit.learning import CircuitSettings, block_sizes_of, leaf_entries, most_blocks
from orderspn.core.errors import InvalidValue
from orderspn.core.masks import MOST_IN_CIRCUIT_BLOCK, check_ordered
from orderspn.core.memory import readable_bytes
from orderspn.dags.exact_dags import MOST_VARIABLES, dag_bytes
from orderspn.dibs.particles import DibsSettings
from orderspn.gadget.sampler import GadgetEffort
from orderspn.oracles.dibs import Dibs
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

SAMPLER_TABLES = 4
"""Numbers per parent set while graphs are sampled: scores, and three that chains read."""

GRAPH_COPIES, GRAPHS_IN_THE_MAKING = 3, 2
"""Bytes of a pair of variables in a listed graph: itself, and twice while a question is answered; while it is made."""

TRACES = 3
"""Numbers per draw of an edge whose runs are compared: the trace, and what is made of it."""

EDGE = 4
"""Bytes of the probability of an edge given an order."""

WALKER = 64
"""Bytes of a variable in a chain."""

SOFT_COPIES = 32
"""Bytes of a pair of variables in a graph that DiBS samples: random words, soft graphs and their powers."""

POWERS, WORDS, COMPILING = 24, 256, 2**28
"""The same for more variables, where compiled programs keep less at once: bytes of a pair of variables in a graph whose
powers are taken, of a variable in a graph whose score is looked up, and of the compiler."""


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


def exact_order_bytes(sizes: FamilySizes, n_jobs: int) -> int:
    """Bytes for all orders of all variables.

    Examples
    --------
    >>> readable_bytes(exact_order_bytes(FamilySizes.of([19] * 20), 2))
    '849.3 MiB'
    """
    check_ordered(sizes.d)
    return _order_bytes(sizes, [sizes.d], n_jobs)


def circuit_bytes(sizes: FamilySizes, block_sizes: Sequence[int], n_jobs: int) -> int:
    """Bytes for a circuit with blocks of so many variables each.

    Examples
    --------
    >>> readable_bytes(circuit_bytes(FamilySizes.of([12] * 40, [27] * 40), [10] * 4096, 2))
    '823.1 MiB'
    """
    largest = max(block_sizes, default=0)
    if largest > MOST_IN_CIRCUIT_BLOCK:
        raise InvalidValue(f"a block may order at most {MOST_IN_CIRCUIT_BLOCK} variables; got {largest}.")
    return _order_bytes(sizes, block_sizes, n_jobs)


def _order_bytes(sizes: FamilySizes, block_sizes: Sequence[int], n_jobs: int) -> int:
    numbers = LATTICES * sum(1 << n for n in block_sizes) + _at_work(sizes, n_jobs)
    if sizes.has_outsiders:
        largest = 1 << max(block_sizes, default=0) >> 1
        numbers += LEAF_TABLES * leaf_entries(block_sizes) + PLACEMENTS * min(n_jobs, sizes.d) * largest
        return _with_slack(NUMBER * (numbers + OWN_TABLES * sizes.total))
    return _with_slack(NUMBER * (numbers + SHARED_TABLES * sizes.total))


def settings_bytes(sizes: FamilySizes, settings: CircuitSettings, n_jobs: int) -> int:
    """Bytes for a circuit that is still to be learned: none of its blocks is there twice at worst."""
    if settings.n_orders is not None:
        blocks = _repeated_bytes(sizes, block_sizes_of(sizes.d, settings.block_size), settings.n_orders, n_jobs)
        if settings.n_orders == 1:
            return blocks
        edges = EDGE * settings.n_orders * sizes.d**2
        return blocks + edges + _comparison_bytes(settings.n_orders, sizes.d)
    count, largest = most_blocks(sizes.d, settings.expansion)
    return _repeated_bytes(sizes, [largest], count, n_jobs) + _oracle_bytes(settings, sizes.d, n_jobs)


def _repeated_bytes(sizes: FamilySizes, block_sizes: list[int], times: int, n_jobs: int) -> int:
    """Bytes for blocks of so many variables, so many times; what is there once counts once."""
    once, twice = (_order_bytes(sizes, block_sizes * n, n_jobs) for n in (1, 2))
    return once + (times - 1) * (twice - once)


def _oracle_bytes(settings: CircuitSettings, d: int, n_jobs: int) -> int:
    """Bytes of the particles of DiBS as an oracle: all variables at the root, halves of them in threads below."""
    if not isinstance(settings.oracle, Dibs):
        return 0
    at_root = _particle_bytes(DibsSettings(settings.oracle.particles_for(settings.expansion[0])), d)
    below = [_particle_bytes(DibsSettings(settings.oracle.particles_for(count)), d) for count in settings.expansion[1:]]
    return max(at_root, n_jobs * max(below, default=0) // 2)


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
    return _with_slack(n_graphs * (GRAPH_COPIES * d * d + 4 * NUMBER))


def gadget_bytes(sizes: FamilySizes, effort: GadgetEffort, n_graphs: int, n_jobs: int) -> int:
    """Bytes for sampling graphs, while families and chains are there, or for questions about them."""
    d = sizes.d
    tables = NUMBER * (SAMPLER_TABLES * sizes.total + _at_work(sizes, n_jobs))
    walkers = WALKER * effort.runs * effort.chains * d
    graphs = GRAPHS_IN_THE_MAKING * n_graphs * d * (d + NUMBER) + _comparison_bytes(n_graphs, d)
    return max(_with_slack(tables + walkers + graphs), listed_bytes(n_graphs, d))


def dibs_bytes(sizes: FamilySizes, settings: DibsSettings, n_jobs: int) -> int:
    """Bytes for moving particles, while families are there."""
    tables = NUMBER * (SAMPLER_TABLES * sizes.total + _at_work(sizes, n_jobs))
    return _with_slack(tables + _particle_bytes(settings, sizes.d))


def _particle_bytes(settings: DibsSettings, d: int) -> int:
    pairs = settings.particles * d * d
    all_at_once = SOFT_COPIES * pairs * (settings.graph_samples + settings.acyclicity_samples)
    looked_up = WORDS * settings.particles * settings.graph_samples * d
    one_after_the_other = POWERS * pairs * settings.acyclicity_samples + looked_up + COMPILING
    return min(all_at_once, one_after_the_other) + NUMBER * settings.particles**2


def _comparison_bytes(draws: int, d: int) -> int:
    """Bytes for comparing runs by the edges that vary most."""
    return NUMBER * TRACES * draws * min(d * (d - 1), MOST_EDGES)


def _with_slack(needed: int) -> int:
    return needed + needed // SLACK


def _at_work(sizes: FamilySizes, n_jobs: int) -> int:
    """Numbers of the families that threads work on at the same time."""
    return AT_WORK * min(n_jobs, sizes.d) * sizes.largest
