"""`orderspn sample`: graphs drawn from the posterior."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orderspn.cli.files import opened
from orderspn.cli.options import POSITIVE, format_options, given_option, posterior_argument
from orderspn.cli.output import Answer, Table, show
from orderspn.cli.pairs import condition

if TYPE_CHECKING:
    from orderspn.queries.sampling import GraphSamples

NO_EDGES = "(none)"


@click.command()
@posterior_argument
@click.option("-n", "--number", type=POSITIVE, default=10, show_default=True, help="How many graphs.")
@given_option
@click.option("--seed", type=click.IntRange(min=0), help="The same seed gives the same graphs.")
@click.option("--target", type=click.Choice(["dag"]), help="With weights under which every graph counts once.")
@format_options
def sample(
    posterior_file: Path,
    number: int,
    given: tuple[str, ...],
    seed: int | None,
    target: str | None,
    form: str | None,
) -> None:
    """Draw graphs from the posterior.

    \b
    Example:
      orderspn sample posterior.npz -n 1000 --seed 1 --csv > samples.csv

    As CSV there is one row per edge (sample, cause, effect), and none for a graph without edges.
    """
    with opened(posterior_file, given, form) as posterior:
        samples = posterior.sample(number, rng=seed, target=target)
    title = f"{number} graphs from the posterior{condition(posterior.evidence)}"
    if samples.quality is not None:
        worth = samples.quality
        title += f", weighted: worth {worth.effective_sample_size:.0f} equal ones"
        if math.isfinite(worth.pareto_k):
            title += f" (Pareto k {worth.pareto_k:.2f})"
    show(_answer(samples, title), form)


def _answer(samples: GraphSamples, title: str) -> Answer:
    from orderspn.queries.edges import Edges

    graphs = [list(graph.edges) for graph in samples]
    orders = [[samples.variables[v] for v in order] for order in samples.orders]
    weights = [()] * len(graphs) if samples.weights is None else [(float(weight),) for weight in samples.weights]
    document = [
        {"order": order, "edges": edges, **dict(zip(["weight"], weight, strict=False))}
        for order, edges, weight in zip(orders, graphs, weights, strict=True)
    ]
    names = [] if samples.weights is None else ["weight"]
    numbered = list(enumerate(zip(graphs, weights, strict=True), start=1))
    long = Table(
        ["sample", "cause", "effect", *names],
        [(s, cause, effect, *weight) for s, (edges, weight) in numbered for cause, effect in edges],
    )
    short = Table(
        ["sample", "edges", *names], [(s, str(Edges(edges)) or NO_EDGES, *weight) for s, (edges, weight) in numbered]
    )
    return Answer(document, long, [title, short])
