"""What is measured: one function per kind of cell, each run in a process of its own.

Data are of the paper's kind (Erdos-Renyi graphs with 2d expected edges, weights N(0, 1), noise variance 0.1) unless a
network is named. A cell learns once before its clock starts where that is cheap, so that kernels are loaded.
"""

from __future__ import annotations

import os
import resource
import time
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

import orderspn as osp
from benchmarks.best_graph import FLOP_RESTARTS, Task, compare, standardized, warm_up
from benchmarks.bootstrap_baseline import hill_climb_bootstrap

GRAPH_SAMPLES = 200
REGULAR = [32, 8, 2, 6, 2]


def quality(
    d: int, n_rows: int, prior: str, data: int, second_seed: bool = False, regular: bool = False
) -> dict[str, Any]:
    """Learn by default settings, and compare with the truth, with another seed, and with a regular circuit."""
    simulation = osp.simulate.linear_gaussian(d, n_rows, rng=data)
    result, posterior = _learned(simulation.data, simulation.network, prior)
    result |= _conditioning(posterior, simulation.network)
    if second_seed:
        other = osp.learn(simulation.data, prior=prior, rng=1, standardize=False)
        result["seed_difference"] = float(osp.metrics.edge_error(posterior, other).largest)
    if regular:
        same = osp.learn(
            simulation.data,
            prior=prior,
            candidates=posterior.candidates,
            method=osp.methods.Trust(
                outsiders=posterior.settings["outsiders"], expansion=REGULAR, block_size=1, weights="elbo"
            ),
            standardize=False,
        )
        result |= {"elbo": posterior.log_evidence, "elbo_regular": same.log_evidence}
    return result


def search(d: int, n_rows: int, prior: str, data: int) -> dict[str, Any]:
    """The best graph by default, against the true one and against a much longer search."""
    simulation = osp.simulate.linear_gaussian(d, n_rows, rng=data)
    _warm_up()
    started = time.perf_counter()
    posterior = osp.learn(simulation.data, prior=prior, method=osp.methods.Trust(n_orders=64), standardize=False)
    best = posterior.best_graph()
    seconds = time.perf_counter() - started
    long = osp.learn(
        simulation.data, prior=prior, method=osp.methods.Trust(effort=3, n_orders=64), rng=1, standardize=False
    ).best_graph(effort=3, rng=1)
    true = _log_score(simulation.data, simulation.network, prior)
    return {"seconds": seconds, "best": best.log_score, "long": long.log_score, "true": true}


def network(name: str, n_rows: int, data: int) -> dict[str, Any]:
    """A network of the bnlearn repository, beside bootstrapped hill climbing."""
    source = osp.simulate.load_network(name)
    values = source.sample(n_rows, rng=data)
    values = (values - values.mean()) / values.std(ddof=0)
    result, _ = _learned(values, source, "fair")
    bootstrap = hill_climb_bootstrap(values, 30, rng=data)
    found = _compared(bootstrap.edge_probabilities, source)
    return (
        result | {f"bootstrap_{key}": value for key, value in found.items()} | {"bootstrap_seconds": bootstrap.seconds}
    )


def best(d: int, n_rows: int, data: int) -> dict[str, Any]:
    """The best graph alone of standardised data, beside FLOP, one thread each."""
    simulation = osp.simulate.linear_gaussian(d, n_rows, rng=data)
    truth = osp.metrics.cpdag(simulation.adjacency)
    warm_up()
    found = compare(Task("", standardized(simulation.data.to_numpy()), truth), 0, FLOP_RESTARTS, learning=False)
    return {f"{name}_{key}": value for name, result in found.items() for key, value in asdict(result).items()}


def cost(d: int, n_rows: int) -> dict[str, Any]:
    """Time and memory of learning and of all edge probabilities."""
    simulation = osp.simulate.linear_gaussian(d, n_rows, rng=0)
    result, _ = _learned(simulation.data, simulation.network, "fair")
    return {key: result[key] for key in ("seconds", "cpu_seconds", "edges_seconds", "mib", "load", "auroc", "method")}


def _learned(data: pd.DataFrame, source: Any, prior: str) -> tuple[dict[str, Any], osp.Posterior]:
    _warm_up()
    started, cpu_started = time.perf_counter(), time.process_time()
    posterior = osp.learn(data, prior=prior, standardize=False)
    learned = time.perf_counter()
    edges = posterior.edge_probabilities()
    finished, cpu_finished = time.perf_counter(), time.process_time()
    samples = posterior.sample(GRAPH_SAMPLES, rng=0)
    result = {
        "seconds": finished - started,
        "cpu_seconds": cpu_finished - cpu_started,
        "edges_seconds": finished - learned,
        "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "load": os.getloadavg()[0] / (os.cpu_count() or 1),
        "method": posterior.settings["method"],
        **_compared(edges, source),
        "shd_cpdag": float(osp.metrics.expected_shd(samples, source, between="cpdag")),
        "parents_kept": osp.metrics.parents_kept(posterior, source),
    }
    for key in ("outsider_share", "limited_share", "lost_share"):
        result[key] = posterior.settings.get(key)
    return result | posterior.settings.get("diagnostics", {}), posterior


def _compared(edges: pd.DataFrame, source: Any) -> dict[str, float]:
    return {
        "auroc": float(osp.metrics.auroc(edges, source)),
        "average_precision": float(osp.metrics.average_precision(edges, source)),
        "shd_dag": float(osp.metrics.expected_shd(edges, source, between="dag")),
    }


def _conditioning(posterior: osp.Posterior, source: Any) -> dict[str, float]:
    """Time of all edge probabilities given 8 true edges, chosen among those that the posterior finds possible."""
    truth = source.adjacency
    edges = posterior.edge_probabilities().to_numpy()
    rng = np.random.default_rng(0)
    present = rng.permutation(np.argwhere(truth & (edges > 0.05))).tolist()
    names = posterior.variables
    given = osp.Edges([(names[cause], names[effect]) for cause, effect in present[:8]])
    started = time.perf_counter()
    probability = posterior.probability(given)
    asked = time.perf_counter()
    conditional = posterior.edge_probabilities(given=given)
    finished = time.perf_counter()
    return {
        "given_probability": probability,
        "given_seconds": asked - started,
        "given_edges_seconds": finished - asked,
        "given_auroc": float(osp.metrics.auroc(conditional, source)),
    }


def _log_score(data: pd.DataFrame, source: Any, prior: str) -> float:
    """Log score of the true graph."""
    names = list(data.columns)
    parents = {names[j]: [names[i] for i in np.flatnonzero(source.adjacency[:, j])] for j in range(len(names))}
    total = 0.0
    for child, causes in parents.items():
        table = osp.scores.family_scores(data, child, causes, prior=prior, standardize=False)
        total += float(table["log_score"][[set(p) == set(causes) for p in table["parents"]].index(True)])
    return total


def _warm_up() -> None:
    """Load or compile the kernels."""
    osp.learn(
        osp.simulate.linear_gaussian(24, 50, rng=0).data,
        method=osp.methods.Trust(n_orders=8, effort=0.01),
        standardize=False,
    ).sample(2, rng=0)
