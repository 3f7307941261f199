"""The posterior as one graph: all probable edges, as thick as they are probable."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.plot.canvas import IN_REFERENCE, NOT_IN_REFERENCE, PLAIN, inches, new_axes, require_matplotlib
from orderspn.plot.drawing import (
    MOST_CHARACTERS,
    Extent,
    draw_arrow,
    draw_forbidden,
    draw_labels,
    draw_legend,
    draw_required,
    draw_title,
    label_size,
    too_many,
)
from orderspn.plot.inputs import KnownEdges, read_edge_probabilities, read_reference
from orderspn.plot.labels import labels_of
from orderspn.plot.layout import DEFAULT_SHAPE, Box, place
from orderspn.plot.routes import Routes, route

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from orderspn.queries.edges import EdgesLike

MARGIN = 0.2
LEGEND_HEIGHT = 0.62
MARKS_HEIGHT = 0.26
TITLE_HEIGHT = 0.45
NARROWEST = 4.6
NARROWEST_HIGHLIGHTED = 6.4
LARGEST_SCALE = 1.5


def posterior_graph(
    posterior: Any,
    given: EdgesLike = None,
    *,
    min_probability: float = 0.1,
    ax: Axes | None = None,
    highlight: Any = None,
    marks: bool = True,
) -> Axes:
    """Draw the posterior over graphs as one graph, with edges as thick and as dark as they are probable.

    Variables are arranged in layers, so that most arrows point downward, from causes to effects. If both directions of
    an edge are probable, both are drawn.

    Parameters
    ----------
    posterior : Posterior, DataFrame, array or sampled graphs
        A posterior, or edge probabilities alone: row = cause, column = effect.
    given : str or Edges, optional
        Evidence to condition a posterior on.
    min_probability : float, default 0.1
        Leave out edges that are less probable.
    ax : matplotlib.axes.Axes, optional
        Where to draw (default: a new figure of the right size, which needs no screen).
    highlight : list of (cause, effect), networkx.DiGraph, network, most probable graph, DataFrame or array, optional
        A reference network: its edges get another colour than the others.
    marks : bool, default True
        Mark the edges of a posterior that evidence or background knowledge names: required ones with a square,
        forbidden ones as dashed lines with a cross. If there are more than 60 forbidden ones, the legend only gives
        their number. Edges that only follow from them, such as from tiers, are not marked.

    Returns
    -------
    matplotlib.axes.Axes
        Save the picture with `ax.figure.savefig("graph.png")`.

    Examples
    --------
    >>> import orderspn as osp
    >>> sachs = osp.load_sachs()
    >>> posterior = osp.learn(sachs.data, standardize=True)
    >>> ax = osp.plot.posterior_graph(posterior, min_probability=0.2, highlight=sachs.consensus)
    >>> sorted(text.get_text() for text in ax.texts)[:3]
    ['Akt', 'Erk', 'Jnk']
    """
    _check_probability(min_probability)
    require_matplotlib()
    source = read_edge_probabilities("posterior", posterior, given)
    reference = None if highlight is None else read_reference("highlight", highlight, source.names)
    known, title = source.known(marks), source.title
    edges = _edges_to_draw(source.names, source.values, min_probability, known)
    forbidden = [] if too_many(known) else sorted(known.forbidden)
    shape = DEFAULT_SHAPE if ax is None else _shape(ax)
    labels = labels_of(source.names, MOST_CHARACTERS)
    layout = place({name: label_size(label) for name, label in labels.items()}, list(edges), shape)
    routes = route(layout, [*edges, *forbidden])
    extent = _extent(layout.labels.values(), routes, bool(title), reference is not None, any(known))
    ax = new_axes(extent[1] - extent[0], extent[3] - extent[2]) if ax is None else ax
    scale = _fit(ax, extent)
    for edge, probability in reversed(edges.items()):
        colour = PLAIN if reference is None else IN_REFERENCE if edge in reference else NOT_IN_REFERENCE
        draw_arrow(ax, routes[edge], probability, colour, scale, " -> ".join(edge))
    draw_labels(ax, layout.labels, labels, scale)
    taken = draw_forbidden(ax, {edge: routes[edge] for edge in forbidden}, scale)
    draw_required(ax, {edge: routes[edge] for edge in sorted(known.required)}, taken, scale)
    draw_legend(ax, extent, min_probability, reference is not None, known, scale)
    if title:
        draw_title(ax, extent, title, scale)
    return ax


def _check_probability(value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise InvalidType(f"min_probability must be a number from 0 to 1; got {value!r}.")
    if not 0.0 <= value <= 1.0:
        raise InvalidValue(f"min_probability must be a number from 0 to 1; got {value}.")


def _edges_to_draw(
    names: Sequence[str], values: np.ndarray, min_probability: float, known: KnownEdges
) -> dict[tuple[str, str], float]:
    """Edges with their probabilities, most probable first: probable and required ones, but never impossible ones."""
    edges = {
        (names[c], names[e]): float(values[c, e])
        for c, e in np.argwhere(values > 0.0)
        if values[c, e] >= min_probability or (names[c], names[e]) in known.required
    }
    return dict(sorted(edges.items(), key=lambda item: -item[1]))


def _extent(boxes: Collection[Box], routes: Routes, titled: bool, highlighted: bool, marked: bool) -> Extent:
    """The visible part: all boxes and arrows, with room for the legend below and a title above."""
    corners = [(b.x + side * b.width / 2, b.y + side * b.height / 2) for b in boxes for side in (-1, 1)]
    points = np.vstack([np.array(corners), *routes.values()])
    (left, bottom), (right, top) = points.min(axis=0) - MARGIN, points.max(axis=0) + MARGIN
    missing = max(0.0, (NARROWEST_HIGHLIGHTED if highlighted else NARROWEST) - (right - left))
    return (
        float(left - missing / 2),
        float(right + missing / 2),
        float(bottom - LEGEND_HEIGHT - (MARKS_HEIGHT if marked else 0.0)),
        float(top + (TITLE_HEIGHT if titled else 0.0)),
    )


def _shape(ax: Axes) -> float:
    width, height = inches(ax)
    return width / height


def _fit(ax: Axes, extent: Extent) -> float:
    """Show the extent as large as the axes allow, up to `LARGEST_SCALE`; returns the scale."""
    left, right, bottom, top = extent
    width, height = inches(ax)
    scale = min(width / (right - left), height / (top - bottom), LARGEST_SCALE)
    ax.set_xlim((left + right - width / scale) / 2, (left + right + width / scale) / 2)
    ax.set_ylim((bottom + top - height / scale) / 2, (bottom + top + height / scale) / 2)
    ax.set_axis_off()
    return scale
