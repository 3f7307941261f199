"""Sampled DAGs: the time of a given amount of work, and how well chains mix. Writes docs/gadget.md.

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

import orderspn as osp
from benchmarks.kept_cells import measure_cells

RESULTS = Path(__file__).parent / "gadget.json"
TEMPLATE = Path(__file__).parent / "gadget.md"
PAGE = Path(__file__).parent.parent / "docs" / "gadget.md"

PUBLISHED = {16: 80, 32: 230, 64: 600}

DRAWS, MANY_DRAWS = 4000, 40_000
"""Draws with importance weights."""


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


def mixing(d: int, n_rows: int, data: int, seed: int = 0) -> dict[str, Any]:
    """What the diagnostics of the defaults say about one data set, and the processor time."""
    tiny = osp.simulate.linear_gaussian(18, 100, rng=0).data
    osp.learn(tiny, method=osp.methods.Gadget(n_graphs=16, effort=0.001), standardize=False)  # compiles or loads
    simulation = osp.simulate.linear_gaussian(d, n_rows, rng=data)
    started = time.process_time()
    posterior = osp.learn(simulation.data, method="gadget", rng=seed, standardize=False)
    cpu_seconds = time.process_time() - started
    found = posterior.settings["diagnostics"]
    return {
        **{name: found[name] for name in ("rhat_edges", "rhat_score", "ess_edges", "edge_standard_error")},
        "cpu_seconds": cpu_seconds,
        "auroc": osp.metrics.auroc(posterior.edge_probabilities().to_numpy(), simulation.network),
        "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def weights(d: int, n_rows: int, data: int, draws: int = DRAWS) -> dict[str, Any]:
    """Importance weights from the exact posterior over orders to that over DAGs, and the processor time."""
    table = osp.simulate.linear_gaussian(d, n_rows, rng=data).data
    osp.learn(table.iloc[:, :8], method="exact", standardize=False).sample(10, target="dag")  # compiles or loads
    started = time.process_time()
    samples = osp.learn(table, method="exact", standardize=False).sample(draws, target="dag", rng=0)
    assert samples.quality is not None
    return {
        "draws": draws,
        "ess": samples.quality.effective_sample_size,
        "pareto_k": samples.quality.pareto_k,
        "cpu_seconds": time.process_time() - started,
    }


CELLS: dict[str, tuple[str, dict[str, int]]] = {
    **{f"speed d={d}": ("speed", {"d": d}) for d in (16, 32, 64)},
    **{
        f"mixing d={d} N={n} data {data} seed {seed}": ("mixing", {"d": d, "n_rows": n, "data": data, "seed": seed})
        for d, n, data, seed in [
            *((64, 100, data, seed) for data in (0, 1) for seed in (0, 1)),
            (64, 100, 2, 0),
            (64, 1000, 0, 0),
            (20, 100, 0, 0),
            (20, 1000, 0, 0),
            (32, 100, 0, 0),
            (32, 1000, 0, 0),
        ]
    },
    **{
        f"weights d={d} N={n} data {data}": ("weights", {"d": d, "n_rows": n, "data": data})
        for d, n, data in [*((20, n, data) for n in (100, 1000) for data in (0, 1)), (25, 1000, 0)]
    },
    **{
        f"weights d=20 N=1000 data {data}, more": (
            "weights",
            {"d": 20, "n_rows": 1000, "data": data, "draws": MANY_DRAWS},
        )
        for data in (0, 1)
    },
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--report", action="store_true", help="only write the page again")
    parser.add_argument("--cell", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.cell is not None:
        warnings.simplefilter("ignore")
        kind, settings = CELLS[arguments.cell]
        measures: dict[str, Callable[..., dict[str, Any]]] = {"speed": speed, "mixing": mixing, "weights": weights}
        print(json.dumps(measures[kind](**settings)))
        return
    names = [] if arguments.report else list(CELLS)
    results = measure_cells("benchmarks.gadget", names, RESULTS, fresh=arguments.fresh)
    tables = {
        "speed": _speed_table(results),
        "mixing": _mixing_table(results),
        "mixed": _mixed_line(results),
        "weights": _weights_table(results),
    }
    PAGE.write_text(TEMPLATE.read_text().format(**tables))


def _speed_table(results: dict[str, Any]) -> str:
    rows = [
        f"| {name.removeprefix('speed d=')} | {cell['cpu_seconds']:.1f} | {cell['published']} | "
        f"{cell['published'] / cell['cpu_seconds']:.0f} | {cell['mib']:.0f} |"
        for name, cell in results.items()
        if name.startswith("speed")
    ]
    head = "| variables | processor seconds | published program | ratio | MiB |\n| --- | --- | --- | --- | --- |"
    return "\n".join([head, *rows])


def _mixing_table(results: dict[str, Any]) -> str:
    rows = [
        f"| {name.removeprefix('mixing ')} | {cell['rhat_edges']:.3f} | {cell['ess_edges']:.0f} | "
        f"{cell['edge_standard_error']:.3f} | {cell['auroc']:.3f} | {cell['cpu_seconds']:.0f} | {cell['mib']:.0f} |"
        for name, cell in sorted(results.items())
        if name.startswith("mixing")
    ]
    head = (
        "| data | R-hat | ESS | standard error | AUROC | processor seconds | MiB |\n"
        "| --- | --- | --- | --- | --- | --- | --- |"
    )
    return "\n".join([head, *rows])


MOST_RHAT, LEAST_ESS = 1.05, 100
"""What the worst edge should reach with the default effort, at 64 variables and 100 rows."""


def _mixed_line(results: dict[str, Any]) -> str:
    """Return in how many cells of 64 variables and 100 rows the worst edge is known well enough."""
    cells = [cell for name, cell in results.items() if name.startswith("mixing d=64 N=100 ")]
    well = [cell for cell in cells if cell["rhat_edges"] < MOST_RHAT and cell["ess_edges"] >= LEAST_ESS]
    return (
        f"With 64 variables and 100 rows, {len(well)} of {len(cells)} have an R-hat below {MOST_RHAT:g} and an "
        f"effective sample size of at least {LEAST_ESS} at their worst edge."
    )


def _weights_table(results: dict[str, Any]) -> str:
    rows = [
        f"| {name.removeprefix('weights ').removesuffix(', more')} | {cell['draws']:,} | {cell['ess']:.0f} | "
        f"{cell['pareto_k']:.2f} | {cell['cpu_seconds']:.0f} |"
        for name, cell in sorted(results.items())
        if name.startswith("weights")
    ]
    head = "| data | draws | ESS | Pareto k | processor seconds |\n| --- | --- | --- | --- | --- |"
    return "\n".join([head, *rows])


if __name__ == "__main__":
    main()
