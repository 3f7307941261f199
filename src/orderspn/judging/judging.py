"""From a posterior and a graph to a judgement."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from orderspn.core.arguments import check_fraction, check_integer
from orderspn.core.dag import find_cycle
from orderspn.core.errors import ImpossibleEvidence
from orderspn.core.memory import check_answer
from orderspn.core.randomness import RNGLike, seed_sequence
from orderspn.judging.claims import EVEN, edge_claims, gap_claims
from orderspn.judging.completions import climbed, completions
from orderspn.judging.draws import PosteriorDraws, draws_of
from orderspn.judging.equivalence_class import judge_class
from orderspn.judging.judgement import Judgement
from orderspn.judging.moves import Move, best_moves
from orderspn.judging.standing import Standing
from orderspn.judging.tail import tail_of
from orderspn.queries.edges import MOST_NEIGHBOURS, Edge, Edges, EdgesLike, as_edges
from orderspn.queries.evidence import check_names, satisfying
from orderspn.queries.most_probable import BestGraph, adjacency_as_event
from orderspn.queries.sampling import GraphSamples, graph_bytes, orders_of_graphs
from orderspn.user_graphs import PartialGraph, read_user_graph

if TYPE_CHECKING:
    from orderspn.posterior import Posterior

MOST_COMPLETIONS = 2 ** (MOST_NEIGHBOURS + 2)
"""Most DAGs that a graph with undirected edges may stand for, for an exact sum."""


def judge(
    posterior: Posterior,
    graph: Any,
    *,
    keep: EdgesLike,
    level: float,
    n_samples: int,
    rng: RNGLike,
    missing_variables: str,
) -> Judgement:
    """Judge a graph; `posterior.judge` says what the arguments are."""
    level = check_fraction("level", level)
    n, d = check_integer("n_samples", n_samples, 1), len(posterior.variables)
    memory = posterior.model.workers.memory
    check_answer(n * graph_bytes(d), f"{n:,} graphs of {d} variables", "Draw fewer, n_samples=.", memory)
    read = read_user_graph("graph", graph, posterior.variables, missing_variables)
    wanted = None if keep is None else as_edges("keep", keep)
    seeds = seed_sequence(rng).spawn(2)
    draws = draws_of(posterior.model, n, seeds[0])
    place = _Place(posterior, read, Standing(posterior.model, posterior.evidence), draws)
    found = _represented(place)
    probability = _probability(place, found)
    best = _better(posterior.best_graph(rng=seeds[1]), found, place)
    probabilities = posterior.edge_probabilities().to_numpy()
    errors = posterior.edge_standard_errors().to_numpy()
    kept = _sure_of(read, probabilities) if wanted is None else wanted
    suggestion, lost = _suggested(place, kept, best, wanted is not None, seeds[1])
    context = [posterior.variables.index(name) for name in posterior.context]
    return Judgement(
        read,
        _as_networkx(found.dag, read.variables),
        probability.log_value,
        probability.standard_error,
        tail_of(found.value, found.of_draws, draws),
        judge_class(found.dag, place.standing, draws, found.by_scores, context),
        _log_bayes_factor(found.dag, best, place.standing),
        min(0.0, found.log_score - _log_score_of(best, place)),
        best,
        edge_claims(read, probabilities, errors),
        gap_claims(read, probabilities, errors),
        _moves_frame(best_moves(found.dag, place.standing, posterior.evidence, read.variables)),
        kept,
        suggestion,
        level,
        tuple(posterior.context),
        (*found.notes, *probability.notes, *lost, *_notes_about(draws, level, place.standing)),
    )


class _Place(NamedTuple):
    """What a graph is judged by."""

    posterior: Posterior
    graph: PartialGraph
    standing: Standing
    draws: PosteriorDraws


class _Represented(NamedTuple):
    """The DAG that stands for a graph, what it is ranked by, and the same of the draws."""

    dag: np.ndarray  # (d, d)
    value: float
    of_draws: np.ndarray  # (n,)
    by_scores: bool
    log_score: float
    all_dags: np.ndarray  # (n, d, d)
    complete: bool
    notes: tuple[str, ...]


def _represented(place: _Place) -> _Represented:
    """Rank a graph; one with undirected edges ranks as the most probable DAG that it stands for.

    If the truth is among those DAGs, the best of them ranks at least as high as the truth: the rank stays calibrated.
    """
    dags, complete = completions(place.graph, MOST_COMPLETIONS)
    if not complete:
        dags = np.concatenate([dags, _best_elsewhere(dags, place)])
    values = place.standing.ranks(np.concatenate([dags, place.draws.graphs]))
    own, of_draws = values[: len(dags)], values[len(dags) :]
    log_scores = place.standing.by_scores(dags)
    possible = _satisfying(dags, place.posterior.evidence, place.graph.variables) & (log_scores > -np.inf)
    own = np.where(possible, own, -np.inf)
    by_scores = bool(possible.any() and not (own > -np.inf).any())
    notes = []
    if by_scores:
        own, of_draws = np.where(possible, log_scores, -np.inf), place.standing.by_scores(place.draws.graphs)
        notes.append(
            "the posterior leaves out some parent sets of this graph, which was ranked by its score and not by its "
            "probability"
        )
    if not possible.any():
        notes.append(
            "background knowledge, evidence, context variables or the largest number of parents rule this graph out"
        )
    if not complete:
        notes.append(f"only {len(dags):,} of the DAGs that the graph stands for were compared, and a search from there")
    best = int(np.argmax(own if possible.any() else log_scores))
    value, score = float(own[best]), float(log_scores[best])
    return _Represented(dags[best], value, of_draws, by_scores, score, dags, complete, tuple(notes))


def _best_elsewhere(dags: np.ndarray, place: _Place) -> np.ndarray:
    """Return further DAGs that a graph stands for (n, d, d): those that were drawn, and the best of a search."""
    drawn = np.unique(
        place.draws.graphs[_satisfying(place.draws.graphs, place.graph.edges, place.graph.variables)], axis=0
    )
    starts = np.concatenate([dags, drawn])
    best = starts[int(np.argmax(place.standing.ranks(starts)))]
    found = climbed(best, place.graph.lines, place.standing.ranks)
    known = (dags == found).all(axis=(1, 2)).any()
    return found[None][:0] if known else found[None]


def _satisfying(dags: np.ndarray, evidence: Edges, variables: tuple[str, ...]) -> np.ndarray:
    """Return which DAGs the evidence allows, order constraints included."""
    allowed = satisfying(dags, evidence, variables)
    if evidence.before:
        for which in np.flatnonzero(allowed):
            edges: list[Edge] = [(variables[a], variables[b]) for a, b in np.argwhere(dags[which])]
            allowed[which] = not find_cycle([*edges, *evidence.before])
    return allowed


class _Probability(NamedTuple):
    """A log probability, the standard error of the probability, and remarks."""

    log_value: float
    standard_error: float
    notes: tuple[str, ...] = ()


def _probability(place: _Place, found: _Represented) -> _Probability:
    """Return the probability of the graph, or of all DAGs that it stands for."""
    posterior, event = place.posterior, place.graph.edges
    if found.value == -math.inf:
        return _Probability(-math.inf, 0.0)
    if place.standing.is_exact and found.complete:
        log_value = min(0.0, float(np.logaddexp.reduce(place.standing.of(found.all_dags))))
        if log_value == -math.inf and place.standing.is_noisy:
            told = "the circuit of the posterior has none of the orders of this graph, so its probability is not known"
            return _Probability(math.nan, math.nan, (told,))
        few = len(event.adjacent) <= MOST_NEIGHBOURS
        return _Probability(log_value, posterior.standard_error(event) if few else math.nan)
    share, error = place.draws.share(_satisfying(place.draws.graphs, event, place.graph.variables))
    if share > 0.0:
        return _Probability(math.log(share), error, ("its probability is a share of sampled graphs",))
    estimate = min(0.0, float(np.logaddexp.reduce(place.standing.of(found.all_dags))))
    told = "no sampled graph is this one, so its probability is estimated from scores"
    return _Probability(estimate, math.nan, (told,))


def _better(best: BestGraph, found: _Represented, place: _Place) -> BestGraph:
    """Return the graph itself if the search found none that is better."""
    if found.value == -math.inf or found.log_score <= _log_score_of(best, place):
        return best
    order = [place.graph.variables[v] for v in orders_of_graphs(found.dag[None])[0]]
    named = _as_networkx(found.dag, place.graph.variables)
    return BestGraph(named, order, found.log_score, adjacency_as_event(found.dag, place.graph.variables))


def _log_score_of(best: BestGraph, place: _Place) -> float:
    return float(place.standing.by_scores(_matrix_of(best, place.graph.variables)[None])[0])


def _log_bayes_factor(dag: np.ndarray, best: BestGraph, standing: Standing) -> float:
    if standing.scores is None:
        return math.nan
    likelihood = standing.scores.log_likelihood
    return likelihood(dag) - likelihood(_matrix_of(best, tuple(standing.model.variables)))


def _sure_of(graph: PartialGraph, probabilities: np.ndarray) -> Edges:
    """Return the edges of a graph that are more probable than not."""
    place = {name: v for v, name in enumerate(graph.variables)}
    joined = probabilities + probabilities.T
    present = [(a, b) for a, b in graph.directed if probabilities[place[a], place[b]] > EVEN]
    neighbours = sorted(graph.undirected, key=lambda pair: -joined[place[pair[0]], place[pair[1]]])[:MOST_NEIGHBOURS]
    return Edges(present, adjacent=[(a, b) for a, b in neighbours if joined[place[a], place[b]] > EVEN])


def _suggested(
    place: _Place, kept: Edges, best: BestGraph, asked: bool, seed: np.random.SeedSequence
) -> tuple[BestGraph | None, tuple[str, ...]]:
    """Return the best graph that keeps edges, or why there is none; edges that the user asked for must be possible."""
    check_names(kept, place.graph.variables)
    if not kept.before and satisfying(_matrix_of(best, place.graph.variables)[None], kept, place.graph.variables)[0]:
        return best, ()
    try:
        return place.posterior.best_graph(kept, rng=seed), ()
    except ImpossibleEvidence as problem:
        if asked:
            raise
        return None, (f"there is no suggestion: {problem}",)


def _notes_about(draws: PosteriorDraws, level: float, standing: Standing) -> Iterable[str]:
    if 1.0 / (draws.worth + 1.0) >= level:
        yield f"{draws.worth:.0f} draws are too few to call a graph implausible at level {level:g}"
    if standing.scores is None:
        yield "a mixture has no Bayes factor, and gains are averaged over its components"


def _moves_frame(moves: list[Move]) -> Any:
    import pandas as pd

    return pd.DataFrame(moves, columns=list(Move._fields))


def _matrix_of(best: BestGraph, variables: tuple[str, ...]) -> np.ndarray:
    return PartialGraph(variables, best.edges.present).arrows


def _as_networkx(dag: np.ndarray, variables: tuple[str, ...]) -> Any:
    return GraphSamples(list(variables), dag[None], np.empty((1, 0)))[0]
