"""Sampling DAGs: independent runs of partition MCMC, then a DAG for every partition kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numba import njit

from orderspn.core.deadline import Deadline
from orderspn.core.randomness import generator_of
from orderspn.core.workers import Workers
from orderspn.gadget.chains import MOVES, PartitionRun
from orderspn.gadget.dags import draw_dag, empty_dag, layers_along, log_score_of
from orderspn.gadget.terrain import Terrain
from orderspn.leaves.family import Family
from orderspn.search.ensemble import LEAST_LOOKS, Sample, kept_runs

SEGMENTS, LOOKS = 10, 10
"""Pieces of the burn-in, after which temperatures are adapted, and log scores recorded in each."""

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
    """

    partitions: Sample
    parent_sets: np.ndarray
    log_scores: np.ndarray
    acceptance: dict[str, float]
    swaps: list[float]
    iterations: int


def sample_dags(
    terrain: Terrain,
    orders: np.ndarray,
    n_dags: int,
    effort: GadgetEffort,
    seed: np.random.SeedSequence,
    workers: Workers,
    deadline: Deadline,
) -> DagSample:
    """Run partition MCMC from DAGs along `orders` (runs, chains, n) and draw about `n_dags` DAGs."""
    walks, draws = seed.spawn(2)
    runs: list[PartitionRun] = []
    for number, child in enumerate(walks.spawn(effort.runs)):
        rng = generator_of(child)
        starts = np.stack([layers_along(order, rng, terrain) for order in orders[number]])
        runs.append(PartitionRun(terrain, starts, rng))
    _burn_in(runs, effort.iterations // 2, workers, deadline.share(0.5))
    partitions = _walk(runs, _looks(n_dags, effort.runs), _moves_per_look(n_dags, effort), workers, deadline)
    parent_sets, log_scores = _draw(terrain, partitions.kept_orders, draws, workers)
    kept = [run for run, counts in zip(runs, partitions.kept, strict=True) if counts]
    tally = np.sum([run.tally for run in kept], axis=0)
    swaps = np.sum([run.swaps for run in kept], axis=0)
    rates = tally[:, 1] / np.maximum(tally[:, 0], 1)
    return DagSample(
        partitions,
        parent_sets,
        log_scores,
        dict(zip(MOVES, rates.tolist(), strict=True)),
        (swaps[:, 1] / np.maximum(swaps[:, 0], 1)).tolist(),
        effort.iterations // 2 + _looks(n_dags, effort.runs) * _moves_per_look(n_dags, effort),
    )


def _burn_in(runs: list[PartitionRun], moves: int, workers: Workers, deadline: Deadline) -> None:
    per_look = max(1, moves // (SEGMENTS * LOOKS))
    steps = workers.steps("burn-in", SEGMENTS * len(runs))
    for _ in range(SEGMENTS):
        workers.run([partial(run.burn_in, LOOKS, per_look) for run in runs], steps)
        if deadline.passed:
            return


def _looks(n_dags: int, n_runs: int) -> int:
    """Partitions that each run keeps: enough to compare runs."""
    return max(LEAST_LOOKS, -(-n_dags // n_runs))


def _moves_per_look(n_dags: int, effort: GadgetEffort) -> int:
    return max(1, (effort.iterations - effort.iterations // 2) // _looks(n_dags, effort.runs))


def _walk(runs: list[PartitionRun], looks: int, per_look: int, workers: Workers, deadline: Deadline) -> Sample:
    """Partitions of the runs that count, as many of each as there is time for."""
    n = runs[0].terrain.n
    levels = np.empty((len(runs), looks, n), dtype=np.int64)
    log_scores = np.empty((len(runs), looks))
    piece = max(1, looks // SEGMENTS)
    steps = workers.steps("partitions", -(-looks // piece) * len(runs))
    done = 0
    while done < looks and not (deadline.passed and done >= LEAST_LOOKS):
        upto = min(looks, done + piece)

        def walk(number: int, first: int = done, last: int = upto) -> None:
            levels[number, first:last], log_scores[number, first:last] = runs[number].walk(last - first, per_look)

        workers.run([partial(walk, number) for number in range(len(runs))], steps)
        done = upto
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
