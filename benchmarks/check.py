"""Whether a few quick cases are still as many times faster than NumPy alone as when their ratios were recorded.

    python -m benchmarks.check            # ends with 1 if one has become slower by more than a quarter
    python -m benchmarks.check --record   # measures, and writes benchmarks/ratios.json

Seconds differ between computers, ratios hardly: both sides run in one thread of the same process, in turns, and the
shortest time of each counts. Other work on the computer can still disturb a case, so one that seems slower is measured
again, for longer, before it fails.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.run import check_answer, timed

if TYPE_CHECKING:
    from benchmarks.cases import Case

RATIOS = Path(__file__).parent / "ratios.json"
SLOWER = 0.25
"""Share by which a case may be slower than recorded."""

ROUNDS, MORE_ROUNDS = 4, 12
RUNS = 3
"""Runs of the work in each round, beside one of the reference, which takes longer."""

Measure = Callable[["Case", int], float]


@dataclass(frozen=True)
class Verdict:
    """One case: its ratio now, and the recorded one; None if it was not measured, or not recorded."""

    name: str
    ratio: float | None
    recorded: float | None

    @property
    def change(self) -> float | None:
        """By how much its time has grown, compared with NumPy: 0.25 is a quarter slower."""
        return None if self.ratio is None or self.recorded is None else self.recorded / self.ratio - 1.0

    @property
    def slower(self) -> bool:
        """Whether it is too slow."""
        return self.change is not None and self.change > SLOWER

    @property
    def passes(self) -> bool:
        """Whether it was measured, recorded, and is fast enough."""
        return self.change is not None and not self.slower

    @property
    def words(self) -> str:
        """The verdict for people."""
        if self.recorded is None:
            return "not recorded; run with --record"
        if self.ratio is None:
            return "recorded, but no longer a case; run with --record"
        return f"SLOWER by more than {SLOWER:.0%}" if self.slower else "ok"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true", help="write the ratios instead of comparing them")
    from benchmarks.cases import CHECKED

    if parser.parse_args(arguments).record:
        ratios = {case.name: told(case, MORE_ROUNDS) for case in CHECKED}
        RATIOS.write_text(document(ratios), encoding="utf-8")
        print(table([Verdict(name, ratio, ratio) for name, ratio in ratios.items()]))
        return 0
    recorded = json.loads(RATIOS.read_text(encoding="utf-8"))["ratios"]
    verdicts = judge(CHECKED, recorded, told)
    print(table(verdicts))
    return exit_code(verdicts)


def judge(cases: Sequence[Case], recorded: Mapping[str, float], measure: Measure) -> list[Verdict]:
    """Measure all cases; one that is too slow is measured once more, with more rounds."""
    verdicts = []
    for case in cases:
        verdict = Verdict(case.name, measure(case, ROUNDS), recorded.get(case.name))
        if verdict.slower:
            verdict = Verdict(case.name, measure(case, MORE_ROUNDS), verdict.recorded)
        verdicts.append(verdict)
    names = {case.name for case in cases}
    return verdicts + [Verdict(name, None, ratio) for name, ratio in recorded.items() if name not in names]


def exit_code(verdicts: Sequence[Verdict]) -> int:
    """0 if all cases pass, otherwise 1."""
    return 0 if all(verdict.passes for verdict in verdicts) else 1


def told(case: Case, rounds: int) -> float:
    """Measure a case, and tell its name meanwhile."""
    print(f"{case.name} ({rounds} rounds)", file=sys.stderr, flush=True)
    return ratio_of(case, rounds)


def ratio_of(case: Case, rounds: int) -> float:
    """How many times faster the work is than its reference, by the shortest times of each."""
    from benchmarks.cases import Problem

    reference = case.reference
    if reference is None:
        raise ValueError(f"{case.name} has no reference")
    problem = Problem.make(case.d, case.settings)
    lattice = problem.lattice()
    check_answer(case, case.work(problem), reference(problem, lattice))  # it also loads the kernels
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(rounds):
        ours += timed(lambda: case.work(problem), RUNS)[0]
        theirs += timed(lambda: reference(problem, lattice), 1)[0]
    return min(theirs) / min(ours)


def document(ratios: Mapping[str, float]) -> str:
    """The content of the file of ratios."""
    import numba
    import numpy as np

    versions = {"python": platform.python_version(), "numpy": np.__version__, "numba": numba.__version__}
    rounded = {name: round(ratio, 2) for name, ratio in ratios.items()}
    return json.dumps({"recorded with": versions, "ratios": rounded}, indent=2) + "\n"


def table(verdicts: Sequence[Verdict]) -> str:
    """One line for each case, in columns."""

    def times(value: float | None) -> str:
        return "–" if value is None else f"{value:.1f}x"

    rows = [("case", "recorded", "now", "time", "")]
    for verdict in verdicts:
        change = "–" if verdict.change is None else f"{verdict.change:+.0%}"
        rows.append((verdict.name, times(verdict.recorded), times(verdict.ratio), change, verdict.words))
    width = max(len(row[0]) for row in rows)
    return "\n".join(f"{a:<{width}}  {b:>8}  {c:>8}  {d:>6}  {e}".rstrip() for a, b, c, d, e in rows)


if __name__ == "__main__":
    sys.exit(main())
