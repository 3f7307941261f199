"""How long the first calls after an installation take, which compile kernels, and the same calls in a later process.

python -m benchmarks.first_calls    # writes benchmarks/first_calls.md, which a page shows
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TABLE = Path(__file__).with_name("first_calls.md")
START = """
import time, warnings
import orderspn as osp
warnings.simplefilter("ignore")  # that a search is short
sachs = osp.load_sachs(log=True).data
"""
TIMED = "import time; began = time.perf_counter(); {code}; print(time.perf_counter() - began)"


@dataclass(frozen=True)
class Case:
    """A call: what comes before it, for which kernels are compiled too but not counted, and the call itself."""

    name: str
    call: str
    before: str = ""


CASES = [
    Case("learn, exact, 11 variables", "osp.learn(sachs)"),
    Case(
        "learn, 30 variables",
        "osp.learn(data)",
        "data = osp.simulate.linear_gaussian(30, 200, rng=0).data",
    ),
    Case("learn, gadget, 11 variables", "osp.learn(sachs, method=osp.methods.Gadget(n_graphs=100, effort=0.02))"),
    Case(
        "first conditional query",
        "posterior.edge_probabilities(given='Erk -> Akt')",
        "posterior = osp.learn(sachs)",
    ),
    Case("causal effects", "posterior.causal_effects()", "posterior = osp.learn(sachs)"),
]
COMMANDS = "command line: learn and edges"


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    lines = ["| call | first process, s | second process, s |", "| --- | ---: | ---: |"]
    for name, first, second in measured():
        lines.append(f"| {name} | {first:.1f} | {second:.2f} |")
        print(lines[-1], flush=True)
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def measured() -> Iterator[tuple[str, float, float]]:
    """Measure every case twice: with an empty folder for kernels, and with what the first process left there."""
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            yield case.name, seconds_of(case, folder), seconds_of(case, folder)
    with tempfile.TemporaryDirectory() as folder:
        yield COMMANDS, seconds_of_commands(folder), seconds_of_commands(folder)


def seconds_of(case: Case, folder: str) -> float:
    """Time a call in a new process, imports before it left out."""
    code = f"{START}{case.before}\n{TIMED.format(code=case.call)}"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(folder), check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def seconds_of_commands(folder: str) -> float:
    """Time two commands, with the start of the interpreter."""
    with tempfile.TemporaryDirectory() as output:
        table, posterior = Path(output, "proteins.csv"), Path(output, "posterior.npz")
        import orderspn as osp

        osp.load_sachs(log=True).data.to_csv(table, index=False)
        began = time.perf_counter()
        for arguments in (["learn", str(table), "-o", str(posterior)], ["edges", str(posterior)]):
            command = [sys.executable, "-m", "orderspn", *arguments]
            subprocess.run(command, env=environment(folder), check=True, capture_output=True)
        return time.perf_counter() - began


def environment(folder: str) -> dict[str, str]:
    return os.environ | {"NUMBA_CACHE_DIR": folder}


if __name__ == "__main__":
    main()
