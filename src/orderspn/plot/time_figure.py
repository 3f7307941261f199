"""The posterior of time series as one graph: a column for each time step, from the past on the left to the present."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.errors import InvalidValue
from orderspn.core.slices import Moment, moment_of
from orderspn.plot.canvas import new_axes, require_matplotlib
from orderspn.plot.colours import GUIDE, PLAIN
from orderspn.plot.description import describe, strongest
from orderspn.plot.drawing import (
    FONT_SIZE,
    MOST_CHARACTERS,
    Extent,
    arrow_style,
    draw_arrow,
    draw_labels,
    draw_title,
    label_size,
)
from orderspn.plot.drawn_edges import edges_to_draw
from orderspn.plot.graph_figure import MARGIN, fit
from orderspn.plot.graph_legend import draw_legend, legend_width
from orderspn.plot.inputs import KnownEdges, read_edge_probabilities
from orderspn.plot.labels import labels_of
from orderspn.plot.layout import Box, Layout
from orderspn.plot.marks import context_keys, free_place
from orderspn.plot.routes import Routes, route

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from orderspn.queries.edges import Edge, EdgesLike

ACROSS, DOWN = 1.5, 0.62
"""Inches between the boxes of neighbouring columns, and between those of neighbouring rows."""

HEADING, LEGEND, TITLE = 0.42, 0.95, 0.4
"""Inches above the boxes for the names of time steps, below them for the legend, and above all for a title."""

WRITTEN_UP_TO = 30
"""Most edges whose probabilities are written beside their arrows."""

NUMBER_SIZE = 8.0
NUMBER_AT = (0.28, 0.2, 0.36, 0.44, 0.14, 0.52, 0.6, 0.68)
"""Where along its arrow a number may be, as shares of the length: rather near the cause, where arrows are apart."""

NUMBERS_APART = 0.36
"""Inches between two numbers, if there is room."""


def time_graph(
    posterior: Any, given: EdgesLike = None, *, min_probability: float | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the posterior of lagged time series, with the time steps side by side.

    The past is on the left and the present, `t`, on the right. Arrows between columns are effects of the past, arrows
    within the last column are effects within one time step. Their thickness and their numbers are probabilities.

    Parameters
    ----------
    posterior : Posterior or DataFrame
        Learned from a table of `time_series.lagged`, or its edge probabilities.
    given : str or Edges, optional
        Evidence to condition a posterior on.
    min_probability : float, optional
        Leave out edges that are less probable (default as for `posterior_graph`).
    ax : matplotlib.axes.Axes, optional
        Where to draw (default: a new figure of the right size).

    Returns
    -------
    matplotlib.axes.Axes
        Save the picture with `ax.figure.savefig("time.png")`.

    Examples
    --------
    >>> import orderspn as osp
    >>> truth = osp.simulate.vector_autoregression(3, n_rows=300, rng=0)
    >>> table = osp.time_series.lagged(truth.data, lags=1)
    >>> ax = osp.plot.time_graph(osp.learn(table.data, context=table.context))
    >>> sorted(text.get_text() for text in ax.texts if text.get_text().startswith("t"))
    ['t', 't-1']
    """
    require_matplotlib()
    source = read_edge_probabilities("posterior", posterior, given)
    moments = _moments(source.names)
    drawn = edges_to_draw(source.names, source.values, min_probability, ())
    edges = drawn.probabilities
    others = [name for name in source.names if moments[name] is None]
    shown = [name for name in others if any(name in edge for edge in edges)]
    boxes, columns = _boxes(moments, shown)
    routes = _routes(boxes, list(edges), moments)
    extent = _extent(boxes.values(), routes, legend_width(drawn.caption, highlighted=False), bool(source.title))
    ax = new_axes(extent[1] - extent[0], extent[3] - extent[2]) if ax is None else ax
    scale = fit(ax, extent)
    style = arrow_style(len(edges), scale)
    _draw_columns(ax, columns, extent, bool(source.title), scale)
    for edge, probability in reversed(edges.items()):
        draw_arrow(ax, routes[edge], probability, PLAIN, style, " -> ".join(edge))
    labels = _labels(moments, shown)
    context = [name for name in boxes if name not in _present(moments)]
    draw_labels(ax, boxes, labels, scale, context)
    if len(edges) <= WRITTEN_UP_TO:
        _write_numbers(ax, edges, routes, scale)
    keys = context_keys(len(context), len(context) + len(others) - len(shown), scale)
    draw_legend(
        ax, extent, drawn.caption, drawn.least, highlighted=False, known=KnownEdges(), style=style, further=keys
    )
    if source.title:
        draw_title(ax, extent, source.title, scale)
    named = strongest([(" -> ".join(edge), p) for edge, p in edges.items()])
    told = f", the most probable: {named}." if named else "."
    describe(ax, f"Graph over time of {len(columns)} columns with {len(edges)} edges{told}")
    return ax


def _moments(names: Sequence[str]) -> dict[str, Moment | None]:
    """Return the variable and the lag of each name; None for context without lags."""
    moments = {name: moment_of(name) for name in names}
    if not _present(moments):
        raise InvalidValue(
            "posterior must be about time series, with variables such as 'X[t]' and 'X[t-1]'; got "
            f"{', '.join(repr(name) for name in names[:3])}, ... Learn from a table of osp.time_series.lagged, or draw "
            "osp.plot.posterior_graph(posterior)."
        )
    return moments


def _present(moments: Mapping[str, Moment | None]) -> list[str]:
    return [name for name, moment in moments.items() if moment is not None and moment.lag == 0]


