"""`orderspn plot`: a picture of the posterior."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from orderspn.cli.files import check_output, opened, written
from orderspn.cli.options import FILE, PROBABILITY, given_option, posterior_argument
from orderspn.core.errors import UserError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from orderspn.posterior import Posterior

DOTS_PER_INCH = 200


@click.command(short_help="Draw the posterior as a graph.")
@posterior_argument
@click.option("-o", "--output", type=FILE, required=True, help="Where to save the picture: .png, .svg or .pdf.")
@given_option
@click.option("--min-probability", type=PROBABILITY, default=0.1, show_default=True, help="Leave out edges below this.")
@click.option("--trace", is_flag=True, help="Draw the log scores of sampled graphs instead (method gadget).")
def plot(posterior_file: Path, output: Path, given: tuple[str, ...], min_probability: float, trace: bool) -> None:
    """Draw the posterior as a graph, with edges as thick as they are probable.

    \b
    Example:
      orderspn plot posterior.npz -o graph.png --min-probability 0.2

    This needs matplotlib: pip install "orderspn[plot]"
    """
    check_output(output)
    with opened(posterior_file, given, None) as posterior:
        if trace:
            save_trace(posterior, output)
        else:
            save_picture(posterior, output, min_probability)
    click.echo(f"Saved to {output}")


def save_picture(
    posterior: Posterior,
    path: Path,
    min_probability: float,
    highlight: Collection[tuple[str, str]] | None = None,
) -> None:
    """Draw a posterior to a file, in the format that its name ends in."""
    from orderspn.plot import posterior_graph

    _save(posterior_graph(posterior, min_probability=min_probability, highlight=highlight), path)


def save_trace(posterior: Posterior, path: Path) -> None:
    """Draw the log scores of a sampled posterior to a file."""
    from orderspn.plot import trace

    _save(trace(posterior), path)


def _save(ax: Axes, path: Path) -> None:
    figure = cast("Figure", ax.figure)
    formats = figure.canvas.get_supported_filetypes()
    if path.suffix.lower().lstrip(".") not in formats:
        known = ", ".join(f".{ending}" for ending in sorted(formats))
        raise UserError(f"cannot draw to {str(path)!r}: its name must end in one of {known}.")
    with written(path) as temporary:
        figure.savefig(temporary, dpi=DOTS_PER_INCH)
