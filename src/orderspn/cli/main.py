"""The program `orderspn` and the list of its commands."""

from __future__ import annotations

import click

from orderspn._version import __version__
from orderspn.cli.demo import demo
from orderspn.cli.edges import edges
from orderspn.cli.effects import effects
from orderspn.cli.info import info
from orderspn.cli.interventional import interventional
from orderspn.cli.learn import learn
from orderspn.cli.most_probable import most_probable
from orderspn.cli.parents import parents
from orderspn.cli.plot import plot
from orderspn.cli.program import Program
from orderspn.cli.query import query
from orderspn.cli.reproduce import reproduce
from orderspn.cli.sample import sample


@click.group(
    cls=Program,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def main(context: click.Context) -> None:
    """Learn which causal graphs could have produced your data, and ask exact questions about them.

    \b
    Try it:
      orderspn demo
    Use it:
      orderspn learn data.csv -o posterior.npz --standardize
      orderspn edges posterior.npz
      orderspn query posterior.npz "A -> B" --given "C -> D"

    Edges are written "A -> B" (A is a direct cause of B) and "A !-> B" (it is not); "A < B" says that A comes
    before B in the order, with or without an edge. Several are separated by commas, and names that hold spaces or
    commas are quoted: '"heart rate" -> dose'.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (
    learn,
    edges,
    query,
    most_probable,
    sample,
    effects,
    interventional,
    parents,
    info,
    plot,
    demo,
    reproduce,
):
    main.add_command(command)
