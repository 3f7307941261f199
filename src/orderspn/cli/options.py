"""Options and arguments that commands share, how their values are read, and their names in messages."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from orderspn.core.errors import UserError

if TYPE_CHECKING:
    from orderspn.data.text_files import TextFormat

Command = TypeVar("Command", bound=Callable[..., Any])
FILE = click.Path(path_type=Path)
PROBABILITY = click.FloatRange(0.0, 1.0)
POSITIVE = click.IntRange(min=1)

MEMORY_LIMIT = "orderspn.memory_limit"
"""Key under which the context of a command keeps the memory that a posterior may take."""

_SIZE = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?:(?P<unit>[kmgt])(?P<kind>|i|b|ib)|b?)\Z", re.IGNORECASE)


def size(text: str) -> int:
    """Read a number of bytes: 1 GB is 10**9 bytes, 1 GiB and 1 G are 2**30 bytes.

    Examples
    --------
    >>> size("4GiB"), size("500MB"), size("1000000")
    (4294967296, 500000000, 1000000)
    """
    match = _SIZE.match(text.strip())
    if match is None:
        raise click.BadParameter(f"{text!r} is not a size; write for example 4GiB, 500MB or a number of bytes.")
    base = 1000 if (match["kind"] or "").lower() == "b" else 1024
    return int(Fraction(match["number"]) * base ** " kmgt".index((match["unit"] or " ").lower()))


def number_or_auto(text: str) -> int | str:
    """Read an integer, or keep `auto`."""
    if text == "auto":
        return text
    if not text.isdecimal():
        raise click.BadParameter(f"{text!r} is neither an integer nor 'auto'.")
    return int(text)


def factors(text: str) -> list[int]:
    """Read integers separated by commas.

    Examples
    --------
    >>> factors("64,16,6,2")
    [64, 16, 6, 2]
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise click.BadParameter(f"{text!r} is not a list of integers; write for example 64,16,6,2.")
    return [int(part) for part in parts]


def posterior_argument(command: Command) -> Command:
    """Add the posterior's file as first argument, and `--memory-limit`, which `files.opened` looks up."""
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
        help='Evidence to condition on: edges, "A -> B, C !-> D", neighbours, "A -- B", and order constraints, "A < B"'
        ". May be repeated.",
    )(command)


def top_option(what: str, default: int | None = None) -> Callable[[Command], Command]:
    """Add `--top`."""
    return click.option(
        "--top", type=POSITIVE, default=default, show_default=default is not None, metavar="N", help=what
    )


def rng_option(what: str, default: int | None = None) -> Callable[[Command], Command]:
    """Add `--rng`, a seed."""
    return click.option(
        "--rng",
        type=click.IntRange(min=0),
        default=default,
        show_default=default is not None,
        metavar="SEED",
        help=what,
    )


def text_options(command: Command) -> Command:
    """Add how the text of a table is written."""
    separator = click.option("--sep", metavar="CHARACTER", help=r"What separates values: for example ';' or '\t'.")
    decimal = click.option("--decimal", metavar="CHARACTER", help="Decimal point, for example ','.")
    encoding = click.option("--encoding", help="Encoding of the text [default: UTF-8], for example cp1252.")
    return separator(decimal(encoding(command)))


def take_text_format(options: dict[str, Any]) -> TextFormat:
    """Take the options of `text_options` out of all options."""
    from orderspn.data.text_files import TextFormat

    given = {name: options.pop(name) for name in ("sep", "decimal", "encoding")}
    given["sep"] = {"\\t": "\t", "tab": "\t"}.get(given["sep"], given["sep"])
    return TextFormat(**{name: value for name, value in given.items() if value is not None})


def format_options(command: Command) -> Command:
    """Add `--json` and `--csv`; if both are given, the last one counts."""
    as_json = click.option("--json", "form", flag_value="json", help="Print one JSON document.")
    as_csv = click.option("--csv", "form", flag_value="csv", help="Print comma-separated values.")
    return as_json(as_csv(command))


def read_targets(values: Sequence[str]) -> dict[str, list[str]] | None:
    """Read the values of `--targets` as a mapping from labels to names; a repeated label collects all its names.

    Examples
    --------
    >>> read_targets(["u0126=Mek", "mix=Akt,PKC", "control="])
    {'u0126': ['Mek'], 'mix': ['Akt', 'PKC'], 'control': []}
    """
    if not values:
        return None
    targets: dict[str, list[str]] = {}
    for value in values:
        label, separator, names = value.partition("=")
        if not separator or not label.strip():
            raise UserError(f"--targets must be LABEL=NAME, LABEL=NAME,NAME, or LABEL= for none; got {value!r}.")
        targets.setdefault(label.strip(), []).extend(split_names(names) if names.strip() else [])
    return targets


