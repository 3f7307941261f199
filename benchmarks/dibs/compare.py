"""One data set: our DiBS, and particles of dibs-lib for the same target."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import orderspn as osp
from benchmarks.dibs.quality import GraphScore, Prior, describe
from orderspn.dibs.graphs import are_cyclic, break_cycles, score_weights
from orderspn.posterior import Posterior
from orderspn.simulate.simulation import Simulation

STEPS = 3000
"""Of a whole run."""

SEEDS = 5
"""Runs of ours whose spread is told: a single run of either program says little."""

SLOWER = 3
"""Times as many steps, which cool more slowly: there is time for them."""


def compare(d: int, data: int, python: str, folder: Path, cpu_limit: float | None = None) -> dict[str, Any]:
    """Numbers of both programs; with a limit, also ours after as few steps as theirs could take."""
    simulation = osp.simulate.linear_gaussian(d, 100, rng=data)
    found = theirs(simulation, python, folder / f"theirs-{d}-{data}.npz", cpu_limit)
    sparse = erdos_renyi_prior(d)
    cell = {
        "edges": int(simulation.adjacency.sum()),
        "theirs": found,
        "ours": ours(simulation, sparse, STEPS),
        "fair": ours(simulation, "fair", STEPS),
    }
    if cpu_limit is None:
        cell["slow"] = ours(simulation, sparse, SLOWER * STEPS)
        cell["seeds"] = [quality_of_seed(simulation, sparse, STEPS, seed) for seed in range(SEEDS)]
        cell["slow_seeds"] = [quality_of_seed(simulation, sparse, SLOWER * STEPS, seed) for seed in range(SEEDS)]
    if found["steps"] < STEPS:
        cell["short"] = ours(simulation, sparse, found["steps"])
    return cell


def erdos_renyi_prior(d: int) -> Callable[[int], float]:
    """dibs-lib's prior with two edges per node, as the weight of a parent set of a given size."""
    p = 2 * d / (d * (d - 1) / 2)
    return lambda size: (p / (1 - p)) ** size


def ours(simulation: Simulation, prior: Prior, steps: int) -> dict[str, Any]:
    """Learn twice with one seed: programs are compiled in the first run, the second is what steps take."""
    import jax

    jax.clear_caches()  # type: ignore[no-untyped-call]  # of another prior, whose program is the same
    _, first = _learn(simulation, prior, steps)
    posterior, again = _learn(simulation, prior, steps)
    settings = posterior.settings
    return {
        "steps": settings["steps"],
        "particles": settings["n_graphs"],
        "cyclic": settings["cyclic_particles"],
        "cpu_seconds": first["cpu"],
        "seconds": first["wall"],
        "cpu_without_compiling": again["cpu"],
        "seconds_without_compiling": again["wall"],
        **_described(posterior, simulation, prior),
    }


def quality_of_seed(simulation: Simulation, prior: Prior, steps: int, seed: int) -> dict[str, Any]:
    """Only how good the particles of one seed are."""
    posterior, _ = _learn(simulation, prior, steps, seed)
    return _described(posterior, simulation, prior)


def _described(posterior: Posterior, simulation: Simulation, prior: Prior) -> dict[str, Any]:
    graphs: np.ndarray = posterior.model.adjacency  # type: ignore[attr-defined]
    score = GraphScore(simulation, prior)
    return describe(graphs, score_weights(graphs, score.of(graphs)), score)


def _learn(simulation: Simulation, prior: Prior, steps: int, seed: int = 0) -> tuple[Posterior, dict[str, float]]:
    cpu, wall = time.process_time(), time.perf_counter()
    posterior = osp.learn(
        simulation.data, method=osp.methods.DiBS(effort=steps / STEPS), prior=prior, rng=seed, standardize=False
    )
    return posterior, {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}


def theirs(simulation: Simulation, python: str, path: Path, cpu_limit: float | None) -> dict[str, Any]:
    """What dibs-lib found. Cyclic particles are left out, as its own metrics do, and with cycles broken beside that."""
    if not path.exists():
        _run_theirs(simulation, python, path, cpu_limit)
    with np.load(path) as file:
        run = {name: file[name] for name in file.files}
    graphs, mixture = run["graphs"], run["mixture"]
    score = GraphScore(simulation, erdos_renyi_prior(graphs.shape[1]))
    everybody = np.arange(graphs.shape[1])
    cyclic = are_cyclic(graphs, everybody)
    steps, per_step, wall_per_step = int(run["steps"]), float(run["cpu_per_step"]), float(run["wall_per_step"])
    cell: dict[str, Any] = {
        "steps": steps,
        "particles": len(graphs),
        "cyclic": int(cyclic.sum()),
        "cpu_seconds": float(run["cpu_seconds"]),
        "seconds": float(run["seconds"]),
        "cpu_without_compiling": per_step * steps,
        "seconds_without_compiling": wall_per_step * steps,
        "cpu_of_whole_run": per_step * STEPS,
        "seconds_of_whole_run": wall_per_step * STEPS,
        "likelihood_difference": _likelihood_difference(run, simulation),
        **describe(graphs[~cyclic], mixture[~cyclic], score),
    }
    if cyclic.any():
        whole = np.array([break_cycles(*pair, everybody) for pair in zip(run["logits"], graphs, strict=True)])
        cell["broken"] = describe(whole, score_weights(whole, score.of(whole)), score)
    return cell


def _likelihood_difference(run: dict[str, np.ndarray], simulation: Simulation) -> float:
    """Largest difference of their log likelihoods from ours, between graphs: 0 but for rounding if BGe is the same."""
    own = GraphScore(simulation, "uniform").of(run["graphs"])  # the prior is the same for all
    difference = run["log_likelihood"] - own
    return float(np.ptp(difference))


def _run_theirs(simulation: Simulation, python: str, path: Path, cpu_limit: float | None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = path.with_name(path.name.replace("theirs", "rows"))
    np.savez(rows, rows=simulation.data.to_numpy())
    limit = [] if cpu_limit is None else ["--cpu-limit", str(cpu_limit)]
    script = Path(__file__).parent / "theirs.py"
    # Its own output goes beside ours, which is the numbers of a cell.
    subprocess.run(
        [python, script, rows, path, "--steps", str(STEPS), *limit], check=True, stdout=sys.stderr, stderr=sys.stderr
    )
