"""Measure the same work with an older state of the sources and with this one, in turns, and write a table.

python -m benchmarks.before_after --before e291a9c

The older state is checked out into a folder that is deleted afterwards. A process of its own measures all cases with
the same number of variables; it loads the posterior, which is learned once. The states take turns, so that what else
the machine does falls on both. What counts are CPU-seconds, since they depend less on other programs.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import orderspn as osp

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "before_after.md"
TURNS, REPEATS = 1, 2


@dataclass(frozen=True)
class Case:
    """A question to a posterior by `trust` with default settings, of data with 1000 rows; it may be about an edge."""

    name: str
    d: int
    work: Callable[[osp.Posterior, str], Any]


def uncertain_edges(posterior: osp.Posterior) -> list[str]:
    """Edges that are neither certain nor impossible, as events."""
    edges, names = posterior.edge_probabilities().to_numpy(), posterior.variables
    return [f"{names[i]} -> {names[j]}" for i, j in zip(*((edges > 0.2) & (edges < 0.8)).nonzero(), strict=True)]


def edges_given_one(posterior: osp.Posterior, edge: str) -> Any:
    return posterior.given(edge).edge_probabilities()


def one_edge(posterior: osp.Posterior, edge: str) -> Any:
    return posterior.probability(edge)


def coverage(posterior: osp.Posterior, _: str) -> Any:
    return posterior.coverage()


def all_effects(posterior: osp.Posterior, _: str) -> Any:
    return posterior.causal_effects()


CASES = [
    *(Case(f"all edges given one, d={d}", d, edges_given_one) for d in (32, 64)),
    *(Case(f"probability of one edge, d={d}", d, one_edge) for d in (32, 64)),
    *(Case(f"coverage, d={d}", d, coverage) for d in (32, 64)),
    Case("all causal effects, d=32", 32, all_effects),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", default="HEAD", help="commit of the older state")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure is not None:
        print(json.dumps(measure(arguments.measure)))
        return
    with tempfile.TemporaryDirectory() as folder:
        for d in sizes():
            learn(d).save(Path(folder) / f"{d}.osp")
        old = Path(folder) / "before"
        subprocess.run(["git", "worktree", "add", "-q", "--detach", str(old), arguments.before], cwd=ROOT, check=True)
        try:
            states = {"before": old, "after": ROOT}
            found = [
                in_process(d, Path(folder), state, tree)
                for d in sizes()
                for _ in range(TURNS)
                for state, tree in states.items()
            ]
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(old)], cwd=ROOT, check=True)
    report = table(found, arguments.before)
    print(report)
    RESULTS.write_text(report, encoding="utf-8")


def sizes() -> list[int]:
    """Return the numbers of variables of the cases."""
    return sorted({case.d for case in CASES})


def learn(d: int) -> osp.Posterior:
    """Learn the posterior that both states are asked about."""
    import orderspn as osp

    return osp.learn(osp.simulate.linear_gaussian(d, 1000, rng=1).data, method="trust")


def in_process(d: int, folder: Path, state: str, tree: Path) -> dict[tuple[str, str], list[tuple[float, float]]]:
    """Return what a new process with one state of the sources measures, by case and state."""
    print(f"d={d}, {state}", file=sys.stderr, flush=True)
    environment = {**os.environ, "PYTHONPATH": f"{tree / 'src'}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "benchmarks.before_after", "--measure", str(folder / f"{d}.osp")]
    done = subprocess.run(command, env=environment, cwd=ROOT, check=True, capture_output=True, text=True)
    return {(name, state): times for name, times in json.loads(done.stdout).items()}


def measure(path: Path) -> dict[str, list[tuple[float, float]]]:
    """Return CPU-seconds and seconds of each repeat of the cases about a stored posterior.

    The first call compiles or loads kernels and does not count.
    """
    import orderspn as osp

    posterior = osp.load(path)
    first, *edges = uncertain_edges(posterior)[: 1 + REPEATS]
    times: dict[str, list[tuple[float, float]]] = {}
    for case in CASES:
        if case.d != len(posterior.variables):
            continue
        case.work(posterior, first)
        times[case.name] = []
        for edge in edges:
            cpu, start = time.process_time(), time.perf_counter()
            case.work(posterior, edge)
            times[case.name].append((time.process_time() - cpu, time.perf_counter() - start))
    return times


def table(found: list[dict[tuple[str, str], list[tuple[float, float]]]], before: str) -> str:
    lines = [
        "# Before and after",
        "",
        f"Written by `python -m benchmarks.before_after --before {before}`: medians of {TURNS * REPEATS} measurements "
        f"in {TURNS} processes of each state, in turns, {os.cpu_count()} cores that others used too. Posteriors by "
        "`trust` with default settings, `simulate.linear_gaussian(d, 1000, rng=1)`.",
        "",
        "| work | before, CPU-s | after, CPU-s | ratio | before, s | after, s |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for case in CASES:
        medians = []
        for state in ("before", "after"):
            times = [time for some in found for time in some.get((case.name, state), [])]
            medians.append([statistics.median(column) for column in zip(*times, strict=True)])
        (old, old_wall), (new, new_wall) = medians
        lines.append(f"| {case.name} | {old:.3f} | {new:.3f} | {old / new:.1f}x | {old_wall:.3f} | {new_wall:.3f} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
