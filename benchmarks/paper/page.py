"""The page docs/results.md: tables from the rows of experiments, in the prose of page.md."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from math import sqrt
from pathlib import Path
from textwrap import fill
from typing import Any

from benchmarks.paper.plans import BEYOND, PLANS
from orderspn.experiments.approaches import APPROACHES
from orderspn.experiments.cells import EXPERIMENTS
from orderspn.experiments.tables import Row, SummaryRow, as_markdown, summarize

PROSE = Path(__file__).parent / "page.md"
PAGE = Path(__file__).parents[2] / "docs" / "results.md"
FIGURES = PAGE.parent / "results"

Results = dict[str, Any]

MISSING = "(not measured)"
PAIRS = (("TRUST-G", "GADGET"), ("TRUST-D", "DIBS"))
"""A circuit and the sampler that is its oracle."""

STEPS = (("PARAMETERS", "RANDOM"), ("STRUCTURE", "RANDOM"), ("TRUST-G", "PARAMETERS"), ("TRUST-G", "STRUCTURE"))
"""A method with a step of learning, and the same without it."""

USUAL = {
    "mixed": (("GROUPS", "CODES"), ("GROUPS", "BINS"), ("GROUPS", "CUBIC")),
    "nonlinear": (("CUBIC", "LINEAR"), ("CUBIC", "BINS"), ("AUTO", "CUBIC")),
    "missing": tuple(("IMPUTED", other) for other in ("COMPLETE-ROWS", "MEANS", "CHAINED", "CHAINED-20")),
}
"""Of data as it comes, a method of this package, and what is done instead."""

PAPER = {("TRUST-G", 4): 0.903, ("TRUST-G", 8): 0.933, ("TRUST-G", 16): 0.957} | {
    ("GADGET", 4): 0.905,
    ("GADGET", 8): 0.888,
    ("GADGET", 16): 0.876,
}
"""AUROC given n edges, the paper's table."""


def write_page(results: Results) -> None:
    """Fill all tables into the prose."""
    rows = {name: [Row(*row) for row in result["rows"]] for name, result in results.items()}
    fields = {
        "conditional": _conditional(rows),
        "performance": _table(rows, "performance"),
        "performance_32": _table(rows, "performance-32"),
        "coverage": _coverage(rows),
        "ablation": _table(rows, "ablation"),
        "exact": _table(rows, "exact"),
        "pairs": _differences(rows.get("performance", []), "performance", PAIRS),
        "pairs_32": _differences(rows.get("performance-32", []), "performance", PAIRS),
        "steps": _differences(rows.get("ablation", []), "ablation", STEPS),
        "timings": _timings(results),
    }
    for name in BEYOND:
        fields |= {
            name: _by_rows(rows, name),
            f"{name}_usual": _differences(_largest(rows, name), name, USUAL[name]),
            f"{name}_data": fill(EXPERIMENTS[name].data, 120, break_long_words=False),
            f"{name}_methods": "\n".join(f"- {one}: {APPROACHES[one].what}" for one in PLANS[name].methods),
        }
    PAGE.write_text(PROSE.read_text().format(**fields))


def _summary(rows: dict[str, list[Row]], name: str) -> list[SummaryRow]:
    return summarize(EXPERIMENTS[PLANS[name].experiment], rows.get(name, []))


def _table(rows: dict[str, list[Row]], name: str) -> str:
    """A line for each method, mean and standard deviation of every metric."""
    metrics = EXPERIMENTS[PLANS[name].experiment].metrics
    found = {(row.method, row.metric): row for row in _summary(rows, name)}
    if not found:
        return MISSING
    lines = []
    for method in PLANS[name].methods:
        cells = [found.get((method, metric.name)) for metric in metrics]
        runs = next(str(cell.runs) for cell in cells if cell is not None)
        lines.append([method, runs, *map(_mean_and_spread, cells)])
    return as_markdown(["method", "runs", *(metric.label for metric in metrics)], lines)


def _by_rows(rows: dict[str, list[Row]], name: str) -> str:
    """A line for each number of rows and method, mean and standard error of every metric."""
    metrics = EXPERIMENTS[name].metrics
    found = {(row.n, row.method, row.metric): row for row in _summary(rows, name)}
    if not found:
        return MISSING
    lines = [
        [f"{n:,}", method, *(_mean_and_error(found[n, method, metric.name]) for metric in metrics)]
        for n in sorted({n for n, *_ in found if n is not None})
        for method in PLANS[name].methods
    ]
    return as_markdown(["rows", "method", *(metric.label for metric in metrics)], lines)


