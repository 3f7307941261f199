"""What variables of several columns and missing values cost, as multiples of single columns and of complete tables.

    python -m benchmarks.data_as_it_comes           # a minute; writes benchmarks/data_as_it_comes.md

Both sides of a ratio run in one thread of the same process, in turns, and the shortest processor time of each counts.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import orderspn as osp
from benchmarks.data import linear_gaussian
from orderspn.scores.choosing import fit_score
from orderspn.scores.protocol import NO_VARIABLES

RESULTS = Path(__file__).parent / "data_as_it_comes.md"
ROUNDS, RUNS = 3, 2

N_CANDIDATES, WIDTH = 12, 3
D, N_ROWS, MISSING = 16, 500, 0.1


class Comparison(NamedTuple):
    """Two kinds of work, of which the second is the one that the first is a multiple of."""

    name: str
    work: Callable[[], object]
    reference_name: str
    reference: Callable[[], object]


def family_scores(width: int) -> Callable[[], object]:
    """Return the scoring of all parent sets of a variable from 12 candidates, all of which have `width` columns."""
    n_variables = N_CANDIDATES + 1
    values = linear_gaussian(n_variables * width, N_ROWS)
    if width == 1:
        fitted = fit_score("bge", osp.read_table(values))
    else:
        names = [f"X{column}" for column in range(values.shape[1])]
        groups = {f"G{v}": names[width * v : width * (v + 1)] for v in range(n_variables)}
        table = osp.read_mixed(pd.DataFrame(values, columns=pd.Index(names)), groups=groups)
        fitted = fit_score(osp.scores.GroupBGe(), table)
    candidates = np.arange(N_CANDIDATES)
    return lambda: fitted.log_likelihoods(N_CANDIDATES, candidates, N_CANDIDATES, NO_VARIABLES)


def tables(mixed: bool) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a table of 16 variables, of which a quarter may be categories of 3 levels, and the same with gaps."""
    complete = pd.DataFrame(linear_gaussian(D, N_ROWS), columns=pd.Index([f"X{v + 1}" for v in range(D)]))
    if mixed:
        for name in complete.columns[::4]:
            complete[name] = pd.qcut(complete[name], 3, labels=["low", "middle", "high"]).astype(str)
    return complete, complete.mask(np.random.default_rng(0).random(complete.shape) < MISSING)


def learning(table: pd.DataFrame, **settings: Any) -> Callable[[], object]:
    return lambda: osp.learn(table, n_jobs=1, check=False, **settings)


def comparisons() -> list[Comparison]:
    numbers, numbers_with_gaps = tables(mixed=False)
    mixed, mixed_with_gaps = tables(mixed=True)
    gaps, variables = f"{MISSING:.0%} missing", f"{D} variables, {N_ROWS} rows"
    return [
        Comparison(
            f"scores of {2**N_CANDIDATES:,} parent sets, variables of {WIDTH} columns",
            family_scores(WIDTH),
            "variables of one column",
            family_scores(1),
        ),
        Comparison(f"learn, numbers and categories, {variables}", learning(mixed), "numbers alone", learning(numbers)),
        Comparison(f"learn, numbers, {gaps}, {variables}", learning(numbers_with_gaps), "complete", learning(numbers)),
        Comparison(
            f"learn, numbers and categories, {gaps}, {variables}",
            learning(mixed_with_gaps),
            "complete",
            learning(mixed),
        ),
    ]


def measure(comparison: Comparison) -> tuple[float, float]:
    """Return the shortest times of the work and of its reference."""
    comparison.work(), comparison.reference()  # load or compile the kernels
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(ROUNDS):
        ours += [processor_time(comparison.work) for _ in range(RUNS)]
        theirs += [processor_time(comparison.reference) for _ in range(RUNS)]
    return min(ours), min(theirs)


def processor_time(work: Callable[[], object]) -> float:
    """Return the seconds of the processor that some work takes: other work on the computer matters little."""
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    lines = [
        "# Data as it comes: what it costs",
        "",
        f"orderspn {osp.__version__}, Python {platform.python_version()}, NumPy {np.__version__}, one thread, "
        f"{os.cpu_count()} cores. Processor time, the shortest of {ROUNDS * RUNS} runs, in turns with the work that it "
        "is compared with. Missing values are imputed 20 times, from 24 learned posteriors.",
        "",
        "| work | seconds | compared with | seconds | ratio |",
        "| --- | ---: | --- | ---: | ---: |",
    ]
    for comparison in comparisons():
        ours, theirs = measure(comparison)
        compared = f"{comparison.reference_name} | {theirs:.4f} | {ours / theirs:.1f}x"
        lines.append(f"| {comparison.name} | {ours:.4f} | {compared} |")
        print(lines[-1], flush=True)
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
