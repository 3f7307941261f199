"""The figures of the page: distances of graphs by data, and how often joined pairs are joined."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.peers.methods import METHODS
from benchmarks.peers.summaries import Results, pooled_bins, rows_of, values_of
from benchmarks.peers.tables import FAMILIES
from orderspn.plot.canvas import DOTS_PER_INCH
from orderspn.plot.colours import GRID, GUIDE, MARKERS, SERIES

RELIABILITY = ("ours", "flop-bootstrap", "pc-bootstrap", "pyagrum-hc-bootstrap")
FEWEST_PAIRS = 20
NOT_DRAWN = ("ours-dag", "ours-gadget")  # their best graphs are those of the default, on few data


def draw_distances(results: Results, path: Path) -> None:
    """SHD of each method, a panel for each family of data; bars from the smallest to the largest."""
    from matplotlib.figure import Figure

    methods = [method for method in METHODS.values() if "graph" in method.gives and method.name not in NOT_DRAWN]
    methods = [m for m in methods if any("shd" in c for f in FAMILIES for c in rows_of(results, m.name, f).values())]
    columns = 4
    rows = -(-len(FAMILIES) // columns)
    figure = Figure(figsize=(11.0, 0.3 + rows * (0.55 + 0.2 * len(methods))), layout="constrained")
    panels = figure.subplots(rows, columns, sharey=True, squeeze=False)
    for panel, family in zip(panels.flat, FAMILIES.values(), strict=False):
        for height, method in enumerate(reversed(methods)):
            values = values_of(rows_of(results, method.name, family.name).values(), "shd")
            if len(values):
                colour = SERIES[1] if method.environment == "orderspn" else SERIES[0]
                panel.plot([values.min(), values.max()], [height, height], color=colour, linewidth=1.2)
                panel.plot(values.mean(), height, "sD"[colour == SERIES[0]], color=colour, markersize=5)
        panel.set_title(family.name, fontsize=9)
        panel.set_xlim(0.0, 1.04 * panel.get_xlim()[1])
        panel.grid(color=GRID, linewidth=0.6)
        panel.set_axisbelow(True)
        panel.spines[["top", "right"]].set_visible(False)
        panel.tick_params(labelsize=8)
    for row in panels:
        row[0].set_yticks(range(len(methods)), [method.label for method in reversed(methods)], fontsize=8)
    for panel in list(panels.flat)[len(FAMILIES) :]:
        panel.set_visible(False)
    figure.supxlabel("structural Hamming distance to the true CPDAG (less is better)", fontsize=9)
    figure.savefig(path, dpi=DOTS_PER_INCH, metadata={"Software": None})


def draw_reliability(results: Results, path: Path) -> None:
    """How many of the pairs with a probability are joined, pooled over tables that all answered."""
    from matplotlib.figure import Figure

    panels_of = {
        "linear Gaussian": ("paper16", "dao20-er", "dao20-sf-200"),
        "not Gaussian, nonlinear, mixed, real": ("dao20-exp", "nonlinear12", "mixed12", "sachs"),
    }
    figure = Figure(figsize=(9.0, 4.6), layout="constrained")
    for panel, (title, names) in zip(figure.subplots(1, 2, sharey=True), panels_of.items(), strict=True):
        panel.plot([0, 1], [0, 1], color=GUIDE, linewidth=1)
        pooled = pooled_bins(results, RELIABILITY, [FAMILIES[name] for name in names])
        for name, colour, marker in zip(RELIABILITY, SERIES, MARKERS, strict=False):
            count, total, joined = pooled[name].T
            enough = count >= FEWEST_PAIRS
            x, y = total[enough] / count[enough], joined[enough] / count[enough]
            error = 2 * np.sqrt(y * (1 - y) / count[enough])
            panel.errorbar(
                x, y, error, color=colour, marker=marker, label=METHODS[name].label, linewidth=1.3, markersize=5
            )
        panel.set_title(f"{title}\n({', '.join(names)})", fontsize=9)
        panel.set_xlabel("probability that a pair is joined")
        panel.grid(color=GRID, linewidth=0.6)
        panel.set_axisbelow(True)
        panel.spines[["top", "right"]].set_visible(False)
        panel.set_ylim(-0.03, 1.03)
    figure.axes[0].set_ylabel("share that is joined in the truth")
    figure.axes[0].legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=DOTS_PER_INCH, metadata={"Software": None})
