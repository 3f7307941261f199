"""The posterior as one graph: all probable edges, as thick as they are probable."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.arguments import check_choice
from orderspn.core.errors import InvalidValue
from orderspn.plot.canvas import inches, new_axes, require_matplotlib
from orderspn.plot.colours import IN_REFERENCE, NOT_IN_REFERENCE, PLAIN
from orderspn.plot.description import describe, strongest
from orderspn.plot.drawing import (
    MOST_CHARACTERS,
    Extent,
    arrow_style,
    draw_arrow,
    draw_labels,
    draw_title,
    fading,
    label_size,
)
from orderspn.plot.drawn_edges import DrawnEdges, edges_to_draw
from orderspn.plot.graph_legend import draw_legend, keys_width, legend_width
from orderspn.plot.inputs import KnownEdges, read_edge_probabilities, read_reference
from orderspn.plot.labels import labels_of
from orderspn.plot.layout import DEFAULT_SHAPE, Box, place
from orderspn.plot.marks import context_keys, draw_forbidden, draw_required, mark_keys, too_many
from orderspn.plot.routes import Routes, route
from orderspn.plot.shares_drawing import LINE_WIDTH, draw_shares, neighbours_to_draw

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from orderspn.queries.edges import EdgesLike

MARGIN = 0.2
LEGEND_HEIGHT = 0.62
MARKS_HEIGHT = 0.26
TITLE_HEIGHT = 0.45
LARGEST_SCALE = 1.5


def posterior_graph(
    posterior: Any,
    given: EdgesLike = None,
    *,
    min_probability: float | None = None,
    ax: Axes | None = None,
    highlight: Any = None,
    marks: bool = True,
    directions: str = "arrows",
) -> Axes:
    """Draw the posterior over graphs as one graph, with edges as thick and as dark as they are probable.

    Variables are arranged in layers, so that most arrows point downward, from causes to effects. If both directions of
    an edge are probable, both are drawn. Long arrows are fainter, so that short ones stand out. Context variables have
    boxes of another colour and shape; those without a drawn edge are left out, and the legend says how many.

    Parameters
    ----------
    posterior : Posterior, DataFrame, array or sampled graphs
        A posterior, or edge probabilities alone: row = cause, column = effect.
    given : str or Edges, optional
        Evidence to condition a posterior on.
    min_probability : float, optional
        Leave out edges that are less probable (default: 0.1, or up to 0.4 if there would be more than 40 edges, and
        more than two for each variable; the legend says how many are left out).
    ax : matplotlib.axes.Axes, optional
        Where to draw (default: a new figure of the right size).
    highlight : list of (cause, effect), networkx.DiGraph, network, most probable graph, DataFrame or array, optional
        A reference network: its edges get another colour than the others.
    marks : bool, default True
        Mark the edges of a posterior that evidence or background knowledge names: required ones with a square,
        forbidden ones as dashed lines with a cross. If there are more than 60 forbidden ones, the legend only gives
        their number. Edges that only follow from them, such as from tiers, are not marked.
    directions : {"arrows", "shares"}, default "arrows"
        Whether to draw an arrow for each direction of an edge, or one line for each pair of neighbours: as thick as the
        pair is probable, with an arrow head for each direction, as large as its share, and the share of the more
        probable one as a number if there are at most 30 lines. Shares go with neither `highlight` nor marks.

    Returns
    -------
    matplotlib.axes.Axes
        Save the picture with `ax.figure.savefig("graph.png")`.

    Examples
    --------
    >>> import orderspn as osp
    >>> sachs = osp.load_sachs(log=True)
    >>> posterior = osp.learn(sachs.data)
    >>> ax = osp.plot.posterior_graph(posterior, min_probability=0.2, highlight=sachs.consensus)
    >>> sorted(text.get_text() for text in ax.texts)[:3]
    ['Akt', 'Erk', 'Jnk']
    """
    require_matplotlib()
    if check_choice("directions", directions, ("arrows", "shares")) == "shares":
        return _with_shares(posterior, given, min_probability, ax, highlight)
    source = read_edge_probabilities("posterior", posterior, given)
    reference = None if highlight is None else read_reference("highlight", highlight, source.names)
    known, title = source.known(marks), source.title
    drawn = edges_to_draw(source.names, source.values, min_probability, known.required)
    edges = drawn.probabilities
    forbidden = [] if too_many(known) else sorted(known.forbidden)
    shape = DEFAULT_SHAPE if ax is None else _shape(ax)
    context = {name for name in source.context if any(name in edge for edge in (*edges, *forbidden))}
    drawn_names = [name for name in source.names if name in context or name not in source.context]
    labels = labels_of(drawn_names, MOST_CHARACTERS)
    layout = place({name: label_size(label) for name, label in labels.items()}, list(edges), shape)
    routes = route(layout, [*edges, *forbidden])
    faded = any(fading(routes[edge]) > 0.0 for edge in edges)
    thickness = drawn.caption + ("; long arrows are fainter" if faded else "")
    marks_drawn = [*mark_keys(known, 1.0), *context_keys(len(context), len(source.context), 1.0)]
    narrowest = legend_width(thickness, reference is not None)
    if source.context:
        narrowest = max(narrowest, keys_width([str(key.get_label()) for key in marks_drawn]))
    marked = bool(marks_drawn)
    extent = _extent(layout.labels.values(), routes, narrowest, bool(title), marked)
    ax = new_axes(extent[1] - extent[0], extent[3] - extent[2]) if ax is None else ax
    scale = fit(ax, extent)
    style = arrow_style(len(edges), scale)
    for edge, probability in reversed(edges.items()):
        colour = PLAIN if reference is None else IN_REFERENCE if edge in reference else NOT_IN_REFERENCE
        draw_arrow(ax, routes[edge], probability, colour, style, " -> ".join(edge))
    draw_labels(ax, layout.labels, labels, scale, context)
    taken = draw_forbidden(ax, {edge: routes[edge] for edge in forbidden}, scale)
    draw_required(ax, {edge: routes[edge] for edge in sorted(known.required)}, taken, scale)
    keys = context_keys(len(context), len(source.context), scale)
    draw_legend(ax, extent, thickness, drawn.least, reference is not None, known, style, keys)
    if title:
        draw_title(ax, extent, title, scale)
    describe(ax, _described(len(source.names), drawn))
    return ax


def _with_shares(
    posterior: Any, given: EdgesLike, min_probability: float | None, ax: Axes | None, highlight: Any
) -> Axes:
    """Draw one line for each pair of neighbours."""
    if highlight is not None:
        raise InvalidValue("highlight colours arrows; leave it out, or pass directions='arrows'.")
    source = read_edge_probabilities("posterior", posterior, given)
    found, drawn = neighbours_to_draw(source.names, source.values, min_probability)
    edges = [pair.edge for pair in found]
    context = {name for name in source.context if any(name in edge for edge in edges)}
    drawn_names = [name for name in source.names if name in context or name not in source.context]
    labels = labels_of(drawn_names, MOST_CHARACTERS)
    layout = place(
        {name: label_size(label) for name, label in labels.items()}, edges, DEFAULT_SHAPE if ax is None else _shape(ax)
    )
    routes = route(layout, edges)
    caption = drawn.caption.replace("of the edge", "of neighbours") + "; heads and numbers: share of the direction"
    keys = context_keys(len(context), len(source.context), 1.0)
    narrowest = max(legend_width(caption, False), keys_width([str(key.get_label()) for key in keys]) if keys else 0.0)
    extent = _extent(layout.labels.values(), routes, narrowest, bool(source.title), bool(keys))
    ax = new_axes(extent[1] - extent[0], extent[3] - extent[2]) if ax is None else ax
    scale = fit(ax, extent)
    style = arrow_style(len(edges), scale)
    draw_shares(ax, found, routes, PLAIN, style)
    draw_labels(ax, layout.labels, labels, scale, context)
    thinner = style._replace(thickest=LINE_WIDTH * style.thickest)
    keys = context_keys(len(context), len(source.context), scale)
    draw_legend(ax, extent, caption, drawn.least, False, KnownEdges(), thinner, keys)
    if source.title:
        draw_title(ax, extent, source.title, scale)
    named = strongest([(f"{a} -- {b}", p) for (a, b), p, _ in found])
    told = f"{len(found)} pairs of neighbours of probability {drawn.least:g} or more"
    describe(ax, f"Graph of {len(source.names)} variables with {told}" + (f", first: {named}." if named else "."))
    return ax


def _described(n_variables: int, drawn: DrawnEdges) -> str:
    named = strongest([(" -> ".join(edge), p) for edge, p in drawn.probabilities.items()])
    edges = f"{len(drawn.probabilities)} edges of probability {drawn.least:g} or more"
    return f"Graph of {n_variables} variables with {edges}" + (f", the most probable: {named}." if named else ".")


def _extent(boxes: Collection[Box], routes: Routes, narrowest: float, titled: bool, marked: bool) -> Extent:
    """The visible part: all boxes and arrows, with room for the legend below and a title above."""
    corners = [(b.x + side * b.width / 2, b.y + side * b.height / 2) for b in boxes for side in (-1, 1)]
    points = np.vstack([np.array(corners), *routes.values()])
    (left, bottom), (right, top) = points.min(axis=0) - MARGIN, points.max(axis=0) + MARGIN
    missing = max(0.0, narrowest - (right - left))
    return (
        float(left - missing / 2),
        float(right + missing / 2),
        float(bottom - LEGEND_HEIGHT - (MARKS_HEIGHT if marked else 0.0)),
        float(top + (TITLE_HEIGHT if titled else 0.0)),
    )


def _shape(ax: Axes) -> float:
    width, height = inches(ax)
    return width / height


def fit(ax: Axes, extent: Extent) -> float:
    """Show the extent as large as the axes allow, up to `LARGEST_SCALE`; returns the scale."""
    left, right, bottom, top = extent
    width, height = inches(ax)
    scale = min(width / (right - left), height / (top - bottom), LARGEST_SCALE)
    ax.set_xlim((left + right - width / scale) / 2, (left + right + width / scale) / 2)
    ax.set_ylim((bottom + top - height / scale) / 2, (bottom + top + height / scale) / 2)
    ax.set_axis_off()
    return scale
