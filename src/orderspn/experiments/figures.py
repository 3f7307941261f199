"""Figures: runs as points and boxes, lines over numbers of edges, calibration curves. Only drawing loads matplotlib."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from orderspn.core.atomic import replacing
from orderspn.experiments.approaches import APPROACHES
from orderspn.experiments.experiment import Metric
from orderspn.plot.calibration_figure import wilson
from orderspn.plot.canvas import DOTS_PER_INCH, require_matplotlib
from orderspn.plot.colours import GUIDE, NOTHING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from orderspn.experiments.tables import Row

PANEL = (3.4, 3.1)
"""Inches of one panel."""

FIGURES = ("figure.png", "figure.svg")

FEWEST_FOR_A_BOX = 10
"""A box of fewer runs would claim to know quartiles; their points and median are shown alone."""

GOOD = {"lower": "\n(lower is better)", "higher": "\n(higher is better)", "": ""}

MARKERS = "osD^vPX*<>hd"

TWO_SIDED_95 = 1.96


class Curve(NamedTuple):
    """Predicted and observed shares of edges, and the number of pairs, bin by bin."""

    predicted: np.ndarray
    observed: np.ndarray
    pairs: np.ndarray


def new_parts(n_parts: int, width: float, heights: Sequence[float]) -> tuple[Figure, list[SubFigure]]:
    """A figure that needs no screen, in parts one below the other, with sizes in inches."""
    require_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, sum(heights)), layout="constrained")
    parts = figure.subfigures(n_parts, 1, height_ratios=heights, squeeze=False)
    return figure, list(parts[:, 0])


def new_panels(n_rows: int, n_columns: int) -> tuple[Figure, list[list[Axes]]]:
    """A figure that needs no screen, and its panels."""
    require_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(PANEL[0] * n_columns, PANEL[1] * n_rows), layout="constrained")
    return figure, panels_of(figure, n_rows, n_columns)


def panels_of(figure: Figure | SubFigure, n_rows: int, n_columns: int) -> list[list[Axes]]:
    """Panels in a figure, or in a part of one."""
    panels = figure.subplots(n_rows, n_columns, squeeze=False)
    for ax in panels.flat:
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(which="both", labelsize=8)
    return panels.tolist()


def box_panels(rows: Sequence[Row], methods: Sequence[str], metrics: Sequence[Metric]) -> Figure:
    """A panel for each metric, in each a box for each method.

    A line of panels for each number of variables; and for each number of rows, if `n` says these.
    """
    places = sorted({(row.d, row.n) for row in rows}, key=lambda place: (place[0], place[1] or 0))
    figure, panels = new_panels(len(places), len(metrics))
    for (d, n), line in zip(places, panels, strict=True):
        here = [row for row in rows if (row.d, row.n) == (d, n)]
        for metric, ax in zip(metrics, line, strict=True):
            boxes(ax, [row for row in here if row.metric == metric.name], methods, metric)
        line[0].set_title(f"d = {d}" if n is None else f"d = {d}, {n:,} rows", loc="left", fontsize=10)
    return figure


def boxes(ax: Axes, rows: Sequence[Row], methods: Sequence[str], metric: Metric) -> None:
    """A dot for each run and the median, for each method that has the metric; and a box if there are enough runs."""
    by_method = {method: {row.run: row.value for row in rows if row.method == method} for method in methods}
    by_method = {method: runs for method, runs in by_method.items() if runs}
    most = max(map(len, by_method.values()), default=0)
    if most < FEWEST_FOR_A_BOX:
        _connect_runs(ax, list(by_method.values()))
    for place, (method, runs) in enumerate(by_method.items()):
        draw = _box if len(runs) >= FEWEST_FOR_A_BOX else _dots
        draw(ax, place, np.array(list(runs.values())), APPROACHES[method].colour)
    names = [f"{name} ({len(runs)} runs)" if len(runs) < most else name for name, runs in by_method.items()]
    ax.set_yscale(metric.scale)
    if metric.scale == "log":
        _label_plainly(ax)
    ax.set_xticks(range(len(names)), names, rotation=30, ha="right", rotation_mode="anchor")
    ax.set_ylabel(metric.label + GOOD[metric.better], fontsize=8.5)
    ax.set_xlim(-0.6, len(names) - 0.4)


def _connect_runs(ax: Axes, by_method: Sequence[dict[int, float]]) -> None:
    """Lines from method to method for each run, which has the same data for all of them."""
    places = [dict(zip(runs, place + _spread(len(runs)), strict=True)) for place, runs in enumerate(by_method)]
    for run in by_method[0] if by_method else ():
        points = [(at[run], runs[run]) for at, runs in zip(places, by_method, strict=True) if run in runs]
        ax.plot(*zip(*points, strict=True), color=NOTHING, linewidth=1.2, label="_run", zorder=1)


def _label_plainly(ax: Axes) -> None:
    """Numbers instead of powers on a logarithmic axis; more of them if it spans little."""
    from matplotlib.ticker import LogLocator

    low, high = ax.get_ylim()
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0,) if high > 30 * low else (1.0, 1.5, 2.0, 3.0, 5.0)))
    ax.yaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_minor_formatter("")


def _dots(ax: Axes, place: int, values: np.ndarray, colour: str) -> None:
    """Few runs: large dots, and a line at their median."""
    ax.plot([place - 0.35, place + 0.35], [np.median(values)] * 2, color=colour, linewidth=1.6, label="_median")
    look: dict[str, Any] = {"color": colour, "markersize": 6.0, "markeredgecolor": "white", "markeredgewidth": 0.8}
    ax.plot(place + _spread(values.size), values, "o", **look, label="_runs", zorder=3)


def _spread(n_runs: int) -> np.ndarray:
    """Places of runs beside each other, so that equal ones are all visible."""
    return np.linspace(-0.16, 0.16, n_runs) if n_runs > 1 else np.zeros(1)


def _box(ax: Axes, place: int, values: np.ndarray, colour: str) -> None:
    """Many runs: a box, and small dots."""
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
    dots: dict[str, Any] = {"color": colour, "alpha": 0.5, "markersize": 3.0, "markeredgewidth": 0}
    ax.plot(place + _spread(values.size), values, "o", **dots, label="_runs", zorder=3)


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
    _legend(panels[0][-1], "mean ± sd" if spread else "mean")
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
            color=APPROACHES[method].colour,
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


def calibration_panel(ax: Axes, method: str, curve: Curve) -> None:
    """Observed against predicted shares of edges with 95% intervals; calibrated probabilities lie on the diagonal."""
    low, high = wilson(curve.observed, curve.pairs, TWO_SIDED_95)
    ax.plot([0, 1], [0, 1], color=GUIDE, linewidth=1.0, linestyle="--", label="_diagonal")
    ax.errorbar(
        curve.predicted,
        curve.observed,
        yerr=[np.maximum(curve.observed - low, 0.0), np.maximum(high - curve.observed, 0.0)],
        color=APPROACHES[method].colour,
        marker="o",
        markersize=3.5,
        linewidth=1.2,
        elinewidth=0.9,
        clip_on=False,
        label=method,
    )
    ax.set_title(method, fontsize=9)
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    ax.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
    ax.set_aspect("equal")


def _legend(ax: Axes, title: str) -> None:
    legend = ax.legend(
        loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False, fontsize=8.5, title=title, title_fontsize=8.5
    )
    legend.set_alignment("left")


def save_figure(figure: Figure, folder: Path) -> list[Path]:
    """Write a figure as PNG and SVG; the same figure gives the same bytes, without dates and random names."""
    from matplotlib import rc_context

    paths = [folder / file for file in FIGURES]
    metadata: list[dict[str, str | None]] = [{"Software": None}, {"Date": None, "Creator": None}]
    for path, about in zip(paths, metadata, strict=True):
        with replacing(path) as temporary, rc_context({"svg.hashsalt": "orderspn"}):
            figure.savefig(temporary, dpi=DOTS_PER_INCH, metadata=about)
    return paths
