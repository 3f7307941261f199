"""`orderspn ancestors` and `descendants`: whether one variable influences another along any path."""

from __future__ import annotations

from pathlib import Path

import click

from orderspn.cli.files import opened
from orderspn.cli.options import PROBABILITY, format_options, given_option, posterior_argument, top_option
from orderspn.cli.output import Answer, Table, condition, matrix_answer, show, strongest_pairs, with_errors

NO_DESCENDANTS = "(none)"


@click.command(short_help="List which variables are ancestors of which.")
@posterior_argument
@given_option
@click.option(
    "--min-probability", type=PROBABILITY, default=0.01, show_default=True, help="Leave out pairs below this."
)
@top_option("Only the N most probable pairs.")
@click.option("--matrix", is_flag=True, help="Print all probabilities as a matrix, row = ancestor.")
@format_options
def ancestors(
    posterior_file: Path,
    given: tuple[str, ...],
    min_probability: float,
    top: int | None,
    matrix: bool,
    form: str | None,
) -> None:
    """List the probability that one variable is an ancestor of another: that there is a directed path.

    \b
    Example:
      orderspn ancestors posterior.npz --given "A -> B" --top 20
    """
    with opened(posterior_file, given, form) as posterior:
        frame = posterior.ancestor_probabilities()
        errors = None if matrix else posterior.ancestor_standard_errors()
    given_that = condition(posterior.evidence)
    if errors is None:
        show(matrix_answer(frame, f"Probabilities of ancestors{given_that}", "ancestor", "descendant"), form)
        return
    listed = [pair for pair in strongest_pairs(frame, top) if pair[2] >= min_probability]
    table = Table(["ancestor", "descendant", "probability", "standard_error"], with_errors(listed, errors))
    title = f"Ancestors with probability of at least {min_probability:g}{given_that}"
    show(Answer(table.records(), table, [title, table]), form)


@click.command(short_help="List the most probable sets of descendants of a variable.")
@posterior_argument
@click.argument("variable")
@given_option
@top_option("Only the N most probable sets.", default=10)
@format_options
def descendants(posterior_file: Path, variable: str, given: tuple[str, ...], top: int, form: str | None) -> None:
    """List the most probable sets of descendants of VARIABLE: all that it influences.

    \b
    Example:
      orderspn descendants posterior.npz A --given "B -> A"

    As CSV a set is written as a JSON array within its cell.
    """
    with opened(posterior_file, given, form) as posterior:
        frame = posterior.descendant_sets(variable, top=top)
    columns = list(frame.columns)
    rows = [(list(names), float(p), float(error)) for names, p, error in frame.itertuples(index=False)]
    table = Table(columns, rows)
    people = Table(columns, [(names or NO_DESCENDANTS, *numbers) for names, *numbers in rows])
    title = f"Sets of descendants of {variable}{condition(posterior.evidence)}"
    show(Answer(table.records(), table, [title, people]), form)