def _labels(moments: Mapping[str, Moment | None], shown: Collection[str]) -> dict[str, str]:
    """Return the labels of boxes: variables without their time, which the column says."""
    variables = list(dict.fromkeys(moment.variable for moment in moments.values() if moment is not None))
    short = labels_of(variables, MOST_CHARACTERS)
    found = {name: short[moment.variable] for name, moment in moments.items() if moment is not None}
    return found | labels_of(list(shown), MOST_CHARACTERS)


def _boxes(moments: Mapping[str, Moment | None], shown: Sequence[str]) -> tuple[dict[str, Box], dict[str, float]]:
    """Return the boxes of all names, and the horizontal position of each column by its heading."""
    labels = _labels(moments, shown)
    sizes = {name: label_size(label) for name, label in labels.items()}
    width = max(size[0] for size in sizes.values())
    height = max(size[1] for size in sizes.values())
    variables = list(dict.fromkeys(moment.variable for moment in moments.values() if moment is not None))
    lags = sorted({moment.lag for moment in moments.values() if moment is not None}, reverse=True)
    headings = [*(["context"] if shown else []), *(f"t-{lag}" if lag else "t" for lag in lags)]
    columns = {heading: place * (width + ACROSS) for place, heading in enumerate(headings)}
    boxes = {}
    for name, moment in moments.items():
        if moment is not None:
            at = columns[f"t-{moment.lag}" if moment.lag else "t"]
            # Every second column is half a row lower, so that long arrows pass between boxes.
            sunk = 0.5 * (moment.lag % 2) if len(lags) > 2 else 0.0
            boxes[name] = Box(at, -(variables.index(moment.variable) + sunk) * (height + DOWN), *sizes[name])
    for place, name in enumerate(shown):
        boxes[name] = Box(columns["context"], -place * (height + DOWN), *sizes[name])
    return boxes, columns


def _routes(boxes: Mapping[str, Box], edges: Sequence[Edge], moments: Mapping[str, Moment | None]) -> Routes:
    """Return the curves of edges: between columns as usual, within the present in arcs on its right."""
    within = [edge for edge in edges if all(_lag(moments[name]) == 0 for name in edge)]
    routes = route(Layout(dict(boxes), {}), [edge for edge in edges if edge not in within])
    return routes | {edge: _arc(boxes[edge[0]], boxes[edge[1]]) for edge in within}


def _lag(moment: Moment | None) -> int:
    return -1 if moment is None else moment.lag


def _arc(start: Box, end: Box, points: int = 80) -> np.ndarray:
    """Return an arc from the right side of one box to that of another above or below it."""
    down = end.y < start.y
    # Arrows down leave and arrive a little nearer to the middle, so that the two of a pair are apart.
    aside = 0.22 if down else 0.34
    first = np.array([start.x + start.width / 2, start.y - (1 if down else -1) * aside * start.height])
    last = np.array([end.x + end.width / 2, end.y + (1 if down else -1) * aside * end.height])
    reach = (0.35 if down else 0.5) + 0.28 * abs(start.y - end.y)
    bulge = np.array([max(first[0], last[0]) + reach, 0.0])
    controls = np.array([first, [bulge[0], first[1]], [bulge[0], last[1]], last])
    t = np.linspace(0.0, 1.0, points)[:, None]
    return (
        (1 - t) ** 3 * controls[0]
        + 3 * (1 - t) ** 2 * t * controls[1]
        + 3 * (1 - t) * t**2 * controls[2]
        + t**3 * (controls[3] + np.array([0.03, 0.0]))
    )


def _extent(boxes: Collection[Box], routes: Routes, narrowest: float, titled: bool) -> Extent:
    """The visible part: all boxes and arrows, with room for headings above and the legend below."""
    corners = [(b.x + side * b.width / 2, b.y + side * b.height / 2) for b in boxes for side in (-1, 1)]
    points = np.vstack([np.array(corners), *routes.values()])
    (left, bottom), (right, top) = points.min(axis=0) - MARGIN, points.max(axis=0) + MARGIN
    missing = max(0.0, narrowest - (right - left))
    return (
        float(left - missing / 2),
        float(right + missing / 2),
        float(bottom - LEGEND),
        float(top + HEADING + (TITLE if titled else 0.0)),
    )


def _draw_columns(ax: Axes, columns: Mapping[str, float], extent: Extent, titled: bool, scale: float) -> None:
    """Write above each column which time it is, with a faint line down it."""
    top = extent[3] - (TITLE if titled else 0.0)
    for heading, at in columns.items():
        ax.text(at, top - 0.1, heading, ha="center", va="top", fontsize=FONT_SIZE * scale, fontweight="bold", zorder=4)
        ax.plot([at, at], [top - HEADING, extent[2] + LEGEND], color=GUIDE, linewidth=0.6, alpha=0.4, zorder=0.5)


def _write_numbers(ax: Axes, edges: Mapping[Edge, float], routes: Routes, scale: float) -> None:
    """Write the probability of each edge on its arrow, away from the numbers already written if there is room."""
    taken: list[np.ndarray] = []
    for edge, probability in edges.items():
        taken.append(free_place(routes[edge], taken, NUMBER_AT, NUMBERS_APART))
        ax.text(
            float(taken[-1][0]),
            float(taken[-1][1]),
            f"{probability:.2f}",
            ha="center",
            va="center",
            fontsize=NUMBER_SIZE * scale,
            color="#101820",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85},
            zorder=3.5,
        )
