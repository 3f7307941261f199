"""`orderspn judge`: a graph of the user's before the posterior."""

from __future__ import annotations

import os
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
)
from orderspn.cli.output import Answer, Table, condition, show

if TYPE_CHECKING:
    import pandas as pd

    from orderspn.judging.judgement import Judgement


@click.command(short_help="Judge a graph of your own.")
@posterior_argument
@click.argument("graph")
@given_option
@click.option(
    "--keep", metavar="EDGES", help='Edges that the suggested graph keeps, "A -> B"  [default: probable ones].'
)
@click.option("--level", type=PROBABILITY, default=0.05, show_default=True, help="Implausible below this probability.")
@click.option("--samples", type=POSITIVE, default=1000, show_default=True, help="How many graphs to compare with.")
@click.option(
    "--missing-variables",
    type=click.Choice(["error", "isolated"]),
    default="error",
    show_default=True,
    help="What variables are that the graph does not name: a mistake, or without edges.",
)
@rng_option("The same seed gives the same judgement.", default=0)
@format_options
def judge(
    posterior_file: Path,
    graph: str,
    given: tuple[str, ...],
    keep: str | None,
    level: float,
    samples: int,
    missing_variables: str,
    rng: int,
    form: str | None,
) -> None:
    """Judge GRAPH: whether it is plausible, which of its edges are contradicted, and what is better.

    GRAPH is a file in DOT, GML or DAGitty (.dot, .gv, .gml, .dagitty, .txt), or edges, with "--" for those
    without a direction.

    \b
    Examples:
      orderspn judge posterior.npz graph.dot
      orderspn judge posterior.npz "A -> B, B -- C" --missing-variables isolated --json

    As CSV there is a row for every edge of the graph and every pair without one, the least probable first.
    """
    with opened(posterior_file, given, form) as posterior:
        judged = posterior.judge(
            Path(graph) if os.path.isfile(graph) else graph,
            keep=keep,
            level=level,
            n_samples=samples,
            rng=rng,
            missing_variables=missing_variables,
        )
    claims = _claims(judged)
    given_that = [f"Judged{condition(posterior.evidence)}"] if posterior.evidence else []
    show(Answer(_document(judged), claims, [*given_that, str(judged)]), form)


def _claims(judged: Judgement) -> Table:
    """Every edge and every gap, the least probable first."""
    edges = [
        (row["cause"], "->" if row["directed"] else "--", row["effect"], row["probability"], row["finding"])
        for row in _records(judged.edges)
    ]
    gaps = [(row["first"], "!--", row["second"], row["probability"], row["finding"]) for row in _records(judged.gaps)]
    rows = sorted([*edges, *gaps], key=lambda row: row[3])
    return Table(["first", "relation", "second", "probability", "finding"], rows)


def _document(judged: Judgement) -> dict[str, Any]:
    own, suggestion = judged.equivalence, judged.suggestion
    return {
        "verdict": judged.verdict,
        "implausible": judged.implausible,
        "level": judged.level,
        "log_probability": judged.log_probability,
        "standard_error": judged.standard_error,
        "tail_probability": judged.tail.probability,
        "tail_standard_error": judged.tail.standard_error,
        "draws": judged.tail.n_draws,
        "equivalence_class": {
            "log_probability": own.log_probability,
            "standard_error": own.standard_error,
            "graphs": own.n_graphs,
            "tail_probability": own.tail.probability,
            "tail_standard_error": own.tail.standard_error,
        },
        "log_bayes_factor": judged.log_bayes_factor,
        "log_score_difference": judged.log_score_difference,
        "edges": _records(judged.edges),
        "gaps": _records(judged.gaps),
        "moves": _records(judged.moves),
        "best": judged.best.edges.present,
        "kept": str(judged.kept) or None,
        "suggestion": None if suggestion is None else suggestion.edges.present,
        "notes": judged.notes,
    }


def _records(frame: pd.DataFrame) -> list[dict[Any, Any]]:
    return frame.to_dict("records")
