"""`orderspn edges`, `parents` and `query`: probabilities of edges, of sets of parents and of events."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orderspn.cli.files import opened
from orderspn.cli.options import PROBABILITY, format_options, given_option, posterior_argument, top_option
from orderspn.cli.output import (
    Answer,
    Pair,
    Table,
    condition,
    matrix_answer,
    number_text,
    pairs_answer,
    show,
    strongest_pairs,
    with_errors,
)

if TYPE_CHECKING:
    import pandas as pd

    from orderspn.models.protocol import GraphModel


@click.command(short_help="List the edges with their probabilities.")
@posterior_argument
@given_option
@click.option(
    "--min-probability", type=PROBABILITY, default=0.01, show_default=True, help="Leave out edges below this."
)
@top_option("Only the N most probable edges.")
@click.option("--matrix", is_flag=True, help="Print all probabilities as a matrix, row = cause, column = effect.")
@format_options
def edges(
    posterior_file: Path,
    given: tuple[str, ...],
    min_probability: float,
    top: int | None,
    matrix: bool,
    form: str | None,
) -> None:
    """List the edges with their probabilities, most probable first.

    \b
    Example:
      orderspn edges posterior.npz --given "A -> B" --top 20
    """
    with opened(posterior_file, given, form) as posterior:
        frame = posterior.edge_probabilities()
        errors = None if matrix else posterior.edge_standard_errors()
    given_that = condition(posterior.evidence)
    if errors is None:
        answer = matrix_answer(frame, f"Edge probabilities{given_that}")
    else:
        listed = [pair for pair in strongest_pairs(frame, top) if pair[2] >= min_probability]
        title = f"Edges with probability of at least {min_probability:g}{given_that}"
        answer = _with_errors(listed, errors, title)
    show(answer, form)


def _with_errors(pairs: list[Pair], errors: pd.DataFrame, title: str) -> Answer:
    """Answer with probabilities and their standard errors; without those if all are 0, or all are unknown."""
    if not (errors > 0.0).to_numpy().any():
        answer = pairs_answer(pairs, "probability", title)
        unknown = ["Monte Carlo standard errors are unknown."] if errors.isna().to_numpy().any() else []
        return replace(answer, people=[*answer.people, *unknown])
    table = Table(["cause", "effect", "probability", "standard_error"], with_errors(pairs, errors))
    return Answer(table.records(), table, [title, table])


NO_PARENTS = "(none)"


@click.command(short_help="List the most probable sets of causes of a variable.")
@posterior_argument
@click.argument("child")
@given_option
@top_option("Only the N most probable sets.", default=10)
@format_options
def parents(posterior_file: Path, child: str, given: tuple[str, ...], top: int, form: str | None) -> None:
    """List the most probable sets of direct causes of CHILD.

    \b
    Example:
      orderspn parents posterior.npz A --given "B -> A"

    As CSV a set is written as a JSON array within its cell.
    """
    with opened(posterior_file, given, form) as posterior:
        frame = posterior.parent_sets(child, top=top)
    rows = [
        (list(names), float(probability))
        for names, probability in zip(frame["parents"], frame["probability"], strict=True)
    ]
    columns = ["parents", "probability"]
    table = Table(columns, rows)
    people = Table(columns, [(names or NO_PARENTS, probability) for names, probability in rows])
    title = f"Sets of direct causes of {child}{condition(posterior.evidence)}"
    show(Answer(table.records(), table, [title, people]), form)


@click.command(short_help="Give the probability of an event.")
@posterior_argument
@click.argument("event", metavar="EDGES")
@given_option
@format_options
def query(posterior_file: Path, event: str, given: tuple[str, ...], form: str | None) -> None:
    """Give the probability of an event: of its edges, neighbours, order constraints and ancestors together.

    An impossible event has probability 0 and log probability -inf (null in JSON).

    \b
    Examples:
      orderspn query posterior.npz "A -> B"
      orderspn query posterior.npz "A -> B, B !-> C" --given "C -> D"
      orderspn query posterior.npz "A -- B"
      orderspn query posterior.npz "A < B" --given "B -> C"
      orderspn query posterior.npz "A ~> B"
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
    people = [f"P({question}) = {row[2]:.6g}", f"log probability = {number_text(log_probability)}"]
    if math.isnan(error):
        people.append(f"Monte Carlo standard error unknown: {_why_unknown(posterior.model)}")
    elif error > 0.0:
        people.append(f"Monte Carlo standard error = {error:.2g}")
    show(Answer(table.records()[0], table, people), form)


def _why_unknown(model: GraphModel) -> str:
    """Return why the standard error of an answer is unknown."""
    from orderspn.models.capabilities import CHAINS, MIXTURE, ORDERS

    if MIXTURE.of(model):
        return "that of a component is unknown, or evidence changed the weights of the mixture"
    if CHAINS.of(model):
        return "all sampled graphs agree"
    return (
        "its weights are not shares of sampled orders" if ORDERS.of(model) else "its graphs are not independent draws"
    )
