"""The value of possible experiments: a bar for each with its standard error, the most valuable first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.arguments import check_integer
from orderspn.core.errors import InvalidType
from orderspn.design.experiment import OBSERVE
from orderspn.plot.canvas import Margins, inches, new_axes, require_matplotlib
from orderspn.plot.colours import GRID, GUIDE, IN_REFERENCE, KNOWN
from orderspn.plot.description import describe, strongest
from orderspn.plot.labels import fitted, labels_of, room_for

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

COLUMNS = ("reduction", "standard_error", "cost", "value_per_cost")
"""Columns of a table of experiments that the picture needs."""

PANEL_WIDTH, ROW_HEIGHT, BAR = 4.6, 0.3, 0.62
LABEL_SIZE, SMALLEST_LABEL, LABEL_OF_ROW, SMALL = 10.0, 4.0, 0.6, 8.5
ERRORS = 2.0
"""Half the length of an error bar, in standard errors."""

MOST_SHOWN = 30
"""Number of experiments that are shown by default."""


def experiments(table: pd.DataFrame, *, top: int | None = None, ax: Axes | None = None) -> Axes:
    """Draw the expected reduction of uncertainty by each experiment, the most valuable first.

    A bar is the expected reduction, with an error bar of two standard errors to either side. Observation without
    interventions is a hatched bar with a vertical line at its end: what is to the right of it is gained by intervening.
    Where costs differ, bars are reductions per cost.

    Parameters
    ----------
    table : pandas.DataFrame
        From `design.experiments`.
    top : int, optional
        Show only this many, the most valuable, and observation (default: 30).
    ax : matplotlib.axes.Axes, optional
        Where to draw (default: a new figure of the right size).

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import orderspn as osp
    >>> network = osp.simulate.LinearGaussianNetwork([[0, 1], [0, 0]], variables=["A", "B"])
    >>> table = osp.design.experiments(osp.learn(network.sample(100, rng=0)), "A -> B", rows=20, draws=128)
    >>> ax = osp.plot.experiments(table)
    >>> ax.get_xlabel().split(";")[0]
    'expected reduction (nats)'
    """
    require_matplotlib()
    shown = _shown(table, MOST_SHOWN if top is None else check_integer("top", top, 1))
    about = table.attrs
    per_cost = bool((shown["cost"] != 1.0).any())
    costs = shown["cost"].to_numpy() if per_cost else np.ones(len(shown))
    values, errors = shown["reduction"].to_numpy() / costs, shown["standard_error"].to_numpy() / costs
    names = [str(name) for name in shown.index]
    labels = [labels_of(names)[name] for name in names]
    width = PANEL_WIDTH if ax is None else inches(ax)[0]
    below = fitted(_axis_label(about, per_cost), width, LABEL_SIZE)
    title = fitted(f"question: {about['question']}", width, LABEL_SIZE) if "question" in about else []
    if ax is None:
        room = Margins(room_for(labels, LABEL_SIZE) + 0.2, 0.25, 0.43 + 0.17 * len(below), 0.2 + 0.2 * len(title))
        ax = new_axes(PANEL_WIDTH, ROW_HEIGHT * (len(names) + 0.4), room)
    for place, (name, value, error) in enumerate(zip(names, values, errors, strict=True)):
        _draw_bar(ax, place, name, float(value), float(error))
    _label(ax, labels, "\n".join(below), "\n".join(title))
    describe(ax, _described(names, values, about, per_cost))
    return ax


def _shown(table: Any, most: int) -> pd.DataFrame:
    """Return the rows to draw: the most valuable, and observation in any case."""
    import pandas as pd

    if not isinstance(table, pd.DataFrame) or not set(COLUMNS) <= set(table.columns):
        raise InvalidType(
            f"table must be what design.experiments(posterior) returns, with the columns {', '.join(COLUMNS)}; got a "
            f"{type(table).__name__}."
        )
    ranked = table.sort_values("value_per_cost", ascending=False, kind="stable")
    kept = np.arange(len(ranked)) < most
    return ranked[kept | (ranked.index == OBSERVE)]


def _draw_bar(ax: Axes, place: int, name: str, value: float, error: float) -> None:
    observed = name == OBSERVE
    look: dict[str, Any] = (
        {"facecolor": "white", "edgecolor": GUIDE, "hatch": "////"} if observed else {"color": IN_REFERENCE}
    )
    ax.barh(place, value, height=BAR, label=f"_{name}", zorder=2, **look)
    if observed:
        ax.axvline(value, color=GUIDE, linewidth=1.0, linestyle=(0, (4, 2)), zorder=1.5)
    ends = [value - ERRORS * error, value + ERRORS * error]
    ax.plot(ends, [place, place], color=KNOWN, linewidth=1.4, label=f"_error of {name}", zorder=3, marker="|")


def _axis_label(about: dict[Any, Any], per_cost: bool) -> str:
    unit = f" ({about['unit']})" if "unit" in about else ""
    now = f"; now {about['now']:.3g}" if "now" in about else ""
    return f"expected reduction{' per cost' if per_cost else ''}{unit}{now}"


def _label(ax: Axes, names: list[str], label: str, title: str) -> None:
    size = min(LABEL_SIZE, max(SMALLEST_LABEL, LABEL_OF_ROW * 72 * inches(ax)[1] / (len(names) + 0.4)))
    ax.set_yticks(range(len(names)), names, fontsize=size, parse_math=False)
    ax.set_ylim(len(names) - 0.3, -0.7)
    ax.set_xlabel(label, fontsize=LABEL_SIZE, parse_math=False)
    ax.set_title(title, fontsize=LABEL_SIZE, loc="left")
    ax.title.set_parse_math(False)
    ax._left_title.set_parse_math(False)  # type: ignore[attr-defined]
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", labelsize=SMALL)
    ax.axvline(0.0, color=GUIDE, linewidth=1.0, zorder=1)
    ax.grid(axis="x", color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right", "left"]].set_visible(False)


def _described(names: list[str], values: np.ndarray, about: dict[Any, Any], per_cost: bool) -> str:
    best = strongest(list(zip(names, values.tolist(), strict=True)))
    question = f" about the question {about['question']}" if "question" in about else ""
    unit = f" in {about['unit']}" if "unit" in about else ""
    return (
        f"Expected reduction of uncertainty{question}{unit}{', per cost' if per_cost else ''}, largest first: {best}."
    )
