"""TRUST: an OrderSPN, from sampled orders or grown with an oracle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from msgspec import UNSET, UnsetType

from orderspn.circuit.building import check_expansion, most_blocks, n_layers
from orderspn.circuit.from_orders import block_sizes_of
from orderspn.circuit.weights import WEIGHTS
from orderspn.core.arguments import check_choice, check_integer, is_listing
from orderspn.core.checked_json import Count, Finite, Positive, Share, require
from orderspn.core.deadline import less_than_usual
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.masks import MOST_IN_CIRCUIT_BLOCK
from orderspn.core.memory import MEMORY_LIMIT
from orderspn.core.randomness import generator_of, seed_for
from orderspn.methods.circuits import LearnedCircuit, circuit_from_samples, grown_circuit, whole_circuit
from orderspn.methods.memory import Demand, comparison_bytes
from orderspn.methods.method import SearchingMethod
from orderspn.methods.parents import Parents, refined_parents
from orderspn.methods.problem import ORDERS_ASKED, Problem, SearchState, Solution
from orderspn.methods.report import Diagnostics, Report
from orderspn.methods.timing import rehearsal
from orderspn.models.circuit_graphs import CircuitGraphs
from orderspn.models.memory import order_bytes
from orderspn.models.protocol import Lines
from orderspn.oracles.protocol import Oracle
from orderspn.oracles.registry import make_oracle
from orderspn.parents.plan import check_outsiders
from orderspn.parents.sizes import FamilySizes
from orderspn.search.ensemble import Effort
from orderspn.search.lost_mass import MOST_VARIABLES
from orderspn.search.order_edges import PARTS, PIECE

BLOCK_SIZE = 10
"""Default number of variables of a block: hundreds of orders then take little memory."""

FEW_VARIABLES, MOST_ORDERS, FEWER_ORDERS, LEAST_ORDERS = 40, 1024, 512, 64
"""Default numbers of orders: MOST_ORDERS up to FEW_VARIABLES, FEWER_ORDERS for more variables, and at least
LEAST_ORDERS to save memory."""

MOST_TIMES_MORE = 2
"""With a memory limit above the default there are more orders in proportion, up to so many times as many."""

SHARE_OF_MEMORY = 8
"""Leaf values and lattices of blocks may take a share of 1 / SHARE_OF_MEMORY of the memory: queries copy them."""

ROOT_PARTITIONS, LATER_PARTITIONS = 64, 4
"""Default expansion factors with an oracle: of the root, and of the layers below."""

EDGE = 4
"""Bytes of the probability of an edge, or of a sum of them."""

TABLES_TIME = 1.5
"""Time for all tables of the families, as a multiple of that for scores and the tables of a search."""


class TrustReport(Report):
    """The settings of a posterior by `Trust`."""

    models = (CircuitGraphs.kind,)

    target: Literal["order"]
    effort: Positive
    block_size: Count
    weights: Literal["elbo", "gradient", "sampled", "uniform"]
    n_orders: Count | UnsetType = UNSET
    diagnostics: Diagnostics | UnsetType = UNSET
    outsider_share: Share | UnsetType = UNSET
    limited_share: Share | UnsetType = UNSET
    oracle: dict[str, Any] | UnsetType = UNSET
    expansion: list[Count] | UnsetType = UNSET
    oracle_info: dict[str, Finite] | UnsetType = UNSET

    def __post_init__(self) -> None:
        super().__post_init__()
        grown = self.oracle is not UNSET and self.expansion is not UNSET
        require(grown == (self.n_orders is UNSET), "a circuit is made either from orders or by an oracle")
        require(self.oracle is UNSET or isinstance(self.oracle.get("name"), str), "the oracle has no name")

    def lines(self) -> Lines:
        """Return the orders or the oracle, and how well runs agree."""
        lines = [("made from", f"{self._made_from()}, {self.weights} weights")]
        info = {} if self.oracle_info is UNSET else self.oracle_info
        if "acceptance" in info:
            chains = f"; {100 * info['chains_kept']:.0f}% of its chains agree" if "chains_kept" in info else ""
            lines.append(("acceptance", f"{info['acceptance']:.2f} of the oracle's moves{chains}"))
        return lines if self.diagnostics is UNSET else [*lines, ("agreement", self.diagnostics.agreement)]

    def _made_from(self) -> str:
        if self.oracle is UNSET:
            return f"{self.n_orders:,} sampled orders"
        return f"partitions by oracle {self.oracle['name']!r}, expansion {self.expansion}"


@dataclass(frozen=True, kw_only=True, repr=False)
class Trust(SearchingMethod):
    """An OrderSPN: a circuit that covers a part of the orders and ends in exact blocks.

    By default orders are sampled by tempered Markov chains, and the circuit is made of their cuts into blocks. With an
    oracle or an expansion it grows layer by layer, as in the paper.

    Parameters
    ----------
    oracle : {"auto", "enumeration", "random", "order-mcmc", "gadget", "dibs"} or Oracle, optional
        The method that proposes the partitions of sum nodes, for a circuit that grows. "auto" enumerates all partitions
        of small nodes and uses order MCMC for the others.
    expansion : sequence of int, optional
        For a circuit that grows: number of partitions of each sum node, layer by layer, the paper's K (default
        [64, 4, ...]).
    block_size : int, optional
        Largest number of variables of an exact block at the bottom (default 10 or 11, or half of all variables if they
        are few); 1 gives the paper's regular OrderSPN.
    weights : {"sampled", "elbo", "gradient", "uniform"}, optional
        Weights of partitions. "sampled": in proportion to how often they were drawn, which brings edge probabilities
        closer to the exact ones. "elbo": the optimum of the evidence lower bound in closed form, the paper's choice.
        "gradient": the same by gradient ascent (needs the extra [jax]). "uniform": equal weights. The default is
        "sampled", and "elbo" with an oracle that does not draw from the posterior ("random", "dibs").
    n_orders : int, optional
        Number of orders to sample (default 1024 up to 40 variables, 512 beyond, fewer if memory is short, and up to
        twice as many with a `memory_limit` above 4 GiB). If missing values are imputed, all imputations share this
        number; each has at least 64.
    outsiders : "auto", 0, 1 or 2
        Largest number of parents from outside the candidates in a parent set (default 1, or 0 if `candidates` is a
        mapping). With 2, the most promising pairs are added.
    refine : int, optional
        Number of times that candidates are chosen again after a short search over orders (default 2, at most 1000).
    effort : float, default 1
        Length of the search, as a multiple of the default.
    runs : int, default 4
        Independent searches, which are compared and pooled. More of them are for clusters.

    Examples
    --------
    >>> import orderspn as osp
    >>> data = osp.load_sachs(log=True).data
    >>> osp.learn(data, method=osp.methods.Trust(n_orders=64))
    <Posterior: trust, 11 variables, 853 rows>

    A regular circuit as in the paper:

    >>> paper = osp.methods.Trust(oracle="order-mcmc", expansion=[64, 16, 6, 2], block_size=1, weights="elbo")
    >>> osp.learn(data, method=paper).size.blocks > 1000
    True
    """

    name = "trust"
    report = TrustReport
    target = "order"

    oracle: str | Oracle | None = None
    expansion: Sequence[int] | None = None
    block_size: int | None = None
    weights: str | None = None
    n_orders: int | None = None
    outsiders: int | str = "auto"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.oracle is not None:
            make_oracle(self.oracle)
        if self.expansion is not None:
            self._keep(expansion=_checked_factors(self.expansion))
        if self.block_size is not None:
            self._keep(block_size=check_integer("block_size", self.block_size, 1, MOST_IN_CIRCUIT_BLOCK))
        if self.weights is not None:
            check_choice("weights", self.weights, tuple(WEIGHTS))
        if self.n_orders is not None:
            self._keep(n_orders=check_integer("n_orders", self.n_orders, 1))
            if self.grows:
                raise InvalidValue(
                    "n_orders is for circuits from sampled orders; with oracle= or expansion= circuits grow without "
                    "them. Leave one or the other out."
                )
        self._keep(
            outsiders=check_outsiders(self.outsiders),
        )

    @property
    def grows(self) -> bool:
        """Whether the circuit grows layer by layer; otherwise it is made of sampled orders."""
        return self.oracle is not None or self.expansion is not None

    @property
    def heeds_time_limit(self) -> bool:
        """Whether it does less work if there is not enough time."""
        return not self.grows

    def resolved(self, d: int, memory_limit: int) -> Trust:
        """Fill in defaults for `d` variables."""
        size = default_block_size(d) if self.block_size is None else self.block_size
        if not self.grows:
            count = self.n_orders or default_n_orders(d, size, memory_limit)
            # One block contains all orders, for any sampled order.
            return replace(self, block_size=size, weights=self.weights or "sampled", n_orders=1 if size >= d else count)
        oracle = make_oracle(self.oracle or "auto")
        by_default = ([ROOT_PARTITIONS] + [LATER_PARTITIONS] * d)[: n_layers(d, size)]
        factors = by_default if self.expansion is None else self.expansion
        check_expansion(factors, d, size)
        usual = "sampled" if getattr(oracle, "draws_from_posterior", True) else "elbo"
        return replace(self, oracle=oracle, expansion=factors, block_size=size, weights=self.weights or usual)

    def as_part_of(self, n_posteriors: int) -> Trust:
        """Share the orders among several circuits."""
        if self.n_orders is None:
            return self
        return replace(self, n_orders=min(self.n_orders, max(LEAST_ORDERS, -(-self.n_orders // n_posteriors))))

    def demand(self, sizes: FamilySizes, n_jobs: int) -> Demand:
        """Return the memory of a circuit and its families, if no two of its blocks are equal."""
        assert self.block_size is not None
        if self.n_orders is not None:
            needed = _repeated_bytes(sizes, block_sizes_of(sizes.n_ordered, self.block_size), self.n_orders, n_jobs)
            if self.n_orders > 1:
                n = sizes.n_ordered
                needed += EDGE * (2 * PARTS + (PIECE + 1) * n_jobs) * n**2 + comparison_bytes(self.n_orders, n)
            return Demand(
                needed,
                f"{self.n_orders} orders cut into blocks of {self.block_size} variables, with their families, take",
                "Choose a smaller block_size or n_orders, lower candidates=",
            )
        assert self.expansion is not None
        blocks, largest = most_blocks(sizes.n_ordered, self.expansion)
        working = getattr(self.oracle, "working_bytes", None)
        of_oracle = 0 if working is None else working(sizes.n_ordered, self.expansion, n_jobs)
        return Demand(
            _repeated_bytes(sizes, [largest], blocks, n_jobs) + of_oracle,
            f"expansion={list(self.expansion)} gives up to {blocks:,} blocks of {largest} variables, which take",
            "Choose smaller factors, a smaller block_size (and one more factor), lower candidates=",
        )

    def learn(self, problem: Problem) -> Solution:
        """Refine candidates, then make a circuit."""
        if problem.deadline.left < math.inf:
            short = Trust(block_size=2, weights="sampled", n_orders=1)
            short.searched(rehearsal(problem.workers), Effort.shortest())
        usual = replace(Effort.usual(problem.n_ordered, self.effort), runs=self.runs)
        return self.searched(problem, usual.after(problem.resumed is not None))

    def searched(self, problem: Problem, search: Effort) -> Solution:
        """Learn with searches of this length."""
        parents = refined_parents(problem, search, TABLES_TIME)
        learned = self._circuit(problem, parents, search)
        sampled = learned.sampled
        if sampled is None:
            sampled = learned.orders.sample(ORDERS_ASKED, generator_of(seed_for(problem.seed, "orders asked")))
        lost = problem.lost_share(parents.families, sampled)
        asked = less_than_usual(lost_share_variables=(lost.variables, min(problem.n_ordered, MOST_VARIABLES)))
        report = {
            **parents.recorded(),
            **learned.report,
            "lost_share": lost.share,
            **problem.time_report(parents.shortened(problem) | learned.shortened | asked),
        }
        families = tuple(parents.families)
        graphs = CircuitGraphs(problem.variables, problem.local, families, learned.orders, problem.workers)
        return Solution(graphs, report, learned.warnings, _state(parents, learned))

    def _circuit(self, problem: Problem, parents: Parents, search: Effort) -> LearnedCircuit:
        block_size, weights = self.block_size, self.weights
        assert block_size is not None
        assert weights is not None
        if block_size >= problem.n_ordered:
            return whole_circuit(problem, parents.families, weights)
        if self.n_orders is not None:
            return circuit_from_samples(problem, parents, search, self.n_orders, block_size, weights)
        assert self.expansion is not None
        assert self.oracle is not None
        oracle = make_oracle(self.oracle)
        return grown_circuit(problem, parents.families, oracle, self.expansion, block_size, weights)


def _state(parents: Parents, learned: LearnedCircuit) -> SearchState | None:
    return None if learned.ends is None else parents.searched_to(learned.ends)


def default_block_size(d: int) -> int:
    """Return the default block size: two blocks for few variables, else small blocks to save memory."""
    return min((d + 1) // 2, BLOCK_SIZE) if d <= 2 * BLOCK_SIZE else BLOCK_SIZE + (d <= FEW_VARIABLES)


def default_n_orders(d: int, block_size: int, memory: int) -> int:
    """Return the default number of orders: fewer if memory is short, and more if more than usual is allowed."""
    usual = MOST_ORDERS if d <= FEW_VARIABLES else FEWER_ORDERS
    most = min(MOST_TIMES_MORE * usual, max(usual, usual * memory // MEMORY_LIMIT))
    return max(LEAST_ORDERS, min(most, memory // (SHARE_OF_MEMORY * _bytes_per_order(d, block_size))))


def _bytes_per_order(d: int, block_size: int) -> int:
    """Return the bytes of the blocks of one order: leaf values by variable and subset, and two sums by subset."""
    largest = -(-d // -(-d // block_size))
    return 8 * d * 2 ** (largest - 1) + 16 * -(-d // largest) * 2**largest


def _repeated_bytes(sizes: FamilySizes, block_sizes: list[int], times: int, n_jobs: int) -> int:
    """Return the bytes for `times` copies of blocks of the given sizes; shared tables count once."""
    once, twice = (order_bytes(sizes, block_sizes * n, n_jobs) for n in (1, 2))
    return once + (times - 1) * (twice - once)


def _checked_factors(expansion: Sequence[int]) -> tuple[int, ...]:
    if not isinstance(expansion, Sequence | np.ndarray) or not is_listing(expansion):
        raise InvalidType(f"expansion must be a list of integers, one per layer; got {expansion!r}.")
    return tuple(check_integer(f"expansion[{i}]", factor, 1) for i, factor in enumerate(expansion))
