"""DiBS: partitions of random orders of the graphs of particles.

Particles of the block, with edges into S_2 only, are moved as in `dibs/particles.py`. Cycles of their graphs are broken
at the least probable edges, and random orders of every graph are drawn. A partition is the first half of an order.

Every layer of a circuit has the same budget: that of the whole problem at the root. The sum nodes of a layer share it.
The more of them there are, the fewer steps each takes; the smaller they are, the more steps the budget allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from orderspn.core.arguments import check_integer
from orderspn.core.jax import require_jax
from orderspn.dibs.graphs import acyclic_graphs
from orderspn.dibs.particles import DibsSettings, particle_bytes, run
from orderspn.dibs.problem import problem_of, tables_of
from orderspn.oracles.completion import complete, rank_by_score
from orderspn.oracles.extensions import random_extensions
from orderspn.oracles.layouts import Layouts
from orderspn.oracles.partitions import gather, once_each, split_orders
from orderspn.oracles.protocol import Proposal, Question
from orderspn.search.moves import log_scores
from orderspn.search.order_scores import order_scores_of

AT_ROOT = 64
"""Number of particles that `steps` refers to."""

LEAST_STEPS = 100
"""Fewest steps of a node, for any share of the budget."""

LEAST_PARTICLES, MOST_PARTICLES = 16, 128
"""Bounds of the number of particles that are moved together, because the cost grows with its square. More particles
form several groups."""

ORDERS_EACH = 64
"""Number of orders of each graph if distinct partitions are requested."""


@dataclass(frozen=True)
class Dibs:
    """Partitions of orders of graphs by DiBS, for the paper's TRUST-D; needs the extra [jax].

    Draws with repetition are orders of as many particles. Distinct partitions are those of the best among random orders
    of the particles; frequencies say little, because particles repel each other. If there are too few, the best of
    those that differ by the exchange of two variables are added, then of those that differ from these, and so on.

    Parameters
    ----------
    steps : int
        Steps for 64 particles of all variables. Nodes of lower layers take fewer, so that every layer takes about as
        long.

    Examples
    --------
    >>> Dibs(steps=500).settings()
    {'name': 'dibs', 'steps': 500}
    """

    draws_from_posterior = False

    steps: int = DibsSettings.steps

    def __post_init__(self) -> None:
        check_integer("steps", self.steps, 1)
        require_jax("oracle='dibs'")

    def propose(self, question: Question, count: int, rng: np.random.Generator, *, distinct: bool) -> Proposal:
        """Propose partitions, as every `Oracle`."""
        wanted = min(count, question.n_partitions) if distinct else count
        graphs, info = self._graphs(question, wanted, rng)
        if not distinct:
            return gather(split_orders(random_extensions(graphs, rng)), info)
        order_scores = order_scores_of(question.tables, question.before, question.variables)
        orders = np.concatenate([random_extensions(graphs, rng) for _ in range(ORDERS_EACH)])
        seen = rank_by_score(orders, log_scores(orders, order_scores))
        return once_each(split_orders(complete(seen, order_scores, wanted)), {**info, "distinct": float(len(seen))})

    def settings(self) -> dict[str, Any]:
        """Return the name and the parameters as JSON values."""
        return {"name": "dibs", "steps": self.steps}

    def working_bytes(self, d: int, expansion: Sequence[int], n_jobs: int) -> int:
        """Return the bytes of particles: of all variables at the root, of halves of them in threads below."""
        by_layer = [particle_bytes(DibsSettings(self.particles_for(count)), d) for count in expansion]
        return max(max(by_layer[:1], default=0), n_jobs * max(by_layer[1:], default=0) // 2)

    @staticmethod
    def particles_for(count: int) -> int:
        """Return the number of particles that are moved together for `count` partitions."""
        # A power of 2, so that few programs are compiled for all counts.
        return min(MOST_PARTICLES, max(LEAST_PARTICLES, 1 << (count - 1).bit_length()))

    def _graphs(self, question: Question, count: int, rng: np.random.Generator) -> tuple[np.ndarray, dict[str, float]]:
        """Return graphs of `count` particles within S_2 (count, n, n), and information about them."""
        problem = problem_of(_layouts.of(question.tables), question.before, question.variables)
        particles = self.particles_for(count)
        groups = -(-count // particles)
        settings = self._settings(question, particles, groups)
        logits = np.concatenate([run(problem, settings, own).logits for own in rng.spawn(groups)])[:count]
        graphs, cyclic = acyclic_graphs(logits, question.variables)
        info = {"steps": float(settings.steps), "cyclic": float(cyclic.mean())}
        return np.ascontiguousarray(graphs[:, question.variables]), info

    def _settings(self, question: Question, particles: int, groups: int) -> DibsSettings:
        """Return settings with as many steps as the node's share of the budget allows."""
        d, n = len(question.tables.families), question.variables.size
        share = question.share * (AT_ROOT * d * d) / (groups * particles * n * n)
        return DibsSettings(particles=particles, steps=min(self.steps, max(LEAST_STEPS, round(share * self.steps))))


_layouts = Layouts(lambda tables: tables_of(tables.families))
