"""`orderspn edges`: the probability of every edge."""

from __future__ import annotations

from pathlib import Path

import click

from orderspn.cli.files import opened
from orderspn.cli.options import PROBABILITY, format_options, given_option, posterior_argument, top_option
from orderspn.cli.output import show
from orderspn.cli.pairs import condition, matrix_answer, pairs_answer, strongest_pairs


@click.command()
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
    given_that = condition(posterior.evidence)
    if matrix:
        answer = matrix_answer(frame, f"Edge probabilities{given_that}")
    else:
        listed = [pair for pair in strongest_pairs(frame, top) if pair[2] >= min_probability]
        title = f"Edges with probability of at least {min_probability:g}{given_that}"
        answer = pairs_answer(listed, "probability", title)
    show(answer, form)
