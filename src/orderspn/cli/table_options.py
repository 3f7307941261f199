"""The options of commands that read a table: its file, its columns and rows, and its interventions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from orderspn.cli.files import choose_columns, read_data, without_missing
from orderspn.cli.options import FILE, Command, read_targets, take_text_format, text_options

if TYPE_CHECKING:
    import pandas as pd

_OPTIONS = (
    click.argument("data_file", metavar="DATA", type=FILE),
    click.option(
        "--variables",
        multiple=True,
        metavar="A,B,C",
        help="Columns to use [default: all]. May be repeated, which also allows names with commas.",
    ),
    click.option("--exclude", multiple=True, metavar="A,B,C", help="Columns to leave out. May be repeated."),
    click.option("--drop-missing", is_flag=True, help="Drop rows with missing values, and say how many."),
    text_options,
    click.option(
        "--interventions",
        metavar="COLUMN",
        help="Column that names in each row the variable intervened on, if any, or the condition (--targets).",
    ),
    click.option(
        "--targets",
        multiple=True,
        metavar="LABEL=NAMES",
        help="Variables that a condition intervenes on: LABEL=NAME,NAME, or LABEL= for none. Repeat for each.",
    ),
)


score_option = click.option(
    "--score",
    type=click.Choice(["auto", "bge", "bdeu"]),
    default="auto",
    show_default=True,
    help="bge for numbers, bdeu for categories; auto: by the columns.",
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
