"""A baseline without a posterior: edge frequencies of graphs found by greedy search on bootstrap resamples.

    python -m benchmarks.bootstrap_baseline            # ecoli70 and magic-niab, 500 standardized rows

Each resample gives the CPDAG of the best graph that hill climbing by BIC finds (add, remove or reverse an edge, with
restarts); an undirected edge counts one half in each direction.

Not greedy equivalence search (GES), the customary choice, which takes too long: on resamples of ecoli70, `ges` 1.1.1
301 s (one resample), `causal-learn` 0.1.4.8 39 to 102 s (four resamples; up to 582 s on a busy machine). On the same
resamples (18 of ecoli70, 20 of magic-niab, of one data set each) the climb found a better BIC than the latter in 35 of
38; average precision was 0.60 (GES 0.77) on ecoli70 and 0.70 (GES 0.57) on magic-niab: each was stronger once.
"""

from __future__ import annotations

import argparse
import time
from typing import NamedTuple

import numpy as np
import pandas as pd

import orderspn as osp
from orderspn.core.dag import topological_order
from orderspn.core.randomness import RNGLike, spawn_generators
from orderspn.kernels.kernel import kernel

RESTARTS = 50
SHARE_CHANGED = 0.2
"""Of the edges, at a restart: so many are removed (one at least, on average), and about as many are added."""
ROUNDS = 3
STEPS_PER_VARIABLE = 10
"""Of the walk among equivalent graphs, in each round of a climb."""


class BootstrapEdges(NamedTuple):
    """Edge frequencies, row = cause, column = effect, and how long they took."""

    edge_probabilities: pd.DataFrame
    seconds: float


def hill_climb_bootstrap(
    data: pd.DataFrame, n_resamples: int, rng: RNGLike = None, restarts: int = RESTARTS
) -> BootstrapEdges:
    """Edge probabilities as frequencies over the CPDAGs found on bootstrap resamples.

    Parameters
    ----------
    data : pandas.DataFrame
    n_resamples : int
    rng : int, SeedSequence, Generator or None
    restarts : int
        Climbs from a random change of the best graph so far, on each resample.

    Returns
    -------
    BootstrapEdges
    """
    started = time.perf_counter()
    values = data.to_numpy(dtype=np.float64)
    found = [_find(values, generator, restarts) for generator in spawn_generators(rng, n_resamples)]
    essential = osp.metrics.cpdag(np.stack(found))
    directions = essential + essential.transpose(0, 2, 1).astype(int)  # (B, d, d): 2 for an undirected edge
    frequencies = np.divide(essential, directions, out=np.zeros(essential.shape), where=essential).mean(axis=0)
    names = list(data.columns)
    frame = pd.DataFrame(frequencies, index=pd.Index(names, name="cause"), columns=pd.Index(names, name="effect"))
    return BootstrapEdges(frame, time.perf_counter() - started)


def _find(values: np.ndarray, generator: np.random.Generator, restarts: int) -> np.ndarray:
    """The best graph found on one resample of the rows."""
    rows = values[generator.integers(len(values), size=len(values))]
    return best_graph(np.cov(rows, rowvar=False, bias=True), len(rows), generator, restarts)


def best_graph(covariance: np.ndarray, n_rows: int, generator: np.random.Generator, restarts: int) -> np.ndarray:
    """The best of several climbs: from the empty graph, then from changed copies of the best graph so far."""
    best = np.zeros(covariance.shape, dtype=np.bool_)
    best_score = _climb_further(covariance, n_rows, best, generator)
    for _ in range(restarts):
        graph = _changed(best, generator)
        score = _climb_further(covariance, n_rows, graph, generator)
        if score > best_score:
            best, best_score = graph, score
    return best


def _climb_further(covariance: np.ndarray, n_rows: int, graph: np.ndarray, generator: np.random.Generator) -> float:
    """Climb, and again from random equivalent graphs: of the same score, with other neighbours.

    As Kocka and Castelo (UAI 2001); it makes plain hill climbing about as good as a search among equivalence classes.
    """
    score = climb(covariance, n_rows, graph)
    for _ in range(ROUNDS):
        reverse_covered_edges(graph, STEPS_PER_VARIABLE * len(graph), generator)
        score = climb(covariance, n_rows, graph)
    return score


