"""Partition MCMC: the time of a given amount of work, and whether seeds agree. Writes docs/gadget.md.

python -m benchmarks.gadget          # about 15 minutes; cells that are done are kept in gadget.json
python -m benchmarks.gadget --fresh  # measure everything again

The work is that of the published program's usual run: 16 chains of 20,000 moves, 10,000 graphs, 16 candidates (or all),
from the data to the sample; it took 80, 230 and 600 seconds of processor time at 16, 32 and 64 variables.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import orderspn as osp
from benchmarks.kept_cells import measure_cells

RESULTS = Path(__file__).parent / "gadget.json"
TEMPLATE = Path(__file__).parent / "gadget.md"
PAGE = Path(__file__).parent.parent / "docs" / "gadget.md"

PUBLISHED = {16: 80, 32: 230, 64: 600}
SEEDS = 4


def speed(d: int) -> dict[str, float]:
    """Seconds of processor time, and memory, for the same work as the published program's."""
    from orderspn.core.deadline import Deadline
    from orderspn.core.randomness import seed_sequence
    from orderspn.core.workers import Workers
    from orderspn.data.dataset import read_table
    from orderspn.gadget.sampler import GadgetEffort
    from orderspn.methods.gadget import Gadget
    from orderspn.methods.problem import Problem
    from orderspn.parents.plan import plan_parents
    from orderspn.scores.choosing import fit_score
    from orderspn.scores.local import LocalScore
    from orderspn.scores.structure_prior import log_prior_by_size
    from orderspn.search.ensemble import Effort

    def learn(d: int, effort: GadgetEffort, n_graphs: int) -> None:
        dataset = read_table(osp.simulate.linear_gaussian(d, 100, rng=0).data, None, standardize=False)
        plan = plan_parents(min(16, d - 1), 0, None, d, 2**32, searched=True, needed=lambda _: 0)
        local = LocalScore(fit_score("bge", dataset), log_prior_by_size("fair", d), d - 1)
        problem = Problem(tuple(dataset.variables), local, plan, seed_sequence(0), Workers(2), Deadline())
        Gadget(n_graphs=n_graphs).searched(problem, Effort.usual(d), effort)

    learn(18, GadgetEffort(1, 2, 20), 16)  # compiles or loads what is compiled
    learn(6, GadgetEffort(1, 2, 20), 16)
    started, clock = time.process_time(), time.perf_counter()
    learn(d, GadgetEffort(1, 16, 20_000), 10_000)
    return {
        "cpu_seconds": time.process_time() - started,
        "seconds": time.perf_counter() - clock,
        "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "published": PUBLISHED[d],
    }


def agreement(d: int, n_rows: int) -> dict[str, Any]:
    """Largest difference of edge probabilities between seeds, and what each seed's diagnostics say."""
    simulation = osp.simulate.linear_gaussian(d, n_rows, rng=0)
    edges, found, seconds = [], [], []
    for seed in range(SEEDS):
        started = time.perf_counter()
        posterior = osp.learn(simulation.data, method="gadget", rng=seed, standardize=False)
        seconds.append(time.perf_counter() - started)
        edges.append(posterior.edge_probabilities().to_numpy())
        found.append(posterior.settings["diagnostics"])
    return {
        "seconds": float(np.mean(seconds)),
        "largest_difference": float(max(np.abs(a - b).max() for a in edges for b in edges)),
        "rhat_edges": max(one["rhat_edges"] for one in found),
        "rhat_score": max(one["rhat_score"] for one in found),
        "ess_edges": min(one["ess_edges"] for one in found),
        "edge_standard_error": max(one["edge_standard_error"] for one in found),
        "auroc": float(np.mean([osp.metrics.auroc(one, simulation.network) for one in edges])),
        "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


CELLS: dict[str, tuple[str, dict[str, int]]] = {
    **{f"speed d={d}": ("speed", {"d": d}) for d in (16, 32, 64)},
    **{f"agreement d={d} N={n}": ("agreement", {"d": d, "n_rows": n}) for d in (32, 64) for n in (100, 1000)},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--cell", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.cell is not None:
        warnings.simplefilter("ignore")
        kind, settings = CELLS[arguments.cell]
        measure: Callable[..., dict[str, Any]] = speed if kind == "speed" else agreement
        print(json.dumps(measure(**settings)))
        return
    results = measure_cells("benchmarks.gadget", CELLS, RESULTS, fresh=arguments.fresh)
    PAGE.write_text(TEMPLATE.read_text().format(speed=_speed_table(results), agreement=_agreement_table(results)))


def _speed_table(results: dict[str, Any]) -> str:
    rows = [
        f"| {name.removeprefix('speed d=')} | {cell['cpu_seconds']:.1f} | {cell['published']} | "
        f"{cell['published'] / cell['cpu_seconds']:.0f} | {cell['mib']:.0f} |"
        for name, cell in results.items()
        if name.startswith("speed")
    ]
    head = "| variables | processor seconds | published program | ratio | MiB |\n| --- | --- | --- | --- | --- |"
    return "\n".join([head, *rows])


def _agreement_table(results: dict[str, Any]) -> str:
    rows = [
        f"| {name.removeprefix('agreement ')} | {cell['largest_difference']:.3f} | {cell['edge_standard_error']:.3f} | "
        f"{cell['rhat_edges']:.3f} | {cell['ess_edges']:.0f} | {cell['auroc']:.3f} | {cell['seconds']:.0f} | "
        f"{cell['mib']:.0f} |"
        for name, cell in results.items()
        if name.startswith("agreement")
    ]
    head = (
        "| data | largest difference | standard error | R-hat | ESS | AUROC | seconds | MiB |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |"
    )
    return "\n".join([head, *rows])


if __name__ == "__main__":
    main()
