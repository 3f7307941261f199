"""Figures: boxes over runs, lines over numbers of edges, calibration curves. Drawing loads matplotlib, nothing else."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.atomic import replacing
from orderspn.experiments.experiment import Metric
from orderspn.experiments.methods import METHODS
from orderspn.plot.canvas import require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from orderspn.experiments.tables import Row

PANEL = (3.4, 3.1)
"""Inches of one panel."""

FIGURES = ("figure.png", "figure.svg")

DOTS_PER_INCH = 160

GOOD = {"lower": "\n(lower is better)", "higher": "\n(higher is better)", "": ""}

MARKERS = "osD^vPX*<>hd"


def new_panels(n_rows: int, n_columns: int) -> tuple[Figure, list[list[Axes]]]:
    """A figure that needs no screen, and its panels."""
    require_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(PANEL[0] * n_columns, PANEL[1] * n_rows), layout="constrained")
    panels = figure.subplots(n_rows, n_columns, squeeze=False)
    for ax in panels.flat:
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(labelsize=8)
    return figure, panels.tolist()


def box_panels(rows: Sequence[Row], methods: Sequence[str], metrics: Sequence[Metric]) -> Figure:
    """A panel for each metric, a line of them for each number of variables, in each a box for each method."""
    dimensions = sorted({row.d for row in rows})
    figure, panels = new_panels(len(dimensions), len(metrics))
    for d, line in zip(dimensions, panels, strict=True):
        for metric, ax in zip(metrics, line, strict=True):
            boxes(ax, [row for row in rows if row.d == d and row.metric == metric.name], methods, metric)
        line[0].set_title(f"d = {d}", loc="left", fontsize=10)
    return figure


def boxes(ax: Axes, rows: Sequence[Row], methods: Sequence[str], metric: Metric) -> None:
    """A box for each method that has the metric, and a dot for each run, so that few runs are visible as few."""
    shown = [method for method in methods if any(row.method == method for row in rows)]
    for place, method in enumerate(shown):
        values = np.array([row.value for row in rows if row.method == method])
        colour = METHODS[method].colour
        ink: dict[str, Any] = {"color": colour, "linewidth": 1.2}
        ax.boxplot(
            values,
            positions=[place],
            widths=0.6,
            showfliers=False,
            boxprops=ink,
            whiskerprops=ink,
            capprops=ink,
            medianprops={"color": colour, "linewidth": 2.2},
        )
        spread = np.linspace(-0.16, 0.16, values.size) if values.size > 1 else np.zeros(1)
        ax.plot(place + spread, values, "o", color=colour, alpha=0.5, markersize=3, markeredgewidth=0, zorder=3)
    ax.set_yscale(metric.scale)
    ax.set_xticks(range(len(shown)), shown, rotation=30, ha="right", rotation_mode="anchor")
    ax.set_ylabel(metric.label + GOOD[metric.better], fontsize=8.5)
    ax.set_xlim(-0.6, len(shown) - 0.4)


def line_panels(
    rows: Sequence[Row], methods: Sequence[str], metric: Metric, label: str, *, spread: bool = False
) -> Figure:
    """A panel for each number of variables: means over runs against n, with standard deviations if `spread`."""
    dimensions = sorted({row.d for row in rows})
    figure, panels = new_panels(1, len(dimensions))
    figure.set_size_inches(5.6 * len(dimensions), 3.8)
    for d, ax in zip(dimensions, panels[0], strict=True):
        _lines(ax, [row for row in rows if row.d == d and row.metric == metric.name], methods, spread)
        ax.set_title(f"d = {d}", loc="left", fontsize=10)
        ax.set_xlabel(label, fontsize=9)
        ax.set_ylabel(metric.label + GOOD[metric.better], fontsize=9)
    _legend(panels[0][-1])
    return figure


def _lines(ax: Axes, rows: Sequence[Row], methods: Sequence[str], spread: bool) -> None:
    asked = sorted({row.n for row in rows if row.n is not None})
    for k, method in enumerate(methods):
        groups = [[row.value for row in rows if row.method == method and row.n == n] for n in asked]
        # Side by side, so that equal lines are all visible.
        places = np.arange(len(asked)) + 0.06 * (k - (len(methods) - 1) / 2)
        has = [place for place, group in enumerate(groups) if group]
        ax.errorbar(
            places[has],
            [statistics.fmean(groups[place]) for place in has],
            yerr=[statistics.stdev(groups[p]) if len(groups[p]) > 1 else 0.0 for p in has] if spread else None,
            color=METHODS[method].colour,
            marker=MARKERS[k % len(MARKERS)],
            markersize=5,
            linewidth=1.5,
            elinewidth=1.0,
            capsize=2.5,
            label=method,
            clip_on=False,
        )
    ax.set_xticks(range(len(asked)), [str(n) for n in asked])
    ax.grid(axis="y", color="#e6e6e6", linewidth=0.8)
    ax.set_axisbelow(True)


def calibration_lines(ax: Axes, curves: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> None:
    """Observed against predicted shares of edges; calibrated probabilities lie on the diagonal."""
    ax.plot([0, 1], [0, 1], color="#bbbbbb", linewidth=1.0, linestyle="--")
    for k, (method, (predicted, observed)) in enumerate(curves.items()):
        ax.plot(
            predicted,
            observed,
            color=METHODS[method].colour,
            marker=MARKERS[k % len(MARKERS)],
            markersize=4,
            linewidth=1.2,
            label=method,
        )
    ax.set_xlabel("predicted probability", fontsize=8.5)
    ax.set_ylabel("observed share of edges", fontsize=8.5)
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    _legend(ax)


def _legend(ax: Axes) -> None:
    ax.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False, fontsize=8.5)


def save_figure(figure: Figure, folder: Path) -> list[Path]:
    """Write a figure as PNG and SVG; the same figure gives the same bytes, without dates and random names."""
    from matplotlib import rc_context

    paths = [folder / file for file in FIGURES]
    metadata: list[dict[str, str | None]] = [{"Software": None}, {"Date": None, "Creator": None}]
    for path, about in zip(paths, metadata, strict=True):
        with replacing(path) as temporary, rc_context({"svg.hashsalt": "orderspn"}):
            figure.savefig(temporary, dpi=DOTS_PER_INCH, metadata=about)
    return paths