def _mean_and_error(row: SummaryRow) -> str:
    digits = 1 if abs(row.mean) >= 10 else 2 if abs(row.mean) >= 1 else 3
    return f"{row.mean:.{digits}f} ± {row.standard_error or 0.0:.{digits}f}"


def _largest(rows: dict[str, list[Row]], name: str) -> list[Row]:
    """The rows of the largest tables."""
    most = max((row.n or 0 for row in rows.get(name, [])), default=0)
    return [row for row in rows.get(name, []) if row.n == most]


def _mean_and_spread(row: SummaryRow | None) -> str:
    if row is None:
        return "-"
    digits = 0 if abs(row.mean) >= 1000 else 1 if abs(row.mean) >= 10 else 3
    return f"{row.mean:.{digits}f} ± {row.sd or 0.0:.{digits}f}"


def _conditional(rows: dict[str, list[Row]]) -> str:
    found = {(row.method, row.n, row.metric): row for row in _summary(rows, "conditional")}
    if not found:
        return MISSING
    lines = []
    for n in sorted({row.n for row in rows["conditional"] if row.n is not None}):
        for method in PLANS["conditional"].methods:
            area, unanswered = found[method, n, "auroc"], found[method, n, "unanswered"]
            paper = PAPER.get((method, n))
            told = "-" if paper is None else f"{paper:.3f}"
            lines.append([str(n), method, _mean_and_spread(area), told, f"{unanswered.mean:.2f}"])
    return as_markdown(["known edges", "method", "AUROC", "in the paper", "ruled out"], lines)


def _coverage(rows: dict[str, list[Row]]) -> str:
    found = {(row.method, row.n): row for row in _summary(rows, "coverage")}
    if not found:
        return MISSING
    asked = sorted({n for _, n in found if n is not None})
    lines = [
        [method, str(found[method, asked[0]].runs), *(f"{found[method, n].mean:.2f}" for n in asked)]
        for method in PLANS["coverage"].methods
    ]
    return as_markdown(["method", "runs", *(f"n = {n}" for n in asked)], lines)


def _differences(rows: Sequence[Row], experiment: str, pairs: Iterable[tuple[str, str]]) -> str:
    """Mean difference over the runs that both methods have, with its standard error."""
    metrics = EXPERIMENTS[experiment].metrics
    value = {(row.method, row.metric, row.run): row.value for row in rows}
    lines = []
    for one, other in pairs:
        cells = []
        for metric in metrics:
            runs = [run for method, name, run in value if (method, name) == (one, metric.name)]
            differences = [
                value[one, metric.name, run] - value[other, metric.name, run]
                for run in runs
                if (other, metric.name, run) in value
            ]
            cells.append(_difference(differences, metric.better))
        if any(cell != "-" for cell in cells):
            lines.append([f"{one} less {other}", *cells])
    labels = [f"{metric.label} ({metric.better} is better)" for metric in metrics]
    return as_markdown(["", *labels], lines) if lines else MISSING


def _difference(values: Sequence[float], better: str) -> str:
    """Mean and standard error; bold where it is better by more than two of these."""
    if len(values) < 2:
        return "-"
    mean, error = statistics.fmean(values), statistics.stdev(values) / sqrt(len(values))
    digits = 1 if max(abs(mean), error) >= 10 else 2 if max(abs(mean), error) >= 1 else 4
    told = f"{mean:+.{digits}f} ± {error:.{digits}f}"
    good = mean < -2 * error if better == "lower" else mean > 2 * error
    bad = mean > 2 * error if better == "lower" else mean < -2 * error
    return f"**{told}**" if good else f"*{told}* (worse)" if bad else told


def _timings(results: Results) -> str:
    lines = []
    for name in results:
        by_method: dict[str, list[dict[str, str]]] = {}
        for cell in results[name]["timings"]:
            by_method.setdefault(cell["method"], []).append(cell)
        for method in PLANS[name].methods:
            cells = by_method[method]
            learn, measure, peak = (
                statistics.median(float(cell[key] or 0) for cell in cells)
                for key in ("learn_cpu_seconds", "measure_cpu_seconds", "peak_bytes")
            )
            lines.append([name, method, f"{learn:.2f}", f"{measure:.2f}", f"{peak / 2**20:.0f}"])
    return as_markdown(["experiment", "method", "to learn, s", "to measure, s", "peak, MiB"], lines)
