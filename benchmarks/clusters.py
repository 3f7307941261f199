"""What it costs to spread a search over a local dask cluster of 1, 2 and 4 workers, and on paper over 64.

    python -m benchmarks.clusters                  # writes clusters.md, which docs/howto/clusters.md includes

Time is processor time, which does not depend on what else the machine does. The *longest path* is that of this process
plus that of its busiest worker: the time that the search would take if every worker had a core of its own. With one
worker there are no tasks, and what that worker uses is dask's own upkeep.
"""

from __future__ import annotations

import argparse
import logging
import math
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import cloudpickle
import joblib

import orderspn as osp
from benchmarks.data import linear_gaussian
from orderspn.chains.sample import LEAST_DRAWS
from orderspn.core.tasks import Backend, chosen_backend
from orderspn.parents.plan import ROUNDS
from orderspn.search.ensemble import Effort
from orderspn.search.lost_mass import MOST_VARIABLES, OF_A_TASK
from orderspn.search.order_edges import PARTS
from orderspn.search.refinement import DRAWS, WARM_CHAINS

PAGE = Path(__file__).with_suffix(".md")
ROWS = 300
EMPTY_TASKS = 200

MANY, WORKERS, CANDIDATES, OUTSIDERS, ORDERS = 10_000, 64, 12, 128, 512
"""The problem on paper: variables, workers (and runs), candidates and outsiders of each variable, sampled orders."""


@dataclass
class Cost:
    """Processor time of one call of `learn`, and what went to the workers and back."""

    own: float
    busiest: float
    workers: float
    tasks: int = 0
    sent: int = 0
    returned: int = 0

    @property
    def path(self) -> float:
        """Seconds of this process and of its busiest worker, if there are tasks for it."""
        return self.own + (self.busiest if self.tasks else 0.0)


class Counted(Backend):
    """Counts tasks and bytes of all backends; its methods replace those of `Backend`."""

    cost = Cost(0.0, 0.0, 0.0)

    def counted(self, tasks: Any) -> Iterator[tuple[int, Any]]:
        """Yield results like `Backend._computed`, and count."""
        cost, shared = Counted.cost, set()
        for task in tasks:
            cost.tasks += 1
            # dask sends an array that several tasks share once to each worker.
            cost.sent += len(cloudpickle.dumps(task[:4]))
            shared |= {(id(content), content.nbytes) for content in task[4:] if content is not None}
        cost.sent += sum(size for _, size in shared)
        for result in COMPUTED(self, tasks):
            cost.returned += len(cloudpickle.dumps(result))
            yield result


COMPUTED = Backend._computed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--d", type=int, default=100)
    parser.add_argument("--runs", type=int, default=24)
    parser.add_argument("--effort", type=float, default=4.0)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--output", type=Path, default=PAGE)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    Backend._computed = Counted.counted  # type: ignore[method-assign, assignment]
    data = linear_gaussian(arguments.d, ROWS)
    method = osp.methods.Trust(runs=arguments.runs, effort=arguments.effort)
    found: dict[str, tuple[Cost, Any]] = {"no backend, one thread": measured(data, method, None)}
    empty = math.nan
    for workers in arguments.workers:
        with dask_cluster(workers) as client, joblib.parallel_config(backend="dask", client=client):
            name = f"{workers} worker{'s' * (workers > 1)}"
            found[name] = measured(data, method, client)
            if workers > 1:
                empty = seconds_of_an_empty_task()
        print(name, found[name][0], flush=True)
    first = next(iter(found.values()))[1]
    assert all(first.equals(edges) for _, edges in found.values()), "a backend changed an answer"
    costs = {name: cost for name, (cost, _) in found.items()}
    text = "\n".join(
        [f"{arguments.d} variables, {arguments.runs} runs, effort {arguments.effort:g}:", "", *table(costs)]
    )
    last = costs[name]
    n_sweeps = sweeps(arguments.d, arguments.effort, arguments.runs)
    per_sweep = last.workers / (arguments.runs * n_sweeps * arguments.d)
    text += "\n\n" + "\n".join(on_paper(per_sweep, empty)) + "\n"
    arguments.output.write_text(text)
    print(text)


def dask_cluster(workers: int) -> Any:
    from dask.distributed import LocalCluster

    settings = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": logging.CRITICAL}
    return cast("Any", LocalCluster)(n_workers=workers, **settings).get_client()


def measured(data: Any, method: Any, client: Any) -> tuple[Cost, Any]:
    """Learn once to load compiled functions everywhere, then measure; return the edge probabilities too."""
    small = data[:, :30]
    warm_up(small, method)
    if client is not None:
        client.run(warm_up, small, method)
    Counted.cost = cost = Cost(0.0, 0.0, 0.0)
    before = {} if client is None else client.run(time.process_time)
    begin = time.process_time()
    posterior = osp.learn(data, method=method, n_jobs=1, check=False)
    cost.own = time.process_time() - begin
    Counted.cost = Cost(0.0, 0.0, 0.0)  # of what is not measured
    after = {} if client is None else client.run(time.process_time)
    spent = [after[worker] - before[worker] for worker in after]
    cost.busiest, cost.workers = max(spent, default=0.0), sum(spent)
    return cost, posterior.edge_probabilities()


