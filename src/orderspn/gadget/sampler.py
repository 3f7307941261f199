"""Sampling DAGs: independent runs of chains over partitions or DAGs, then a DAG for every partition kept."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import numpy as np

from orderspn.chains.away import Origin
from orderspn.chains.run import Run, Transitions, acceptance_rates
from orderspn.chains.runs import BurnIn, Runs
from orderspn.chains.sample import LEAST_DRAWS, Sample
from orderspn.checkpoints.checkpoint import NOT_KEPT, Checkpoint
from orderspn.core.deadline import Deadline, less_than_usual, now
from orderspn.core.randomness import generator_of, seed_for
from orderspn.core.workers import Workers
from orderspn.gadget.dags import draw_dag, empty_dag, log_score_of
from orderspn.gadget.parent_scores import ParentScores
from orderspn.kernels.copying import copy_into
from orderspn.kernels.kernel import kernel
from orderspn.leaves.context import root_block
from orderspn.leaves.family import Family

SEGMENTS, DRAWS_PER_SEGMENT = 10, 10
"""Segments of the burn-in, and log scores recorded in each."""

BURN_IN = 0.4
"""Share of the time for the burn-in, if there is a deadline."""

AFTER_PARTITION = 1.5
"""Time for all work with a drawn partition, as a multiple of the time for drawing a DAG of it."""

SWEEPS, USUAL_VARIABLES = 8000, 64
"""Moves of each chain by default for each variable, if there are 64 or more."""

FEWER_VARIABLES, FEWEST_VARIABLES = 32, 16
"""Fewer variables need fewer moves each, half of them up to 32; and all up to 16 have the same number of moves."""

USUAL_BURN_IN = 0.25
"""Share of the burn-in by default, after a search for good orders."""


@dataclass(frozen=True)
class GadgetEffort:
    """Length of chains over partitions or pairs.

    Attributes
    ----------
    runs : int
        Independent runs, which are compared.
    chains : int
        Chains of each run, at different temperatures.
    iterations : int
        Moves of each chain.
    burn_in : float
        Share of the moves that come before the first draw.
    """

    runs: int = 4
    chains: int = 16
    iterations: int = SWEEPS * USUAL_VARIABLES
    burn_in: float = 0.5

    @property
    def burn_in_moves(self) -> int:
        """Moves of each chain before the first draw."""
        return int(self.burn_in * self.iterations)

    @classmethod
    def usual(cls, n: int, factor: float = 1.0) -> GadgetEffort:
        """Return the default effort for n variables, times a factor."""
        sweeps = SWEEPS * min(max(n, FEWER_VARIABLES), USUAL_VARIABLES) / USUAL_VARIABLES
        moves = round(factor * sweeps * max(n, FEWEST_VARIABLES))
        return replace(cls(), iterations=max(2, moves), burn_in=USUAL_BURN_IN)

    def after(self, resumed: bool) -> GadgetEffort:
        """Return the effort of chains that begin near where others ended, in scores much like these."""
        return replace(self, iterations=max(2, self.iterations // 4)) if resumed else self


@dataclass(frozen=True, eq=False)
class DagSample:
    """DAGs of a block, from the runs that count.

    Attributes
    ----------
    partitions : Sample
        Layers of the variables (runs, draws, n), and log scores of the partitions.
    parent_sets : numpy.ndarray
        Shape (runs * draws, n): a DAG of each partition, as numbers of parent sets.
    log_scores : numpy.ndarray
        Shape (runs * draws,): of the DAGs, without the scales of the families.
    acceptance : dict
        Acceptance rate of each kind of moves, of the chains at temperature 1.
    swaps : list of float
        Acceptance rate of the swaps of each pair of neighbouring temperatures, over all runs.
    iterations : int
        Moves of each chain, burn-in included, if no deadline came before.
    shortened : dict
        What there was no time for: amounts done and defaults.
    """

    partitions: Sample
    parent_sets: np.ndarray
    log_scores: np.ndarray
    acceptance: dict[str, float]
    swaps: list[float]
    iterations: int
    shortened: dict[str, list[int]]


class DagTransitions(Transitions, Protocol):
    """Moves of chains whose draws are the layers of DAGs, each of which counts once."""

    @property
    def parent_scores(self) -> ParentScores:
        """Scores of the parent sets."""

    def start(self, order: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return a state to begin with, of a DAG drawn given a possible order."""

    def layers(self, states: np.ndarray) -> np.ndarray:
        """Return possible layers, for each of several states."""


