"""Options and arguments that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])
FILE = click.Path(path_type=Path)
PROBABILITY = click.FloatRange(0.0, 1.0)
POSITIVE = click.IntRange(min=1)

_SIZE = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?:(?P<unit>[kmgt])(?P<kind>|i|b|ib)|b?)\Z", re.IGNORECASE)


def size(text: str) -> int:
    """Read a number of bytes; 1 GB is 10**9 of them, 1 GiB and 1 G are 2**30.

    Examples
    --------
    >>> size("4GiB"), size("500MB"), size("1000000")
    (4294967296, 500000000, 1000000)
    """
    match = _SIZE.match(text.strip())
    if match is None:
        raise click.BadParameter(f"{text!r} is no size; write for example 4GiB, 500MB or a number of bytes.")
    base = 1000 if (match["kind"] or "").lower() == "b" else 1024
    return int(Fraction(match["number"]) * base ** " kmgt".index((match["unit"] or " ").lower()))


def number_or_auto(text: str) -> int | str:
    """Read a whole number, or keep `auto`."""
    if text == "auto":
        return text
    if not text.isdecimal():
        raise click.BadParameter(f"{text!r} is neither a whole number nor 'auto'.")
    return int(text)


def factors(text: str) -> list[int]:
    """Read expansion factors.

    Examples
    --------
    >>> factors("64,16,6,2")
    [64, 16, 6, 2]
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise click.BadParameter(f"{text!r} is no list of whole numbers; write for example 64,16,6,2.")
    return [int(part) for part in parts]


MEMORY_LIMIT = "orderspn.memory_limit"
"""Where the context of a command keeps the memory that a posterior may take."""


def posterior_argument(command: Command) -> Command:
    """Add the file of the posterior as first argument, and the memory that it may take, which `opened` looks up."""
    limit = click.option(
        "--memory-limit",
        type=size,
        metavar="SIZE",
        expose_value=False,
        callback=lambda context, _, value: context.meta.update({MEMORY_LIMIT: value}),
        help="Memory that the posterior may take, for example 8GiB or 500MB [default: 4GiB].",
    )
    return click.argument("posterior_file", metavar="POSTERIOR", type=FILE)(limit(command))


def given_option(command: Command) -> Command:
    """Add `--given`, which may be repeated."""
    return click.option(
        "--given",
        multiple=True,
        metavar="EDGES",
        help='Condition on what is known of edges, "A -> B, C !-> D", and of orders, "A < B". May be repeated.',
    )(command)


def top_option(what: str, default: int | None = None) -> Callable[[Command], Command]:
    """Add `--top`."""
    return click.option(
        "--top", type=POSITIVE, default=default, show_default=default is not None, metavar="N", help=what
    )


def format_options(command: Command) -> Command:
    """Add `--json` and `--csv`; the last one given counts."""
    as_json = click.option("--json", "form", flag_value="json", help="Print one JSON document.")
    as_csv = click.option("--csv", "form", flag_value="csv", help="Print comma-separated values.")
    return as_json(as_csv(command))
