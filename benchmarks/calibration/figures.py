"""The figures of the page: reliability curves, a panel for each kind of data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.calibration.arms import ARMS
from benchmarks.calibration.lookups import Results, curve, families_of, measured_arms
from benchmarks.calibration.tables import OWN, SIMULATED, WRONG, Family
from orderspn.plot.canvas import DOTS_PER_INCH
from orderspn.plot.colours import DASHES, GRID, GUIDE, MARKERS, SERIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEWEST_PAIRS = 40
"""Points of fewer pairs are left out: they come from a few tables."""

WHAT = {"directed": "is a direct cause", "adjacent": "are joined"}


def draw_figures(results: Results, folder: Path) -> None:
    """Draw all figures of the page."""
    own = [(family, kind) for kind in WHAT for family in families_of(OWN)]
    _draw(results, own, ("raw", "dag-raw", "default", "learned"), 2, folder / "calibration_own.png")
    for group, columns, name in ((SIMULATED, 3, "simulated"), (WRONG, 4, "wrong")):
        panels = [(family, "adjacent") for family in families_of(group)]
        _draw(results, panels, ("default", "t2", "learned", "mix-both"), columns, folder / f"calibration_{name}.png")


def _draw(
    results: Results, panels: Sequence[tuple[Family, str]], arms: Sequence[str], columns: int, path: Path
) -> None:
    from matplotlib.figure import Figure

    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(0.4 + 3.0 * columns, 0.9 + 2.8 * rows), layout="constrained")
    axes = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for ax, (family, kind) in zip(axes.flat, panels, strict=True):
        _draw_panel(ax, results, family, arms, kind)
        ax.set_title(f"{family.label}\n{WHAT[kind]}" if len({k for _, k in panels}) > 1 else family.label, fontsize=9)
    # A setting that was measured on some kinds of data only is in their panels, and in the legend.
    shown = {label: handle for ax in axes.flat for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    figure.supxlabel("predicted probability", fontsize=10)
    figure.supylabel("share that is true, with 95% bands over tables", fontsize=10)
    figure.legend(
        list(shown.values()), list(shown), loc="outside upper center", ncols=min(columns, 3), frameon=False, fontsize=9
    )
    figure.savefig(path, dpi=DOTS_PER_INCH, metadata={"Software": None})


def _draw_panel(ax: Axes, results: Results, family: Family, names: Sequence[str], kind: str) -> None:
    ax.plot([0, 1], [0, 1], color=GUIDE, linewidth=1.0, zorder=1)
    measured = measured_arms(results, [family])
    for number, arm in enumerate(ARMS[name] for name in names):
        if arm not in measured:
            continue
        points = np.array([point for point in curve(results, family, arm, kind) if point[0] >= FEWEST_PAIRS])
        _, promised, true, low, high = points.T
        ax.fill_between(promised, low, high, color=SERIES[number], alpha=0.15, linewidth=0, zorder=2)
        ax.plot(
            promised,
            true,
            color=SERIES[number],
            marker=MARKERS[number],
            linestyle=DASHES[number % len(DASHES)],
            markersize=4.5,
            linewidth=1.3,
            label=arm.label,
            zorder=3,
        )
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_aspect("equal")
    ax.grid(color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(labelsize=8)
    ax.spines[["top", "right"]].set_visible(False)
