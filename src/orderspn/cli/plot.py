"""`orderspn plot`: pictures of the posterior."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from orderspn.cli.files import check_output, opened, read_data
from orderspn.cli.options import FILE, POSITIVE, PROBABILITY, given_option, posterior_argument, rng_option, top_option
from orderspn.core.atomic import replacing
from orderspn.core.destination import destination
from orderspn.core.errors import UserError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from orderspn.posterior import Posterior

DEVICE_FORMAT = "png"
"""Format of pictures for devices and pipes, whose names have no ending."""

BELONGS = {
    "min_probability": ("graph",),
    "order": ("edges",),
    "of": ("effects",),
    "on": ("effects",),
    "top": ("effects",),
    "samples": ("effects",),
    "rng": ("effects",),
    "truth": ("graph", "calibration"),
    "directions": ("graph",),
}
"""The pictures that each option belongs to; for all others it is refused."""

NAMES = {"samples": "n"}
"""Options whose argument in Python has a different name."""


@click.command(short_help="Draw the posterior, as a graph or in another way.")
@posterior_argument
@click.option("-o", "--output", type=FILE, required=True, help="Where to save the picture: .png, .svg or .pdf.")
@given_option
@click.option("--edges", "kind", flag_value="edges", help="Draw the probabilities of all edges as a matrix instead.")
@click.option("--effects", "kind", flag_value="effects", help="Draw causal effects with intervals instead.")
@click.option(
    "--calibration", "kind", flag_value="calibration", help="Draw how often edges are there as predicted; see --truth."
)
@click.option(
    "--trace", "kind", flag_value="trace", help="Draw the log scores of sampled graphs instead (method gadget)."
)
@click.option(
    "--min-probability", type=PROBABILITY, help="Graph: leave out edges below this.  [default: 0.1, more if too many]"
)
@click.option(
    "--directions",
    type=click.Choice(["arrows", "shares"]),
    help="Graph: an arrow for each direction, or one line with the share of each.  [default: arrows]",
)
@click.option(
    "--order",
    type=click.Choice(["causal", "clustered", "data"]),
    help="--edges: the order of variables.  [default: causal]",
)
@click.option("--of", metavar="NAME", help="--effects: only those of this cause.")
@click.option("--on", metavar="NAME", help="--effects: only those on this effect.")
@top_option("--effects: only the N strongest.")
@click.option("--samples", type=POSITIVE, help="--effects: how many to draw.  [default: 1000]")
@rng_option("--effects: the same seed gives the same picture.")
@click.option(
    "--truth",
    type=FILE,
    help="A table with the columns cause and effect, the edges of a known network: coloured in the graph, and what "
    "--calibration compares with.",
)
def plot(
    posterior_file: Path, output: Path, given: tuple[str, ...], kind: str | None, truth: Path | None, **options: Any
) -> None:
    """Draw the posterior as a graph, with edges as thick as they are probable, or in another way.

    \b
    Example:
      orderspn plot posterior.npz -o graph.png --min-probability 0.2
      orderspn plot posterior.npz -o edges.png --edges
      orderspn plot posterior.npz -o effects.png --effects --on Y
      orderspn plot posterior.npz -o calibration.png --calibration --truth network.csv

    This needs matplotlib: pip install "orderspn[plot]"
    """
    kind = kind or "graph"
    chosen = {name: value for name, value in options.items() if value is not None}
    _check_options(kind, chosen if truth is None else {**chosen, "truth": truth})
    check_output(output)
    with opened(posterior_file, given, None) as posterior:
        network = None if truth is None else _read_network(truth, posterior.variables)
        save_axes(_draw(kind, posterior, network, chosen), output)
    click.echo(f"Saved to {output}")


def save_picture(
    posterior: Posterior,
    path: Path,
    min_probability: float | None,
    highlight: Collection[tuple[str, str]] | None = None,
) -> None:
    """Draw a posterior as a graph and save it, in the format that the ending of the name tells."""
    from orderspn.plot import posterior_graph

    save_axes(posterior_graph(posterior, min_probability=min_probability, highlight=highlight), path)


def _check_options(kind: str, options: Mapping[str, Any]) -> None:
    for name in options:
        if kind not in BELONGS[name]:
            pictures = " or ".join("the graph" if home == "graph" else f"--{home}" for home in BELONGS[name])
            raise click.UsageError(f"--{name.replace('_', '-')} belongs to {pictures}; leave it out.")
    if kind == "calibration" and "truth" not in options:
        raise click.UsageError("--calibration needs the edges of a known network; name its file with --truth.")


def _draw(kind: str, posterior: Posterior, network: list[tuple[str, str]] | None, options: Mapping[str, Any]) -> Axes:
    from orderspn import plot as pictures

    options = {NAMES.get(name, name): value for name, value in options.items()}
    if kind == "edges":
        return pictures.edges(posterior, **options)
    if kind == "effects":
        return pictures.effects(posterior, **options)
    if kind == "trace":
        return pictures.trace(posterior)
    if kind == "calibration":
        return pictures.calibration(_curve(posterior, network or []))
    return pictures.posterior_graph(posterior, highlight=network, **options)


def _curve(posterior: Posterior, network: list[tuple[str, str]]) -> Any:
    from orderspn.metrics import calibration_curve

    return calibration_curve(posterior, network)


def _read_network(path: Path, variables: list[str]) -> list[tuple[str, str]]:
    """Read the edges of a network; all must be between variables of the posterior."""
    from orderspn.queries.edges import Edges
    from orderspn.queries.evidence import check_names

    table = read_data(path)
    missing = [column for column in ("cause", "effect") if column not in table.columns]
    if missing:
        raise UserError(
            f"{str(path)!r} must have the columns cause and effect, an edge in each row; {missing[0]!r} is missing."
        )
    edges = Edges(present=zip(table["cause"].astype(str), table["effect"].astype(str), strict=True))
    check_names(edges, variables)
    return list(edges.present)


def save_axes(ax: Axes, path: Path) -> None:
    """Save a picture in the format that the ending of the name tells."""
    from orderspn.plot.canvas import close
    from orderspn.plot.description import file_metadata

    figure = cast("Figure", ax.figure)
    formats = figure.canvas.get_supported_filetypes()
    ending = path.suffix.lower().lstrip(".") or (DEVICE_FORMAT if destination(path).is_stream else "")
    if ending not in formats:
        known = ", ".join(f".{ending}" for ending in sorted(formats))
        raise UserError(f"cannot draw to {str(path)!r}: its name must end in one of {known}.")
    with replacing(path) as temporary:
        figure.savefig(temporary, format=ending, metadata=file_metadata(ax, ending))
    close(figure)
