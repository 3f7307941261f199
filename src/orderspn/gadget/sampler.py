"""Sampling DAGs: independent runs of partition MCMC, then a DAG for every partition kept."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numba import njit

from orderspn.core.deadline import Deadline, less_than_usual, now
from orderspn.core.randomness import generator_of
from orderspn.core.workers import Workers
from orderspn.gadget.chains import MOVES, PartitionRun
from orderspn.gadget.dags import draw_dag, empty_dag, layers_along, log_score_of
from orderspn.gadget.terrain import Terrain
from orderspn.leaves.family import Family
from orderspn.search.ensemble import LEAST_LOOKS, Sample, kept_runs
from orderspn.search.pacing import Pacing

SEGMENTS, LOOKS = 10, 10
"""Pieces of the burn-in, after which temperatures are adapted, and log scores recorded in each."""

BURN_IN = 0.4
"""Part of the time there is for the burn-in."""

AFTER_PARTITION = 1.5
"""What is done with a partition after it was sampled, as a multiple of the time that one thread needs to draw a DAG."""

SWEEPS, FEWEST_VARIABLES = 2000, 32
"""Moves of each chain by default, times the number of variables, which count as at least so many."""


@dataclass(frozen=True)
class GadgetEffort:
    """How long partition MCMC takes.

    Attributes
    ----------
    runs : int
        Independent runs, which are compared.
    chains : int
        Chains of each run, at different temperatures.
    iterations : int
        Moves of each chain, the first half of which is burn-in.
    """

    runs: int = 4
    chains: int = 16
    iterations: int = SWEEPS * FEWEST_VARIABLES

    @classmethod
    def usual(cls, n: int, factor: float = 1.0) -> GadgetEffort:
        """What n variables need by default, so many times as long."""
        return replace(cls(), iterations=max(2, round(factor * SWEEPS * max(n, FEWEST_VARIABLES))))


@dataclass(frozen=True, eq=False)
class DagSample:
    """DAGs of a block, from the runs that count.

    Attributes
    ----------
    partitions : Sample
        Layers of the variables (runs, looks, n), and log scores of the partitions.
    parent_sets : numpy.ndarray
        Shape (runs * looks, n): a DAG of each partition, as numbers of parent sets.
    log_scores : numpy.ndarray
        Shape (runs * looks,): of the DAGs, less the scales of the families.
    acceptance : dict
        Share of accepted moves of each kind, of chains at temperature 1.
    swaps : list of float
        Share of accepted swaps of each pair of neighbouring temperatures, over all runs.
    iterations : int
        Moves of each chain, burn-in included, if no deadline came before.
    shortened : dict
        What there was no time for: done and usual.
    """

    partitions: Sample
    parent_sets: np.ndarray
    log_scores: np.ndarray
    acceptance: dict[str, float]
    swaps: list[float]
    iterations: int
    shortened: dict[str, list[int]]


def sample_dags(
    terrain: Terrain,
    orders: np.ndarray,
    n_dags: int,
    effort: GadgetEffort,
    seed: np.random.SeedSequence,
    workers: Workers,
    deadline: Deadline,
) -> DagSample:
    """Run partition MCMC from DAGs along `orders` (runs, chains, n), and draw DAGs.

    They are about `n_dags`, or as many as there is time for.
    """
    walks, draws = seed.spawn(2)
    runs: list[PartitionRun] = []
    for number, child in enumerate(walks.spawn(effort.runs)):
        rng = generator_of(child)
        starts = np.stack([layers_along(order, rng, terrain) for order in orders[number]])
        runs.append(PartitionRun(terrain, starts, rng))
    pacing = _pacing(runs, workers)
    burnt_in = _burn_in(runs, effort.iterations // 2, workers, pacing, deadline.share(BURN_IN))
    moves = _moves_per_look(n_dags, effort)
    timely, each = _timely_dags(n_dags, runs, moves * pacing.seconds / len(runs), workers, deadline)
    looks = _looks(timely, effort.runs)
    partitions = _walk(runs, looks, moves, workers, pacing, deadline.before(timely * each))
    parent_sets, log_scores = _draw(terrain, partitions.kept_orders, draws, workers)
    kept = [run for run, counts in zip(runs, partitions.kept, strict=True) if counts]
    tally = np.sum([run.tally for run in kept], axis=0)
    swaps = np.sum([run.swaps for run in kept], axis=0)
    rates = tally[:, 1] / np.maximum(tally[:, 0], 1)
    wanted = _looks(n_dags, effort.runs)
    return DagSample(
        partitions,
        parent_sets,
        log_scores,
        dict(zip(MOVES, rates.tolist(), strict=True)),
        (swaps[:, 1] / np.maximum(swaps[:, 0], 1)).tolist(),
        effort.iterations // 2 + wanted * moves,
        less_than_usual(
            burn_in=(burnt_in, SEGMENTS * LOOKS), graphs_of_each_run=(partitions.log_scores.shape[1], wanted)
        ),
    )


def _pacing(runs: list[PartitionRun], workers: Workers) -> Pacing:
    """How fast the chains walk."""

    def rehearse(moves: int) -> None:
        own = [PartitionRun(run.terrain, run.levels, np.random.default_rng(0)) for run in runs]
        workers.run([partial(run.walk, 1, moves) for run in own])

    return Pacing(runs[0].terrain.n, rehearse)


def _burn_in(runs: list[PartitionRun], moves: int, workers: Workers, pacing: Pacing, deadline: Deadline) -> int:
    """Walk until the chains have forgotten their starts, or it is late; how often their log scores were recorded."""
    usual = max(1, moves // (SEGMENTS * LOOKS))
    steps = workers.steps("burn-in", SEGMENTS * len(runs))
    done = 0
    while done < SEGMENTS * LOOKS:
        looks, per_look = pacing.fitting(min(LOOKS, SEGMENTS * LOOKS - done), usual, int(done == 0), deadline)
        if looks == 0:
            break
        tasks = [partial(run.burn_in, looks, per_look) for run in runs]
        pacing.timed(looks * per_look, workers.run, tasks, steps)
        done += looks
        if deadline.passed:
            break
    return done


def _timely_dags(
    n_dags: int, runs: list[PartitionRun], walking: float, workers: Workers, deadline: Deadline
) -> tuple[int, float]:
    """How many DAGs there is time for, and the seconds that each takes after its partition is known.

    `walking` are the seconds on the way to one more partition.
    """
    if deadline.left == math.inf:
        return n_dags, 0.0
    levels = np.concatenate([run.levels for run in runs])
    begin = now()
    _draw(runs[0].terrain, levels, np.random.SeedSequence(0), workers)
    each = AFTER_PARTITION * (now() - begin) / len(levels)
    return min(n_dags, int(deadline.left / (walking + each))), each


def _looks(n_dags: int, n_runs: int) -> int:
    """Partitions that each run keeps: enough to compare runs."""
    return max(LEAST_LOOKS, -(-n_dags // n_runs))


def _moves_per_look(n_dags: int, effort: GadgetEffort) -> int:
    return max(1, (effort.iterations - effort.iterations // 2) // _looks(n_dags, effort.runs))


def _walk(
    runs: list[PartitionRun], looks: int, per_look: int, workers: Workers, pacing: Pacing, deadline: Deadline
) -> Sample:
    """Partitions of the runs that count, as many of each as there is time for."""
    n = runs[0].terrain.n
    levels = np.empty((len(runs), looks, n), dtype=np.int64)
    log_scores = np.empty((len(runs), looks))
    piece = max(1, looks // SEGMENTS)
    steps = workers.steps("partitions", -(-looks // piece) * len(runs))
    done = 0
    while done < looks and not (deadline.passed and done >= LEAST_LOOKS):
        missing = max(0, LEAST_LOOKS - done)
        count, moves = pacing.fitting(min(piece, looks - done), per_look, missing, deadline)
        if count == 0:
            break

        def walk(number: int, first: int, last: int, moves: int) -> None:
            levels[number, first:last], log_scores[number, first:last] = runs[number].walk(last - first, moves)

        tasks = [partial(walk, number, done, done + count, moves) for number in range(len(runs))]
        pacing.timed(count * moves, workers.run, tasks, steps)
        done += count
    means = log_scores[:, :done].mean(axis=1)
    kept = kept_runs(means)
    return Sample(levels[kept, :done], log_scores[kept, :done], means)


PIECE = 256
"""Partitions whose DAGs make a piece of work."""


def _draw(
    terrain: Terrain, levels: np.ndarray, seed: np.random.SeedSequence, workers: Workers
) -> tuple[np.ndarray, np.ndarray]:
    """A DAG for each partition (m, n): parent sets (m, n), and log scores (m,)."""
    parent_sets = np.empty(levels.shape, dtype=np.int64)
    log_scores = np.empty(len(levels))
    starts = range(0, len(levels), PIECE)
    seeds = seed.spawn(len(starts))

    def fill(start: int, own: np.random.SeedSequence) -> None:
        piece = slice(start, start + PIECE)
        _draw_piece(levels[piece], generator_of(own), terrain, parent_sets[piece], log_scores[piece])

    workers.run([partial(fill, start, own) for start, own in zip(starts, seeds, strict=True)])
    return parent_sets, log_scores


@njit(cache=True, nogil=True)
def _draw_piece(levels, rng, terrain, parent_sets, log_scores):
    dag = empty_dag(terrain)
    for i in range(levels.shape[0]):
        draw_dag(levels[i], dag, rng, terrain)
        parent_sets[i] = dag.parent_sets
        log_scores[i] = log_score_of(dag, terrain)


def adjacency_of(families: Sequence[Family], parent_sets: np.ndarray) -> np.ndarray:
    """Graphs (m, d, d), bool, [cause, effect], of parent sets of all variables (m, d)."""
    m, d = parent_sets.shape
    adjacency = np.zeros((m, d, d), dtype=bool)
    for v, family in enumerate(families):
        adjacency[:, :, v] = family.indicators(parent_sets[:, v], d)
    return adjacency
