"""A judged graph: edges that the posterior agrees with, those that it contradicts, and those that are missing."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.errors import InvalidType
from orderspn.judging.claims import AGREES, EDGE, NO_EDGE, OPEN, REVERSED
from orderspn.judging.judgement import Judgement
from orderspn.plot.canvas import inches, new_axes, require_matplotlib
from orderspn.plot.colours import FORBIDDEN, GUIDE, IN_REFERENCE, NOT_IN_REFERENCE
from orderspn.plot.description import describe
from orderspn.plot.drawing import MOST_CHARACTERS, Extent, draw_labels, draw_title, label_size
from orderspn.plot.graph_figure import MARGIN, fit
from orderspn.plot.graph_legend import LEGEND_SIZE
from orderspn.plot.labels import labels_of, room_for
from orderspn.plot.layout import DEFAULT_SHAPE, Box, place
from orderspn.plot.marks import draw_barbs, free_place
from orderspn.plot.routes import Routes, route
from orderspn.queries.edges import Edge

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

STYLES: Mapping[str, dict[str, Any]] = {
    AGREES: {"color": IN_REFERENCE, "linewidth": 3.2},
    OPEN: {"color": IN_REFERENCE, "linewidth": 1.3},
    REVERSED: {"color": NOT_IN_REFERENCE, "linewidth": 2.4, "linestyle": (0, (7, 2))},
    NO_EDGE: {"color": FORBIDDEN, "linewidth": 1.6, "linestyle": (0, (3, 2.5))},
    EDGE: {"color": GUIDE, "linewidth": 2.2, "linestyle": (0, (1, 1.2))},
}
"""Lines by what the posterior says; they differ in grey print, too."""

MARKS: Mapping[str, dict[str, Any]] = {
    REVERSED: {"marker": "D", "markersize": 6.5, "markerfacecolor": "white", "markeredgewidth": 1.6},
    NO_EDGE: {"marker": "x", "markersize": 7.0, "markeredgewidth": 2.0},
}
"""Marks in the middle of contradicted edges."""

MEANINGS = {
    AGREES: "agrees",
    OPEN: "agrees, direction open",
    REVERSED: "rather reversed",
    NO_EDGE: "rather no edge",
    EDGE: "missing in the graph",
}
LEGEND_HEIGHT, TITLE_HEIGHT, KEY = 0.42, 0.45, 0.62
"""Inches: below for the legend, above for the title, and across one key without its words."""


def judgement(judged: Judgement, *, ax: Axes | None = None) -> Axes:
    """Draw a judged graph with what the posterior says about each of its edges.

    Thick lines are edges that the posterior agrees with, thin ones those that it agrees with but for their direction.
    Dashed lines are contradicted: with a diamond where the other direction is more probable, with a cross where no edge
    is. Dotted ones are probable edges that the graph lacks. Edges without an arrow head have no direction in the graph.

    Parameters
    ----------
    judged : Judgement
        From `posterior.judge(graph)`.
    ax : matplotlib.axes.Axes, optional
        Where to draw (default: a new figure of the right size).

    Returns
    -------
    matplotlib.axes.Axes
        Save the picture with `ax.figure.savefig("judgement.png")`.

    Examples
    --------
    >>> import orderspn as osp
    >>> sachs = osp.load_sachs(log=True)
    >>> ax = osp.plot.judgement(osp.learn(sachs.data).judge(sachs.consensus))
    >>> sorted(text.get_text() for text in ax.texts)[:3]
    ['Akt', 'Erk', 'Jnk']
    """
    require_matplotlib()
    if not isinstance(judged, Judgement):
        raise InvalidType(
            f"judgement draws what posterior.judge(graph) returns; got {type(judged).__name__}. Judge a graph first."
        )
    edges = findings(judged)
    undirected = set(judged.graph.undirected)
    labels = labels_of(list(judged.graph.variables), MOST_CHARACTERS)
    shape = DEFAULT_SHAPE if ax is None else inches(ax)[0] / inches(ax)[1]
    layout = place({name: label_size(label) for name, label in labels.items()}, list(edges), shape)
    routes = route(layout, list(edges))
    keys = _keys(edges.values(), 1.0)
    extent = _extent(layout.labels.values(), routes, _width_of(keys))
    ax = new_axes(extent[1] - extent[0], extent[3] - extent[2]) if ax is None else ax
    scale = fit(ax, extent)
    taken: list[np.ndarray] = []
    for edge, finding in edges.items():
        _draw(ax, edge, routes[edge], finding, edge not in undirected, taken, scale)
    draw_labels(ax, layout.labels, labels, scale, judged.context)
    _draw_legend(ax, extent, _keys(edges.values(), scale), scale)
    draw_title(ax, extent, f"{judged.verdict}: tail probability {judged.tail.probability:.2g}", scale)
    describe(ax, _described(judged, list(edges.values())))
    return ax


def findings(judged: Judgement) -> dict[Edge, str]:
    """Return what the posterior says about each edge of a judged graph, and the probable edges that it lacks."""
    found = {(row["cause"], row["effect"]): row["finding"] for row in judged.edges.to_dict("records")}
    for row in judged.gaps.to_dict("records"):
        if row["finding"] == EDGE:
            pair = row["first"], row["second"]
            found[pair if row["forward"] >= row["backward"] else pair[::-1]] = EDGE
    return found


def _draw(
    ax: Axes, edge: Edge, points: np.ndarray, finding: str, headed: bool, taken: list[np.ndarray], scale: float
) -> None:
    style = {**STYLES[finding], "linewidth": STYLES[finding]["linewidth"] * scale}
    name = (" -> " if headed else " -- ").join(edge)
    ax.plot(*points.T, **style, label=f"_{finding}: {name}", zorder=1.0)
    if headed:
        draw_barbs(ax, points, style["color"], style["linewidth"], f"_tip of {name}")
    if finding in MARKS:
        taken.append(free_place(points, taken))
        mark = {**MARKS[finding], "markeredgecolor": style["color"]}
        ax.plot(*taken[-1][:, None], **mark, linestyle="", label=f"_mark on {name}", zorder=2.5)


def _keys(found: Collection[str], scale: float) -> list[Line2D]:
    """Legend entries of the kinds of edges that occur."""
    from matplotlib.lines import Line2D

    return [
        Line2D(
            [],
            [],
            **{**style, "linewidth": style["linewidth"] * scale},
            **({**MARKS[finding], "markeredgecolor": style["color"]} if finding in MARKS else {}),
            label=MEANINGS[finding],
        )
        for finding, style in STYLES.items()
        if finding in found
    ]


def _width_of(keys: Collection[Line2D]) -> float:
    return sum(room_for([str(key.get_label())], LEGEND_SIZE) + KEY for key in keys)


def _draw_legend(ax: Axes, extent: Extent, keys: list[Line2D], scale: float) -> None:
    if keys:
        ax.legend(
            handles=keys,
            loc="lower center",
            bbox_to_anchor=((extent[0] + extent[1]) / 2, extent[2]),
            bbox_transform=ax.transData,
            ncols=len(keys),
            frameon=False,
            fontsize=LEGEND_SIZE * scale,
            handlelength=2.6,
            columnspacing=1.3,
            borderaxespad=0.2,
        )


def _extent(boxes: Collection[Box], routes: Routes, narrowest: float) -> Extent:
    """The visible part: all boxes and arrows, with room for the legend below and the title above."""
    corners = [(b.x + side * b.width / 2, b.y + side * b.height / 2) for b in boxes for side in (-1, 1)]
    points = np.vstack([np.array(corners), *routes.values()])
    (left, bottom), (right, top) = points.min(axis=0) - MARGIN, points.max(axis=0) + MARGIN
    missing = max(0.0, narrowest - (right - left)) / 2
    return float(left - missing), float(right + missing), float(bottom - LEGEND_HEIGHT), float(top + TITLE_HEIGHT)


def _described(judged: Judgement, found: list[str]) -> str:
    counts = ", ".join(f"{found.count(f)} {meaning}" for f, meaning in MEANINGS.items() if f in found)
    return f"Graph of {len(judged.graph.variables)} variables, {judged.verdict}; edges: {counts or 'none'}."
