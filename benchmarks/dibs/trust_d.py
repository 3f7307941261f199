"""TRUST-D, the circuit with DiBS for an oracle, next to DiBS itself, another oracle and the exact posterior."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import orderspn as osp
from orderspn.posterior import Posterior
from orderspn.simulate.simulation import Simulation

REGULAR = osp.methods.Trust(expansion=[64, 16, 6, 2], block_size=1)
"""The paper's circuit for 16 variables."""

SETTINGS: dict[str, dict[str, Any]] = {
    "DiBS": {"method": "dibs"},
    "DiBS+": {"method": osp.methods.DiBS(weights="score")},
    "TRUST-D": {"method": REGULAR.with_settings(oracle="dibs")},
    # The same circuit, another oracle.
    "order MCMC": {"method": REGULAR.with_settings(oracle="order-mcmc", weights="elbo")},
    "exact": {"method": "exact"},
}
N_EDGES = (1, 2, 4, 8, 16)
"""Edges that are asked for together."""

DRAWS = 50
N_SAMPLES = 1000


def trust_d(d: int, data: int) -> dict[str, Any]:
    """Quality, coverage and time of every method on one data set."""
    simulation = osp.simulate.linear_gaussian(d, 100, rng=data)
    return {name: _measured(simulation, settings) for name, settings in SETTINGS.items()}


def _measured(simulation: Simulation, settings: dict[str, Any]) -> dict[str, Any]:
    cpu, wall = time.process_time(), time.perf_counter()
    posterior = osp.learn(simulation.data, rng=0, **settings, standardize=False)
    seconds = {"cpu_seconds": time.process_time() - cpu, "seconds": time.perf_counter() - wall}
    listed = settings["method"] == "dibs"
    return {
        **seconds,
        "auroc": osp.metrics.auroc(posterior, simulation.network),
        "shd_cpdag": osp.metrics.expected_shd(posterior, simulation.network, n_samples=N_SAMPLES, rng=0),
        "shd_dag": osp.metrics.expected_shd(posterior, simulation.network, between="dag"),
        "covered": {str(n): covered(posterior, simulation, n) for n in N_EDGES},
        "cyclic": posterior.settings.get("cyclic_particles"),
        "share": None if listed else posterior.coverage().share,
    }


def covered(posterior: Posterior, simulation: Simulation, n: int) -> float:
    """Share of draws of n true edges that the posterior does not rule out; the same draws for every posterior."""
    rng = np.random.default_rng(n)
    edges = list(simulation.graph.edges)
    drawn = [rng.choice(len(edges), size=min(n, len(edges)), replace=False) for _ in range(DRAWS)]
    # Logarithms: a tiny probability is still one.
    found = [posterior.log_probability(osp.Edges(present=[edges[i] for i in one])) for one in drawn]
    return float(np.mean(np.array(found) > -np.inf))
