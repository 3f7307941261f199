"""Edge probabilities as a matrix: row = cause, column = effect."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from orderspn.plot.canvas import Margins, inches, new_axes, require_matplotlib
from orderspn.plot.colours import CONTEXT_EDGE, GRID, probability_colours
from orderspn.plot.description import describe, strongest
from orderspn.plot.inputs import EdgeProbabilities, KnownEdges, read_edge_probabilities
from orderspn.plot.labels import labels_of, room_for
from orderspn.plot.marks import cross_style, square_style
from orderspn.plot.sequence import sequence_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh

    from orderspn.queries.edges import EdgesLike

SMALL, LARGEST_CELL, SMALLEST_CELL, LARGEST_MATRIX = 8.4, 0.42, 0.135, 13.0
"""In inches: the side a matrix aims at, the largest and smallest cell, and the largest side."""

CELL_WITH_NUMBER = 0.36
LABEL_SIZE, SMALLEST_LABEL = 10.0, 5.0
LABEL_OF_CELL = 0.78
NUMBER_SIZE = 8.0
NUMBER_OF_CELL = 0.29
LEAST_SHOWN = 0.005
BAR_WIDTH, BAR_GAP, BAR_ROOM = 0.16, 0.14, 1.0
BAR_LABEL, BAR_LABEL_SIZE = "probability of the edge", 9.0
MARKS_HEIGHT = 0.27
BELOW_SIZE, CHARACTERS_PER_INCH, MOST_LINES = 9.5, 13, 2


def edges(
    probabilities: Any,
    given: EdgesLike = None,
    *,
    order: str | Sequence[str] = "causal",
    numbers: bool | None = None,
    marks: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw the probabilities of all edges as a matrix with darker cells for more probable edges.

    Parameters
    ----------
    probabilities : Posterior, DataFrame, array or sampled graphs
        Row = cause, column = effect.
    given : str or Edges, optional
        Evidence to condition a posterior on.
    order : {"causal", "clustered", "data"} or list of names, default "causal"
        The order of variables. "causal": causes before effects as far as they are known, so that probable edges lie
        above the diagonal (by `Posterior.precedence`, or along probable edges if there are no orders). "clustered":
        probable neighbours side by side. "data": as in the data.
    numbers : bool, optional
        Write probabilities of at least 0.005 into the cells (default: if the cells are large enough, which they are
        with up to 20 variables).
    marks : bool, default True
        Mark the edges of a posterior that evidence or background knowledge names: required ones with a square,
        forbidden ones with a cross. What is given is written under the matrix.
    ax : matplotlib.axes.Axes, optional
        Where to draw (default: a new figure of the right size).

    Returns
    -------
    matplotlib.axes.Axes
        Save the picture with `ax.figure.savefig("edges.png")`.

    Examples
    --------
    >>> import orderspn as osp
    >>> posterior = osp.learn(osp.load_sachs(log=True).data)
    >>> ax = osp.plot.edges(posterior, given="PKC -> PKA")
    >>> rows = [label.get_text() for label in ax.get_yticklabels()]
    >>> rows.index("PKC") < rows.index("PKA")  # causes first
    True
    """
    require_matplotlib()
    source = read_edge_probabilities("probabilities", probabilities, given)
    places = sequence_of(order, source.names, source.values, source.posterior)
    known, title = source.known(marks), source.title
    sides = _sides(source, places, known)
    values = source.values[np.ix_(sides.rows, sides.columns)]
    causes, effects = ([source.names[v] for v in side] for side in (sides.rows, sides.columns))
    label = labels_of(source.names)
    labels = [label[name] for name in causes], [label[name] for name in effects]
    ax = _axes_for(*labels, any(known), bool(title)) if ax is None else ax
    width, height = inches(ax)
    cell = min(width / len(effects), height / len(causes))
    mesh = _draw_cells(ax, values, sides.diagonal, cell)
    _label_sides(ax, *labels, cell, sides.left_out)
    if sides.n_context:
        ax.axhline(sides.n_context, color=CONTEXT_EDGE, linewidth=1.4, zorder=3)
    if cell >= CELL_WITH_NUMBER if numbers is None else numbers:
        _write_numbers(ax, values, sides.diagonal, cell)
    _draw_marks(ax, causes, effects, known, cell)
    _draw_bar(ax, mesh, cell * len(effects), cell * len(causes))
    if title:
        _write_below(ax, title, cell * len(causes), any(known))
    describe(ax, _described(causes, effects, values))
    return ax


