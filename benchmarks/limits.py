"""Whether limits hold: seconds that `learn` takes under `time_limit`, and bytes under `memory_limit`.

python -m benchmarks.limits             # both tables
python -m benchmarks.limits time        # one of them
python -m benchmarks.limits memory

Each case has a process of its own. A first one, whose result does not count, fills the cache of compiled functions;
loading them is part of the time. The table of memory is written to `limits.md`, by `memory_cells.py`; rows that were
measured before are taken from `limits.json`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from benchmarks import memory_cells
from benchmarks.data import linear_gaussian
from benchmarks.memory_cells import Cell

ROWS = 500

SHORTEST = 0.01
"""A limit in seconds that nothing can keep: what is done whatever the limit."""

TIMES = [
    {"method": method, "d": d, "time_limit": limit}
    for method in ("trust", "gadget")
    for d in (20, 40, 100, 200)
    for limit in (SHORTEST, 5.0, 20.0)
]

PAGE, FOUND = Path(__file__).with_suffix(".md"), Path(__file__).with_suffix(".json")
SHORT = Path(__file__).with_name("limits_short.md")

SIZES: dict[str, dict[int, tuple[int, ...]]] = {
    "exact": {20: (1, 4), 26: (4, 16), 28: (16,)},
    "exact over DAGs": {13: (1,), 15: (4,)},
    "trust": {20: (1,), 26: (1,), 40: (1, 2, 4, 16), 100: (1, 2, 4, 16), 300: (2, 4), 1000: (6, 16)},
    "trust with the oracle dibs": {20: (1,), 26: (2,), 40: (4,), 100: (4,)},
    "missing values, trust": {20: (1,), 26: (1, 4), 40: (4,), 100: (4,)},
    "gadget": {20: (1,), 26: (1,), 40: (1,), 100: (1, 4), 300: (2,), 1000: (4, 16)},
    "missing values, gadget": {40: (1,)},
    "dibs": {20: (1,), 26: (1,), 40: (1,), 100: (2,), 300: (4,), 1000: (16,)},
}
"""Numbers of variables and limits in GiB, by method."""

CELLS: list[Cell] = [
    {"method": method, "variables": d, "gib": gib}
    for method, sizes in SIZES.items()
    for d, limits in sizes.items()
    for gib in limits
]
"""What the page shows; an argument --only TEXT measures some of it again."""

COLUMNS = ["learn", *memory_cells.QUESTIONS, "file"]

PLANNED = {"candidates": "settings.candidates", "orders": "settings.n_orders", "parent sets": "parent sets"}
"""Columns of what there is in memory, and their names in `limits.json`."""

HEADER = """# Do limits of memory hold?

Written by `python -m benchmarks.limits memory`. A process for each row learns a posterior under `memory_limit=`, from
data that fill the tables, and asks one question after the other ([memory_cells.py](memory_cells.py)). Numbers are MiB
at the peak, above an interpreter that has loaded the package and all compiled functions; what earlier answers left in
memory counts. A `+` was interrupted, after {least} to {most} seconds of the clock on a machine that did other work too
(`limits.json` has how many; learning after 600), and `long` is such a one whose peak was not kept. `refused` is an
error that states what is needed before any work, `-` is a question that the method does not answer, and nothing is one
that was not asked. `file` is the peak of `load` with edge probabilities.

"""


PLANS = """
## What more memory gives

Candidates of each variable and orders by default, `candidates x orders`, as `trust` plans them before it learns:

"""

PLAN_SIZES, PLAN_LIMITS = (40, 100, 300, 1000), (2, 4, 8, 16, 64)
"""Numbers of variables and limits in GiB of plans."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["time", "memory"])
    parser.add_argument("--only", default="", help="measure the rows of the memory table that contain this text")
    parser.add_argument("--longest", type=int, default=memory_cells.LONGEST, help="seconds that a question may take")
    parser.add_argument("--questions", default="", help="ask only these, with commas between; other answers are kept")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.case is not None:
        case = json.loads(arguments.case)
        print(json.dumps(time_of(case)))
        return
    if arguments.what != "memory":
        for method in ("trust", "gadget"):
            in_process({"method": method, "d": 30, "time_limit": SHORTEST})
        print("| method | variables | limit, s | seconds | processor seconds | within | less of |")
        print("| --- | ---: | ---: | ---: | ---: | --- | --- |")
        for case in TIMES:
            print(row_of_time(case, in_process(case)), flush=True)
        print()
    if arguments.what != "time":
        named = {"questions": arguments.questions.split(",")} if arguments.questions else {}
        memory(arguments.only, {"longest": arguments.longest, **named})


