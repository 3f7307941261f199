"""The page docs/dibs.md: tables and numbers from measured cells, in the prose of page.md."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

PAGE = Path(__file__).parents[2] / "docs" / "dibs.md"
PROSE = Path(__file__).parent / "page.md"

Results = dict[str, Any]

PROGRAMS = {
    "theirs": "dibs-lib",
    "ours": "orderspn",
    "slow": "orderspn, effort=3",
    "fair": "orderspn, fair prior",
    "short": "orderspn, as few steps",
}
METRICS = {"shd_cpdag": 1, "shd_dag": 1, "auroc": 3}
"""Digits of each."""


def write_page(results: Results) -> None:
    """Fill everything into the prose; a table without cells says that it was not measured."""
    circuits = _of(results, "trust-d")
    both = _of(results, "compare")
    small, large = ({n: c for n, c in both.items() if n.startswith(f"d={d} ")} for d in (16, 32))
    fields = {
        "quality16": quality_table(small),
        "particles16": particles_table(small),
        "seeds16": seeds_table(small),
        "quality32": quality_table(large),
        "particles32": particles_table(large),
        "seconds": seconds_table(both),
        "mass": mass_table(_of(results, "mass")),
        "trust": trust_table(circuits),
        "covered": covered_table(circuits),
        "shares": shares_table(circuits),
        "difference": _largest_difference(both),
        "short_steps": ", ".join(str(cell["theirs"]["steps"]) for cell in large.values()) or "–",
    }
    PAGE.write_text(PROSE.read_text().format(**fields))


def quality_table(cells: Results) -> str:
    """A line for each data set and program, then their means: equal weights / DiBS+."""
    rows: list[list[str]] = []
    found: dict[str, list[Any]] = {}
    for name, cell in cells.items():
        for label, numbers in _programs(cell).items():
            rows.append([name, label, *(_both(numbers, key, digits) for key, digits in METRICS.items())])
            found.setdefault(label, []).append(numbers)
    if len(cells) > 1:
        for label, several in found.items():
            if len(several) == len(cells) and all("equal" in one for one in several):
                mean = {kind: _mean_of([one[kind] for one in several]) for kind in ("equal", "plus")}
                rows.append(["mean", label, *(_both(mean, key, digits) for key, digits in METRICS.items())])
    return _table(["data", "program", "E-SHD, CPDAG", "E-SHD, DAG", "AUROC"], rows, texts=2)


def seeds_table(cells: Results) -> str:
    """One run of dibs-lib, and the mean and range over seeds of ours."""
    kinds = {"equal": "equal weights", "plus": "DiBS+"}
    keys = {"shd_cpdag": "E-SHD, CPDAG", "auroc": "AUROC"}
    programs = {"theirs": "dibs-lib", "seeds": "orderspn", "slow_seeds": "orderspn, effort=3"}
    rows = []
    for name, cell in cells.items():
        for key, label in programs.items():
            if key in cell:
                runs = [cell[key]] if key == "theirs" else cell[key]
                told = [_spread([one[kind][what] for one in runs], METRICS[what]) for kind in kinds for what in keys]
                rows.append([name, label, *told])
    header = ["data", "program", *(f"{what}, {kind}" for kind in kinds.values() for what in keys.values())]
    return _table(header, rows, texts=2)


def particles_table(cells: Results) -> str:
    """What the particles are."""
    rows = [
        [
            name,
            label,
            str(numbers.get("cyclic", "broken")),
            str(numbers.get("distinct", "–")),
            f"{_number(numbers.get('edges'), 1)} ({cell['edges']})",
            _number(numbers.get("score_mean"), 1),
            _number(numbers.get("score_best"), 1),
            _number(numbers.get("largest_weight"), 2),
        ]
        for name, cell in cells.items()
        for label, numbers in _programs(cell).items()
    ]
    header = ["data", "program", "cyclic", "distinct", "edges (true)", "mean log score", "best", "largest weight"]
    return _table(header, rows, texts=2)


def seconds_table(cells: Results) -> str:
    """Processor seconds of 3000 steps, once programs are compiled, and of the run as it was."""
    rows = []
    for name, cell in cells.items():
        theirs, ours = cell["theirs"], cell["ours"]
        compiling = [one["cpu_seconds"] - one["cpu_without_compiling"] for one in (theirs, ours)]
        rows.append(
            [
                name,
                _number(theirs["cpu_of_whole_run"], 0) + ("" if theirs["steps"] == ours["steps"] else " (scaled)"),
                _number(ours["cpu_without_compiling"], 1),
                _number(theirs["cpu_of_whole_run"] / ours["cpu_without_compiling"], 0),
                f"{compiling[0]:.0f} / {compiling[1]:.0f}",
                f"{theirs['seconds_of_whole_run']:.0f} / {ours['seconds_without_compiling']:.0f}",
            ]
        )
    header = ["data", "dibs-lib", "orderspn", "ratio", "compiling", "on the clock"]
    return _table(header, rows, texts=1)


def mass_table(cells: Results) -> str:
    """Shares of the exact posterior that particles hold."""
    rows = [
        [name, f"{cell['particles']:.2f}", f"{cell['draws']:.2f}", str(cell["distinct"]), str(cell["cyclic"])]
        for name, cell in cells.items()
    ]
    return _table(["data", "particles", "exact draws", "distinct particles", "cyclic"], rows, texts=1)


def trust_table(cells: Results) -> str:
    """Means over data sets, with the smallest and the largest value."""
    methods = list(next(iter(cells.values()))) if cells else []
    rows = [
        [
            method,
            *(_spread([cell[method][key] for cell in cells.values()], digits) for key, digits in METRICS.items()),
            _number(float(np.mean([cell[method]["cpu_seconds"] for cell in cells.values()])), 2),
        ]
        for method in methods
    ]
    return _table(["method", "E-SHD, CPDAG", "E-SHD, DAG", "AUROC", "processor seconds"], rows, texts=1)


def covered_table(cells: Results) -> str:
    """Share of draws of true edges that have positive probability, over all data sets."""
    methods = list(next(iter(cells.values()))) if cells else []
    numbers = list(next(iter(cells.values()))[methods[0]]["covered"]) if cells else []
    rows = [
        [
            method,
            *(_number(float(np.mean([cell[method]["covered"][n] for cell in cells.values()])), 2) for n in numbers),
        ]
        for method in methods
    ]
    return _table(["method", *(f"{n} edge{'s' if n != '1' else ''}" for n in numbers)], rows, texts=1)


def shares_table(cells: Results) -> str:
    """Share of the mass of all orders that circuits cover."""
    first: Results = next(iter(cells.values()), {})
    circuits = [method for method in first if first[method]["share"] is not None and method != "exact"]
    rows = [[method, *(f"{cell[method]['share']:.2g}" for cell in cells.values())] for method in circuits]
    return _table(["circuit", *cells], rows, texts=1)


def _of(results: Results, start: str) -> Results:
    """Cells of one kind, by what is left of their names."""
    kind = start.split(" ")[0]
    return {name.removeprefix(kind).strip(): cell for name, cell in results.items() if name.startswith(start)}


def _programs(cell: Any) -> dict[str, Any]:
    """Numbers of each program of a comparison, by the name that the page has for it."""
    named = {label: cell[key] for key, label in PROGRAMS.items() if key in cell}
    if "broken" in cell["theirs"]:
        label = PROGRAMS["theirs"]
        named = {label: named.pop(label), f"{label}, cycles broken": cell["theirs"]["broken"], **named}
    return named


def _both(numbers: Any, key: str, digits: int) -> str:
    if "equal" not in numbers:
        return "–"
    return f"{numbers['equal'][key]:.{digits}f} / {numbers['plus'][key]:.{digits}f}"


def _mean_of(several: Sequence[dict[str, float]]) -> dict[str, float]:
    return {key: float(np.mean([one[key] for one in several])) for key in several[0]}


def _number(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _spread(values: Sequence[float], digits: int) -> str:
    if len(values) == 1:
        return f"{values[0]:.{digits}f}"
    return f"{np.mean(values):.{digits}f} ({min(values):.{digits}f}-{max(values):.{digits}f})"


def _largest_difference(cells: Results) -> str:
    found = [cell["theirs"]["likelihood_difference"] for cell in cells.values()]
    return f"{max(found):.2g}" if found else "–"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], texts: int) -> str:
    """`texts` columns of words, the others of numbers."""
    if not rows:
        return "(not measured)"
    lines = [header, ["---"] * texts + ["---:"] * (len(header) - texts), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
