"""`orderspn design`: what each possible experiment is expected to tell, and several that are done together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orderspn.cli.files import check_output, opened
from orderspn.cli.options import (
    FILE,
    POSITIVE,
    format_options,
    given_option,
    posterior_argument,
    rng_option,
    split_names,
    top_option,
)
from orderspn.cli.output import Answer, Table, condition, number_text, show
from orderspn.cli.plot import save_axes
from orderspn.cli.table_options import given_options
from orderspn.core.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

    from orderspn.posterior import Posterior

ABOUT_EFFECTS = ("effect", "sign", "raise", "lower")
"""Questions that have options of their own, because they name variables and no edges."""

SHOWN = ("reduction", "standard_error", "share", "cost", "value_per_cost", "draws")
"""Columns that people see, after the experiment and its values."""


@click.command(short_help="Tell which experiment is worth most, before it is done.")
@posterior_argument
@given_option
@click.option(
    "--question",
    metavar="QUESTION",
    help='What to find out: graph, orientation, or an event, "A -> B" or "A ~> B".  [default: graph]',
)
@click.option("--effect", nargs=2, metavar="A B", help="Ask for the total effect of A on B instead: its variance.")
@click.option("--sign", nargs=2, metavar="A B", help="Ask for the sign of that effect instead.")
@click.option("--raise", metavar="B", help="Ask which variable to change so as to raise B most instead.")
@click.option("--lower", metavar="B", help="Ask which variable to change so as to lower B most instead.")
@click.option("--rows", type=POSITIVE, default=50, show_default=True, help="Rows of each experiment.")
@click.option("--target", multiple=True, metavar="NAME", help="A variable that may be set [default: all]. Repeat it.")
@click.option(
    "--value",
    multiple=True,
    metavar="NAME=VALUES",
    help="What a variable is set to, A=0,1 [default: a standard deviation below and above its mean, or all levels]. "
    "May be repeated.",
)
@click.option(
    "--cost",
    multiple=True,
    metavar="NAME=NUMBER",
    help="What an experiment costs, A=3, observe=0.2 or 'do(A, B)=5' [default: 1]. May be repeated.",
)
@click.option("--pairs", is_flag=True, help="Also experiments on two variables at once.")
@click.option("--size", type=POSITIVE, metavar="N", help="Choose up to N experiments that are done together.")
@click.option("--budget", type=float, metavar="COST", help="Choose experiments whose costs add up to this at most.")
@click.option(
    "--method",
    type=click.Choice(["auto", "simulate", "reweight", "limit"]),
    default="auto",
    show_default=True,
    help="Simulate rows and learn again, or weight drawn orders anew, or take the limit of very many rows; auto: "
    "simulate up to 12 variables.",
)
@click.option(
    "--draws",
    type=click.IntRange(min=2),
    help="Most simulated outcomes of an experiment [default: 1024], or graphs for the limit [default: 10000].",
)
@click.option("--precision", type=float, default=0.05, show_default=True, help="Standard error to reach, as a share.")
@top_option("Only the N best.")
@click.option("-o", "--output", type=FILE, help="Save a picture of them as well: .png, .svg or .pdf.")
@rng_option("The same seed gives the same answer.", default=0)
@click.option("--n-jobs", type=POSITIVE, help="Threads [default: all cores]; never changes an answer.")
@format_options
def design(
    posterior_file: Path,
    given: tuple[str, ...],
    question: str | None,
    target: tuple[str, ...],
    value: tuple[str, ...],
    cost: tuple[str, ...],
    size: int | None,
    budget: float | None,
    top: int | None,
    output: Path | None,
    form: str | None,
    **options: Any,
) -> None:
    """Tell by how much each possible experiment is expected to reduce the uncertainty about a question.

    The experiments are do(X), rows in which X is set, for each variable X that may be set, and observe, more rows in
    which nothing is. The best per cost come first.

    \b
    Examples:
      orderspn design posterior.npz
      orderspn design posterior.npz --question "A ~> B" --rows 100
      orderspn design posterior.npz --effect A B --target A --target C --value A=0,1 --cost C=3
      orderspn design posterior.npz --size 3 --rows 20
      orderspn design posterior.npz -o experiments.png

    With --size or --budget these are steps instead: each experiment adds most per cost to those before it.
    """
    from orderspn import design as designing

    about = {name: options.pop(name) for name in ABOUT_EFFECTS}
    asked = _question(question, about)
    together = size is not None or budget is not None
    if together and (output is not None or top is not None):
        raise click.UsageError("--top and --output belong to a list of all experiments; leave out --size and --budget.")
    if output is not None:
        check_output(output)
    settings = given_options(options)
    with opened(posterior_file, given, form) as posterior:
        settings |= {
            "targets": list(dict.fromkeys(target)) or None,
            "values": _values(value, posterior),
            "costs": _costs(cost),
        }
        if together:
            found = designing.batch(posterior, asked, size=size, budget=budget, **settings)
            answer = _steps(found, posterior)
        else:
            found = designing.experiments(posterior, asked, **settings)
            answer = _listed(found, top, posterior)
    if output is not None:
        _save(found, output)
    show(answer, form)


def _question(question: str | None, about: dict[str, Any]) -> Any:
    """Return the one question that was asked."""
    asked = [(name, *([names] if isinstance(names, str) else names)) for name, names in about.items() if names]
    if len(asked) + (question is not None) > 1:
        raise click.UsageError("--question, --effect, --sign, --raise and --lower exclude each other; keep one.")
    return asked[0] if asked else question or "graph"


def _values(given: Sequence[str], posterior: Posterior) -> dict[str, list[Any]] | None:
    """Read the values of `--value`: levels of categories, or numbers."""
    of_categories = getattr(posterior.model.score.likelihood, "levels", None) is not None
    values: dict[str, list[Any]] = {}
    for text in given:
        name, separator, listed = text.rpartition("=")
        if not separator or not name.strip() or not listed.strip():
            raise UserError(f"--value must be NAME=VALUE or NAME=VALUE,VALUE; got {text!r}.")
        own = split_names(listed)
        values[name.strip()] = own if of_categories else [_number("--value", one) for one in own]
    return values or None


def _costs(given: Sequence[str]) -> dict[str, float] | None:
    """Read the values of `--cost`."""
    costs: dict[str, float] = {}
    for text in given:
        name, separator, cost = text.rpartition("=")
        if not separator or not name.strip():
            raise UserError(f"--cost must be NAME=NUMBER; got {text!r}.")
        costs[name.strip()] = _number("--cost", cost)
    return costs or None


def _number(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UserError(f"{option} must have numbers after =; got {text.strip()!r}.") from None


def _listed(frame: pd.DataFrame, top: int | None, posterior: Posterior) -> Answer:
    """Answer with a row for each experiment."""
    about, rows = frame.attrs, frame.head(top) if top else frame
    values = [{name: list(own) for name, own in one.items()} for one in rows["values"]]
    numbers: list[list[Any]] = [rows[name].tolist() for name in ("rows", *SHOWN)]
    records = [
        {"experiment": str(name), "values": own, **dict(zip(("rows", *SHOWN), row, strict=True))}
        for name, own, *row in zip(rows.index, values, *numbers, strict=True)
    ]
    table = Table(
        ["experiment", "rows", *SHOWN], [[r["experiment"], r["rows"], *(r[k] for k in SHOWN)] for r in records]
    )
    people = Table(
        ["experiment", "set to", *(name.replace("_", " ") for name in SHOWN)],
        [[r["experiment"], _settings(r["values"]), *(r[k] for k in SHOWN)] for r in records],
    )
    given = str(posterior.evidence) or None
    document = {**{name: about[name] for name in ("question", "unit", "now", "method")}, "given": given}
    title = (
        f"Expected reduction of the uncertainty about: {about['question']}{condition(posterior.evidence)}\n"
        f"Now {number_text(about['now'])} ({about['unit']}); {about['method']}"
    )
    return Answer({**document, "experiments": records}, table, [title, people])


def _settings(values: dict[str, list[Any]]) -> str:
    """Return the values of an experiment in words; of two variables with their names."""
    texts = {
        name: ", ".join(one if isinstance(one, str) else f"{one:.4g}" for one in own) for name, own in values.items()
    }
    return next(iter(texts.values())) if len(texts) == 1 else "; ".join(f"{n}: {own}" for n, own in texts.items())


def _steps(frame: pd.DataFrame, posterior: Posterior) -> Answer:
    """Answer with a row for each step of a batch."""
    columns = ["step", *frame.columns]
    rows = [
        list(row) for row in zip([int(step) for step in frame.index], *(frame[c].tolist() for c in frame), strict=True)
    ]
    table = Table(columns, rows)
    people = Table(
        [name.replace("_", " ") for name in columns],
        [[("yes" if cell else "no") if isinstance(cell, bool) else cell for cell in row] for row in rows],
    )
    title = f"Experiments that are done together, in the order of choice{condition(posterior.evidence)}"
    return Answer(table.records(), table, [title, people])


def _save(frame: pd.DataFrame, output: Path) -> None:
    from orderspn.plot import experiments

    save_axes(experiments(frame), output)