def read_kinds(values: Sequence[str]) -> dict[str, Any] | None:
    """Read the values of `--kind` as a mapping from names of columns to kinds.

    Examples
    --------
    >>> read_kinds(["ward=category", "parity=number"])
    {'ward': 'category', 'parity': 'number'}
    """
    kinds: dict[str, Any] = {}
    for value in values:
        name, separator, kind = value.rpartition("=")
        if not separator or not name.strip():
            raise UserError(f"--kind must be NAME=number or NAME=category; got {value!r}.")
        kinds[name.strip()] = kind.strip()
    return kinds or None


def read_groups(values: Sequence[str]) -> dict[str, list[str]] | None:
    """Read the values of `--group` as a mapping from names of variables to names of columns.

    Examples
    --------
    >>> read_groups(["region=left,right"])
    {'region': ['left', 'right']}
    """
    groups = {}
    for value in values:
        name, separator, columns = value.partition("=")
        if not separator or not name.strip() or not columns.strip():
            raise UserError(f"--group must be NAME=COLUMN,COLUMN; got {value!r}.")
        groups[name.strip()] = split_names(columns)
    return groups or None


def split_names(text: str) -> list[str]:
    """Split at commas; a name that holds a comma is quoted.

    Examples
    --------
    >>> split_names('dose, "rate, heart"')
    ['dose', 'rate, heart']
    """
    (row,) = csv.reader([text], skipinitialspace=True)
    return [name.strip() for name in row]


_ARGUMENTS = (
    "alpha_mu",
    "alpha_w",
    "block_size",
    "candidates",
    "check",
    "climbs",
    "decimal",
    "degree",
    "effort",
    "encoding",
    "equivalent_sample_size",
    "expansion",
    "imputations",
    "interventions",
    "knowledge",
    "max_parents",
    "memory_limit",
    "method",
    "min_probability",
    "missing_variables",
    "n_chains",
    "n_graphs",
    "n_jobs",
    "n_orders",
    "n_particles",
    "n_samples",
    "of",
    "oracle",
    "outsiders",
    "penalty",
    "refine",
    "restarts",
    "score",
    "sep",
    "standardize",
    "target",
    "targets",
    "time_limit",
    "variables",
    "weights",
)
"""Arguments in Python that are options here, with the same names."""

_ARGUMENT = rf"(?<![\w'\"-])({'|'.join(_ARGUMENTS)})"
_READ_CSV = re.compile(r"Read it with pandas\.read_csv\(\.\.\., (.+?)\) and pass the table\.")
_LEVELS = re.compile(r"\blevels=\((\S+), (\S+)\)|\blevels(?= must\b)")
_METHOD = re.compile(r"\bmethods\.(\w+)\(([^()]*)\)")
_WITH_VALUE = re.compile(rf"{_ARGUMENT}=(?:'([\w-]+)'|(\d+)\b|('(?:\\t|[^'\w])'))")
_WITHOUT_VALUE = re.compile(rf"{_ARGUMENT}(?:=True\b|=\[\.\.\.\]|=(?![\w'\"=\[])|(?= must\b| may\b| belongs\b))")


def in_options(message: str) -> str:
    """Rewrite a message of the library: replace arguments by options of the command line.

    Examples
    --------
    >>> in_options("pass standardize=True, method='exact', or raise memory_limit= (in bytes)")
    'pass --standardize, --method exact, or raise --memory-limit (in bytes)'
    >>> in_options("Use methods.Exact(target='dag') or methods.Trust().")
    'Use --method exact --target dag or --method trust.'
    >>> in_options("Read it with pandas.read_csv(..., sep=';', decimal=',') and pass the table.")
    "Pass --sep ';' --decimal ','."
    """
    message = _METHOD.sub(lambda match: f"--method {match[1].lower()} {match[2].replace(', ', ' ')}".rstrip(), message)
    message = message.replace("estimate_effects()", "effects --samples")
    message = message.replace("Pass missing='drop'", "Pass --drop-missing")
    message = _LEVELS.sub(
        lambda match: f"--from {_bare(match[1])} --to {_bare(match[2])}" if match[1] else "--from and --to", message
    )
    message = _READ_CSV.sub(lambda match: f"Pass {match[1].replace(', ', ' ')}.", message)
    message = message.replace("Read it with orderspn.load(...)", "Use it with commands such as edges and query")
    message = _WITH_VALUE.sub(lambda match: f"{_option(match[1])} {match[2] or match[3] or match[4]}", message)
    return _WITHOUT_VALUE.sub(lambda match: _option(match[1]), message)


def _bare(value: str) -> str:
    return value.strip("'")


def _option(argument: str) -> str:
    return f"--{argument.replace('_', '-')}"