def _changed(graph: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Some edges removed, and about as many added along a random order that the others follow."""
    d, n_edges = len(graph), int(graph.sum())
    share = max(SHARE_CHANGED, 1.0 / max(n_edges, 1))
    kept = graph & (generator.random((d, d)) >= share)
    shuffled = generator.permutation(d)
    position = np.argsort(shuffled[topological_order("graph", kept[shuffled][:, shuffled])])
    added = generator.random((d, d)) < share * max(n_edges, 1) / (d * (d - 1) / 2)
    return kept | (added & (position[:, None] < position[None, :]))


@kernel
def climb(covariance: np.ndarray, n_rows: int, edge: np.ndarray) -> float:
    """Make the best single change to a graph until none is better than nothing; returns the BIC of the result."""
    d = covariance.shape[0]
    score = np.empty(d)
    gain = np.empty((d, d))  # of adding the edge, or of removing it where it is
    reaches = np.empty((d, d), np.bool_)
    for child in range(d):
        _update_gains(covariance, n_rows, edge, child, score, gain)
    while True:
        _fill_reaches(edge, reaches)
        best, cause, effect, reverse = 1e-9, -1, -1, False
        for x in range(d):
            for y in range(d):
                if x == y:
                    continue
                if edge[x, y]:
                    if gain[x, y] > best:
                        best, cause, effect, reverse = gain[x, y], x, y, False
                    if gain[x, y] + gain[y, x] > best and not _has_detour(edge, reaches, x, y):
                        best, cause, effect, reverse = gain[x, y] + gain[y, x], x, y, True
                elif gain[x, y] > best and not reaches[y, x]:
                    best, cause, effect, reverse = gain[x, y], x, y, False
        if cause < 0:
            return score.sum()
        edge[cause, effect] = not edge[cause, effect]
        _update_gains(covariance, n_rows, edge, effect, score, gain)
        if reverse:
            edge[effect, cause] = True
            _update_gains(covariance, n_rows, edge, cause, score, gain)


@kernel
def reverse_covered_edges(edge: np.ndarray, n_steps: int, generator: np.random.Generator) -> None:
    """Walk at random among equivalent graphs: edges whose ends have the same other parents may be reversed."""
    d = edge.shape[0]
    causes, effects = np.nonzero(edge)
    for _ in range(n_steps if causes.size else 0):
        chosen = generator.integers(0, causes.size)
        x, y = causes[chosen], effects[chosen]
        covered = True
        for z in range(d):
            if z != x and edge[z, x] != edge[z, y]:
                covered = False
                break
        if covered:
            edge[x, y], edge[y, x] = False, True
            causes[chosen], effects[chosen] = y, x


@kernel
def _update_gains(
    covariance: np.ndarray, n_rows: int, edge: np.ndarray, child: int, score: np.ndarray, gain: np.ndarray
) -> None:
    parents = edge[:, child].copy()
    score[child] = local_bic(covariance, n_rows, child, parents)
    for x in range(parents.size):
        if x != child:
            parents[x] = not parents[x]
            gain[x, child] = local_bic(covariance, n_rows, child, parents) - score[child]
            parents[x] = not parents[x]


@kernel
def local_bic(covariance: np.ndarray, n_rows: int, child: int, parents: np.ndarray) -> float:
    """Log likelihood of a variable given its parents, without constants, minus half a log N for each parent."""
    members = np.append(np.flatnonzero(parents), child)
    k = members.size
    lower = np.empty((k, k))
    for i in range(k):  # Cholesky factor of the covariance of the parents and the child, which comes last
        for j in range(i + 1):
            rest = covariance[members[i], members[j]]
            for m in range(j):
                rest -= lower[i, m] * lower[j, m]
            if i == j:
                lower[i, i] = np.sqrt(max(rest, 1e-12 * covariance[members[i], members[i]]))
            else:
                lower[i, j] = rest / lower[j, j]
    return -n_rows * np.log(lower[k - 1, k - 1]) - 0.5 * (k - 1) * np.log(n_rows)


@kernel
def _fill_reaches(edge: np.ndarray, reaches: np.ndarray) -> None:
    """Where a directed path leads from each variable."""
    d = edge.shape[0]
    stack = np.empty(d, np.int64)
    reaches[:] = False
    for source in range(d):
        stack[0], height = source, 1
        while height > 0:
            height -= 1
            v = stack[height]
            for effect in range(d):
                if edge[v, effect] and not reaches[source, effect]:
                    reaches[source, effect] = True
                    stack[height] = effect
                    height += 1


@kernel
def _has_detour(edge: np.ndarray, reaches: np.ndarray, cause: int, effect: int) -> bool:
    """Whether a path other than the edge itself leads from cause to effect, so that reversing it closes a cycle."""
    through = edge[cause] & reaches[:, effect]
    through[effect] = False
    return bool(through.any())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--resamples", type=int, default=30)
    parser.add_argument("--seeds", type=int, default=5)
    arguments = parser.parse_args()
    print("| network | AUROC | average precision | E-SHD (DAG) | seconds per resample |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name in osp.simulate.NETWORKS:
        network = osp.simulate.load_network(name)
        rows = [_evaluated(network, arguments.rows, arguments.resamples, seed) for seed in range(arguments.seeds)]
        auroc, precision, distance, seconds = np.mean(rows, axis=0)
        print(f"| {name} | {auroc:.3f} | {precision:.3f} | {distance:.1f} | {seconds / arguments.resamples:.3f} |")


def _evaluated(
    network: osp.simulate.LinearGaussianNetwork, n_rows: int, n_resamples: int, seed: int
) -> tuple[float, float, float, float]:
    data = network.sample(n_rows, rng=seed)
    found = hill_climb_bootstrap((data - data.mean()) / data.std(ddof=0), n_resamples, rng=seed)
    p = found.edge_probabilities
    return (
        osp.metrics.auroc(p, network),
        osp.metrics.average_precision(p, network),
        osp.metrics.expected_shd(p, network, between="dag"),
        found.seconds,
    )


if __name__ == "__main__":
    main()
