"""The pages docs/peers.md and docs/peers-tables.md: tables and figures from kept cells, within prose."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

import orderspn
from benchmarks.markdown import table_of
from benchmarks.peers.environments import OURS, REQUIREMENTS, interpreter
from benchmarks.peers.figures import draw_distances, draw_reliability
from benchmarks.peers.methods import METHODS
from benchmarks.peers.summaries import (
    COST,
    EDGES,
    GRAPH,
    Measure,
    Results,
    best_method,
    difference,
    mean_and_spread,
    rows_of,
    troubles,
    values_of,
)
from benchmarks.peers.tables import FAMILIES

DOCS = Path(__file__).parents[2] / "docs"
PROSE = Path(__file__).parent
PAGES = {"page.md": "peers.md", "page_tables.md": "peers-tables.md"}

RIVALS = [name for name, method in METHODS.items() if method.environment != OURS]
OF_THE_SUMMARY = ("ours", "ours-learned", "ours-auto")
"""Our methods that the summary compares with others."""

MEASURES = {measure.key: measure for measure in (*GRAPH, *EDGES)}
VERDICTS = [
    MEASURES[key] for key in ("shd", "arrowhead_f1", "average_precision", "brier", "log_loss", "log_loss_common")
]


def write_page(results: Results) -> None:
    """Fill tables into the prose, and draw the figures."""
    filled = {f"<!-- {name} -->": table(results) for name, table in TABLES.items()}
    for prose, page in PAGES.items():
        text = (PROSE / prose).read_text()
        for place, table in filled.items():
            text = text.replace(place, table)
        (DOCS / page).write_text(text)
    draw_distances(results, DOCS / "peers_distances.png")
    draw_reliability(results, DOCS / "peers_reliability.png")


def _tables(results: Results, measures: Sequence[Measure], gives: str) -> str:
    """One table for each family of data."""
    parts = []
    for family in FAMILIES.values():
        rows = []
        for method in METHODS.values():
            cells = [cell for cell in rows_of(results, method.name, family.name).values() if "cpu_seconds" in cell]
            if cells and gives in method.gives:
                shown = [mean_and_spread(cells, measure) for measure in (*measures, *COST)]
                rows.append([method.label, str(len(cells)), *shown])
        if rows:
            header = ["method", "tables", *(measure.label for measure in (*measures, *COST))]
            parts.append(f"**{family.label}** (`{family.name}`)\n\n{table_of(header, rows)}")
    return "\n\n".join(parts)


def _overview(results: Results, measure: Measure) -> str:
    """Means of one measure: data by methods, the best in bold. Methods that answered few of the data are left out."""
    shown = [
        method
        for method in METHODS.values()
        if sum(len(_answers(results, method.name, family, measure)) > 0 for family in FAMILIES) > len(FAMILIES) / 3
    ]
    rows = []
    for family in FAMILIES:
        means = {
            method.name: values.mean()
            for method in shown
            if len(values := _answers(results, method.name, family, measure))
        }
        if means:
            texts = {name: f"{mean:.{measure.digits}f}" for name, mean in means.items()}
            best = texts[(max if measure.more_is_better else min)(means, key=lambda name: means[name])]
            bold = {name: f"**{text}**" if text == best else text for name, text in texts.items()}
            rows.append([f"`{family}`", *(bold.get(method.name, "") for method in shown)])
    return table_of(["data", *(method.label for method in shown)], rows)


def _answers(results: Results, method: str, family: str, measure: Measure) -> np.ndarray:
    return values_of(rows_of(results, method, family).values(), measure.key)


def verdict_table(results: Results, ours: str) -> str:
    """One of our methods against the best of the others, by data and measure."""
    rows = []
    for family in FAMILIES.values():
        for measure in VERDICTS:
            rival = best_method(results, RIVALS, family.name, measure)
            found = rival and difference(results, ours, rival, family.name, measure.key)
            if not rival or not found:
                continue
            own = values_of(rows_of(results, ours, family.name).values(), measure.key).mean()
            theirs = values_of(rows_of(results, rival, family.name).values(), measure.key).mean()
            error = "" if found.error is None else f" ± {found.error:.{measure.digits}f}"
            rows.append(
                [
                    f"`{family.name}`",
                    measure.label,
                    f"{own:.{measure.digits}f}",
                    f"{METHODS[rival].label}, {theirs:.{measure.digits}f}",
                    f"{found.mean:+.{measure.digits}f}{error} ({found.tables})",
                    found.verdict(measure.more_is_better),
                ]
            )
    header = [
        "data",
        "measure",
        METHODS[ours].label,
        "best of the others",
        "difference ± error (tables)",
        "orderspn is",
    ]
    return table_of(header, rows)


def summary_counts(results: Results, ours: str) -> str:
    """How often one of our methods is ahead, equal or behind, by measure."""
    rows = []
    for measure in VERDICTS:
        counted: dict[str, list[str]] = {"ahead": [], "equal": [], "behind": [], "too few tables": []}
        for family in FAMILIES.values():
            rival = best_method(results, RIVALS, family.name, measure)
            found = rival and difference(results, ours, rival, family.name, measure.key)
            if found:
                counted[found.verdict(measure.more_is_better)].append(f"`{family.name}`")
        rows.append([measure.label, *(", ".join(names) or "none" for names in counted.values())])
    return table_of(["measure", "ahead", "equal", "behind", "too few tables to say"], rows)


def which_table(results: Results) -> str:
    """The best method of all on each family, by what is wanted."""
    wanted = {
        "one graph (SHD)": GRAPH[0],
        "ranking of pairs (average precision)": EDGES[1],
        "probabilities (log loss)": EDGES[4],
    }
    rows = []
    for family in FAMILIES.values():
        shown = []
        for measure in wanted.values():
            best = best_method(results, METHODS, family.name, measure)
            if best is None:
                shown.append("")
                continue
            cells = rows_of(results, best, family.name).values()
            seconds = values_of(cells, "cpu_seconds").mean()
            shown.append(f"{METHODS[best].label}: {mean_and_spread(cells, measure)} in {seconds:.2g} s")
        rows.append([family.label, *shown])
    return table_of(["data", *wanted], rows)


def coverage_table(results: Results) -> str:
    """Shares of true effects within their 90% intervals, and how wide these are."""
    columns = {
        "coverage": "all pairs",
        "coverage_of_effects": "pairs with an effect",
        "interval_width": "width, all",
        "interval_width_of_effects": "width, with an effect",
    }
    rows = [
        [
            f"`{family}`",
            method.label,
            *(mean_and_spread(cells, Measure(key, label, 2, True)) for key, label in columns.items()),
            str(len(values_of(cells, "coverage"))),
        ]
        for family in FAMILIES
        for method in METHODS.values()
        if len(values_of(cells := list(rows_of(results, method.name, family).values()), "coverage"))
    ]
    return table_of(["data", "method", *columns.values(), "tables"], rows)


def limits_list(results: Results) -> str:
    """What was not measured, and why."""
    lines = [
        f"- {METHODS[name.split(' | ')[0]].label} on `{name.split(' | ')[1]}`: more than {limits[0]:.0f} CPU-seconds."
        for name, limits in troubles(results, "over_limit").items()
    ]
    lines += [
        f"- {METHODS[name.split(' | ')[0]].label} on `{name.split(' | ')[1]}`: {len(reasons)} failed, {reasons[0]}"
        for name, reasons in troubles(results, "failed").items()
    ]
    for method in METHODS.values():
        if not any(rows_of(results, method.name, family) for family in FAMILIES):
            why = "not run" if interpreter(method.environment) else "not run: it could not be installed here"
            lines.append(f"- {method.label}: {why}.")
    few = [
        f"{METHODS[method].label} on `{family.name}` ({n})"
        for method in METHODS
        for family in FAMILIES.values()
        if 0 < (n := sum("cpu_seconds" in c for c in rows_of(results, method, family.name).values())) < family.repeats
    ]
    if few:
        lines.append(f"- Fewer repeats than the family has, for time: {', '.join(few)}.")
    absent = [
        (method, family)
        for method in METHODS.values()
        for family in FAMILIES.values()
        if any(rows_of(results, method.name, other) for other in FAMILIES)
        and family.kind in method.kinds
        and not rows_of(results, method.name, family.name)
    ]
    for reason, is_too_large in (
        ("More variables than the study gives to the method", True),
        ("Not reached, for time", False),
    ):
        by_method: dict[str, list[str]] = {}
        for method, family in absent:
            if (family.make(0).values.shape[1] > method.most_variables) == is_too_large:
                by_method.setdefault(method.label, []).append(f"`{family.name}`")
        if by_method:
            shown = "; ".join(f"{label} on {', '.join(names)}" for label, names in by_method.items())
            lines.append(f"- {reason}: {shown}.")
    return "\n".join(lines)


def versions(_: Results) -> str:
    """What was compared."""
    packages = sorted({p for calls in REQUIREMENTS.values() for call in calls for p in call if "==" in p})
    return f"orderspn {orderspn.__version__}, Python {platform.python_version()}; {', '.join(packages)}"


TABLES: dict[str, Callable[[Results], str]] = {
    "graphs": lambda results: _tables(results, GRAPH, "graph"),
    "edges": lambda results: _tables(results, EDGES, "edges"),
    "overview shd": lambda results: _overview(results, MEASURES["shd"]),
    "overview average precision": lambda results: _overview(results, MEASURES["average_precision"]),
    "overview log loss": lambda results: _overview(results, MEASURES["log_loss"]),
    "overview log loss common": lambda results: _overview(results, MEASURES["log_loss_common"]),
    **{f"verdicts {name}": partial(verdict_table, ours=name) for name in OF_THE_SUMMARY},
    **{f"counts {name}": partial(summary_counts, ours=name) for name in OF_THE_SUMMARY},
    "which": which_table,
    "coverage": coverage_table,
    "limits": limits_list,
    "versions": versions,
}
