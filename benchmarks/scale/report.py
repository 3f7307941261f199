"""The page docs/scale.md and its figure, from measured cells."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import orderspn
from orderspn.plot.canvas import DOTS_PER_INCH
from orderspn.plot.colours import GRID, MARKERS, SERIES

DOCS = Path(__file__).parents[2] / "docs"
PAGE, PROSE, FIGURE = DOCS / "scale.md", Path(__file__).parent / "page.md", DOCS / "scale.png"

Results = dict[str, Any]

METHODS = {"exact": "exact", "trust": "sampled orders (trust)"}
"""Methods that `learn` chooses by itself, as the figure calls them."""

BUSY = 3.0
"""Programs that want each core, above which the times of a cell are marked: processor time grows then too."""


def write_report(results: Results) -> None:
    """Fill the tables into the prose of page.md, and draw time and memory."""
    text = PROSE.read_text()
    for name, table in TABLES.items():
        text = text.replace(f"<!-- {name} -->", table(results))
    machine = f"orderspn {orderspn.__version__}, Python {platform.python_version()}, {os.cpu_count()} cores"
    text = text.replace("<!-- machine -->", machine)
    if any(name.startswith("cost") for name in results):
        draw(results)
    else:  # a figure of two points says nothing
        text = re.sub(r"^!\[.*\n\n", "", text, flags=re.MULTILINE)
    PAGE.write_text(text)


def quality_table(results: Results) -> str:
    """One line for each kind of data, averaged over data sets."""
    header = [
        "variables, rows, prior",
        "data sets",
        "AUROC",
        "average precision",
        "E-SHD, CPDAG",
        "E-SHD, DAG",
        "seconds",
        "CPU-seconds",
        "MiB",
    ]
    groups = _grouped(results, r"^(d=\d+ N=\d+ \w+) data")
    rows = [
        [
            name,
            str(len(cells)),
            _mean_and_range(cells, "auroc", 3),
            _mean(cells, "average_precision", 3),
            _mean(cells, "shd_cpdag", 1),
            _mean(cells, "shd_dag", 1),
            _largest(cells, "seconds", 1) + _mark(cells),
            _largest(cells, "cpu_seconds", 1) + _mark(cells),
            _largest(cells, "mib", 0),
        ]
        for name, cells in groups.items()
    ]
    return _table(header, rows)


def families_table(results: Results) -> str:
    """What candidates and outsiders keep."""
    header = [
        "variables, rows, prior",
        "true parents that are candidates",
        "families with an outsider",
        "left out, about",
    ]
    groups = _grouped(results, r"^(d=\d+ N=\d+ \w+) data")
    rows = [
        [
            name,
            _mean(cells, "parents_kept", 3),
            _percent(cells, "outsider_share"),
            _percent(cells, "lost_share"),
        ]
        for name, cells in groups.items()
    ]
    return _table(header, rows)


def seeds_table(results: Results) -> str:
    """What the diagnostics of one seed predict, and how another differs."""
    header = [
        "data",
        "R-hat, scores",
        "R-hat, worst edge",
        "effective orders, worst edge",
        "largest standard error",
        "largest difference of the other seed",
        "ratio",
    ]
    rows = []
    for name, cell in results.items():
        if "seed_difference" in cell:
            ratio = cell["seed_difference"] / cell["edge_standard_error"]
            rows.append(
                [
                    name,
                    f"{cell['rhat_score']:.3f}",
                    f"{cell['rhat_edges']:.3f}",
                    f"{cell['ess_edges']:.0f} of {cell['orders']:.0f}",
                    f"{cell['edge_standard_error']:.3f}",
                    f"{cell['seed_difference']:.3f}",
                    f"{ratio:.1f}",
                ]
            )
    return _table(header, rows)


def search_table(results: Results) -> str:
    """Best graphs."""
    header = ["data", "true graph", "best graph", "of a search 3 times as long, another seed", "seconds"]
    rows = [
        [
            name.removeprefix("search "),
            *(f"{cell[key]:.2f}" for key in ("true", "best", "long")),
            f"{cell['seconds']:.0f}",
        ]
        for name, cell in results.items()
        if name.startswith("search")
    ]
    return _table(header, rows)


def elbo_table(results: Results) -> str:
    """Sampled orders against a regular circuit on the same scores."""
    rows = [
        [name, f"{cell['elbo']:.1f}", f"{cell['elbo_regular']:.1f}", f"{cell['elbo'] - cell['elbo_regular']:.1f}"]
        for name, cell in results.items()
        if "elbo" in cell
    ]
    return _table(["data", "sampled orders", "regular K=[32,8,2,6,2]", "difference, nats"], rows)


def network_table(results: Results) -> str:
    """Networks of the bnlearn repository, and the bootstrap."""
    header = ["network", "method", "AUROC", "average precision", "E-SHD, DAG", "E-SHD, CPDAG", "seconds"]
    rows = []
    for name, cells in _grouped(results, r"^(\S+ N=500) data").items():
        if "bootstrap_auroc" not in cells[0]:
            continue
        keys = ("auroc", "average_precision", "shd_dag")
        digits = (3, 3, 1)
        ours = [_mean(cells, key, n) for key, n in zip(keys, digits, strict=True)]
        theirs = [_mean(cells, f"bootstrap_{key}", n) for key, n in zip(keys, digits, strict=True)]
        rows.append([name, "orderspn", *ours, _mean(cells, "shd_cpdag", 1), _largest(cells, "seconds", 1)])
        rows.append([name, "hill climbing, 30 resamples", *theirs, "–", _largest(cells, "bootstrap_seconds", 1)])
    return _table(header, rows)


def conditioning_table(results: Results) -> str:
    """Questions given eight true edges."""
    header = [
        "variables, rows, prior",
        "probability of the eight, s",
        "all edges given them, s",
        "AUROC before",
        "given them",
    ]
    rows = [
        [
            name,
            _largest(cells, "given_seconds", 2),
            _largest(cells, "given_edges_seconds", 2),
            _mean(cells, "auroc", 3),
            _mean(cells, "given_auroc", 3),
        ]
        for name, cells in _grouped(results, r"^(d=\d+ N=\d+ \w+) data").items()
    ]
    return _table(header, rows)


def cost_table(results: Results) -> str:
    """Time and memory, by variables and by rows."""
    rows = [
        [
            name,
            cell["method"],
            f"{cell['seconds']:.1f}{_mark([cell])}",
            f"{cell['cpu_seconds']:.1f}{_mark([cell])}",
            f"{cell['edges_seconds']:.1f}{_mark([cell])}",
            f"{cell['mib']:.0f}",
            f"{cell['auroc']:.3f}",
        ]
        for name, cell in _costs(results).items()
    ]
    return _table(["variables, rows", "method", "seconds", "CPU-seconds", "seconds of all edges", "MiB", "AUROC"], rows)


def best_table(results: Results) -> str:
    """The best graph alone, beside FLOP: each scored by both scores."""
    header = ["data", "search", "CPU-seconds", "log score, BGe", "log score, BIC", "SHD, CPDAG"]
    searches = {"flop": "FLOP", "bic": "best_graph, BIC", "bge": "best_graph, BGe"}
    rows = [
        [
            name.removeprefix("best "),
            about,
            *(
                f"{cell[f'{search}_{key}']:.{digits}f}"
                for key, digits in (("seconds", 1), ("log_bge", 1), ("log_bic", 1), ("distance", 0))
            ),
        ]
        for name, cell in results.items()
        if name.startswith("best")
        for search, about in searches.items()
    ]
    return _table(header, rows)


TABLES: dict[str, Callable[[Results], str]] = {
    "quality": quality_table,
    "families": families_table,
    "seeds": seeds_table,
    "search": search_table,
    "best": best_table,
    "elbo": elbo_table,
    "networks": network_table,
    "conditioning": conditioning_table,
    "cost": cost_table,
}


def draw(results: Results) -> None:
    """Time above and memory below, against variables on the left and rows on the right."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.5, 5.6), layout="constrained")
    panels = figure.subplots(2, 2, sharex="col")
    for column, (pattern, label, log) in enumerate(
        ((r"^d=(\d+) N=1000$", "variables (1000 rows)", True), (r"^d=40 N=(\d+)$", "rows (40 variables)", False))
    ):
        found = sorted(
            (int(match[1]), cell) for name, cell in _costs(results).items() if (match := re.match(pattern, name))
        )
        for axis, key, unit in zip(panels[:, column], ("seconds", "mib"), ("seconds", "peak memory, MiB"), strict=True):
            _draw_cost(axis, found, key, log)
            axis.set_ylabel(unit)
        panels[1, column].set_xlabel(label)
    panels[0, 0].legend(frameon=False)
    figure.savefig(FIGURE, dpi=DOTS_PER_INCH, metadata={"Software": None})