class _Sides(NamedTuple):
    """The variables of rows and of columns, which are the same unless some are context: these come first, as rows."""

    rows: list[int]
    columns: list[int]
    n_context: int
    left_out: int

    @property
    def diagonal(self) -> np.ndarray:
        """The cells of a variable with itself, bool, as the matrix."""
        return np.equal.outer(self.rows, self.columns)


def _sides(source: EdgeProbabilities, places: list[int], known: KnownEdges) -> _Sides:
    """Nothing causes context variables, so they are no columns; those without any probable edge are left out."""
    names, context = source.names, set(source.context)
    columns = [v for v in places if names[v] not in context]
    given = [v for v in places if names[v] in context]
    marked = {name for edge in (*known.required, *known.forbidden) for name in edge}
    kept = [v for v in given if (source.values[v] >= LEAST_SHOWN).any() or names[v] in marked]
    return _Sides([*kept, *columns], columns, len(kept), len(given) - len(kept))


def _described(causes: Sequence[str], effects: Sequence[str], values: np.ndarray) -> str:
    cells = np.argwhere(values >= LEAST_SHOWN)
    pairs = sorted(((f"{causes[c]} -> {effects[e]}", float(values[c, e])) for c, e in cells), key=lambda pair: -pair[1])
    told = f"; the most probable: {strongest(pairs)}." if pairs else "; all are 0."
    return f"Matrix of the edge probabilities of {len(causes)} variables, row = cause, column = effect{told}"


def _cell_size(n_variables: int) -> float:
    """Return the side of a cell in inches: large for few variables, just high enough for a line of text for many."""
    cell = min(max(SMALL / n_variables, SMALLEST_CELL), LARGEST_CELL)
    return min(cell, LARGEST_MATRIX / n_variables)


def _label_size(cell: float) -> float:
    return min(LABEL_SIZE, max(SMALLEST_LABEL, LABEL_OF_CELL * 72 * cell))


def _axes_for(causes: Sequence[str], effects: Sequence[str], marked: bool, titled: bool) -> Axes:
    cell = _cell_size(len(causes))
    width, height = cell * len(effects), cell * len(causes)
    left, above = (room_for(labels, _label_size(cell)) + 0.42 for labels in (causes, effects))
    bar = room_for([BAR_LABEL], BAR_LABEL_SIZE)  # higher than a matrix of two or three variables
    texts = 0.15 + (MARKS_HEIGHT if marked else 0.0) + (0.16 * MOST_LINES if titled else 0.0)
    below = max(texts, 0.05 + (bar - height) / 2)
    room = Margins(left + 0.08, BAR_ROOM, below, above + 0.12)
    return new_axes(width, height, room)


def _draw_cells(ax: Axes, values: np.ndarray, diagonal: np.ndarray, cell: float) -> QuadMesh:
    own = np.ma.masked_where(diagonal, values)
    line = min(0.8, 2.0 * cell)
    mesh = ax.pcolormesh(own, cmap=probability_colours(), vmin=0.0, vmax=1.0, edgecolors=GRID, linewidth=line)
    ax.set_aspect("equal")
    ax.invert_yaxis()
    ax.spines[:].set_visible(False)
    return mesh


