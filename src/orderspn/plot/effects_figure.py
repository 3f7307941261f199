"""Total causal effects with credible intervals, one row for each effect."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from orderspn.core.arguments import check_fraction, check_integer
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.randomness import RNGLike
from orderspn.plot.canvas import Margins, inches, new_axes, require_matplotlib
from orderspn.plot.colours import GRID, GUIDE, PLAIN, shade
from orderspn.plot.description import describe, strongest
from orderspn.plot.effect_rows import EffectRow, effect_rows
from orderspn.plot.labels import fitted, labels_of, room_for
from orderspn.queries.effect_units import UNIT_NAMES, EffectUnits
from orderspn.queries.effects import EffectSamples

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from orderspn.posterior import Posterior
    from orderspn.queries.edges import EdgesLike

LEVELS = (0.5, 0.95)
PANEL_WIDTH = 4.6
ROW_HEIGHT = 0.24
LABEL_SIZE, SMALLEST_LABEL, LABEL_OF_ROW = 10.0, 4.0, 0.75
SMALL = 8.5
POINT, THICK, THIN = 4.4, 5.6, 1.4
RIGHT = 1.16
"""Right end of the column of probabilities, in widths of the axes."""

CHARACTERS_PER_INCH = 12


def effects(
    source: Posterior | EffectSamples,
    given: EdgesLike = None,
    *,
    of: str | None = None,
    on: str | None = None,
    top: int | None = None,
    levels: Sequence[float] = LEVELS,
    n: int = 1000,
    rng: RNGLike = 0,
    ax: Axes | None = None,
) -> Axes:
    """Draw total causal effects with credible intervals, the strongest first.

    A point is the mean, a thick line the narrower interval, a thin line the wider one. The column on the right gives
    the probability that there is no path from cause to effect, so that the effect is exactly 0. The higher it is, the
    paler the row. Pairs without a path in any of the drawn graphs are left out.

    Parameters
    ----------
    source : Posterior or EffectSamples
        A posterior to draw effects from, or effects drawn before (`posterior.effect_samples`).
    given : str or Edges, optional
        Evidence to condition a posterior on.
    of, on : str, optional
        Only effects of this cause, or on this effect.
    top : int, optional
        Show only this many, the strongest (default: all with `of` or `on`, otherwise 20).
    levels : (float, float), default (0.5, 0.95)
        Levels of the central credible intervals, the narrower one first.
    n : int, default 1000
        Draws from a posterior.
    rng : int, SeedSequence, Generator or None, default 0
    ax : matplotlib.axes.Axes, optional
        Where to draw (default: a new figure of the right size).

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If the posterior is over categories, which have no linear effects; use `posterior.interventional`.

    Examples
    --------
    >>> import orderspn as osp
    >>> posterior = osp.learn(osp.load_sachs(log=True).data)
    >>> ax = osp.plot.effects(posterior, on="Akt", top=3, n=400)
    >>> ax.get_yticklabels()[0].get_text(), ax.get_xlabel()
    ('Erk', 'total effect on Akt (standard deviations)')
    """
    require_matplotlib()
    narrow, wide = _checked_levels(levels)
    limit = None if top is None else check_integer("top", top, 1)
    draws, unit, title = _draws(source, given, n, rng)
    if of is not None and of == on:
        raise InvalidValue(f"of and on must be two different variables; got {of!r} for both.")
    rows, n_zero = effect_rows(draws, of, on, limit, (narrow, wide))
    labels = labels_of(draws.variables)
    names = [_row_name(row, of, on, labels) for row in rows]
    width = PANEL_WIDTH if ax is None else inches(ax)[0]
    below = fitted(_axis_label(of, on, labels) + unit, width, LABEL_SIZE)
    if n_zero and limit is None and names and not (of is None and on is None):
        below.append(f"(not shown: {n_zero} without a path in any graph)")
    ax = _axes_for(names, len(below), bool(title)) if ax is None else ax
    for place, row in enumerate(rows):
        _draw_row(ax, place, row)
    _label(ax, names, "\n".join(below))
    if rows:
        _legend(ax, narrow, wide)
    else:
        _say_nothing_is_there(ax)
    describe(ax, _described(names, rows, _axis_label(of, on, labels)))
    if title:
        fitting = max(20, int(CHARACTERS_PER_INCH * inches(ax)[0]))
        ax.set_title(textwrap.shorten(title, fitting, placeholder=" ..."), fontsize=LABEL_SIZE, pad=22)
        ax.title.set_parse_math(False)
    return ax


def _checked_levels(levels: Sequence[float]) -> tuple[float, float]:
    if isinstance(levels, str) or not isinstance(levels, Sequence) or len(levels) != 2:
        raise InvalidValue(f"levels must be two numbers between 0 and 1, the smaller one first; got {levels!r}.")
    narrow, wide = (check_fraction("levels", level) for level in levels)
    if not narrow < wide:
        raise InvalidValue(f"levels must be two numbers between 0 and 1, the smaller one first; got {levels!r}.")
    return narrow, wide


def _draws(source: Any, given: EdgesLike, n: int, rng: RNGLike) -> tuple[EffectSamples, str, str]:
    """Draws of effects, their unit if it is known, and a title if there is evidence."""
    if isinstance(source, EffectSamples):
        if given is not None:
            raise InvalidValue(
                "given needs a posterior to condition; got draws of effects. Pass the posterior, or "
                "posterior.effect_samples(given=...)."
            )
        return source, "", ""
    if not callable(getattr(source, "effect_samples", None)):
        raise InvalidType(
            f"source must be a posterior or the result of posterior.effect_samples(); got {type(source).__name__}."
        )
    posterior = source.given(given)
    # Only effects in standard deviations can be compared with each other.
    units: EffectUnits = "data" if posterior.units is None else "sd"
    draws = posterior.effect_samples(n, rng=rng, units=units)
    return draws, f" ({UNIT_NAMES[units]})", f"given {posterior.evidence}" if posterior.evidence else ""


def _row_name(row: EffectRow, of: str | None, on: str | None, labels: Mapping[str, str]) -> str:
    if of is None and on is None:
        return f"{labels[row.cause]} → {labels[row.effect]}"
    return labels[row.effect if on is None else row.cause]


def _axis_label(of: str | None, on: str | None, labels: Mapping[str, str]) -> str:
    parts = [f" of {labels[of]}" if of is not None else "", f" on {labels[on]}" if on is not None else ""]
    return "total effect" + "".join(parts)


def _described(names: Sequence[str], rows: Sequence[EffectRow], what: str) -> str:
    means = strongest([(name, row.mean) for name, row in zip(names, rows, strict=True)])
    return f"Means and intervals of the {what}, " + (f"the strongest: {means}." if rows else "all of them 0.")


def _say_nothing_is_there(ax: Axes) -> None:
    """Say in an empty figure why it is empty."""
    ax.set_xlim(-1.0, 1.0)
    ax.text(0.5, 0.5, "no path in any graph: the effect is 0", ha="center", va="center", transform=ax.transAxes)


def _axes_for(names: Sequence[str], lines_below: int, titled: bool) -> Axes:
    room = Margins(room_for(names, LABEL_SIZE) + 0.2, 0.9, 0.43 + 0.17 * lines_below, 0.72 if titled else 0.42)
    return new_axes(PANEL_WIDTH, ROW_HEIGHT * (max(len(names), 1) + 0.4), room)


def _draw_row(ax: Axes, place: int, row: EffectRow) -> None:
    ink = shade(PLAIN, 1.0 - row.no_path)
    for (low, high), width in zip(row.intervals, (THICK, THIN), strict=True):
        ax.plot([low, high], [place, place], color=ink, linewidth=width, solid_capstyle="butt", zorder=2)
    ax.plot([row.mean], [place], **_point(ink), linestyle="", zorder=3)
    where: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "ha": "right", "va": "center_baseline"}
    ax.text(RIGHT, place, _share(row.no_path), **where, fontsize=SMALL)


def _point(ink: Any) -> dict[str, Any]:
    return {"marker": "o", "markersize": POINT, "markerfacecolor": "white", "markeredgecolor": ink}


def _share(probability: float) -> str:
    """A probability in per cent; 0% and 100% only if they are exact."""
    if 0.0 < probability < 0.01:
        return "<1%"
    if 0.99 < probability < 1.0:
        return ">99%"
    return f"{probability:.0%}"


def _label(ax: Axes, names: Sequence[str], label: str) -> None:
    size = min(LABEL_SIZE, max(SMALLEST_LABEL, LABEL_OF_ROW * 72 * inches(ax)[1] / (max(len(names), 1) + 0.4)))
    ax.set_yticks(range(len(names)), names, fontsize=size, parse_math=False)
    ax.set_ylim(max(len(names), 1) - 0.3, -0.7)
    ax.set_xlabel(label, fontsize=LABEL_SIZE, parse_math=False)
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", labelsize=9)
    ax.axvline(0.0, color=GUIDE, linewidth=1.0, linestyle=(0, (4, 2)), zorder=1)
    ax.grid(axis="x", color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right", "left"]].set_visible(False)
    if not names:
        return
    head: dict[str, Any] = {
        "xycoords": "axes fraction",
        "textcoords": "offset points",
        "ha": "right",
        "fontsize": SMALL,
    }
    ax.annotate("P(no path)", (RIGHT, 1.0), (0, 4), **head)


def _legend(ax: Axes, narrow: float, wide: float) -> None:
    from matplotlib.lines import Line2D

    keys = [
        Line2D([], [], linestyle="", label="mean", **_point(PLAIN)),
        Line2D([], [], color=PLAIN, linewidth=THICK, solid_capstyle="butt", label=f"{100 * narrow:g}% interval"),
        Line2D([], [], color=PLAIN, linewidth=THIN, solid_capstyle="butt", label=f"{100 * wide:g}% interval"),
    ]
    place: dict[str, Any] = {"bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.1, "borderpad": 0.1}
    ax.legend(
        handles=keys,
        loc="lower left",
        ncols=3,
        frameon=False,
        fontsize=SMALL,
        columnspacing=1.2,
        handlelength=1.6,
        **place,
    )
