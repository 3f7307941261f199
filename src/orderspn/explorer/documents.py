"""Answers as documents for a page: numbers, names and short texts, nothing that is ready-made HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from orderspn.core.errors import Unavailable
from orderspn.display.summaries import MEANINGS
from orderspn.explorer.numbers import number, packed
from orderspn.explorer.plain_words import plain_words
from orderspn.explorer.positions import positions
from orderspn.judging import report
from orderspn.models.ancestral_graphs import AncestralGraphs
from orderspn.queries.edges import Edges
from orderspn.user_graphs import read_graph_text

if TYPE_CHECKING:
    from orderspn.posterior import Posterior

PARENT_SETS = 12
"""Number of parent sets in the panel of a variable."""


LONGEST_SETTING = 300
"""Most characters of a setting that is shown."""


class Source(NamedTuple):
    """Where a posterior comes from: a title for people, and the Python expression that makes it again."""

    title: str
    expression: str


def edges(base: Posterior, under: Posterior, evidence: Edges) -> dict[str, Any]:
    """Return the probabilities of all edges under evidence, and the probability of the evidence itself."""
    matrix = under.edge_probabilities(progress=False).to_numpy()
    log_probability = base.log_probability(evidence) if evidence else 0.0
    return {
        "edges": packed(matrix),
        "log_probability": number(log_probability),
        "note": _about_draws(under),
    }


def layout(under: Posterior) -> dict[str, Any]:
    """Return positions for the probabilities under evidence."""
    return positions(under.variables, under.edge_probabilities(progress=False).to_numpy())


def _about_draws(posterior: Posterior) -> str | None:
    """Say how many draws answers are shares of, where evidence made a sample of the posterior."""
    model = posterior.model
    return f"{model.kept}; all answers are shares of these draws." if isinstance(model, AncestralGraphs) else None


def standard_errors(under: Posterior) -> dict[str, Any]:
    """Return the standard errors of the probabilities of edges; NaN where they are not known."""
    return {"errors": packed(under.edge_standard_errors().to_numpy())}


def ancestry(under: Posterior) -> dict[str, Any]:
    """Return the probability that each variable is an ancestor of each other."""
    return {"ancestors": packed(under.ancestor_probabilities(progress=False).to_numpy())}


def parents(under: Posterior, variable: str) -> dict[str, Any]:
    """Return the most probable parent sets of a variable."""
    frame = under.parent_sets(variable, top=PARENT_SETS)
    sets = zip(frame["parents"], frame["probability"], strict=True)
    return {"parent_sets": [[list(names), float(probability)] for names, probability in sets]}


def whole(under: Posterior) -> dict[str, Any]:
    """Return the summary with what its terms mean, and the warnings of learning."""
    summary = under.summary()
    lines = [[name, value] for name, value in summary.lines if name != "warning"]
    return {
        "headline": summary.headline,
        "lines": lines,
        "meanings": {name: MEANINGS[name] for name, _ in lines if name in MEANINGS},
        "warnings": list(under.warnings),
        "words": plain_words(under),
        "settings": settings_of(under),
    }


def settings_of(posterior: Posterior) -> list[list[str]]:
    """Return settings as names and short texts; those that are long lists are left out."""
    texts = {name: str(value) for name, value in posterior.settings.items() if name != "warnings"}
    return [[name, text] for name, text in texts.items() if len(text) <= LONGEST_SETTING]


def best(under: Posterior) -> dict[str, Any]:
    """Return the most probable graph."""
    found = under.most_probable_graph(progress=False)
    return {
        "edges": [list(edge) for edge in found.edges.present],
        "order": None if found.order is None else list(found.order),
        "log_probability": number(found.log_probability),
    }


def judgement(under: Posterior, text: str, missing_variables: str) -> dict[str, Any]:
    """Return how a graph stands before the posterior, in words and tables."""
    judged = under.judge(read_graph_text("the graph", text), missing_variables=missing_variables, progress=False)
    return {
        "headline": report.headline(judged),
        "verdict": judged.verdict,
        "lines": [[name, value] for name, value in report.lines(judged)],
        "meanings": report.MEANINGS,
        "tables": [
            {"title": title, "columns": columns, "rows": [[_cell(value) for value in row] for row in rows]}
            for title, columns, rows in report.tables(judged)
            if rows
        ],
        "notes": list(judged.notes),
        "directed": [list(edge) for edge in judged.graph.directed],
        "undirected": [list(edge) for edge in judged.graph.undirected],
    }


def _cell(value: object) -> str | float | None:
    return number(value) if isinstance(value, int | float | np.number) else str(value)


def has_orders(posterior: Posterior) -> bool:
    """Whether order constraints can be evidence."""
    try:
        posterior.precedence()
    except Unavailable:
        return False
    return True
