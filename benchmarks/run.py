"""Measure every case in a process of its own, beside its reference, and write a table.

python -m benchmarks.run            # all cases; the references of the large ones take minutes
python -m benchmarks.run --quick    # only those that take seconds
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks.cases import Case

RESULTS = Path(__file__).parent / "RESULTS.md"
REPEATS = 3

IMPORT = "import time; t = time.perf_counter(); import orderspn; print(time.perf_counter() - t)"
FIRST_RESULT = """
import time; t = time.perf_counter()
import numpy as np, orderspn as osp
rng = np.random.default_rng(0)
osp.learn(rng.normal(size=(100, 8))).edge_probabilities()
print(time.perf_counter() - t)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--case", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.case is not None:
        from benchmarks.cases import CASES

        print(json.dumps(measure(CASES[arguments.case])))
        return
    rows = [fresh_process("`import orderspn`", 0.5, IMPORT), fresh_process("first result, d=8", 2.0, FIRST_RESULT)]
    from benchmarks.cases import CASES

    for number, case in enumerate(CASES):
        if arguments.quick and case.slow:
            continue
        print(case.name, file=sys.stderr, flush=True)
        output = subprocess.run(
            [sys.executable, "-m", "benchmarks.run", "--case", str(number)],
            check=True,
            capture_output=True,
            text=True,
        )
        rows.append(json.loads(output.stdout))
    report = table(rows)
    print(report)
    if not arguments.quick:
        RESULTS.write_text(report, encoding="utf-8")


def fresh_process(name: str, target: float, code: str) -> dict[str, Any]:
    """Time a new interpreter; the first run warms the caches and is not counted."""
    times = []
    for _ in range(REPEATS + 1):
        output = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        times.append(float(output.stdout))
    return {
        "name": name,
        "target": target,
        "seconds": statistics.median(times[1:]),
        "reference": None,
        "mib": None,
    }


def measure(case: Case) -> dict[str, Any]:
    """Median time of the work, time of the reference, peak memory before the reference ran."""
    import resource  # Windows does not have it

    from benchmarks.cases import Problem

    problem = Problem.make(case.d, case.settings)
    case.work(problem)  # compiles or loads the kernels
    times, answer = timed(lambda: case.work(problem), REPEATS)
    mebibytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    reference_time = None
    if case.reference is not None:
        reference, lattice = case.reference, problem.lattice()
        reference_times, expected = timed(lambda: reference(problem, lattice), 1)
        check_answer(case, answer, expected)
        reference_time = reference_times[0]
    return {
        "name": case.name,
        "target": case.target,
        "seconds": statistics.median(times),
        "reference": reference_time,
        "mib": mebibytes,
        "published": case.published,
    }


def check_answer(case: Case, answer: Any, expected: Any) -> None:
    """End the program if an answer is not that of the reference: how fast it is would mean nothing."""
    error = float(abs(answer - expected).max())
    if not error <= case.tolerance:
        raise SystemExit(f"{case.name}: differs from its reference by {error:g}")


def timed(work: Callable[[], Any], repeats: int) -> tuple[list[float], Any]:
    times = []
    answer = None
    for _ in range(repeats):
        start = time.perf_counter()
        answer = work()
        times.append(time.perf_counter() - start)
    return times, answer


def table(rows: list[dict[str, Any]]) -> str:
    import numba
    import numpy as np

    import orderspn

    lines = [
        "# Benchmarks",
        "",
        f"orderspn {orderspn.__version__}, Python {platform.python_version()}, NumPy {np.__version__}, "
        f"numba {numba.__version__}, {os.cpu_count()} cores. Data of the paper's kind with 100 rows; kernels "
        f"compiled; median of {REPEATS} runs. The NumPy-only reference ran once, in the same process, and its "
        "answers agree. Memory is the peak of the process before that, interpreter and compiler included. Circuits are "
        "the paper's, K = [64, 16, 6, 2] at 16 variables; beside them the CPU-seconds of the published program.",
        "",
        "| work | target, s | measured, s | NumPy only, s | published, CPU-s | ratio | memory, MiB |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        published = row.get("published")
        compared = row["reference"] or published
        reference = f"{row['reference']:.2f}" if row["reference"] else "–"
        ratio = f"{compared / row['seconds']:.0f}x" if compared else "–"
        memory = f"{row['mib']:.0f}" if row["mib"] else "–"
        lines.append(
            f"| {row['name']} | {row['target']:g} | {row['seconds']:.3f} | {reference} | {published or '–'} "
            f"| {ratio} | {memory} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
