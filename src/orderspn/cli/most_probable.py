"""`orderspn map`: the most probable graph."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orderspn.cli.files import opened
from orderspn.cli.options import format_options, given_option, posterior_argument
from orderspn.cli.output import Answer, Table, number, show
from orderspn.cli.pairs import condition

if TYPE_CHECKING:
    from orderspn.queries.edges import Edges
    from orderspn.queries.most_probable import BestGraph, MostProbableGraph


@click.command(name="map", short_help="Find the most probable graph.")
@posterior_argument
@given_option
@click.option("--search", is_flag=True, help="Search also along orders that a circuit does not cover.")
@format_options
def most_probable(posterior_file: Path, given: tuple[str, ...], search: bool, form: str | None) -> None:
    """Find the graph with the highest score, or complete the partial graph that is given.

    \b
    Examples:
      orderspn map posterior.npz --given "A -> B, C !-> D"
      orderspn map posterior.npz --search
    """
    if search:
        _show_best(posterior_file, given, form)
    else:
        _show_most_probable(posterior_file, given, form)


def _show_most_probable(posterior_file: Path, given: tuple[str, ...], form: str | None) -> None:
    with opened(posterior_file, given, form) as posterior:
        best = posterior.most_probable_graph()
        log_probability = posterior.log_probability(best.edges)
    numbers = {
        "probability_of_graph": math.exp(log_probability),
        "log_probability_of_graph": log_probability,
        "log_score": best.log_score,
    }
    if posterior.settings["target"] == "order":
        numbers["log_probability_of_order_and_graph"] = best.log_probability
    show(_answer("Most probable graph", best, posterior.evidence, numbers), form)


def _show_best(posterior_file: Path, given: tuple[str, ...], form: str | None) -> None:
    from orderspn.queries.edges import Edges

    # The search takes evidence that the orders of the file leave no room for, so it is not conditioned before.
    with opened(posterior_file, (), form) as posterior:
        added = Edges()
        for edges in given:
            added &= Edges.parse(edges)
        best = posterior.best_graph(added)
    show(_answer("Best graph found", best, posterior.evidence & added, {"log_score": best.log_score}), form)


def _answer(title: str, best: MostProbableGraph | BestGraph, evidence: Edges, numbers: dict[str, float]) -> Answer:
    table = Table(["cause", "effect"], best.edges.present)
    document = {"given": str(evidence) or None, "edges": best.edges.present, "order": best.order, **numbers}
    people: list[str | Table] = [
        f"{title}{condition(evidence)}: {len(best.edges.present)} edges",
        table,
        f"order: {', '.join(best.order)}",
        *(f"{name.replace('_', ' ')}: {number(value)}" for name, value in numbers.items()),
    ]
    return Answer(document, table, people)
