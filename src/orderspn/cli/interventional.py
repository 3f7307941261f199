"""`orderspn interventional`: the distribution of a variable when others are set from outside."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from orderspn.cli.files import opened
from orderspn.cli.options import POSITIVE, format_options, given_option, posterior_argument
from orderspn.cli.output import Answer, Table, show
from orderspn.cli.pairs import condition

LEVEL = 0.9
"""Of the credible intervals."""


@click.command()
@posterior_argument
@click.argument("variable")
@click.option(
    "--do", "settings", multiple=True, metavar="X=LEVEL", help="Set X to a level from outside. May be repeated."
)
@given_option
@click.option(
    "--graphs", "n_graphs", type=POSITIVE, default=1000, show_default=True, help="Graphs to draw, each with tables."
)
@click.option("--seed", type=click.IntRange(min=0), help="The same seed gives the same answer.")
@format_options
def interventional(
    posterior_file: Path,
    variable: str,
    settings: tuple[str, ...],
    given: tuple[str, ...],
    n_graphs: int,
    seed: int | None,
    form: str | None,
) -> None:
    """Give the distribution of VARIABLE when others are set from outside: P(Y | do(X = x)), for categories.

    Means over graphs and over tables of probabilities, with 90% credible intervals. Without --do, nothing is set.

    \b
    Examples:
      orderspn interventional posterior.npz dysp --do bronc=yes
      orderspn interventional posterior.npz dysp --do bronc=yes --do smoke=no --given "smoke -> bronc" --seed 1
    """
    with opened(posterior_file, given, form) as posterior:
        do = _levels_by_name(settings, posterior.variables)
        frame = posterior.interventional(variable, do, n_graphs=n_graphs, level=LEVEL, rng=seed)
    rows: list[list[Any]] = [[name, *row] for name, row in zip(frame.index, frame.to_numpy().tolist(), strict=True)]
    table = Table(["level", "mean", "low", "high"], rows)
    document = {"variable": variable, "do": do, "given": str(posterior.evidence) or None, "levels": table.records()}
    question = f"{variable} | do({', '.join(f'{name} = {level}' for name, level in do.items())})" if do else variable
    title = f"P({question}){condition(posterior.evidence)}, with {100 * LEVEL:.0f}% credible intervals"
    show(Answer(document, table, [title, table]), form)


def _levels_by_name(settings: Sequence[str], variables: Sequence[str]) -> dict[str, str]:
    """Read X=LEVEL each; a sign within the name of a variable does not end it."""
    do: dict[str, str] = {}
    for text in settings:
        parts = text.split("=")
        splits = [("=".join(parts[:end]), "=".join(parts[end:])) for end in range(1, len(parts))]
        if not splits:
            raise click.UsageError(f"--do must be written X=LEVEL, such as --do smoke=yes; got {text!r}.")
        name, level = next((split for split in splits if split[0] in variables), splits[0])
        if name in do:
            raise click.UsageError(f"--do sets {name!r} twice, to {do[name]!r} and {level!r}; keep one of them.")
        do[name] = level
    return do
