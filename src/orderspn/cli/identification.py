"""`orderspn adjacencies`, `v-structures`, `cpdags` and `consensus`: what data can identify."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orderspn.cli.files import opened
from orderspn.cli.options import (
    POSITIVE,
    PROBABILITY,
    format_options,
    given_option,
    posterior_argument,
    rng_option,
    top_option,
)
from orderspn.cli.output import Answer, Table, condition, number_text, show

if TYPE_CHECKING:
    import networkx as nx

    from orderspn.queries.equivalence_classes import EquivalenceClass

samples_option = click.option(
    "--samples", type=POSITIVE, default=4000, show_default=True, help="How many graphs to draw where this is needed."
)
seed_option = rng_option("The same seed gives the same draws.", default=0)


@click.command(short_help="List pairs of variables that are joined.")
@posterior_argument
@given_option
@click.option(
    "--min-probability", type=PROBABILITY, default=0.01, show_default=True, help="Leave out pairs below this."
)
@top_option("Only the N most probable pairs.")
@format_options
def adjacencies(
    posterior_file: Path, given: tuple[str, ...], min_probability: float, top: int | None, form: str | None
) -> None:
    """List pairs of variables with the probability that an edge joins them, and of each direction.

    \b
    Example:
      orderspn adjacencies posterior.npz --min-probability 0.5
    """
    with opened(posterior_file, given, form) as posterior:
        joined, edges = posterior.adjacency_probabilities(), posterior.edge_probabilities()
    names = posterior.variables
    both, directed = joined.to_numpy(), edges.to_numpy()
    rows = [
        (names[i], names[j], float(both[i, j]), float(directed[i, j]), float(directed[j, i]))
        for i in range(len(names))
        for j in range(i + 1, len(names))
    ]
    rows = sorted((row for row in rows if row[2] >= min_probability), key=lambda row: -row[2])[:top]
    table = Table(["a", "b", "probability", "a_to_b", "b_to_a"], rows)
    title = f"Pairs joined with probability of at least {min_probability:g}{condition(posterior.evidence)}"
    show(Answer(table.records(), table, [title, table]), form)


@click.command(name="v-structures", short_help="List common effects of variables that are not joined.")
@posterior_argument
@given_option
@click.option(
    "--min-probability", type=PROBABILITY, default=0.01, show_default=True, help="Leave out those below this."
)
@top_option("Only the N most probable ones.")
@samples_option
@seed_option
@format_options
def v_structures(
    posterior_file: Path,
    given: tuple[str, ...],
    min_probability: float,
    top: int | None,
    samples: int,
    rng: int,
    form: str | None,
) -> None:
    """List v-structures, A -> C <- B with A and B not joined, most probable first.

    \b
    Example:
      orderspn v-structures posterior.npz --top 10
    """
    with opened(posterior_file, given, form) as posterior:
        frame = posterior.v_structure_probabilities(
            top=top, min_probability=min_probability, n_samples=samples, rng=rng
        )
    table = Table(list(frame.columns), [tuple(row) for row in frame.itertuples(index=False)])
    title = f"v-structures with probability of at least {min_probability:g}{condition(posterior.evidence)}"
    show(Answer(table.records(), table, [title, table]), form)


@click.command(short_help="List the most probable equivalence classes of graphs.")
@posterior_argument
@given_option
@top_option("Only the N most probable classes.", default=5)
@samples_option
@seed_option
@click.option("--target", type=click.Choice(["dag"]), help="Let each graph count once, by weights of draws.")
@format_options
def cpdags(
    posterior_file: Path,
    given: tuple[str, ...],
    top: int,
    samples: int,
    rng: int,
    target: str | None,
    form: str | None,
) -> None:
    """List the most probable classes of graphs that observations alone do not tell apart.

    \b
    Example:
      orderspn cpdags posterior.npz --top 3

    Edges "A -> B" have the same direction in all graphs of a class, "A -- B" have not. As CSV, edges are JSON arrays
    within their cells.
    """
    with opened(posterior_file, given, form) as posterior:
        found = posterior.cpdags(top, n_samples=samples, rng=rng, target=target)
    document = {
        "given": str(posterior.evidence) or None,
        "basis": found.basis,
        "classes": [_class_record(one) for one in found],
    }
    columns = ["probability", "standard_error", "n_members", "edges"]
    rows = [(one.probability, one.standard_error, one.n_members, one.edges) for one in found]
    exact = all(row[1] == 0.0 for row in rows)
    shown = [
        (p, *(() if exact else (error,)), "?" if members is None else members, edges or "(none)")
        for p, error, members, edges in rows
    ]
    people = Table(["probability", *([] if exact else ["standard_error"]), "graphs", "edges"], shown)
    title = f"Equivalence classes, most probable first{condition(posterior.evidence)} ({found.basis})"
    show(Answer(document, Table(columns, rows), [title, people]), form)


def _class_record(one: EquivalenceClass) -> dict[str, Any]:
    return {
        "probability": one.probability,
        "standard_error": one.standard_error,
        "n_members": one.n_members,
        "directed": one.directed,
        "undirected": one.undirected,
        "representative": list(one.representative.edges),
    }


@click.command(short_help="Find the graph with the smallest expected loss.")
@posterior_argument
@given_option
@click.option(
    "--loss",
    type=click.Choice(["shd", "shd-cpdag"]),
    default="shd",
    show_default=True,
    help="Structural Hamming distance between graphs, or between their equivalence classes.",
)
@click.option("--extra", type=float, help="Loss of an edge too many.  [default: 1]")
@click.option("--missing", type=float, help="Loss of a missing edge.  [default: 1]")
@click.option("--reversed", "backward", type=float, help="Loss of an edge in the wrong direction.  [default: 1]")
@samples_option
@seed_option
@format_options
def consensus(
    posterior_file: Path,
    given: tuple[str, ...],
    loss: str,
    extra: float | None,
    missing: float | None,
    backward: float | None,
    samples: int,
    rng: int,
    form: str | None,
) -> None:
    """Find the one graph that differs least from those of the posterior, on average.

    \b
    Examples:
      orderspn consensus posterior.npz
      orderspn consensus posterior.npz --loss shd-cpdag
      orderspn consensus posterior.npz --extra 2
    """
    stated = {"extra": extra, "missing": missing, "reversed": backward}
    weights = {name: value for name, value in stated.items() if value is not None}
    if weights and loss != "shd":
        raise click.UsageError(f"--{next(iter(weights))} belongs to --loss shd; leave one of them out.")
    with opened(posterior_file, given, form) as posterior:
        found = posterior.consensus(weights or loss, n_samples=samples, rng=rng)
    rows = _edge_rows(found.graph)
    table = Table(["edge", "a", "b", "probability"], rows)
    numbers = {"expected_loss": found.expected_loss, "standard_error": found.standard_error}
    document = {
        "given": str(posterior.evidence) or None,
        "loss": found.loss,
        **numbers,
        "lower_bound": found.lower_bound,
        "optimal": found.optimal,
        "edges": table.records(),
    }
    known = "no graph has a smaller one" if found.optimal else f"no graph is below {number_text(found.lower_bound)}"
    error = "" if found.standard_error == 0.0 else f", standard error {number_text(found.standard_error)}"
    people: list[str | Table] = [
        f"Graph with the smallest expected loss ({found.loss}){condition(posterior.evidence)}",
        Table(["a", "", "b", "probability"], [(a, kind, b, p) for kind, a, b, p in rows]),
        f"expected loss: {number_text(found.expected_loss)}{error} ({known})",
    ]
    show(Answer(document, table, people), form)


def _edge_rows(graph: nx.DiGraph[str]) -> list[tuple[str, str, str, float]]:
    """Return kind, ends and probability of each edge; undirected ones once."""
    place = {name: v for v, name in enumerate(graph.nodes)}
    rows = []
    for a, b, p in graph.edges(data="probability", default=math.nan):
        if not graph.has_edge(b, a):
            rows.append(("->", a, b, float(p)))
        elif place[a] < place[b]:
            rows.append(("--", a, b, float(p)))
    return rows