def warm_up(data: Any, method: Any) -> None:
    """Load compiled functions, in this process or in each worker."""
    with warnings.catch_warnings(), joblib.parallel_config(backend="sequential"):
        warnings.simplefilter("ignore", UserWarning)
        osp.learn(data, method=method.with_settings(effort=0.01), n_jobs=1, check=False)


def seconds_of_an_empty_task() -> float:
    """Return the time from sending to receiving, divided by the number of tasks sent at once."""
    backend = chosen_backend()
    assert backend is not None
    backend.run(nothing, (), [()])
    begin = time.perf_counter()
    backend.run(nothing, (), [()] * EMPTY_TASKS)
    return (time.perf_counter() - begin) / EMPTY_TASKS


def nothing(*_: object) -> None:
    """Do nothing, in a worker."""


def table(costs: dict[str, Cost]) -> list[str]:
    first = next(iter(costs.values()))
    lines = [
        "| | tasks | sent | returned | this process | all workers | busiest worker | longest path | times as fast |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, cost in costs.items():
        size = [f"{amount / 1e6:.1f} MB" for amount in (cost.sent, cost.returned)]
        seconds = [f"{spent:.1f} s" for spent in (cost.own, cost.workers, cost.busiest, cost.path)]
        row = [name, str(cost.tasks), *size, *seconds, f"{first.path / cost.path:.1f}"]
        lines.append(f"| {' | '.join(row)} |")
    return lines


def sweeps(d: int, effort: float, runs: int) -> float:
    """Return the sweeps of each run, over all of its chains, refinement included (see `search/ensemble.py`)."""
    usual = Effort.usual(d, effort)
    of_a_round = usual.burn_in / 4 + DRAWS * usual.thin / 4
    draws = max(LEAST_DRAWS, ORDERS / runs)
    return usual.temperatures * (usual.burn_in + ROUNDS * of_a_round + draws * usual.thin)


def on_paper(per_sweep: float, empty: float) -> list[str]:
    """Return the cost model for many variables, from the measured time per variable in a sweep."""
    usual = Effort.usual(MANY)
    statistics = 8 * MANY**2
    lists = 8 * MANY * (CANDIDATES + OUTSIDERS)
    state = 8 * usual.temperatures * MANY
    warm = 8 * DRAWS * WARM_CHAINS * MANY
    orders = 8 * ORDERS * MANY
    edges = PARTS * (8 + 2 * 4) * MANY * (CANDIDATES + OUTSIDERS)  # a number and two sums of each possible edge
    asked = PARTS * (ROUNDS + 2) + 1 + -(-MOST_VARIABLES // OF_A_TASK)
    n_tasks = WORKERS * (1 + 2 * ROUNDS + 2) + asked
    hours = per_sweep * MANY * sweeps(MANY, 1.0, WORKERS) / 3600
    rows = [
        ("fitted score, d² numbers, once to each worker", statistics, WORKERS),
        ("candidates and outsiders, once a round to each worker", lists, WORKERS * (ROUNDS + 1)),
        ("states of a run, to and fro", 2 * state, WORKERS * (2 * ROUNDS + 2)),
        ("warm orders for the refinement, back", warm, WORKERS * ROUNDS),
        ("sampled orders, back, all runs", orders, 1),
        ("warm orders of all runs, to the workers that sum their edges", warm * WORKERS, ROUNDS),
        ("sampled orders, to those, and with the lost mass once to each worker", orders, 3 + WORKERS),
        ("sums of edges, back", edges, ROUNDS + 1),
    ]
    return [
        f"On paper, {MANY:,} variables on {WORKERS} workers with one run each, {CANDIDATES} candidates and {OUTSIDERS} "
        "outsiders:",
        "",
        "| what travels | each | times | in all |",
        "| --- | ---: | ---: | ---: |",
        *(f"| {what} | {_size(size)} | {times} | {_size(size * times)} |" for what, size, times in rows),
        f"| all | | | {_size(sum(size * times for _, size, times in rows))} |",
        "",
        f"These are {n_tasks} tasks; an empty one took {1e3 * empty:.1f} ms here, so {n_tasks * empty:.0f} s in all. A "
        f"run walks for about {hours:.1f} hours (by the measured {1e6 * per_sweep:.2f} µs per variable of a sweep, "
        "tables included), however many there are beside it.",
    ]


def _size(size: float) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"


if __name__ == "__main__":
    main()
