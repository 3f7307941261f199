"""`orderspn edges`: the probability of every edge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from orderspn.cli.files import opened
from orderspn.cli.options import PROBABILITY, format_options, given_option, posterior_argument, top_option
from orderspn.cli.output import Answer, Table, show
from orderspn.cli.pairs import Pair, condition, matrix_answer, pairs_answer, strongest_pairs

if TYPE_CHECKING:
    import pandas as pd


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
        errors = posterior.edge_standard_errors() if posterior.settings["method"] == "gadget" else None
    given_that = condition(posterior.evidence)
    if matrix:
        answer = matrix_answer(frame, f"Edge probabilities{given_that}")
    else:
        listed = [pair for pair in strongest_pairs(frame, top) if pair[2] >= min_probability]
        title = f"Edges with probability of at least {min_probability:g}{given_that}"
        answer = pairs_answer(listed, "probability", title) if errors is None else _with_errors(listed, errors, title)
    show(answer, form)


def _with_errors(pairs: list[Pair], errors: pd.DataFrame, title: str) -> Answer:
    """Sampled probabilities, each with its standard error."""
    place = {name: v for v, name in enumerate(errors.index)}
    values = errors.to_numpy()
    rows = [(cause, effect, p, float(values[place[cause], place[effect]])) for cause, effect, p in pairs]
    table = Table(["cause", "effect", "probability", "standard_error"], rows)
    return Answer(table.records(), table, [title, table])
