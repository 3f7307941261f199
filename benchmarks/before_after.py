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


def uncertain_edges(posterior: osp.Posterior) -> list[str]:
    """Edges that are neither certain nor impossible, as events."""
    edges, names = posterior.edge_probabilities().to_numpy(), posterior.variables
    return [f"{names[i]} -> {names[j]}" for i, j in zip(*((edges > 0.2) & (edges < 0.8)).nonzero(), strict=True)]


def eight_edges(posterior: osp.Posterior) -> list[str]:
    """Events of eight edges of the most probable graph into different variables, which are possible together."""
    into = {effect: f"{cause} -> {effect}" for cause, effect in posterior.most_probable_graph().edges.present}
    edges = sorted(into.values())
    return [", ".join(edges[start : start + 8]) for start in range(1 + REPEATS)]


@dataclass(frozen=True)
class Case:
    """A question to a posterior by `trust` with default settings, of data with 1000 rows; it may be about an event."""

    name: str
    d: int
    work: Callable[[osp.Posterior, str], Any]
    events: Callable[[osp.Posterior], list[str]] = uncertain_edges


def edges_given(posterior: osp.Posterior, event: str) -> Any:
    return posterior.given(event).edge_probabilities()


def probability(posterior: osp.Posterior, event: str) -> Any:
    return posterior.probability(event)


def coverage(posterior: osp.Posterior, _: str) -> Any:
    return posterior.coverage()


def all_effects(posterior: osp.Posterior, _: str) -> Any:
    return posterior.causal_effects()


SMALL, WHOLE = "small", "whole"
"""The events of the cases that learn: a small problem before the clock starts, and the one that is measured."""


def small_then_whole(_: osp.Posterior) -> list[str]:
    return [SMALL, WHOLE]


def learning(posterior: osp.Posterior, event: str) -> Any:
    return learn(26 if event == SMALL else len(posterior.variables)).edge_probabilities()


def best_graph(posterior: osp.Posterior, event: str) -> Any:
    return (learn(26) if event == SMALL else posterior).best_graph()


CASES = [
    *(Case(f"learning and all edges, d={d}", d, learning, small_then_whole) for d in (64, 100)),
    *(Case(f"best graph of the posterior, d={d}", d, best_graph, small_then_whole) for d in (64, 100)),
    *(Case(f"all edges given one, d={d}", d, edges_given) for d in (32, 64)),
    *(Case(f"probability of one edge, d={d}", d, probability) for d in (32, 64)),
    *(Case(f"all edges given eight, d={d}", d, edges_given, eight_edges) for d in (32, 64)),
    *(Case(f"probability of eight edges, d={d}", d, probability, eight_edges) for d in (32, 64)),
    *(Case(f"coverage, d={d}", d, coverage) for d in (32, 64)),
    Case("all causal effects, d=32", 32, all_effects),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", default="HEAD", help="commit of the older state")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--learn", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure is not None:
        print(json.dumps(measure(arguments.measure)))
        return
    if arguments.learn is not None:
        learn(int(arguments.learn.stem)).save(arguments.learn)
        return
    with tempfile.TemporaryDirectory() as folder:
        old = Path(folder) / "before"
        subprocess.run(["git", "worktree", "add", "-q", "--detach", str(old), arguments.before], cwd=ROOT, check=True)
        try:
            states = {"before": old, "after": ROOT}
            for d in sizes():  # by the older state, since both can read its files
                run(old, "--learn", Path(folder) / f"{d}.osp")
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
    found = json.loads(run(tree, "--measure", folder / f"{d}.osp"))
    return {(name, state): times for name, times in found.items()}


def run(tree: Path, work: str, path: Path) -> str:
    """Return what this program prints in a new process with the sources of a tree."""
    environment = {**os.environ, "PYTHONPATH": f"{tree / 'src'}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "benchmarks.before_after", work, str(path)]
    return subprocess.run(command, env=environment, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def measure(path: Path) -> dict[str, list[tuple[float, float]]]:
    """Return CPU-seconds and seconds of each repeat of the cases about a stored posterior.

    The first call compiles or loads kernels and does not count.
    """
    import orderspn as osp

    posterior = osp.load(path)
    times: dict[str, list[tuple[float, float]]] = {}
    for case in CASES:
        if case.d != len(posterior.variables):
            continue
        first, *events = case.events(posterior)[: 1 + REPEATS]
        case.work(posterior, first)
        times[case.name] = []
        for event in events:
            cpu, start = time.process_time(), time.perf_counter()
            case.work(posterior, event)
            times[case.name].append((time.process_time() - cpu, time.perf_counter() - start))
    return times


def table(found: list[dict[tuple[str, str], list[tuple[float, float]]]], before: str) -> str:
    lines = [
        "# Before and after",
        "",
        f"Written by `python -m benchmarks.before_after --before {before}`: medians of up to {TURNS * REPEATS} "
        f"measurements in {TURNS} processes of each state, in turns, {os.cpu_count()} cores that others used too. "
        "Posteriors by `trust` with default settings, `simulate.linear_gaussian(d, 1000, rng=1)`.",
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
