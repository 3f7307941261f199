"""`orderspn map`: the most probable graph."""

from __future__ import annotations

import math
from pathlib import Path

import click

from orderspn.cli.files import opened
from orderspn.cli.options import format_options, given_option, posterior_argument
from orderspn.cli.output import Answer, Table, number, show
from orderspn.cli.pairs import condition


@click.command(name="map", short_help="Find the most probable graph.")
@posterior_argument
@given_option
@format_options
def most_probable(posterior_file: Path, given: tuple[str, ...], form: str | None) -> None:
    """Find the graph with the highest score, or complete the partial graph that is given.

    \b
    Example:
      orderspn map posterior.npz --given "A -> B, C !-> D"
    """
    with opened(posterior_file, given, form) as posterior:
        best = posterior.most_probable_graph()
        log_probability = posterior.log_probability(best.edges)
    table = Table(["cause", "effect"], best.edges.present)
    numbers = {
        "probability_of_graph": math.exp(log_probability),
        "log_probability_of_graph": log_probability,
        "log_probability_of_order_and_graph": best.log_probability,
        "log_score": best.log_score,
    }
    document = {
        "given": str(posterior.evidence) or None,
        "edges": best.edges.present,
        "order": best.order,
        **numbers,
    }
    people: list[str | Table] = [
        f"Most probable graph{condition(posterior.evidence)}: {len(best.edges.present)} edges",
        table,
        f"order: {', '.join(best.order)}",
        *(f"{name.replace('_', ' ')}: {number(value)}" for name, value in numbers.items()),
    ]
    show(Answer(document, table, people), form)
