"""The mean of one variable when another is set to each of a grid of values, with its credible band."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.randomness import RNGLike
from orderspn.plot.canvas import new_figure, require_matplotlib
from orderspn.plot.colours import SERIES
from orderspn.plot.description import describe

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from orderspn.posterior import Posterior
    from orderspn.queries.edges import EdgesLike

SIZE = (6.4, 4.0)
BAND = 0.18
"""Opacity of a band."""

FLAT = 1e-6
"""Range of means that counts as level."""

SPREAD = 0.36
"""Width of the points of all levels of an effect above one level of the cause."""


def effect_curve(
    posterior: Posterior,
    cause: str,
    effect: str,
    at: Sequence[Any] | None = None,
    *,
    given: EdgesLike = None,
    level: float = 0.9,
    n: int = 1000,
    rng: RNGLike = 0,
    ax: Axes | None = None,
) -> Axes:
    """Draw the mean of an effect when its cause is set to each of a grid of values, with a credible band.

    A cause that is a category has points with intervals, one for each level. An effect that is a category has a line
    for the probability of each of its levels. Where the effect does not follow from the cause, lines are level.

    Parameters
    ----------
    posterior : Posterior
    cause, effect, at, given, level, rng
        As for `Posterior.effect_curve`.
    n : int, default 1000
        Graphs to draw from the posterior.
    ax : matplotlib.axes.Axes, optional
        Where to draw (default: a new figure).

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import orderspn as osp
    >>> posterior = osp.learn(osp.load_sachs(log=True).data, score=osp.scores.BGe(degree=2))
    >>> ax = osp.plot.effect_curve(posterior, "Erk", "Akt", n=100)
    >>> ax.get_xlabel()
    'Erk, set to'
    """
    require_matplotlib()
    curve = posterior.effect_curve(cause, effect, at, given=given, n_samples=n, level=level, rng=rng)
    ax = new_figure(*SIZE, layout="constrained").add_subplot() if ax is None else ax
    by_level = _by_level(curve)
    for number, (name, own) in enumerate(by_level.items()):
        shift = 0.0 if len(by_level) == 1 else SPREAD * (number / (len(by_level) - 1) - 0.5)
        _draw(ax, own, SERIES[number % len(SERIES)], name, shift)
    _label(ax, cause, effect, len(by_level) > 1)
    drawn = "band" if _is_line(curve) else "bars"
    ax.set_title(f"{drawn}: {level:.0%} of graphs and coefficients", fontsize=9, loc="left", color="0.35")
    low, high = float(curve["low"].min()), float(curve["high"].max())
    if high - low < FLAT * max(1.0, abs(low)):  # nothing but rounding
        ax.set_ylim(low - 1.0, high + 1.0)
    describe(ax, f"Mean of {effect} when {cause} is set to {len(next(iter(by_level.values())))} values.")
    return ax


def _by_level(curve: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the curve of a number, or of each level of a category."""
    if curve.index.nlevels == 1:
        return {"": curve}
    levels = curve.index.get_level_values(1).unique()
    places = curve.index.get_level_values(1)
    return {str(name): curve[places == name].droplevel(1) for name in levels}


def _is_line(curve: pd.DataFrame) -> bool:
    """Whether the cause was set to numbers, and not to levels."""
    return curve.index.get_level_values(0).dtype.kind in "iuf"


def _draw(ax: Axes, curve: pd.DataFrame, colour: str, name: str, shift: float) -> None:
    """Draw a line with its band, or points with intervals above levels."""
    mean, low, high = (curve[column].to_numpy() for column in ("mean", "low", "high"))
    label = name or None
    if _is_line(curve):
        places = curve.index.to_numpy()
        ax.fill_between(places, low, high, color=colour, alpha=BAND, linewidth=0)
        ax.plot(places, mean, color=colour, linewidth=2.0, label=label)
        return
    places = np.arange(len(curve)) + shift
    ax.vlines(places, low, high, color=colour, linewidth=1.6)
    ax.plot(places, mean, "o", color=colour, label=label)
    ax.set_xticks(np.arange(len(curve)), [str(value) for value in curve.index])
    ax.margins(x=0.12)


def _label(ax: Axes, cause: str, effect: str, category: bool) -> None:
    ax.set_xlabel(f"{cause}, set to")
    ax.set_ylabel(f"probability of {effect}" if category else f"mean of {effect}")
    ax.spines[["top", "right"]].set_visible(False)
    if category:
        ax.legend(title=effect, frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    ax.ticklabel_format(axis="y", useOffset=False)