def _label_sides(ax: Axes, causes: Sequence[str], effects: Sequence[str], cell: float, left_out: int) -> None:
    """Label rows and columns; if cells are too low for text, only every second or third."""
    size = _label_size(cell)
    step = int(np.ceil(size / (LABEL_OF_CELL * 72 * cell) - 1e-9))
    ax.set_xticks(np.arange(0, len(effects), step) + 0.5, effects[::step], rotation=90, fontsize=size, parse_math=False)
    ax.set_yticks(np.arange(0, len(causes), step) + 0.5, causes[::step], fontsize=size, parse_math=False)
    ax.tick_params(length=0 if step == 1 else 2, pad=2, top=True, labeltop=True, bottom=False, labelbottom=False)
    ax.xaxis.set_label_position("top")
    ax.set_xlabel("effect", fontsize=LABEL_SIZE, fontweight="bold", labelpad=6)
    without = f" ({left_out} context variables without probable edges left out)" if left_out else ""
    ax.set_ylabel(f"cause{without}", fontsize=LABEL_SIZE, fontweight="bold", labelpad=6)


def _write_numbers(ax: Axes, values: np.ndarray, diagonal: np.ndarray, cell: float) -> None:
    size = min(NUMBER_SIZE, NUMBER_OF_CELL * 72 * cell)
    for cause, effect in np.argwhere((values >= LEAST_SHOWN) & ~diagonal):
        value = float(values[cause, effect])
        ink = "white" if value > 0.45 else "#101820"
        ax.text(
            effect + 0.5, cause + 0.52, f"{value:.2f}", ha="center", va="center", fontsize=size, color=ink, zorder=3
        )


def _draw_marks(ax: Axes, rows: Sequence[str], columns: Sequence[str], known: KnownEdges, cell: float) -> None:
    """Mark required edges by squares, in the upper right corner of large cells, and forbidden ones by crosses."""
    row, column = ({name: k for k, name in enumerate(side)} for side in (rows, columns))
    scale = min(0.75, 4.8 * cell)
    corner = (0.84, 0.17) if cell >= CELL_WITH_NUMBER else (0.5, 0.5)
    styles = [
        (known.required, square_style(scale), "required edge", corner),
        (known.forbidden, cross_style(scale), "forbidden edge", (0.5, 0.5)),
    ]
    for pairs, style, label, (across, down) in styles:
        inside = [(row[cause], column[effect]) for cause, effect in sorted(pairs) if effect in column]
        if inside:
            causes, effects = np.array(inside).T
            ax.plot(effects + across, causes + down, **style, linestyle="", label=label, clip_on=False, zorder=4)
    if any(known):
        side = cell * len(rows)
        below = (0.5, -0.06 / side)
        ax.legend(loc="upper center", bbox_to_anchor=below, ncols=2, frameon=False, fontsize=9, borderaxespad=0.0)


def _write_below(ax: Axes, text: str, side: float, marked: bool) -> None:
    """Write under the matrix, and under the legend of marks if there is one: above are the labels of columns."""
    lines = textwrap.wrap(
        text, max(int(CHARACTERS_PER_INCH * inches(ax)[0]), 20), max_lines=MOST_LINES, placeholder=" ..."
    )
    ax.annotate(
        "\n".join(lines),
        (0.5, -(0.06 + (MARKS_HEIGHT if marked else 0.0)) / side),
        xycoords="axes fraction",
        ha="center",
        va="top",
        fontsize=BELOW_SIZE,
        parse_math=False,
        annotation_clip=False,
    )


def _draw_bar(ax: Axes, mesh: QuadMesh, across: float, down: float) -> None:
    """Draw the colour bar beside the matrix."""
    height = min(1.0, 2.6 / down)
    where = ax.inset_axes((1.0 + BAR_GAP / across, 1.0 - height, BAR_WIDTH / across, height))
    bar = ax.figure.colorbar(mesh, cax=where, ticks=[0.0, 0.25, 0.5, 0.75, 1.0])
    bar.ax.set_yticklabels(["0", "0.25", "0.5", "0.75", "1"], fontsize=8.5)
    bar.set_label(BAR_LABEL, fontsize=BAR_LABEL_SIZE)
    bar.outline.set_linewidth(0.5)
