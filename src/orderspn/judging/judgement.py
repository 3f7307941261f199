"""The class `Judgement`: all that a posterior says about one graph."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from orderspn.display.html import facts, note, table, titled
from orderspn.judging import report
from orderspn.judging.equivalence_class import JudgedClass
from orderspn.judging.tail import Tail
from orderspn.queries.edges import Edges
from orderspn.queries.most_probable import BestGraph
from orderspn.user_graphs.partial_graph import PartialGraph

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Judgement:
    """How a graph stands before a posterior, made by `posterior.judge`.

    `print(judgement)` is a report, a notebook shows it as tables, and `plot.judgement` draws it.

    Attributes
    ----------
    graph : PartialGraph
        The graph, with `.directed` and `.undirected` edges.
    completion : networkx.DiGraph
        The graph itself; for a graph with undirected edges, the most probable DAG among those that it stands for.
    log_probability : float
        Log posterior probability of the graph; of all DAGs together that a graph with undirected edges stands for.
    standard_error : float
        Monte Carlo standard error of the probability: 0 if it is exact, NaN if it is not known.
    tail : Tail
        `.probability` of all graphs that are at most as probable, from `.n_draws`, with its `.standard_error`.
    equivalence : JudgedClass
        The same for all graphs that observations cannot tell from this one.
    log_bayes_factor : float
        Log of its marginal likelihood over that of the best graph found; NaN for mixtures, whose components differ.
    log_score_difference : float
        The same with the prior: at most 0.
    best : BestGraph
        The best graph found.
    edges, gaps, moves : pandas.DataFrame
        Edges and pairs without an edge, the least probable first; changes of one edge, the largest gain first.
    kept : Edges
        What the suggested graph keeps.
    suggestion : BestGraph or None
        The best graph that keeps it; None if none was found.
    level : float
        The graph is implausible if the tail probability is below it.
    context : tuple of str
        Variables that are only ever causes.
    notes : tuple of str
        What the numbers do not say.
    """

    graph: PartialGraph
    completion: nx.DiGraph[str]
    log_probability: float
    standard_error: float
    tail: Tail
    equivalence: JudgedClass
    log_bayes_factor: float
    log_score_difference: float
    best: BestGraph
    edges: pd.DataFrame
    gaps: pd.DataFrame
    moves: pd.DataFrame
    kept: Edges
    suggestion: BestGraph | None
    level: float
    context: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def probability(self) -> float:
        """Posterior probability of the graph; 0 where it is too small for a number, which its logarithm is not."""
        return math.exp(self.log_probability)

    @property
    def implausible(self) -> bool:
        """Whether the graph is so far out that a true graph rarely is: no more often than `level` says."""
        return self.tail.probability < self.level

    @property
    def class_implausible(self) -> bool:
        """The same for its equivalence class."""
        return self.equivalence.tail.probability < self.level

    @property
    def verdict(self) -> str:
        """The word for it: "impossible", "implausible" or "plausible"."""
        if self.tail.probability == 0.0:
            return "impossible"
        return "implausible" if self.implausible else "plausible"

    def __str__(self) -> str:
        return report.text(self)

    def __repr__(self) -> str:
        return f"<Judgement: {report.headline(self)}>"

    def _repr_html_(self) -> str:
        parts = [titled(title, table(names, rows)) for title, names, rows in report.tables(self) if rows]
        return titled(
            report.headline(self), facts(report.lines(self), report.MEANINGS), *parts, *(note(n) for n in self.notes)
        )
