"""`orderspn best`: the best graph of a table, without a posterior."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orderspn.cli.files import named_columns, read_known
from orderspn.cli.options import FILE, POSITIVE, format_options, read_groups, read_kinds, rng_option
from orderspn.cli.output import Answer, Table, as_csv, progress_bars, show
from orderspn.cli.table_options import (
    chosen_score,
    context_option,
    given_options,
    group_option,
    kind_option,
    knowledge_option,
    max_parents_option,
    penalty_option,
    score_option,
    standardize_option,
    table_options,
    take_table,
)
from orderspn.core.atomic import replacing
from orderspn.core.destination import destination
from orderspn.core.errors import UserError

if TYPE_CHECKING:
    from orderspn.queries.found_graph import FoundGraph


@click.command(short_help="Find the best graph of a table, without a posterior.")
@table_options
@click.option("-o", "--output", type=FILE, help="Where to save the graph: .dot, .gml or .csv.")
@score_option
@penalty_option
@click.option(
    "--prior",
    type=click.Choice(["auto", "fair", "uniform"]),
    default="auto",
    show_default=True,
    help="Prior over parent sets: every size, or every set, equally probable; auto: uniform for bic.",
)
@max_parents_option
@knowledge_option
@context_option
@kind_option
@group_option
@standardize_option
@click.option(
    "--restarts",
    type=click.IntRange(min=0),
    help="How often each climb is disturbed and begun again [default: 50 to 150].",
)
@click.option("--climbs", type=POSITIVE, help="Independent climbs, to see whether they agree [default: 1].")
@click.option("--time-limit", type=float, metavar="SECONDS", help="When to return the best graph found so far.")
@rng_option("Seed of the search; recorded.", default=0)
@click.option("--n-jobs", type=POSITIVE, help="Threads [default: all cores]; never changes an answer.")
@click.option(
    "--check/--no-check", default=True, show_default=True, help='Warn of data that may not fit, as "check" does.'
)
@format_options
def best(
    output: Path | None,
    score: str,
    penalty: float | None,
    knowledge: tuple[str, ...],
    context: tuple[str, ...],
    kinds: tuple[str, ...],
    groups: tuple[str, ...],
    form: str | None,
    **options: Any,
) -> None:
    """Find the graph with the highest score for DATA, a table as for "learn", and nothing else.

    It takes seconds where "learn" takes minutes, and says nothing about how certain the graph is. The column "gain" is
    the log score that is lost without an edge; "directed" tells whether all equivalent graphs have its direction.

    \b
    Examples:
      orderspn best data.csv
      orderspn best wide.csv -o graph.dot --time-limit 60
      orderspn best data.csv --score bic --penalty 2 --knowledge "smoking -> cancer" --json
    """
    import orderspn as osp

    save = None if output is None else _writer(output)
    chosen = chosen_score(score, given_options({"penalty": penalty}))
    background = read_known(knowledge)
    data, about_data = take_table(options)
    with progress_bars(form) as progress:
        found = osp.best_graph(
            data,
            **about_data,
            score=chosen,
            knowledge=background,
            context=named_columns(context, data) or None,
            kinds=read_kinds(kinds),
            groups=read_groups(groups),
            progress=progress,
            **given_options(options),
        )
    answer = _answer(found)
    if save is not None:
        save(found, answer.table)
        answer = Answer(answer.document, answer.table, [found.summary(), f"Saved to {output}"])
    show(answer, form)


def _writer(path: Path) -> Callable[[FoundGraph, Table], None]:
    """Return the function that writes a graph to a file, by the ending of its name; checked before the long work."""
    from orderspn import export

    texts: dict[str, Callable[[FoundGraph, Table], str]] = {
        ".dot": lambda found, _: export.to_dot(found.graph) + "\n",
        ".gml": lambda found, _: export.to_gml(found.graph) + "\n",
        ".csv": lambda _, edges: as_csv(edges),
    }
    text = texts.get(path.suffix.lower())
    if text is None:
        raise UserError(f"cannot write a graph to {str(path)!r}: its name must end in one of {', '.join(texts)}.")
    destination(path)

    def write(found: FoundGraph, edges: Table) -> None:
        with replacing(path) as temporary:
            temporary.write_text(text(found, edges), encoding="utf-8", newline="")

    return write


def _answer(found: FoundGraph) -> Answer:
    table = Table(["cause", "effect", "gain", "directed"], list(found.to_frame().itertuples(index=False, name=None)))
    document = {
        "edges": table.records(),
        "order": found.order,
        "log_score": found.log_score,
        "climb_scores": list(found.climb_scores),
        "agreement": found.agreement,
        "settings": dict(found.settings),
    }
    return Answer(document, table, [found.summary(), table, f"order: {', '.join(found.order)}"])
