"""How good weighted graphs are: the same code for particles of either program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import orderspn as osp
from orderspn.data.dataset import read_table
from orderspn.simulate.simulation import Simulation

Prior = str | Callable[[int], float]


@dataclass(frozen=True)
class GraphScore:
    """Log scores of graphs under one prior, less that of the true graph."""

    simulation: Simulation
    prior: Prior

    def of(self, graphs: np.ndarray) -> np.ndarray:
        """Shape (m,): positive where a graph scores better than the true one."""
        d = len(self.simulation.variables)
        dataset = read_table(self.simulation.data)
        likelihood = osp.scores.BGe().fit(dataset)
        log_prior = osp.scores.log_prior_by_size(self.prior, d)
        nobody = np.empty(0, dtype=np.int64)

        def score(graph: np.ndarray) -> float:
            parents = [np.flatnonzero(graph[:, child]) for child in range(d)]
            return sum(
                float(likelihood.log_likelihoods(child, nobody, d - 1, own)[0]) + float(log_prior[own.size])
                for child, own in enumerate(parents)
            )

        return np.array([score(graph) for graph in graphs]) - score(self.simulation.adjacency)


def quality(graphs: np.ndarray, weights: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    """Expected distances and AUROC of graphs (m, d, d) without cycles and their weights (m,), which sum to 1."""
    essential, true_class = osp.metrics.cpdag(graphs), osp.metrics.cpdag(truth)
    distance = osp.metrics.structural_hamming_distance
    edges = np.minimum(np.tensordot(weights, graphs, axes=1), 1.0)
    return {
        "shd_cpdag": float(weights @ [distance(one, true_class) for one in essential]),
        "shd_dag": float(weights @ [distance(one, truth) for one in graphs]),
        "auroc": osp.metrics.auroc(edges, truth),
    }


def describe(graphs: np.ndarray, plus: np.ndarray, score: GraphScore) -> dict[str, Any]:
    """Particles (m, d, d) without cycles with equal weights, and with the weights of DiBS+ (m,)."""
    if not len(graphs):
        return {"used": 0}
    truth = score.simulation.adjacency
    log_scores = score.of(graphs)
    return {
        "used": len(graphs),
        "distinct": len(np.unique(graphs, axis=0)),
        "edges": float(graphs.sum(axis=(1, 2)).mean()),
        "score_mean": float(log_scores.mean()),
        "score_best": float(log_scores.max()),
        "largest_weight": float(plus.max() / plus.sum()),
        "equal": quality(graphs, np.full(len(graphs), 1 / len(graphs)), truth),
        "plus": quality(graphs, plus / plus.sum(), truth),
    }
