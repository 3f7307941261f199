"""The options of commands that read a table: its file, its columns and rows, and its interventions."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any, cast

import click

from orderspn.cli.files import choose_columns, read_data, without_missing
from orderspn.cli.options import FILE, Command, read_targets, take_text_format, text_options
from orderspn.core.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

    from orderspn.scores.protocol import Score

SCORES = ("bge", "bdeu", "bic")
"""Scores that commands offer."""

drop_missing_option = click.option(
    "--drop-missing", is_flag=True, help="Drop rows with missing values, and say how many."
)

interventions_option = click.option(
    "--interventions",
    metavar="COLUMN",
    help="Column that names in each row the variable intervened on, if any, or the condition (--targets).",
)

targets_option = click.option(
    "--targets",
    multiple=True,
    metavar="LABEL=NAMES",
    help="Variables that a condition intervenes on: LABEL=NAME,NAME, or LABEL= for none. Repeat for each.",
)

_OPTIONS = (
    click.argument("data_file", metavar="DATA", type=FILE),
    click.option(
        "--variables",
        multiple=True,
        metavar="A,B,C",
        help="Columns to use [default: all]. May be repeated, which also allows names with commas.",
    ),
    click.option("--exclude", multiple=True, metavar="A,B,C", help="Columns to leave out. May be repeated."),
    drop_missing_option,
    text_options,
    interventions_option,
    targets_option,
)


score_option = click.option(
    "--score",
    type=click.Choice(["auto", *SCORES]),
    default="auto",
    show_default=True,
    help="bge or bic for numbers, bdeu for categories; auto: bge or bdeu, by the columns.",
)

penalty_option = click.option("--penalty", type=float, help="Factor of BIC's penalty for each parent [default: 1].")

max_parents_option = click.option(
    "--max-parents", type=click.IntRange(min=0), help="Largest number of parents [default: no limit]."
)

knowledge_option = click.option(
    "--knowledge",
    multiple=True,
    metavar="EDGES|FILE.json",
    help='What is known before any data: edges, "A -> B, C !-> D", or a JSON file with the fields required, forbidden, '
    "tiers, roots, leaves, max_parents, edge_probabilities. May be repeated.",
)

context_option = click.option(
    "--context",
    multiple=True,
    metavar="A,B,C",
    help="Columns that are only ever causes and never explained: age, batch. They cost no orders. May be repeated.",
)

group_option = click.option(
    "--group", "groups", multiple=True, metavar="NAME=A,B", help="Several columns as one variable. May be repeated."
)

standardize_option = click.option(
    "--standardize/--no-standardize",
    default=None,
    help="Centre each column and divide it by its standard deviation [default: for bge].",
)

kind_option = click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="NAME=number|category",
    help="How a column is read, where its values do not say it. May be repeated.",
)


def table_options(command: Command) -> Command:
    """Add DATA and the options of a table."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def take_table(options: dict[str, Any]) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Take the options of `table_options` out of all options; return the table, and arguments of the library."""
    data = read_data(options.pop("data_file"), take_text_format(options))
    wanted, interventions = options.pop("variables"), options.pop("interventions")
    variables = choose_columns(wanted, options.pop("exclude"), data)
    if not wanted:  # the column of conditions is not a variable
        variables = [name for name in variables if name != interventions]
    if options.pop("drop_missing"):
        data = without_missing(data, variables)
    targets = read_targets(options.pop("targets"))
    return data, {"variables": variables, "interventions": interventions, "targets": targets}


def given_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def chosen_score(name: str, given: Mapping[str, Any]) -> str | Score:
    """Return the score by its name; an option that only one score has selects that score."""
    from orderspn.scores.registry import SCORES as CLASSES

    if not given:
        return name
    owners = {option: [own for own in SCORES if option in signature(CLASSES[own]).parameters] for option in given}
    chosen = next(iter(owners.values()))[0] if name == "auto" else name
    for option, own in owners.items():
        if chosen not in own:
            raise UserError(f"--{option.replace('_', '-')} belongs to --score {own[0]}; leave it out for {chosen}.")
    return cast("Score", CLASSES[chosen](**given))
