"""Two posteriors side by side on one layout, with the edges that moved in colour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.comparison.comparing import compare
from orderspn.comparison.comparison import Comparison
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.display.text import counted
from orderspn.plot.canvas import new_axes, require_matplotlib
from orderspn.plot.colours import IN_REFERENCE, LABEL_EDGE, NOT_IN_REFERENCE, shade
from orderspn.plot.description import describe, strongest
from orderspn.plot.drawing import (
    FONT_SIZE,
    MOST_CHARACTERS,
    ArrowStyle,
    Extent,
    arrow_style,
    draw_arrow,
    draw_labels,
    label_size,
)
from orderspn.plot.drawn_edges import edges_to_draw
from orderspn.plot.graph_figure import fit
from orderspn.plot.graph_legend import KEYS, draw_legend, keys_width, legend_width
from orderspn.plot.inputs import KnownEdges
from orderspn.plot.labels import labels_of
from orderspn.plot.layout import Box, place
from orderspn.plot.routes import Routes, route

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from orderspn.posterior import Posterior

APART = 0.7
"""Inches between the two graphs."""

MARGIN, LEGEND_HEIGHT, HEADING = 0.2, 0.9, 0.45
TALL = 1.1
"""Width over height that each graph aims at."""

ROSE, FELL, STAYED = IN_REFERENCE, NOT_IN_REFERENCE, "#8a94a3"
DASHED = (0, (3, 2.2))


def comparison(
    a: Posterior | Comparison,
    b: Posterior | None = None,
    *,
    labels: Sequence[str] = ("a", "b"),
    min_probability: float | None = None,
    min_change: float = 0.1,
    ax: Axes | None = None,
) -> Axes:
    """Draw two posteriors side by side, with their variables in the same places and the edges that moved in colour.

    An edge whose probability is larger in the second posterior, by `min_change` or more, is blue in both graphs; one
    whose probability is smaller is orange; all others are grey. In a graph in which it is improbable, a moved edge is a
    thin dashed line. Variables that only one of the posteriors has are not drawn.

    Parameters
    ----------
    a, b : Posterior
        Or `a` alone, the result of `compare`.
    labels : sequence of two str, default ("a", "b")
        What to call the posteriors; a `Comparison` has its own.
    min_probability : float, optional
        Leave out edges that are less probable in both (default as for `posterior_graph`).
    min_change : float, default 0.1
        Smallest change of the probability of an edge that has moved.
    ax : matplotlib.axes.Axes, optional
        Where to draw (default: a new figure of the right size).

    Returns
    -------
    matplotlib.axes.Axes
        Save the picture with `ax.figure.savefig("comparison.png")`.

    Examples
    --------
    >>> import orderspn as osp
    >>> data = osp.load_sachs(log=True).data
    >>> ax = osp.plot.comparison(osp.learn(data), osp.learn(data, knowledge="PKA -> Akt"), labels=("plain", "informed"))
    >>> sorted({text.get_text() for text in ax.texts})[:3]
    ['Akt', 'Erk', 'Jnk']
    """
    require_matplotlib()
    found = _compared(a, b, labels)
    least_change = _checked_change(min_change)
    first, second = _matrices(found)
    drawn = edges_to_draw(found.variables, np.maximum(first, second), min_probability, ())
    edges = list(drawn.probabilities)
    caption = drawn.caption.removesuffix(")") + "; moved ones below are dashed)"
    names = labels_of(found.variables, MOST_CHARACTERS)
    layout = place({name: label_size(label) for name, label in names.items()}, edges, TALL)
    routes = route(layout, edges)
    graph = _bounds(layout.labels, routes)
    shift = graph[1] - graph[0] + APART
    keys = _keys(found, least_change, 1.0)
    narrowest = max(legend_width(caption, False), KEYS, keys_width([str(key.get_label()) for key in keys]))
    extent = _extent(graph, shift, narrowest)
    ax = new_axes(extent[1] - extent[0], extent[3] - extent[2]) if ax is None else ax
    scale = fit(ax, extent)
    style = arrow_style(len(edges), scale)
    index = {name: v for v, name in enumerate(found.variables)}
    for side, values in enumerate((first, second)):
        moved_by = np.array([side * shift, 0.0])
        for edge in reversed(edges):
            at = index[edge[0]], index[edge[1]]
            change = float(second[at] - first[at])
            name = f"{found.labels[side]}: {' -> '.join(edge)}"
            _draw_edge(ax, routes[edge] + moved_by, float(values[at]), change, drawn.least, least_change, style, name)
        draw_labels(ax, {n: box.moved(side * shift, 0.0) for n, box in layout.labels.items()}, names, scale)
        _write_heading(ax, found.labels[side], (graph[0] + graph[1]) / 2 + side * shift, extent[3], scale)
    middle = (graph[1] + graph[0] + shift) / 2
    ax.plot([middle, middle], [graph[2], extent[3]], color=LABEL_EDGE, linewidth=0.6 * scale, alpha=0.5, zorder=0.5)
    keys = _keys(found, least_change, scale)
    draw_legend(ax, extent, caption, drawn.least, False, KnownEdges(), style, keys)
    moved = found.edges[found.edges["change"].abs() >= least_change]
    told = strongest(
        [
            (f"{cause} -> {effect}", float(change))
            for cause, effect, change in zip(moved["cause"], moved["effect"], moved["change"], strict=True)
        ]
    )
    about = f"Graphs of {found.labels[0]} and {found.labels[1]} side by side; {len(moved)} edges moved"
    describe(ax, f"{about}, changes: {told}." if told else f"{about}.")
    return ax


def _compared(a: Any, b: Any, labels: Sequence[str]) -> Comparison:
    if isinstance(a, Comparison):
        if b is not None:
            raise InvalidType("b must be left out if a is a comparison already.")
        return a
    return compare(a, b, labels=labels)


def _checked_change(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0.0 < value <= 1.0:
        raise InvalidValue(f"min_change must be a number greater than 0, at most 1; got {value!r}.")
    return float(value)


def _matrices(found: Comparison) -> tuple[np.ndarray, np.ndarray]:
    """Return the probabilities of edges in both, each (d, d)."""
    place = {name: v for v, name in enumerate(found.variables)}
    at = found.edges["cause"].map(place).to_numpy(dtype=int), found.edges["effect"].map(place).to_numpy(dtype=int)
    first, second = np.zeros((2, len(place), len(place)))
    first[at], second[at] = found.edges["first"], found.edges["second"]
    return first, second


def _draw_edge(
    ax: Axes,
    points: np.ndarray,
    probability: float,
    change: float,
    least: float,
    least_change: float,
    style: ArrowStyle,
    name: str,
) -> None:
    moved = abs(change) >= least_change
    colour = STAYED if not moved else ROSE if change > 0.0 else FELL
    if probability >= least:
        draw_arrow(ax, points, probability, colour, style, name)
    elif moved:
        line: dict[str, Any] = {"color": shade(colour, 0.6), "linewidth": 1.1 * style.scale, "linestyle": DASHED}
        ax.plot(points[:, 0], points[:, 1], **line, label=f"_{name}", zorder=1.0)


def _bounds(boxes: Mapping[str, Box], routes: Routes) -> Extent:
    """Return the left, right, bottom and top of one graph."""
    corners = [(b.x + side * b.width / 2, b.y + side * b.height / 2) for b in boxes.values() for side in (-1, 1)]
    points = np.vstack([np.array(corners), *routes.values()])
    (left, bottom), (right, top) = points.min(axis=0), points.max(axis=0)
    return float(left), float(right), float(bottom), float(top)


def _extent(graph: Extent, shift: float, narrowest: float) -> Extent:
    left, right = graph[0] - MARGIN, graph[1] + shift + MARGIN
    missing = max(0.0, narrowest - (right - left)) / 2
    return left - missing, right + missing, graph[2] - MARGIN - LEGEND_HEIGHT, graph[3] + MARGIN + HEADING


def _write_heading(ax: Axes, label: str, at: float, top: float, scale: float) -> None:
    heading: dict[str, Any] = {"ha": "center", "va": "top", "fontsize": FONT_SIZE * scale, "fontweight": "bold"}
    ax.text(at, top - 0.08, label, parse_math=False, zorder=4, **heading)


def _keys(found: Comparison, least_change: float, scale: float) -> list[Line2D]:
    from matplotlib.lines import Line2D

    wide: dict[str, Any] = {"linewidth": 3.0 * scale}
    change = found.edges["change"]
    keys = []
    if (change >= least_change).any():
        keys.append(Line2D([], [], color=shade(ROSE, 0.9), **wide, label="more probable on the right"))
    if (change <= -least_change).any():
        keys.append(Line2D([], [], color=shade(FELL, 0.9), **wide, label="less probable on the right"))
    keys.append(Line2D([], [], color=shade(STAYED, 0.9), **wide, label=f"changed by less than {least_change:g}"))
    alone = [*found.only_in_first, *found.only_in_second]
    if alone:
        keys.append(Line2D([], [], linestyle="", label=f"{counted(len(alone), 'variable')} of one alone not drawn"))
    return keys
