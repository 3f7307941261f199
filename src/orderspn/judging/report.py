"""A judgement in words: a headline, a few numbers with what they mean, and short tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from orderspn.display.text import counted, cut
from orderspn.judging.claims import AGREES, OPEN
from orderspn.queries.edges import Edges

if TYPE_CHECKING:
    import pandas as pd

    from orderspn.judging.judgement import Judgement
    from orderspn.judging.tail import Tail

MOST_ROWS = 8
"""Rows of each table."""

MEANINGS = {
    "probability": "of exactly this graph; small for every graph where there are many",
    "tail probability": "of all graphs that are at most as probable; below the level the graph is implausible",
    "equivalence class": "all graphs that observations cannot tell from this one, together",
    "log Bayes factor": "log of how many times better the data fit this graph than the best one found",
    "log score": "the same with the prior, as a distance",
    "edges": "how many edges of the graph the posterior agrees with",
    "gaps": "how many pairs without an edge it agrees with",
    "suggestion": "the most probable graph that keeps what is certain",
}
"""What the numbers mean, in one line each."""

Rows = list[tuple[Any, ...]]


def headline(judgement: Judgement) -> str:
    """Return the verdict in a line."""
    graph = judgement.graph
    n_edges = len(graph.directed) + len(graph.undirected)
    about = f"{counted(n_edges, 'edge')} among {counted(len(graph.variables), 'variable')}"
    return f"a graph with {about} is {judgement.verdict} (tail probability {_tail(judgement.tail)})"


def lines(judgement: Judgement) -> list[tuple[str, str]]:
    """Return names and values."""
    own, edges, gaps = judgement.equivalence, judgement.edges, judgement.gaps
    size = "more than 2,000 graphs" if own.n_graphs is None else counted(own.n_graphs, "graph")
    found = [
        ("probability", _probability(judgement.log_probability, judgement.standard_error)),
        (
            "tail probability",
            f"{_tail(judgement.tail)} of {judgement.tail.n_draws:,.0f} draws; level {judgement.level:g}",
        ),
        (
            "equivalence class",
            f"{size}, probability {_probability(own.log_probability, own.standard_error)}, tail {_tail(own.tail)}",
        ),
        ("log Bayes factor", f"{_number(judgement.log_bayes_factor)} against the best graph found"),
        ("log score", f"{_number(-judgement.log_score_difference)} below that of the best graph found"),
        ("edges", _agreement(edges["finding"].to_list())),
        ("gaps", f"{int((gaps['finding'] == AGREES).sum())} of {len(gaps)} agree with the posterior"),
    ]
    if judgement.suggestion is not None:
        kept = f"keeps {cut(str(judgement.kept))}" if judgement.kept else "keeps nothing"
        n_edges = counted(len(judgement.suggestion.edges.present), "edge")
        found.append(("suggestion", f"{n_edges}, {kept}"))
    return found


def tables(judgement: Judgement) -> list[tuple[str, list[str], Rows]]:
    """Return title, columns and rows of what is contradicted, and of changes that gain."""
    edges = judgement.edges[~judgement.edges["finding"].isin([AGREES, OPEN])]
    gaps = judgement.gaps[judgement.gaps["finding"] != AGREES]
    moves = judgement.moves[judgement.moves["gain"] > 0.0]
    contradicted: Rows = [(_written(row), row["probability"], row["finding"]) for row in _first_rows(edges)]
    missing: Rows = [_missing(row) for row in _first_rows(gaps)]
    changes: Rows = [
        (row["change"], str(Edges([(row["cause"], row["effect"])])), row["gain"]) for row in _first_rows(moves)
    ]
    return [
        (f"Contradicted edges ({len(edges)})", ["edge", "probability", "posterior says"], contradicted),
        (f"Missing edges ({len(gaps)})", ["edge", "probability", "reversed"], missing),
        (f"Changes that gain ({len(moves)})", ["change", "edge", "gain in log score"], changes),
    ]


def text(judgement: Judgement) -> str:
    """Return the whole report."""
    first = headline(judgement)
    parts = [first[0].upper() + first[1:], *(f"  {name:<20} {value}" for name, value in lines(judgement))]
    for title, names, rows in tables(judgement):
        if rows:
            parts += ["", title, *_aligned([tuple(names), *rows])]
    parts += [f"Note: {told}" for told in judgement.notes]
    return "\n".join(parts)


def _aligned(rows: Rows) -> list[str]:
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
    return ["  " + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in cells]


def _cell(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else cut(str(value), 60)


def _first_rows(frame: pd.DataFrame) -> list[dict[Any, Any]]:
    return frame.head(MOST_ROWS).to_dict("records")


def _written(row: dict[Any, Any]) -> str:
    pair = [(row["cause"], row["effect"])]
    return str(Edges(pair) if row["directed"] else Edges(adjacent=pair))


def _missing(row: dict[Any, Any]) -> tuple[str, float, float]:
    """Return the edge in a gap, in its more probable direction, and the probabilities of both."""
    pair = row["first"], row["second"]
    if row["forward"] >= row["backward"]:
        return str(Edges([pair])), row["forward"], row["backward"]
    return str(Edges([pair[::-1]])), row["backward"], row["forward"]


def _agreement(findings: list[str]) -> str:
    """Count the edges that agree, those whose direction is open, and the others."""
    agree, open_ones = findings.count(AGREES), findings.count(OPEN)
    others = len(findings) - agree - open_ones
    rest = f"{others} {'does' if others == 1 else 'do'} not"
    return f"{agree} of {len(findings)} agree with the posterior, {open_ones} but for the direction, {rest}"


def _tail(tail: Tail) -> str:
    if tail.probability == 0.0:
        return "0"
    error = "" if math.isnan(tail.standard_error) else f" +- {tail.standard_error:.2g}"
    return f"{tail.probability:.3g}{error}"


def _probability(log_probability: float, error: float) -> str:
    if math.isnan(log_probability):
        return "unknown"
    told = f"{math.exp(log_probability):.3g}" if log_probability > math.log(1e-4) else f"e^{log_probability:.1f}"
    told = "0" if log_probability == -math.inf else told
    return told + (f" +- {error:.2g}" if error > 0.0 else "")


def _number(value: float) -> str:
    return "unknown" if math.isnan(value) else f"{value + 0.0:.2f}"
