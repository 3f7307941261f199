"""Traces of Markov chains: the log scores of their graphs, run by run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.models.capabilities import CHAINS, require
from orderspn.plot.canvas import new_figure, require_matplotlib
from orderspn.plot.colours import NOTHING, PLAIN, SERIES
from orderspn.plot.description import describe

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from orderspn.posterior import Posterior

SIZE = (8.0, 3.4)
MOST_BLOCKS = 30
"""Most blocks of consecutive draws; each is one point of a line."""

MIDDLE = 0.9
"""Share of the draws that the band contains."""

FURTHEST = "#d55e00"


def trace(posterior: Posterior, *, ax: Axes | None = None) -> Axes:
    """Draw the log scores of sampled graphs in the order of the draws, one line for each run.

    Lines are means over blocks of consecutive draws, at most 30 in each run. The band contains the middle 90% of the
    draws of all runs. If runs agree, their lines overlap and show no trend. If there are more than seven runs, only the
    one furthest from the others has a colour of its own.

    Parameters
    ----------
    posterior : Posterior
        Learned with method="gadget".
    ax : matplotlib.axes.Axes, optional
        Where to draw (default: a new figure).

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import orderspn as osp
    >>> data = osp.load_sachs(log=True).data[["Raf", "Mek", "Erk", "Akt"]]
    >>> method = osp.methods.Gadget(n_graphs=400, effort=0.2)
    >>> posterior = osp.learn(data, method=method)
    >>> len(osp.plot.trace(posterior).lines)  # one for each run
    4
    """
    require_matplotlib()
    n_runs, _, log_scores = require(posterior.model, CHAINS, "a trace").draws(all_of_them=True)
    by_run = log_scores.reshape(n_runs, -1)
    ax = new_figure(*SIZE, layout="constrained").add_subplot() if ax is None else ax
    blocks = np.array_split(np.arange(by_run.shape[1]), min(by_run.shape[1], MOST_BLOCKS))
    _draw_band(ax, by_run, blocks)
    _draw_runs(ax, np.array([[run[block].mean() for block in blocks] for run in by_run]), _middles(blocks))
    _label(ax, max(map(len, blocks)))
    describe(ax, f"Log scores of {by_run.size} sampled graphs in {n_runs} runs.")
    return ax


def _middles(blocks: list[np.ndarray]) -> np.ndarray:
    """The middle draw of each block, counted from 1."""
    return np.array([block.mean() + 1.0 for block in blocks])


def _draw_band(ax: Axes, by_run: np.ndarray, blocks: list[np.ndarray]) -> None:
    ends = [(1.0 - MIDDLE) / 2, (1.0 + MIDDLE) / 2]
    low, high = np.array([np.quantile(by_run[:, block], ends) for block in blocks]).T
    label = f"middle {MIDDLE:.0%} of all draws"
    ax.fill_between(_middles(blocks), low, high, color=NOTHING, alpha=0.5, linewidth=0, label=label, zorder=1)


def _draw_runs(ax: Axes, means: np.ndarray, places: np.ndarray) -> None:
    """Draw block means (runs, blocks), each run in its own colour if there are not too many."""
    if len(means) > len(SERIES):
        _draw_many_runs(ax, means, places)
        return
    for number, run in enumerate(means):
        ax.plot(places, run, color=SERIES[number], linewidth=1.5, label=f"run {number + 1}", zorder=2)


def _draw_many_runs(ax: Axes, means: np.ndarray, places: np.ndarray) -> None:
    """Draw all runs alike, but that with the mean furthest from the others."""
    level = means.mean(axis=1)
    furthest = int(np.abs(level - np.median(level)).argmax())
    alike: dict[str, Any] = {"color": PLAIN, "linewidth": 0.9, "alpha": 0.45, "zorder": 2}
    for number, run in enumerate(means):
        if number != furthest:
            ax.plot(places, run, **alike, label=f"_run {number + 1}")
    ax.plot([], [], **alike, label=f"{len(means) - 1} other runs")
    label = f"run {furthest + 1}, the furthest from the others"
    ax.plot(places, means[furthest], color=FURTHEST, linewidth=1.5, label=label, zorder=3)


def _label(ax: Axes, largest: int) -> None:
    ax.set_xlabel("draw" if largest == 1 else f"draw (lines: means of {largest} consecutive ones)")
    ax.set_ylabel("log score of the graph")
    ax.ticklabel_format(axis="y", useOffset=False)
    ax.margins(x=0.01)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=5, frameon=False, fontsize=9, borderaxespad=0.2)
