"""Four variables, where all 543 graphs are known: how much of the exact posterior the particles hold."""

from __future__ import annotations

import numpy as np

import orderspn as osp

N_DRAWS = 200
"""Times that as many graphs are drawn from the exact posterior."""


def mass_held(data: int) -> dict[str, float]:
    """Shares of the exact posterior over graphs on the distinct graphs of particles, and of as many exact draws."""
    simulation = osp.simulate.linear_gaussian(4, 100, expected_degree=2, rng=data)
    posterior = osp.learn(simulation.data, method="dibs", rng=0, standardize=False)
    exact = osp.learn(simulation.data, method=osp.methods.Auto(target="dag"), standardize=False)
    graphs: np.ndarray = posterior.model.adjacency  # type: ignore[attr-defined]
    log_scores: np.ndarray = posterior.model.log_scores  # type: ignore[attr-defined]
    drawn = exact.sample(N_DRAWS * len(graphs), rng=0).adjacency.reshape(N_DRAWS, len(graphs), 4, 4)
    return {
        "particles": _held(graphs, np.exp(log_scores - exact.log_evidence)),
        "distinct": len(np.unique(graphs, axis=0)),
        "cyclic": posterior.settings["cyclic_particles"],
        "draws": float(np.mean([_held(some, _probabilities(some, exact)) for some in drawn])),
    }


def _held(graphs: np.ndarray, probabilities: np.ndarray) -> float:
    _, first = np.unique(graphs, axis=0, return_index=True)
    return float(probabilities[first].sum())


def _probabilities(graphs: np.ndarray, exact: osp.Posterior) -> np.ndarray:
    """Probability of each graph, all of its edges present and the others absent."""
    distinct, which = np.unique(graphs, axis=0, return_inverse=True)
    names = exact.variables
    events = [
        osp.Edges(
            [(names[i], names[j]) for i, j in np.argwhere(graph)],
            [(names[i], names[j]) for i, j in np.argwhere(~graph) if i != j],
        )
        for graph in distinct
    ]
    return np.array([exact.probability(event) for event in events])[which.ravel()]
