"""Calibration curves of edge probabilities."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.arguments import check_fraction
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.plot.canvas import Margins, inches, new_axes, require_matplotlib
from orderspn.plot.colours import DASHES, GRID, GUIDE, MARKERS, SERIES
from orderspn.plot.description import describe
from orderspn.plot.labels import LegendFit, legend_fit

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer

COLUMNS = ("lower", "upper", "predicted", "observed", "pairs")
SIZE = (4.4, 5.8)
SHARE_OF_COUNTS = 0.22
GAP = 0.05
TEXT_SIZE, LEGEND_SIZE = 10.0, 9.0
FEW_PAIRS = 20
"""Up to this many pairs, ticks at powers of ten would be too few."""


def calibration(
    curves: pd.DataFrame | Mapping[str, pd.DataFrame], *, level: float = 0.95, ax: Axes | None = None
) -> Axes:
    """Draw calibration curves: the observed share of edges against their predicted probability.

    Parameters
    ----------
    curves : DataFrame or mapping of labels to DataFrames
        Results of `osp.metrics.calibration_curve`, for one method or several.
    level : float, default 0.95
        Level of the intervals of observed shares: Wilson's, for independent pairs. Those of one graph are not quite
        independent, so true intervals are wider.
    ax : matplotlib.axes.Axes, optional
        Where to draw (default: a new figure). Its lower part goes to new axes, which show the
        number of pairs in each bin.

    Returns
    -------
    matplotlib.axes.Axes
        The axes of the curves.

    Examples
    --------
    >>> import orderspn as osp
    >>> simulated = osp.simulate.linear_gaussian(8, 100, rng=0)
    >>> posterior = osp.learn(simulated.data)
    >>> exact = osp.metrics.calibration_curve(posterior, simulated, n_bins=5)
    >>> few = osp.metrics.calibration_curve(posterior.sample(10, rng=0), simulated, n_bins=5)
    >>> ax = osp.plot.calibration({"exact": exact, "ten graphs": few})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['exact', 'ten graphs', 'as predicted']
    """
    require_matplotlib()
    by_label = _checked(curves)
    z = NormalDist().inv_cdf((1.0 + check_fraction("level", level)) / 2.0)
    entries = legend_fit([*by_label, "as predicted"], SIZE[0] if ax is None else inches(ax)[0], LEGEND_SIZE)
    ax = new_axes(*SIZE, Margins(0.75, 0.25, 0.6, 0.15 + entries.height)) if ax is None else ax
    counts = _split(ax)
    keys: list[Any] = []
    for number, (label, curve) in enumerate(by_label.items()):
        keys.append(_draw_curve(ax, curve, number, label, z))
        _draw_counts(counts, curve, number, len(by_label))
    keys += ax.plot([0, 1], [0, 1], color=GUIDE, linewidth=1.0, linestyle=(0, (4, 2)), zorder=1)
    _label(ax, counts)
    _scale_counts(counts, max(int(curve["pairs"].max()) for curve in by_label.values()))
    _legend(ax, keys, entries)
    describe(ax, f"Calibration of edge probabilities, observed against predicted: {', '.join(by_label)}.")
    return ax


def wilson(share: np.ndarray, n: np.ndarray, z: float) -> tuple[np.ndarray, np.ndarray]:
    """Ends of Wilson's interval for a share of `n`, which is sensible even if the share is 0 or 1 or `n` is small."""
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)


def _checked(curves: Any) -> dict[str, pd.DataFrame]:
    """Curves by label, with their columns checked."""
    by_label = dict(curves) if isinstance(curves, Mapping) else {"observed": curves}
    if not by_label:
        raise InvalidValue("curves must have at least one curve; got none.")
    for label, curve in by_label.items():
        missing = [column for column in COLUMNS if column not in getattr(curve, "columns", ())]
        if missing:
            where = f" under {label!r}" if isinstance(curves, Mapping) else ""
            raise InvalidType(
                "curves must be a table from osp.metrics.calibration_curve(probabilities, truth), or a mapping of "
                f"labels to such tables; got {type(curve).__name__}{where}, without {missing[0]!r}."
            )
    return {str(label): curve for label, curve in by_label.items()}


