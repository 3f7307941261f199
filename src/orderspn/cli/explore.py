"""`orderspn explore` and `report`: the posterior on a page, from a server on this computer or as one file."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orderspn.cli.files import check_output, opened, read_data, reporting
from orderspn.cli.options import FILE, given_option, posterior_argument, rng_option
from orderspn.cli.output import progress_bars
from orderspn.core.file_kinds import HEAD, POSTERIOR, seems_to_be

if TYPE_CHECKING:
    from orderspn.explorer.documents import Source
    from orderspn.posterior import Posterior


@click.command(short_help="Explore a posterior in the browser.")
@click.argument("file", metavar="FILE", type=FILE)
@given_option
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port to listen on  [default: a free one].")
@click.option(
    "--token",
    envvar="ORDERSPN_EXPLORE_TOKEN",
    help="Secret word of the address, at least 16 characters; with --port, bookmarks stay valid  [default: random].",
)
@click.option("--browser/--no-browser", default=True, help="Open the browser, or only print the address.")
@click.option("--stay", is_flag=True, help="Go on when all pages are closed, until Ctrl-C.")
@click.option("--save", type=FILE, help="Where to save the posterior, if FILE is a table (.npz).")
def explore(
    file: Path, given: tuple[str, ...], port: int, token: str | None, browser: bool, stay: bool, save: Path | None
) -> None:
    """Explore FILE in the browser: click an edge that you know, and watch all the others move.

    FILE is a posterior, or a table, from which a posterior is learned first. The page is served on this computer
    only, and its address has a secret token. It ends when its pages are closed, or with Ctrl-C.

    \b
    Examples:
      orderspn explore posterior.npz
      orderspn explore data.csv --save posterior.npz
      orderspn explore posterior.npz --given "A -> B"

    This needs Starlette and uvicorn: pip install "orderspn[explore]"
    """
    from urllib.parse import quote

    from orderspn.explorer.answering import Answering
    from orderspn.explorer.running import ExplorerServer, open_browser, require_server

    require_server()
    posterior, source = _taken(file, save)
    evidence = _evidence(posterior, given)
    view = f"given={quote(evidence)}" if evidence else ""
    answering = Answering(posterior, source)
    server = ExplorerServer.listening(answering, source.title, port=port, token=token, view=view, stays=stay)
    click.echo(f"Exploring at {server.url}\nIt ends with Ctrl-C{'' if stay else ', or when its pages are closed'}.")
    server.run(open_browser if browser else None)
    click.echo("The explorer has ended.")
    if answering.is_busy:  # Python would wait for its thread, which cannot be ended
        sys.stdout.flush()
        os._exit(0)


def _taken(file: Path, save: Path | None) -> tuple[Posterior, Source]:
    """Load a posterior, or learn one from a table."""
    import orderspn as osp
    from orderspn.explorer.documents import Source

    with reporting("read", file), file.open("rb") as content:
        is_posterior = seems_to_be(content.read(HEAD)) == POSTERIOR or file.suffix.lower() == ".npz"
    if is_posterior:
        if save is not None:
            raise click.UsageError(f"--save is for tables; {file} is a posterior already.")
        with opened(file, (), None) as posterior:
            return posterior, Source(file.name, f"osp.load({str(file)!r})")
    if save is not None:
        check_output(save)
    with progress_bars(None) as progress:
        learned = osp.learn(read_data(file), progress=progress)
    if save is None:
        return learned, Source(file.name, f"osp.learn({str(file)!r})")
    learned.save(save)
    return learned, Source(save.name, f"osp.load({str(save)!r})")


def _evidence(posterior: Posterior, given: Sequence[str]) -> str:
    """Return evidence as one text; raise an error if it is impossible."""
    from orderspn.queries.edges import Edges

    evidence = Edges()
    for edges in given:
        evidence = evidence & Edges.parse(edges)
    posterior.given(evidence)
    return str(evidence)


@click.command(short_help="Write a page that others can explore.")
@posterior_argument
@click.option("-o", "--output", type=FILE, required=True, help="Where to save the page (.html).")
@given_option
@click.option("--title", help="Title of the page  [default: the name of the file].")
@click.option("--samples", type=click.IntRange(100, 100_000), default=4000, show_default=True, help="Draws of graphs.")
@rng_option("The same seed gives the same draws.", default=0)
def report(
    posterior_file: Path, output: Path, given: tuple[str, ...], title: str | None, samples: int, rng: int
) -> None:
    """Write one page that anybody can open and explore, without a server or the network.

    The page carries draws of graphs, and answers from those that satisfy what is clicked.

    \b
    Example:
      orderspn report posterior.npz -o report.html
    """
    check_output(output)
    with opened(posterior_file, given, None) as posterior:
        posterior.to_html(output, title=title, n_samples=samples, rng=rng)
    click.echo(f"Saved to {output}")
