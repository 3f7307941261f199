"""`orderspn effects`: total causal effects."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from orderspn.cli.files import opened
from orderspn.cli.options import POSITIVE, format_options, given_option, posterior_argument, top_option
from orderspn.cli.output import Answer, Table, show
from orderspn.cli.pairs import Pair, condition, matrix_answer, pairs_answer, strongest_pairs

if TYPE_CHECKING:
    from orderspn.queries.effects import EffectSamples

LEVEL = 0.9
"""Of the credible intervals."""


@click.command()
@posterior_argument
@given_option
@top_option("Only the N strongest effects.")
@click.option("--matrix", is_flag=True, help="Print all effects as a matrix, row = cause, column = effect.")
@click.option("--samples", type=POSITIVE, help="Draw so many effects, and give means with 90% credible intervals.")
@click.option("--seed", type=click.IntRange(min=0), help="With --samples: the same seed gives the same effects.")
@format_options
def effects(
    posterior_file: Path,
    given: tuple[str, ...],
    top: int | None,
    matrix: bool,
    samples: int | None,
    seed: int | None,
    form: str | None,
) -> None:
    """List total causal effects, strongest first.

    The value is the expected change of the effect per unit change of the cause, when the cause is set from
    outside, averaged over all graphs; in standard deviations if the data were standardized.

    \b
    Example:
      orderspn effects posterior.npz --top 10
      orderspn effects posterior.npz --top 10 --samples 1000 --seed 1
    """
    if samples is not None and matrix:
        raise click.UsageError("--matrix has no room for intervals; leave out --samples or --matrix.")
    with opened(posterior_file, given, form) as posterior:
        drawn = None if samples is None else posterior.effect_samples(samples, rng=seed)
        frame = posterior.causal_effects() if drawn is None else drawn.mean
    title = f"Total causal effects{_unit(posterior.settings['standardized'])}{condition(posterior.evidence)}"
    if drawn is not None:
        answer = _with_intervals(strongest_pairs(frame, top), drawn, title)
    elif matrix:
        answer = matrix_answer(frame, title)
    else:
        answer = pairs_answer(strongest_pairs(frame, top), "value", title)
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


def _unit(standardized: bool) -> str:
    return " in standard deviations" if standardized else " in the units of the data"
