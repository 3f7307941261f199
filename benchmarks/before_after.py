"""Measure the same work with an older state of the sources and with this one, in turns, and write a table.

python -m benchmarks.before_after --before e291a9c                 # about 40 minutes
python -m benchmarks.before_after --before e291a9c --only effects  # rows with this text; the others stay

The older state is checked out into a folder that is deleted afterwards. A process of its own measures some cases, with
one state; the states take turns, so that what else the machine does falls on both. Questions are about posteriors that
are learned once. What counts are CPU-seconds, since they depend less on other programs.
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
from pathlib import Path
from typing import Any

from benchmarks.before_after_cases import CASES, REPEATS, Case, learn, of_edges

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).with_suffix(".md")
KEPT = Path(__file__).with_suffix(".json")

Found = dict[str, Any]
"""What was measured of a case with one state: CPU-seconds, seconds and quality, or why there is nothing."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", default="HEAD", help="commit of the older state")
    parser.add_argument("--only", default="", help="measure the rows that contain this text")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--learn", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure is not None:
        path, names = arguments.measure
        print(json.dumps(measure(Path(path), json.loads(names))))
        return
    if arguments.learn is not None:
        learn(int(arguments.learn.stem)).save(arguments.learn)
        return
    known = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() and arguments.only else {}
    with tempfile.TemporaryDirectory() as folder:
        old = Path(folder) / "before"
        subprocess.run(["git", "worktree", "add", "-q", "--detach", str(old), arguments.before], cwd=ROOT, check=True)
        try:
            compare([case for case in CASES if arguments.only in case.name], Path(folder), old, known, arguments.before)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(old)], cwd=ROOT, check=True)
    print(RESULTS.read_text(encoding="utf-8"))


def compare(cases: list[Case], folder: Path, old: Path, known: dict[str, dict[str, Found]], before: str) -> None:
    """Measure the cases with both states, and write what is known after each group of them."""
    for d in sorted({case.d for case in cases if case.stored}):
        run(old, "--learn", str(folder / f"{d}.npz"))  # by the older state, since both can read its files
    for group in dict.fromkeys(case.group for case in cases):
        own = [case for case in cases if case.group == group]
        for state, tree in {"before": old, "after": ROOT}.items():
            print(f"{group}, {state}", file=sys.stderr, flush=True)
            names = json.dumps([case.name for case in own])
            measured_here = json.loads(run(tree, "--measure", str(folder / f"{own[0].d}.npz"), names))
            for case in own:
                found = measured_here[case.name]
                if "edges" in found.get("quality", {}):
                    found["quality"] = of_edges(case, found["quality"]["edges"])
                known.setdefault(case.name, {})[state] = found
        KEPT.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
        RESULTS.write_text(page(known, before), encoding="utf-8")


def run(tree: Path, *arguments: str) -> str:
    """Return what this program prints in a new process with the sources of a tree."""
    environment = {**os.environ, "PYTHONPATH": f"{tree / 'src'}{os.pathsep}{ROOT}", "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-m", "benchmarks.before_after", *arguments]
    return subprocess.run(command, env=environment, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def measure(path: Path, names: list[str]) -> dict[str, Found]:
    """Return what was measured of some cases, of which those about a posterior are about the one in a file."""
    import orderspn as osp

    found: dict[str, Found] = {}
    for case in CASES:
        if case.name in names:
            posterior = osp.load(path) if case.stored else None
            try:
                found[case.name] = measured(case, posterior)
            except osp.UserError as error:
                found[case.name] = {"refused": str(error)}
    return found


def measured(case: Case, posterior: Any) -> Found:
    """Measure a case; the first input compiles or loads kernels and does not count."""
    first, *inputs = case.inputs(posterior)[: 1 + REPEATS]
    case.work(posterior, first)
    times = []
    for one in inputs:
        cpu, start = time.process_time(), time.perf_counter()
        result = case.work(posterior, one)
        times.append((time.process_time() - cpu, time.perf_counter() - start))
    cpu_seconds, seconds = (statistics.median(column) for column in zip(*times, strict=True))
    return {"cpu_seconds": cpu_seconds, "seconds": seconds, "quality": case.quality(result)}


def page(known: dict[str, dict[str, Found]], before: str) -> str:
    lines = [
        "# Before and after",
        "",
        f"Written by `python -m benchmarks.before_after --before {before}`: medians of up to {REPEATS} measurements by "
        f"each state, in turns, on {os.cpu_count()} cores. Data are `simulate.linear_gaussian(d, 1000, rng=1)`, with "
        "weights N(0, 1/4) and noise variances between 1 and 4 where a degree is given; posteriors are by `trust` with "
        "default settings where nothing else is said. The older state had no search for a graph alone: it learns a "
        "posterior for it. Questions are about posteriors that the older state learned.",
        "",
        "| work | before, CPU-s | after, CPU-s | ratio | before, s | after, s | quality, before and after |",
        "| --- | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    lines += [row(case.name, **known[case.name]) for case in CASES if case.name in known]
    return "\n".join(lines) + "\n"


def row(name: str, before: Found, after: Found) -> str:
    if "refused" in before:
        return f"| {name} | refused | {after['cpu_seconds']:.3f} | | | {after['seconds']:.3f} | {of(after)} |"
    times = f"{before['cpu_seconds']:.3f} | {after['cpu_seconds']:.3f}"
    ratio = before["cpu_seconds"] / after["cpu_seconds"]
    quality = "; ".join(
        f"{what} {shown(before['quality'][what])}, {shown(value)}" for what, value in after["quality"].items()
    )
    return f"| {name} | {times} | {ratio:.1f}x | {before['seconds']:.3f} | {after['seconds']:.3f} | {quality} |"


def of(found: Found) -> str:
    return "; ".join(f"{what} {shown(value)}" for what, value in found["quality"].items())


def shown(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


if __name__ == "__main__":
    main()
