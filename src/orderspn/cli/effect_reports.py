"""`orderspn effect` and `paths`: one effect in detail, and the causal paths that carry it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from orderspn.cli.files import opened
from orderspn.cli.options import POSITIVE, format_options, given_option, posterior_argument, rng_option, top_option
from orderspn.cli.output import Answer, Table, condition, number_text, show

if TYPE_CHECKING:
    from orderspn.queries.effect_report import Effect
    from orderspn.queries.effect_units import EffectUnits

NUMBERS = ("mean", "low", "high", "positive", "negative", "no_path", "structural", "parametric", "variance")
"""The numbers of a report, in the order of the columns."""

SETS_SHOWN = 5
"""Number of parent sets that people see."""

NO_PARENTS = "(none)"
ARROW = " -> "

UNITS = click.option(
    "--units",
    type=click.Choice(["data", "sd"]),
    default="data",
    show_default=True,
    help="The units of the data, or standard deviations.",
)


@click.command(short_help="Report on one effect: size, sign and sources of doubt.")
@posterior_argument
@click.argument("cause")
@click.argument("effect_name", metavar="EFFECT")
@given_option
@click.option("--from", "start", metavar="VALUE", help="Categories and curves: what CAUSE is set to first.")
@click.option("--to", "end", metavar="VALUE", help="Categories and curves: what CAUSE is set to then.")
@click.option("--of", metavar="LEVEL", help="Categories: the level of EFFECT whose probability is asked for.")
@UNITS
@click.option("--n-samples", type=POSITIVE, default=2000, show_default=True, help="Graphs to draw, each with weights.")
@click.option(
    "--level", type=click.FloatRange(0.0, 1.0, True, True), default=0.9, show_default=True, help="Of the interval."
)
@rng_option("The same seed gives the same answer.", default=0)
@format_options
def effect(
    posterior_file: Path,
    cause: str,
    effect_name: str,
    given: tuple[str, ...],
    start: str | None,
    end: str | None,
    of: str | None,
    units: EffectUnits,
    n_samples: int,
    level: float,
    rng: int,
    form: str | None,
) -> None:
    """Report on the effect of CAUSE on EFFECT under an intervention, averaged over graphs.

    The mean with its credible interval, the probabilities of either sign and of no directed path, the variance between
    graphs (structural) and within them (parametric), and the mean effect given the most probable sets of causes of
    CAUSE. Numbers that are sampled have Monte Carlo standard errors.

    \b
    Examples:
      orderspn effect posterior.npz A B --given "A -> C"
      orderspn effect posterior.npz bronc dysp --from no --to yes --of yes
    """
    if (start is None) != (end is None):
        raise click.UsageError("--from and --to belong together: CAUSE is set from one value to the other.")
    with opened(posterior_file, given, form) as posterior:
        levels = None if start is None or end is None else (start, end)
        report = posterior.effect(
            cause, effect_name, levels=levels, of=of, n_samples=n_samples, level=level, rng=rng, units=units
        )
    show(_report_answer(report, str(posterior.evidence) or None), form)


def _report_answer(report: Effect, given: str | None) -> Answer:
    values, errors = [getattr(report, name) for name in NUMBERS], [report.standard_errors[name] for name in NUMBERS]
    sets = [
        (list(parents), float(share), float(mean), bool(flips))
        for parents, share, mean, flips in zip(
            *(report.parent_sets[name] for name in ("parents", "probability", "mean", "flips")), strict=True
        )
    ]
    columns = ["parents", "probability", "mean", "flips"]
    names = ["cause", "effect", "given", *NUMBERS, *(f"{name}_error" for name in NUMBERS)]
    table = Table(names, [[report.cause, report.effect, given, *values, *errors]])
    document = {**table.records()[0], "about": report.about, "level": report.level}
    document["parent_sets"] = Table(columns, sets).records()
    shown = Table(
        [f"causes of {report.cause}", "probability", "mean effect", "other sign"],
        [(names or NO_PARENTS, share, mean, "yes" if flips else "") for names, share, mean, flips in sets[:SETS_SHOWN]],
    )
    shown_errors = ["exact" if errors[0] == 0.0 else number_text(errors[0]), *map(number_text, errors[1:])]
    numbers = Table(["", "value", "standard error"], list(zip(_said(report), values, shown_errors, strict=True)))
    return Answer(document, table, [report.about[0].upper() + report.about[1:], numbers, shown])


def _said(report: Effect) -> list[str]:
    """Return the names of the numbers for people."""
    ends = [f"{100 * report.level:g}% interval, {end}" for end in ("low", "high")]
    return ["mean", *ends, "P(> 0)", "P(< 0)", "P(no path)", "variance between graphs", "variance within", "variance"]


@click.command(short_help="List the causal paths from one variable to another.")
@posterior_argument
@click.argument("cause")
@click.argument("effect_name", metavar="EFFECT")
@given_option
@top_option("Only the N paths that carry most of the effect.", default=10)
@UNITS
@click.option("--n-samples", type=POSITIVE, default=2000, show_default=True, help="Graphs to draw.")
@rng_option("The same seed gives the same answer.", default=0)
@format_options
def paths(
    posterior_file: Path,
    cause: str,
    effect_name: str,
    given: tuple[str, ...],
    top: int,
    units: EffectUnits,
    n_samples: int,
    rng: int,
    form: str | None,
) -> None:
    """List the causal paths from CAUSE to EFFECT, those that carry most of the effect first.

    With the probability that all edges of the path are present, and its contribution to the mean effect; the
    contributions of all paths add up to it. Categories have probabilities only.

    \b
    Example:
      orderspn paths posterior.npz A B --top 5

    As CSV a path is written as a JSON array within its cell.
    """
    with opened(posterior_file, given, form) as posterior:
        frame = posterior.paths(cause, effect_name, top=top, n_samples=n_samples, rng=rng, units=units)
    numbers = [name for name in frame.columns if name != "path"]
    rows = [
        (list(path), *values) for path, values in zip(frame["path"], frame[numbers].to_numpy().tolist(), strict=True)
    ]
    table = Table(["path", *numbers], rows)
    people = Table(
        ["path", *(name.replace("_", " ") for name in numbers)], [(ARROW.join(path), *rest) for path, *rest in rows]
    )
    title = f"Causal paths from {cause} to {effect_name}{condition(posterior.evidence)}"
    found: list[str | Table] = [title, people] if rows else [f"{title}: none in any drawn graph"]
    show(Answer(table.records(), table, found), form)
