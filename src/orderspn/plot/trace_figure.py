"""Traces of chains: what a sampler saw, run by run, so that one can see whether the runs agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from orderspn.core.errors import Unavailable
from orderspn.models.sampled_graphs import SampledGraphs
from orderspn.plot.requirements import require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from orderspn.posterior import Posterior

MOST_POINTS = 2000
"""Points of a run that are drawn: more than a figure has columns would be one blot."""


def trace(posterior: Posterior, *, ax: Axes | None = None) -> Axes:
    """Draw the log scores of sampled graphs in the order in which they were sampled, a line for each run.

    Runs that agree cover each other and show no trend.

    Parameters
    ----------
    posterior : Posterior
        Learned with method="gadget".
    ax : matplotlib.axes.Axes, optional
        Where to draw (default: a new figure, which needs no screen).

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import orderspn as osp
    >>> data = osp.load_sachs().data[["Raf", "Mek", "Erk", "Akt"]]
    >>> posterior = osp.learn(data, standardize=True, method="gadget", n_graphs=400, effort=0.2)
    >>> len(osp.plot.trace(posterior).lines)  # one for each run
    4
    """
    require_matplotlib()
    model = posterior._model
    if not isinstance(model, SampledGraphs):
        raise Unavailable("traces are those of a sampler; this posterior was not sampled. Learn with method='gadget'.")
    by_run = model.log_scores.reshape(model.n_runs, -1)
    looks = by_run.shape[1]
    places = np.linspace(0, looks - 1, min(looks, MOST_POINTS)).round().astype(np.int64)
    ax = _new_axes() if ax is None else ax
    for number, log_scores in enumerate(by_run, start=1):
        ax.plot(places + 1, log_scores[places], linewidth=0.7, alpha=0.7, label=f"run {number}")
    ax.set_xlabel("graph")
    ax.set_ylabel("log score")
    ax.margins(x=0)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=min(4, model.n_runs), frameon=False)
    return ax


def _new_axes() -> Axes:
    from matplotlib.figure import Figure

    return Figure(figsize=(8, 3.2), layout="constrained").add_subplot()