def in_process(case: dict[str, Any]) -> dict[str, Any]:
    """Measure one case in a new process."""
    command = [sys.executable, "-m", "benchmarks.limits", "--case", json.dumps(case)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: dict[str, Any] = json.loads(output)
    return found


def time_of(case: dict[str, Any]) -> dict[str, Any]:
    """Seconds of `learn` under a time limit, from the call on."""
    import orderspn as osp

    warnings.simplefilter("ignore")
    data = linear_gaussian(case["d"], ROWS)
    clock, processor = time.perf_counter(), time.process_time()
    posterior = osp.learn(data, method=case["method"], time_limit=case["time_limit"])
    return {
        "seconds": time.perf_counter() - clock,
        "processor": time.process_time() - processor,
        "shortened": posterior.settings["shortened"],
    }


def row_of_time(case: dict[str, Any], found: dict[str, Any]) -> str:
    limit, seconds = case["time_limit"], found["seconds"]
    held = "the least" if limit == SHORTEST else "yes" if seconds <= max(1.2 * limit, limit + 3.0) else "NO"
    less = ", ".join(f"{name} {done}/{usual}" for name, (done, usual) in found["shortened"].items())
    return (
        f"| {case['method']} | {case['d']} | {limit:g} | {seconds:.1f} | {found['processor']:.1f} | {held} | {less} |"
    )


def memory(only: str, options: Cell) -> None:
    """Measure the cells that are not known yet, or those with a text in their name, and write the page each time."""
    known = json.loads(FOUND.read_text(encoding="utf-8")) if FOUND.exists() else {}
    for cell in sorted(CELLS, key=lambda cell: (cell["gib"], cell["variables"])):  # quick ones first
        name = name_of(cell)
        if only in name if only else name not in known:
            found = memory_cells.in_process({**cell, **options})
            known[name] = with_others(known.get(name, {}), found, options) if "questions" in options else found
            print(row_of_memory(cell, known[name]), flush=True)
            FOUND.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
            write_page(known)


def with_others(before: Cell, found: Cell, options: Cell) -> Cell:
    """Return what was found of some questions beside earlier answers to the others, which had seconds of their own."""
    seconds = {f"longest.{question}": options["longest"] for question in [*options["questions"], "file"]}
    return before | found | seconds | {"longest": before.get("longest", options["longest"])}


def write_page(known: dict[str, dict[str, Any]]) -> None:
    """Write all rows, and the short table, of what has been measured."""
    measured = [cell for cell in CELLS if name_of(cell) in known]
    lines = [
        f"| method | variables | limit | {' | '.join([*PLANNED, *COLUMNS])} | holds |",
        f"| --- | ---: | ---: |{' ---: |' * len([*PLANNED, *COLUMNS])} --- |",
        *(row_of_memory(cell, known[name_of(cell)]) for cell in measured),
    ]
    missing = [name_of(cell) for cell in CELLS if cell not in measured]
    if missing:
        lines += ["", f"Not measured yet: {'; '.join(missing)}."]
    PAGE.write_text(header_of(known) + "\n".join(lines) + "\n" + PLANS + plans_table(), encoding="utf-8")
    SHORT.write_text(short_table(measured, known), encoding="utf-8")


def header_of(known: dict[str, Cell]) -> str:
    """Return the text above the table, with the seconds after which questions were interrupted."""
    seconds = [value for cell in known.values() for key, value in cell.items() if key.startswith("longest")]
    return HEADER.format(least=min(seconds), most=max(seconds))


def plans_table() -> str:
    """Return the table of default numbers of candidates and orders by memory limit."""
    lines = [
        f"| variables | {' | '.join(f'{gib} GiB' for gib in PLAN_LIMITS)} |",
        f"| ---: |{' ---: |' * len(PLAN_LIMITS)}",
        *(f"| {d} | {' | '.join(planned(d, gib) for gib in PLAN_LIMITS)} |" for d in PLAN_SIZES),
    ]
    return "\n".join(lines) + "\n"


def planned(d: int, gib: int) -> str:
    """Return the numbers of candidates and orders of d variables by default."""
    from orderspn.methods import Trust
    from orderspn.parents.plan import plan_parents

    limit = gib * memory_cells.GIB
    method = Trust().resolved(d, limit)
    plan = plan_parents(
        "auto",
        method.outsiders,
        method.refine,
        d,
        limit,
        searched=True,
        needed=lambda sizes: method.demand(sizes, 1).needed,
    )
    if method.demand(plan.sizes(d), 1).needed > limit:
        return "refused"
    return f"{plan.candidates} x {method.n_orders}"


def short_table(measured: list[Cell], known: dict[str, dict[str, Any]]) -> str:
    """Return the largest peaks of learning and of all answers of each row, for the documentation."""
    lines = ["| method | variables | limit | learning, MiB | answers, MiB |", "| --- | ---: | ---: | ---: | ---: |"]
    for cell in measured:
        found = known[name_of(cell)]
        answers = max(peaks_of([found.get(column) for column in COLUMNS[1:]]), default="")
        about = f"| {cell['method']} | {cell['variables']} | {cell['gib']} GiB |"
        lines.append(f"{about} {found.get('learn', '')} | {answers} |")
    return "\n".join(lines) + "\n"


def peaks_of(found: list[Any]) -> list[int]:
    """Return the peaks among what was found of questions; a "+" is one that was interrupted."""
    texts = [str(text).rstrip("+") for text in found]
    return [int(text) for text in texts if text.isdigit()]


def name_of(cell: Cell) -> str:
    return f"{cell['method']}, {cell['variables']} variables, {cell['gib']} GiB"


def row_of_memory(cell: Cell, found: dict[str, Any]) -> str:
    """Return a row of the table; "NO" where a peak is above the limit."""
    shown = [str(found.get(column, "")).replace("none", "-") for column in COLUMNS]
    planned = [f"{found[name]:,}" if name in found else "" for name in PLANNED.values()]
    holds = "NO" if "failed" in found or max(peaks_of(shown), default=0) > 1024 * cell["gib"] else "yes"
    return f"| {cell['method']} | {cell['variables']} | {cell['gib']} GiB | {' | '.join(planned + shown)} | {holds} |"


if __name__ == "__main__":
    main()