def sample_dags(
    transitions: DagTransitions,
    orders: np.ndarray,
    n_dags: int,
    effort: GadgetEffort,
    seed: np.random.SeedSequence,
    workers: Workers,
    deadline: Deadline,
    origin: Origin | None = None,
    checkpoint: Checkpoint = NOT_KEPT,
) -> DagSample:
    """Run chains from DAGs along `orders` (runs, chains, n), and draw a DAG of each partition kept.

    There are about `n_dags`, or as many as there is time for. With an origin of the transitions (`gadget/origin.py`)
    the runs may walk in other processes.
    """
    parent_scores = transitions.parent_scores

    def start(number: int, rng: np.random.Generator) -> Run:
        return Run(transitions, np.stack([transitions.start(order, rng) for order in orders[number]]), rng)

    runs = Runs.started(start, effort.runs, seed_for(seed, "chains"), workers, origin, checkpoint)
    burn_in = BurnIn.of(effort.burn_in_moves, SEGMENTS, DRAWS_PER_SEGMENT)
    trace = runs.burn_in(burn_in, "burn-in", deadline.share(BURN_IN))
    wanted = _draws_per_run(n_dags, effort.runs)
    moves = max(1, (effort.iterations - effort.burn_in_moves) // wanted)
    timely, each = _timely_dags(n_dags, transitions, runs, moves, deadline)
    draws_per_run = _draws_per_run(timely, effort.runs)
    partitions = runs.sample(draws_per_run, moves, "partitions", deadline.before(timely * each))
    parent_sets, log_scores = _draw(parent_scores, partitions.all_states, seed_for(seed, "graphs"), workers)
    kept = runs.only(partitions.kept)
    rates = acceptance_rates(kept.tally).tolist()
    return DagSample(
        partitions,
        parent_sets,
        log_scores,
        dict(zip(transitions.kinds, rates, strict=True)),
        acceptance_rates(kept.swaps).tolist(),
        effort.burn_in_moves + wanted * moves,
        less_than_usual(
            burn_in=(trace.shape[1], burn_in.n_draws), graphs_of_each_run=(partitions.log_scores.shape[1], wanted)
        ),
    )


def _draws_per_run(n_dags: int, n_runs: int) -> int:
    """Return the number of partitions that each run keeps, enough to compare runs."""
    return max(LEAST_DRAWS, -(-n_dags // n_runs))


def _timely_dags(
    n_dags: int, transitions: DagTransitions, runs: Runs, moves: int, deadline: Deadline
) -> tuple[int, float]:
    """Return the number of DAGs that there is time for, and the seconds for each after its partition is drawn."""
    if deadline.left == math.inf:
        return n_dags, 0.0
    levels = transitions.layers(np.concatenate(runs.ends))
    begin = now()
    _draw(transitions.parent_scores, levels, np.random.SeedSequence(0), runs.workers)
    each = AFTER_PARTITION * (now() - begin) / len(levels)
    return min(n_dags, int(deadline.left / (runs.seconds_per_draw(moves) + each))), each


PIECE = 256
"""Partitions of which DAGs are drawn in one task of a thread."""


def _draw(
    parent_scores: ParentScores, levels: np.ndarray, seed: np.random.SeedSequence, workers: Workers
) -> tuple[np.ndarray, np.ndarray]:
    """Draw a DAG for each partition (m, n); return parent sets (m, n) and log scores (m,)."""
    parent_sets = np.empty(levels.shape, dtype=np.int64)
    log_scores = np.empty(len(levels))
    starts = range(0, len(levels), PIECE)
    seeds = seed.spawn(len(starts))

    def fill(start: int, own: np.random.SeedSequence) -> None:
        piece = slice(start, start + PIECE)
        _draw_piece(levels[piece], generator_of(own), parent_scores, parent_sets[piece], log_scores[piece])

    workers.run([partial(fill, start, own) for start, own in zip(starts, seeds, strict=True)])
    return parent_sets, log_scores


@kernel
def _draw_piece(levels, rng, parent_scores, parent_sets, log_scores):
    dag = empty_dag(parent_scores)
    for i in range(levels.shape[0]):
        draw_dag(levels[i], dag, rng, parent_scores)
        copy_into(parent_sets[i], dag.parent_sets)
        log_scores[i] = log_score_of(dag, parent_scores)


def adjacency_of(families: Sequence[Family], parent_sets: np.ndarray) -> np.ndarray:
    """Return graphs (m, d, d), bool, [cause, effect], of parent sets of all variables but the context ones (m, n)."""
    m, d = len(parent_sets), len(families)
    adjacency = np.zeros((m, d, d), dtype=bool)
    for place, v in enumerate(root_block(families)[1].tolist()):
        adjacency[:, :, v] = families[v].indicators(parent_sets[:, place], d)
    return adjacency