def _draw_cost(axis: Any, found: Sequence[tuple[int, Any]], key: str, log: bool) -> None:
    """A line for each method. What hardly changes has an axis from 0 on, what grows a logarithmic one."""
    from matplotlib.ticker import LogLocator

    for (method, about), colour, marker in zip(METHODS.items(), SERIES, MARKERS, strict=False):
        points = [(size, cell[key]) for size, cell in found if cell["method"] == method]
        if points:
            axis.plot(*zip(*points, strict=True), f"{marker}-", color=colour, label=about)
    axis.set_xscale("log")
    axis.xaxis.set_major_formatter("{x:,.0f}")
    if log:
        axis.set_yscale("log")
        axis.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.yaxis.set_major_formatter("{x:,g}")
        axis.yaxis.set_minor_formatter("")
        axis.set_xticks([10, 20, 50, 100, 200, 500, 1000])
        axis.xaxis.set_minor_formatter("")
    else:
        axis.set_ylim(0.0, 1.25 * max((cell[key] for _, cell in found), default=1.0))
        axis.yaxis.set_major_formatter("{x:,g}")
    axis.grid(color=GRID, linewidth=0.6)
    axis.set_axisbelow(True)
    axis.spines[["top", "right"]].set_visible(False)


def _costs(results: Results) -> dict[str, Any]:
    """Cells with the fair prior and the first data set, by variables, then rows."""
    found = {}
    for name, cell in results.items():
        match = re.match(r"^(?:cost )?(d=(\d+) N=(\d+))(?: fair data 0)?$", name)
        if match:
            found[int(match[2]), int(match[3])] = (match[1], cell)
    return {name: cell for _, (name, cell) in sorted(found.items())}


def _grouped(results: Results, pattern: str) -> dict[str, list[Any]]:
    groups: dict[str, list[Any]] = {}
    for name, cell in results.items():
        match = re.match(pattern, name)
        if match:
            groups.setdefault(match[1], []).append(cell)
    return groups


def _mean(cells: Sequence[Any], key: str, digits: int) -> str:
    return f"{np.mean([cell[key] for cell in cells]):.{digits}f}"


def _mean_and_range(cells: Sequence[Any], key: str, digits: int) -> str:
    values = [cell[key] for cell in cells]
    spread = f" ({min(values):.{digits}f}-{max(values):.{digits}f})" if len(values) > 1 else ""
    return f"{np.mean(values):.{digits}f}{spread}"


def _largest(cells: Sequence[Any], key: str, digits: int) -> str:
    return f"{max(cell[key] for cell in cells):.{digits}f}"


def _mark(cells: Sequence[Any]) -> str:
    """Return a star if the machine was busy while one of the cells was measured."""
    return " \\*" if any(cell.get("load", 0.0) > BUSY for cell in cells) else ""


def _percent(cells: Sequence[Any], key: str) -> str:
    return f"{100 * np.mean([cell[key] for cell in cells]):.1f}%"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
