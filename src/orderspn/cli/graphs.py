"""`orderspn map` and `sample`: the most probable graph, and graphs drawn from the posterior."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orderspn.cli.files import opened
from orderspn.cli.options import POSITIVE, format_options, given_option, posterior_argument, rng_option
from orderspn.cli.output import Answer, Table, condition, number_text, show

if TYPE_CHECKING:
    from orderspn.queries.edges import Edges
    from orderspn.queries.most_probable import BestGraph, MostProbableGraph
    from orderspn.queries.sampling import GraphSamples


@click.command(name="map", short_help="Find the most probable graph.")
@posterior_argument
@given_option
@click.option("--search", is_flag=True, help="Search also along orders that a circuit does not cover.")
@format_options
def most_probable(posterior_file: Path, given: tuple[str, ...], search: bool, form: str | None) -> None:
    """Find the graph with the highest score, or complete the partial graph that is given.

    \b
    Examples:
      orderspn map posterior.npz --given "A -> B, C !-> D"
      orderspn map posterior.npz --search
    """
    if search:
        _show_best(posterior_file, given, form)
    else:
        _show_most_probable(posterior_file, given, form)


def _show_most_probable(posterior_file: Path, given: tuple[str, ...], form: str | None) -> None:
    with opened(posterior_file, given, form) as posterior:
        best = posterior.most_probable_graph()
        log_probability = posterior.log_probability(best.edges)
    numbers = {
        "probability_of_graph": math.exp(log_probability),
        "log_probability_of_graph": log_probability,
        "log_score": best.log_score,
    }
    if posterior.model.target == "order":
        numbers["log_probability_of_order_and_graph"] = best.log_probability
    show(_graph_answer("Most probable graph", best, posterior.evidence, numbers), form)


def _show_best(posterior_file: Path, given: tuple[str, ...], form: str | None) -> None:
    from orderspn.queries.edges import Edges

    # The search accepts evidence that no order in the file satisfies, so the posterior is not conditioned first.
    with opened(posterior_file, (), form) as posterior:
        added = Edges()
        for edges in given:
            added &= Edges.parse(edges)
        best = posterior.best_graph(added)
    show(_graph_answer("Best graph found", best, posterior.evidence & added, {"log_score": best.log_score}), form)


def _graph_answer(
    title: str, best: MostProbableGraph | BestGraph, evidence: Edges, numbers: dict[str, float]
) -> Answer:
    table = Table(["cause", "effect"], best.edges.present)
    document = {"given": str(evidence) or None, "edges": best.edges.present, "order": best.order, **numbers}
    people: list[str | Table] = [
        f"{title}{condition(evidence)}: {len(best.edges.present)} edges",
        table,
        f"order: {', '.join(best.order)}",
        *(f"{name.replace('_', ' ')}: {number_text(value)}" for name, value in numbers.items()),
    ]
    return Answer(document, table, people)


NO_EDGES = "(none)"


@click.command(short_help="Draw graphs from the posterior.")
@posterior_argument
@click.option("-n", type=POSITIVE, default=10, show_default=True, help="How many graphs.")
@given_option
@rng_option("The same seed gives the same graphs.")
@click.option("--target", type=click.Choice(["dag"]), help="Add importance weights under which each graph counts once.")
@format_options
def sample(
    posterior_file: Path,
    n: int,
    given: tuple[str, ...],
    rng: int | None,
    target: str | None,
    form: str | None,
) -> None:
    """Draw graphs from the posterior.

    \b
    Example:
      orderspn sample posterior.npz -n 1000 --rng 1 --csv > samples.csv

    As CSV there is one row per edge (sample, cause, effect), and none for a graph without edges.
    """
    with opened(posterior_file, given, form) as posterior:
        samples = posterior.sample(n, rng=rng, target=target)
    title = f"{n} graphs from the posterior{condition(posterior.evidence)}"
    if samples.quality is not None:
        worth = samples.quality
        title += f", weighted: worth {worth.effective_sample_size:.0f} equal ones"
        if math.isfinite(worth.pareto_k):
            title += f" (Pareto k {worth.pareto_k:.2f})"
    show(_samples_answer(samples, title), form)


def _samples_answer(samples: GraphSamples, title: str) -> Answer:
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
