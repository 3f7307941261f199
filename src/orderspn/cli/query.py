"""`orderspn query`: the probability of an event."""

from __future__ import annotations

import math
from pathlib import Path

import click

from orderspn.cli.files import opened
from orderspn.cli.options import format_options, given_option, posterior_argument
from orderspn.cli.output import Answer, Table, show


@click.command()
@posterior_argument
@click.argument("event", metavar="EDGES")
@given_option
@format_options
def query(posterior_file: Path, event: str, given: tuple[str, ...], form: str | None) -> None:
    """Give the probability that all edges of an event, and the places of variables in the order, are as it says.

    An impossible event has probability 0 and log probability -inf (null in JSON).

    \b
    Examples:
      orderspn query posterior.npz "A -> B"
      orderspn query posterior.npz "A -> B, B !-> C" --given "C -> D"
      orderspn query posterior.npz "A < B" --given "B -> C"
    """
    from orderspn.queries.edges import Edges

    edges = Edges.parse(event)
    with opened(posterior_file, given, form) as posterior:
        log_probability = posterior.log_probability(edges)
        error = posterior.standard_error(edges)
    evidence = str(posterior.evidence) or None
    row = [str(edges), evidence, math.exp(log_probability), log_probability, error]
    table = Table(["event", "given", "probability", "log_probability", "standard_error"], [row])
    question = f"{edges} | {evidence}" if evidence else str(edges)
    people = [f"P({question}) = {row[2]:.6g}", f"log probability = {log_probability:.6f}"]
    if math.isnan(error):
        particles = posterior.settings["method"] == "dibs"
        why = "particles are no independent draws" if particles else "all sampled graphs agree"
        people.append(f"Monte Carlo standard error unknown: {why}")
    elif error > 0.0:
        people.append(f"Monte Carlo standard error = {error:.2g}")
    show(Answer(table.records()[0], table, people), form)
