"""Gadget: partitions of random orders of the DAGs that partition MCMC samples.

DAGs of S_2, with parents also in S_1, are sampled in proportion to their score (see `gadget/sampler.py`): each counts
once, however many orders it has. A random order of each DAG is drawn (see `gadget/random_orders.py`). A partition is
the first half of an order.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from orderspn.core.arguments import check_integer
from orderspn.core.deadline import Deadline
from orderspn.core.randomness import seed_sequence
from orderspn.core.workers import Workers
from orderspn.gadget.dags import empty_dag, set_parents
from orderspn.gadget.parent_scores import parent_scores_of, tables_of
from orderspn.gadget.partition_transitions import PartitionTransitions
from orderspn.gadget.sampler import DagSample, GadgetEffort, sample_dags
from orderspn.kernels.kernel import kernel
from orderspn.oracles.completion import complete, rank_by_visits
from orderspn.oracles.extensions import random_extensions
from orderspn.oracles.layouts import Layouts
from orderspn.oracles.partitions import evenly_spaced, gather, once_each, split_orders
from orderspn.oracles.protocol import Proposal, Question
from orderspn.search.moves import log_scores
from orderspn.search.order_scores import OrderScores, order_scores_of
from orderspn.search.starting import possible_order

APART = 5
"""Fewest moves between two draws by default, times the number of variables."""


@dataclass(frozen=True)
class Gadget:
    """Partitions of orders of DAGs sampled by partition MCMC.

    Draws with repetition are orders of `count` DAGs evenly spaced along the runs. Distinct partitions are the most
    frequent ones. If a concentrated posterior shows too few of them, the best of those that differ by the exchange of
    two variables are added, then of those that differ from these, and so on.

    Parameters
    ----------
    runs : int
        Number of independent runs from random starts. Those whose mean log score stays more than 10 below the best are
        stuck in a worse region and dropped.
    chains : int
        Chains of each run: hotter ones help the one that samples the posterior across valleys.
    iterations : int, optional
        Moves of each chain, the first half of them burn-in. By default `sweeps n` for n variables, or more if `count`
        draws that are `5 n` moves apart need more, or `count` distinct partitions that are n moves apart.
    sweeps : int
        Moves of each chain for each variable, where `iterations` is not given.

    Examples
    --------
    >>> Gadget(runs=2).settings()
    {'name': 'gadget', 'runs': 2, 'chains': 8, 'iterations': None, 'sweeps': 2000}
    """

    runs: int = 1
    chains: int = 8
    iterations: int | None = None
    sweeps: int = 2000

    def __post_init__(self) -> None:
        check_integer("runs", self.runs, 1)
        check_integer("chains", self.chains, 1)
        if self.iterations is not None:
            check_integer("iterations", self.iterations, 2)
        check_integer("sweeps", self.sweeps, 2)

    def propose(self, question: Question, count: int, rng: np.random.Generator, *, distinct: bool) -> Proposal:
        """Propose partitions, as every `Oracle`."""
        order_scores = order_scores_of(question.tables, question.before, question.variables)
        parent_scores = parent_scores_of(
            question.tables.families, _layouts.of(question.tables), question.before, question.variables
        )
        wanted = min(count, question.n_partitions) if distinct else count
        effort = self._effort(order_scores.n, wanted, distinct)
        # Of each run as many as are needed in all, because perhaps only one run counts.
        n_dags = self.runs * (max(1, effort.iterations // (2 * order_scores.n)) if distinct else count)
        starts = _starts(order_scores, effort, rng)
        transitions = PartitionTransitions(parent_scores)
        sample = sample_dags(transitions, starts, n_dags, effort, seed_sequence(rng), Workers(1), Deadline())
        orders = random_extensions(_adjacency(sample.parent_sets, parent_scores), rng)
        if distinct:
            seen = rank_by_visits(orders, log_scores(orders, order_scores))
            return once_each(split_orders(complete(seen, order_scores, wanted)), _info(sample, len(seen)))
        proposal = gather(split_orders(orders[evenly_spaced(len(orders), count)]))
        proposal.info.update(_info(sample, len(proposal.first)))
        return proposal

    def settings(self) -> dict[str, Any]:
        """Return the name and the parameters as JSON values."""
        return {"name": "gadget", **asdict(self)}

    def _effort(self, n: int, wanted: int, distinct: bool) -> GadgetEffort:
        """Return the length of the runs, whose first half is burn-in."""
        if self.iterations is not None:
            return GadgetEffort(self.runs, self.chains, self.iterations)
        apart = 1 if distinct else APART
        return GadgetEffort(self.runs, self.chains, n * max(self.sweeps, 2 * apart * wanted))


_layouts = Layouts(lambda tables: tables_of(tables.families, tables.workers))


def _starts(order_scores: OrderScores, effort: GadgetEffort, rng: np.random.Generator) -> np.ndarray:
    """Return possible orders for all chains to start from, random if possible, shape (runs, chains, n)."""
    drawn = [possible_order(rng.permutation(order_scores.n), order_scores) for _ in range(effort.runs * effort.chains)]
    return np.stack(drawn).reshape(effort.runs, effort.chains, order_scores.n)


def _info(sample: DagSample, distinct: int) -> dict[str, float]:
    """Return acceptance rates (0 without proposals), numbers of partitions and runs, and the gap between runs."""
    means = sample.partitions.means
    return {
        **{f"acceptance_{kind.replace(' ', '_')}": float(rate) for kind, rate in sample.acceptance.items()},
        "distinct": float(distinct),
        "runs_kept": float(sample.partitions.kept.mean()),
        "score_gap": float(means.max() - means.min()),
    }


@kernel
def _adjacency(parent_sets, parent_scores):
    """Return DAGs (m, n, n), [cause, effect], of parent sets (m, n)."""
    count, n = parent_sets.shape
    adjacency = np.zeros((count, n, n), np.bool_)
    dag = empty_dag(parent_scores)
    for which in range(count):
        for j in range(n):
            set_parents(j, parent_sets[which, j], dag, parent_scores)
            for i in range(dag.n_parents[j]):
                adjacency[which, dag.parents[j, i], j] = True
    return adjacency
