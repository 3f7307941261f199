"""`orderspn effects` and `interventional`: what happens to a variable when others are intervened on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orderspn.cli.files import opened
from orderspn.cli.options import POSITIVE, format_options, given_option, posterior_argument, rng_option, top_option
from orderspn.cli.output import Answer, Pair, Table, condition, matrix_answer, pairs_answer, show, strongest_pairs

if TYPE_CHECKING:
    from orderspn.queries.effect_units import EffectUnits
    from orderspn.queries.effects import EffectSamples


LEVEL = 0.9
"""Probability of the credible intervals."""


@click.command(short_help="List total causal effects, strongest first.")
@posterior_argument
@given_option
@top_option("Only the N strongest effects.")
@click.option(
    "--units",
    type=click.Choice(["data", "sd"]),
    default="data",
    show_default=True,
    help="The units of the data, or standard deviations.",
)
@click.option("--matrix", is_flag=True, help="Print all effects as a matrix, row = cause, column = effect.")
@click.option("--samples", type=POSITIVE, help="Number of draws of effects; gives means with 90% credible intervals.")
@rng_option("With --samples: the same seed gives the same effects.")
@format_options
def effects(
    posterior_file: Path,
    given: tuple[str, ...],
    top: int | None,
    units: EffectUnits,
    matrix: bool,
    samples: int | None,
    rng: int | None,
    form: str | None,
) -> None:
    """List total causal effects, strongest first.

    The value is the expected change of the effect per unit change of the cause, under an intervention on the cause,
    averaged over all graphs. The strongest are those in standard deviations, where these are known.

    \b
    Example:
      orderspn effects posterior.npz --top 10
      orderspn effects posterior.npz --top 10 --samples 1000 --rng 1
    """
    if samples is not None and matrix:
        raise click.UsageError("--matrix cannot show intervals; leave out --samples or --matrix.")
    from orderspn.queries.effect_units import UNIT_NAMES, effect_scale

    with opened(posterior_file, given, form) as posterior:
        drawn = None if samples is None else posterior.effect_samples(samples, rng=rng, units=units)
        frame = posterior.causal_effects(units=units) if drawn is None else drawn.mean
        # The components of a mixture may have been standardized differently; their effects have been converted.
        scale = 1.0 if units == "sd" else effect_scale(posterior.units, units)
    title = f"Total causal effects in {UNIT_NAMES[units]}{condition(posterior.evidence)}"
    if drawn is not None:
        answer = _with_intervals(strongest_pairs(frame, top, scale), drawn, title)
    elif matrix:
        answer = matrix_answer(frame, title)
    else:
        answer = pairs_answer(strongest_pairs(frame, top, scale), "value", title)
    show(answer, form)


def _with_intervals(pairs: list[Pair], drawn: EffectSamples, title: str) -> Answer:
    low, high = (frame.to_numpy() for frame in drawn.interval(LEVEL))
    place = {name: v for v, name in enumerate(drawn.variables)}
    rows = [
        (cause, effect, value, float(low[place[cause], place[effect]]), float(high[place[cause], place[effect]]))
        for cause, effect, value in pairs
    ]
    table = Table(["cause", "effect", "value", "low", "high"], rows)
    return Answer(table.records(), table, [f"{title}, with {100 * LEVEL:.0f}% credible intervals", table])


@click.command(short_help="Give a distribution under interventions, P(Y | do(X = x)).")
@posterior_argument
@click.argument("variable")
@click.option(
    "--do", "settings", multiple=True, metavar="X=LEVEL", help="Intervene: set X to a level. May be repeated."
)
@given_option
@click.option("--n-graphs", type=POSITIVE, default=1000, show_default=True, help="Graphs to draw, each with tables.")
@rng_option("The same seed gives the same answer.")
@format_options
def interventional(
    posterior_file: Path,
    variable: str,
    settings: tuple[str, ...],
    given: tuple[str, ...],
    n_graphs: int,
    rng: int | None,
    form: str | None,
) -> None:
    """Give the distribution of VARIABLE under interventions on others: P(Y | do(X = x)), for categories.

    Means over graphs and over tables of probabilities, with 90% credible intervals. Without --do, there is no
    intervention.

    \b
    Examples:
      orderspn interventional posterior.npz dysp --do bronc=yes
      orderspn interventional posterior.npz dysp --do bronc=yes --do smoke=no --given "smoke -> bronc" --rng 1
    """
    with opened(posterior_file, given, form) as posterior:
        do = _levels_by_name(settings, posterior.variables)
        frame = posterior.interventional(variable, do, n_graphs=n_graphs, level=LEVEL, rng=rng)
    rows: list[list[Any]] = [[name, *row] for name, row in zip(frame.index, frame.to_numpy().tolist(), strict=True)]
    table = Table(["level", "mean", "low", "high"], rows)
    document = {"variable": variable, "do": do, "given": str(posterior.evidence) or None, "levels": table.records()}
    question = f"{variable} | do({', '.join(f'{name} = {level}' for name, level in do.items())})" if do else variable
    title = f"P({question}){condition(posterior.evidence)}, with {100 * LEVEL:.0f}% credible intervals"
    show(Answer(document, table, [title, table]), form)


def _levels_by_name(settings: Sequence[str], variables: Sequence[str]) -> dict[str, str]:
    """Read each X=LEVEL; the name of a variable may contain equals signs."""
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
