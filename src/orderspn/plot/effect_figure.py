"""One effect: its density, the probability that it is exactly 0, and its credible interval."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.randomness import RNGLike
from orderspn.plot.canvas import inches, new_figure, require_matplotlib
from orderspn.plot.colours import GUIDE, NOT_IN_REFERENCE, PLAIN
from orderspn.plot.description import describe
from orderspn.queries.effect_report import Effect

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from orderspn.posterior import Posterior
    from orderspn.queries.edges import EdgesLike

SIZE = (6.4, 3.8)
POINTS = 600
"""Points at which the density is computed."""

AT_ONCE = 2**22
"""Pairs of points and draws whose distances are in memory at once."""

ROOM_ABOVE = 1.08
"""Height of the axes, in heights of the largest density."""

HEAD = 0.88
"""Height of a spike of probability 1, in heights of the axes."""

OUTERMOST = 0.002
"""Share of the draws at either end that need not be in the picture."""

SMALL = 9.0
CHARACTERS_PER_INCH = 13


def effect(
    source: Posterior | Effect,
    cause: str | None = None,
    effect: str | None = None,
    given: EdgesLike = None,
    *,
    levels: Sequence[Any] | None = None,
    of: str | None = None,
    level: float = 0.9,
    n: int = 2000,
    rng: RNGLike = 0,
    ax: Axes | None = None,
) -> Axes:
    """Draw the density of one effect, with a spike for graphs without a path, in which it is exactly 0.

    The area of the density and the share on the spike add up to 1. The bar below is the credible interval, with the
    mean as a point. Several peaks are graphs in which the effect differs, such as by what has to be adjusted for.

    Parameters
    ----------
    source : Posterior or Effect
        A posterior to draw effects from, or a report made before (`posterior.effect`).
    cause, effect : str
        Needed with a posterior.
    given, levels, of, level, rng
        As for `Posterior.effect`.
    n : int, default 2000
        Draws from a posterior.
    ax : matplotlib.axes.Axes, optional
        Where to draw (default: a new figure).

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import orderspn as osp
    >>> posterior = osp.learn(osp.load_sachs(log=True).data)
    >>> ax = osp.plot.effect(posterior, "Erk", "Akt", n=500)
    >>> ax.get_xlabel()
    'total effect of Erk on Akt (units of the data)'
    """
    require_matplotlib()
    report = _report(source, cause, effect, given, levels=levels, of=of, level=level, n_samples=n, rng=rng)
    ax = new_figure(*SIZE, layout="constrained").add_subplot() if ax is None else ax
    low, high = _limits(report)
    places = np.linspace(low, high, POINTS)
    heights = density(report, places)
    top = ROOM_ABOVE * max(float(heights.max()), np.finfo(float).tiny)
    if heights.any():
        ax.fill_between(places, heights, color=PLAIN, alpha=0.22, linewidth=0)
        ax.plot(places, heights, color=PLAIN, linewidth=1.6, label=f"with a path: {_share(1.0 - report.no_path)}")
    ax.axvline(0.0, color=GUIDE, linewidth=1.0, linestyle=(0, (4, 2)), zorder=1)
    if report.no_path > 0.0:
        spike: dict[str, Any] = {"color": NOT_IN_REFERENCE, "solid_capstyle": "butt", "zorder": 3}
        label = f"no path, exactly 0: {_share(report.no_path)}"
        head = top * HEAD * report.no_path
        ax.plot([0.0, 0.0], [0.0, head], linewidth=5.0, label=label, **spike)
        where: dict[str, Any] = {"textcoords": "offset points", "ha": "left", "va": "bottom", "fontsize": SMALL}
        where["bbox"] = {"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 0.5}  # it may be on the curve
        ax.annotate(_share(report.no_path), (0.0, head), (4, 1), color=NOT_IN_REFERENCE, **where)
    _draw_interval(ax, report, top)
    ax.set_xlim(low, high)
    ax.set_ylim(-0.12 * top, top)
    _label(ax, report)
    describe(ax, _described(report))
    return ax


def _report(source: Any, cause: str | None, effect: str | None, given: EdgesLike, **options: Any) -> Effect:
    if isinstance(source, Effect):
        if cause is not None or effect is not None or given is not None:
            raise InvalidValue(
                "cause, effect and given need a posterior; got a report on an effect, which has all of them. Leave "
                "them out, or pass the posterior."
            )
        return source
    if not callable(getattr(source, "effect", None)):
        raise InvalidType(
            f"source must be a posterior or the result of posterior.effect(); got {type(source).__name__}."
        )
    if cause is None or effect is None:
        raise InvalidValue("cause and effect must be names of two variables, plot.effect(posterior, 'A', 'B').")
    found: Effect = source.effect(cause, effect, given, **options)
    return found


def density(report: Effect, places: np.ndarray) -> np.ndarray:
    """Return the density of the effect in graphs with a path, whose integral is their share, at some places.

    The width of the kernel follows from the spread within graphs, so that peaks of different graphs stay apart.
    """
    draws, connected = report.draws.values, report.draws.connected
    weights = report.draws.graphs.weights
    shares = np.full(len(draws), 1.0 / len(draws)) if weights is None else weights
    values, shares = draws[connected], shares[connected]
    if not values.size or not shares.any():
        return np.zeros(len(places))
    size = shares.sum() ** 2 / np.sum(shares**2)  # draws of equal weight that are worth as much
    width = 1.06 * np.sqrt(report.parametric / shares.sum()) * size**-0.2
    width = max(float(width), float(places[-1] - places[0]) / POINTS, np.finfo(float).tiny)
    heights = np.zeros(len(places))
    for start in range(0, values.size, batch := max(1, AT_ONCE // len(places))):
        some = slice(start, start + batch)
        heights += np.exp(-0.5 * ((places[:, None] - values[None, some]) / width) ** 2) @ shares[some]
    return np.asarray(heights / (width * np.sqrt(2.0 * np.pi)))


def _limits(report: Effect) -> tuple[float, float]:
    """Return the ends of the axis: 0, the mean, the interval, and all draws but the outermost."""
    values = report.draws.values[report.draws.connected]
    ends = [0.0, report.low, report.high, report.mean]
    if values.size:
        ends += np.quantile(values, [OUTERMOST, 1.0 - OUTERMOST]).tolist()
    low, high = min(ends), max(ends)
    margin = 0.06 * (high - low) if high > low else 1.0
    return low - margin, high + margin


def _draw_interval(ax: Axes, report: Effect, top: float) -> None:
    place = -0.06 * top
    label = f"{100 * report.level:g}% interval"
    ax.plot([report.low, report.high], [place, place], color=PLAIN, linewidth=3.0, solid_capstyle="butt", label=label)
    point: dict[str, Any] = {"marker": "o", "markersize": 6.0, "markerfacecolor": "white", "markeredgecolor": PLAIN}
    ax.plot([report.mean], [place], linestyle="", label=f"mean {report.mean:.3g}", zorder=4, **point)


def _label(ax: Axes, report: Effect) -> None:
    width = max(20, int(CHARACTERS_PER_INCH * inches(ax)[0]))
    ax.set_xlabel("\n".join(textwrap.wrap(report.about, width, break_on_hyphens=False)), parse_math=False)
    ax.set_ylabel("density")
    ax.set_yticks([])
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.legend(
        frameon=False,
        fontsize=SMALL,
        ncols=2,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        borderaxespad=0.1,
        handlelength=1.6,
    )


def _share(probability: float) -> str:
    """A probability in per cent; 0% and 100% only if all draws agree."""
    if 0.0 < probability < 0.01:
        return "<1%"
    if 0.99 < probability < 1.0:
        return ">99%"
    return f"{probability:.0%}"


def _described(report: Effect) -> str:
    return (
        f"Density of the {report.about}: mean {report.mean:.3g}, {100 * report.level:g}% between {report.low:.3g} and "
        f"{report.high:.3g}, and exactly 0 with probability {report.no_path:.2f}."
    )