def _split(ax: Axes) -> Axes:
    """Split the lower part of axes off into new axes, which are returned."""
    place = ax.get_subplotspec()
    if place is not None:
        parts = place.subgridspec(2, 1, height_ratios=[1.0 - SHARE_OF_COUNTS, SHARE_OF_COUNTS], hspace=0.08)
        ax.set_subplotspec(parts[0])
        return ax.figure.add_subplot(parts[1], sharex=ax)
    left, bottom, width, height = ax.get_position().bounds
    ax.set_position((left, bottom + (SHARE_OF_COUNTS + GAP) * height, width, (1 - SHARE_OF_COUNTS - GAP) * height))
    return ax.figure.add_axes((left, bottom, width, SHARE_OF_COUNTS * height), sharex=ax)


def _draw_curve(ax: Axes, curve: pd.DataFrame, number: int, label: str, z: float) -> ErrorbarContainer:
    predicted, observed, pairs = (curve[column].to_numpy(dtype=np.float64) for column in COLUMNS[2:])
    low, high = wilson(observed, pairs, z)
    colour = SERIES[number % len(SERIES)]
    return ax.errorbar(
        predicted,
        observed,
        # Rounding may put an end on the wrong side of the point, and errorbar would refuse that.
        yerr=[np.maximum(observed - low, 0.0), np.maximum(high - observed, 0.0)],
        color=colour,
        marker=MARKERS[number % len(MARKERS)],
        linestyle=DASHES[number % len(DASHES)],
        markersize=5.5,
        linewidth=1.3,
        elinewidth=1.0,
        capsize=2.5,
        label=label,
        clip_on=False,
        zorder=3,
    )


def _draw_counts(ax: Axes, curve: pd.DataFrame, number: int, of: int) -> None:
    """A bar in each bin, beside those of the other curves."""
    lower, upper = curve["lower"].to_numpy(), curve["upper"].to_numpy()
    width = 0.86 * (upper - lower) / of
    left = lower + 0.07 * (upper - lower) + number * width
    ax.bar(left, curve["pairs"], width, align="edge", color=SERIES[number % len(SERIES)], linewidth=0)


def _label(ax: Axes, counts: Axes) -> None:
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_ylabel("observed share of edges", fontsize=TEXT_SIZE)
    ax.tick_params(labelbottom=False, labelsize=9)
    counts.set_ylabel("pairs", fontsize=TEXT_SIZE)
    counts.set_xlabel("predicted probability of the edge", fontsize=TEXT_SIZE)
    counts.tick_params(labelsize=9)
    for part in (ax, counts):
        part.grid(color=GRID, linewidth=0.6)
        part.set_axisbelow(True)
        part.spines[["top", "right"]].set_visible(False)


def _scale_counts(counts: Axes, most: int) -> None:
    """Counts on a logarithmic scale, labelled by integers rather than powers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    counts.set_yscale("log")
    counts.set_ylim(0.7, 1.4 * most)  # a single pair is still visible
    counts.yaxis.set_major_locator(LogLocator(10.0, (1.0, 2.0, 5.0) if most <= FEW_PAIRS else (1.0,)))
    counts.yaxis.set_major_formatter(FuncFormatter(_count))
    counts.yaxis.set_minor_formatter(NullFormatter())


def _count(value: float, _: int) -> str:
    """A number of pairs, written out unless it is long."""
    power = round(math.log10(value)) if value > 0 else 0
    return f"{value:.0f}" if power < 4 else f"$10^{{{power}}}$"


def _legend(ax: Axes, keys: Sequence[Any], entries: LegendFit) -> None:
    """Draw the legend above the axes, where no curve can be."""
    place: dict[str, Any] = {"bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.2, "borderpad": 0.1}
    legend = ax.legend(
        keys, entries.texts, loc="lower left", ncols=entries.columns, frameon=False, fontsize=LEGEND_SIZE, **place
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
