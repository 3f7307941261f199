"""What an answer is worth: distances between graphs, and how good probabilities of edges are."""

from __future__ import annotations

from collections.abc import Mapping

import gadjid
import numpy as np

import orderspn as osp
from benchmarks.peers.tables import Table
from benchmarks.probabilities import Measures, log_loss, probability_measures
from orderspn.scores.local import LocalScore

FLOOR = 1e-2
"""The same for log losses of unsmoothed frequencies beside probabilities: about what 50 resamples can tell from 0."""
MOST_FOR_EFFECTS = 50
"""Intervals of effects are not asked for with more variables."""
FEWEST_EFFECTS = 10
"""Intervals of effects need so many resamples whose graph belongs to a DAG."""


def measured(answer: Mapping[str, np.ndarray], table: Table) -> Measures:
    """Return all measures that an answer allows; None where one was asked for and has no value."""
    truth = osp.metrics.cpdag(table.dag)
    found: Measures = {}
    graph = claimed_graph(answer)
    if graph is not None:
        found |= graph_measures(graph, truth)
        found |= identification_distances(graph, truth)
        if not table.kinds.any():
            found["score_gain"] = score_gain(graph, table)
    if "dag" in answer and table.is_dag_known:
        found["dag_f1"] = f1(answer["dag"].astype(bool), table.dag)
    if "edges" in answer:
        edges = smoothed(answer["edges"], int(answer["resamples"]))
        found |= adjacency_measures(edges, truth)
        found["log_loss_common"] = log_loss(*pairs(answer["edges"], truth), FLOOR)
        if table.is_dag_known:
            found["directed_auroc"] = float(osp.metrics.auroc(answer["edges"], table.dag))
            found["directed_average_precision"] = float(osp.metrics.average_precision(answer["edges"], table.dag))
    if "sampled" in answer:
        found["expected_shd"] = float(np.mean([shd(as_cpdag(one), truth) for one in answer["sampled"].astype(bool)]))
    if table.total_effects is not None and len(table.dag) <= MOST_FOR_EFFECTS:
        intervals = effect_intervals(answer, table)
        if intervals is not None:
            found |= effect_coverage(*intervals, table.total_effects)
    return found


def claimed_graph(answer: Mapping[str, np.ndarray]) -> np.ndarray | None:
    """Return the one graph that a method answers, as marks of an equivalence class."""
    if "cpdag" in answer:
        return answer["cpdag"].astype(bool)
    for key in ("dag_of_class", "dag"):
        if key in answer:
            return as_cpdag(answer[key].astype(bool))
    return None


def as_cpdag(graph: np.ndarray) -> np.ndarray:
    """Return the CPDAG of a DAG; a graph with undirected edges or cycles is returned as it is."""
    if (graph & graph.T).any():
        return graph
    try:
        return np.asarray(osp.metrics.cpdag(graph))
    except ValueError:
        return graph


def shd(a: np.ndarray, b: np.ndarray) -> int:
    """Return the number of pairs that are not joined in the same way."""
    differs = a != b
    return int((differs | differs.T).sum() // 2)


def graph_measures(graph: np.ndarray, truth: np.ndarray) -> Measures:
    """Return SHD, and F1 of adjacencies and of arrowheads, between CPDAGs."""
    upper, heads = np.triu_indices(len(truth), 1), truth & ~truth.T
    return {
        "shd": shd(graph, truth),
        "adjacency_f1": f1((graph | graph.T)[upper], (truth | truth.T)[upper]),
        # A class without arrowheads leaves none to find: any answer would have 0.
        "arrowhead_f1": f1(graph & ~graph.T, heads) if heads.any() else None,
    }


def f1(found: np.ndarray, truth: np.ndarray) -> float | None:
    """Return the harmonic mean of precision and recall; None if there is nothing to find and nothing found."""
    total = int(found.sum()) + int(truth.sum())
    return 2.0 * int((found & truth).sum()) / total if total else None


def identification_distances(graph: np.ndarray, truth: np.ndarray) -> Measures:
    """Return the shares of pairs whose effect would be wrongly identified, by parents and by ancestors (gadjid).

    None for a graph that is no CPDAG, such as PC may return: the distances are not defined for it.
    """
    dag = member(graph)
    if dag is None or (as_cpdag(dag) != graph).any():
        return {"parent_aid": None, "ancestor_aid": None}
    true, guess = _coded(truth), _coded(graph)
    return {
        "parent_aid": gadjid.parent_aid(true, guess, edge_direction="from row to column")[0],
        "ancestor_aid": gadjid.ancestor_aid(true, guess, edge_direction="from row to column")[0],
    }


def _coded(graph: np.ndarray) -> np.ndarray:
    """Return 1 for directed and 2 for undirected edges, as gadjid reads them."""
    return (graph.astype(np.int8) + (graph & graph.T)).astype(np.int8)


def member(graph: np.ndarray) -> np.ndarray | None:
    """Return a DAG with the directions of a partly directed graph and no more colliders, or None (Dor and Tarsi)."""
    undirected = graph & graph.T
    directed = graph & ~undirected
    dag, left = directed.copy(), np.ones(len(graph), dtype=bool)
    while left.any():
        joined = directed | directed.T | undirected
        for v in np.flatnonzero(left & ~directed.any(axis=1)).tolist():
            neighbours = np.flatnonzero(joined[v])
            free = np.flatnonzero(undirected[v])
            if all(joined[w, neighbours[neighbours != w]].all() for w in free):
                break
        else:
            return None
        dag[undirected[v], v] = True
        left[v] = False
        for edges in (directed, undirected):
            edges[v] = edges[:, v] = False
    return np.asarray(dag)


def score_gain(graph: np.ndarray, table: Table) -> float | None:
    """Return by how many nats BGe with the fair prior prefers a graph to the true one; None if no DAG belongs to it."""
    dag = member(graph)
    if dag is None:
        return None
    d = len(graph)
    fitted = osp.scores.BGe().fit(osp.read_table(table.values))
    local = LocalScore(fitted, osp.scores.log_prior_by_size("fair", d), d - 1)
    return float(
        sum(
            local.of_set(v, np.flatnonzero(dag[:, v])) - local.of_set(v, np.flatnonzero(table.dag[:, v]))
            for v in range(d)
        )
    )


def smoothed(edges: np.ndarray, resamples: int) -> np.ndarray:
    """Return frequencies over resamples as estimates that are never 0 or 1; probabilities stay as they are."""
    return edges if resamples == 0 else (edges * resamples + 0.25) / (resamples + 1.0)


def adjacency_measures(edges: np.ndarray, truth: np.ndarray) -> Measures:
    """Return how good probabilities that pairs are joined are, over the pairs; directions do not matter."""
    return probability_measures(*pairs(edges, truth))


def pairs(edges: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the probability of each pair to be joined, and whether it is."""
    upper = np.triu_indices(len(truth), 1)
    return np.clip((edges + edges.T)[upper], 0.0, 1.0), (truth | truth.T)[upper]


def effect_intervals(answer: Mapping[str, np.ndarray], table: Table) -> tuple[np.ndarray, np.ndarray] | None:
    """Return 90% intervals of total effects: a method's own, or quantiles over the graphs of its resamples.

    For each resample a DAG of the class is drawn, and every variable regressed on its parents in the resampled rows.
    None where most of the graphs belong to no DAG.
    """
    if "effect_low" in answer:
        return answer["effect_low"], answer["effect_high"]
    if "rows" not in answer or table.kinds.any():
        return None
    rng = np.random.default_rng(0)
    found = []
    for graph, rows in zip(answer["sampled"].astype(bool), answer["rows"], strict=True):
        shuffled = rng.permutation(len(graph))  # `member` takes the first of several directions that are possible
        dag = member(graph[np.ix_(shuffled, shuffled)])
        if dag is not None:
            back = np.argsort(shuffled)
            found.append(regressed_effects(dag[np.ix_(back, back)], table.values[rows]))
    if len(found) < max(FEWEST_EFFECTS, len(answer["rows"]) / 2):
        return None
    low, high = np.quantile(found, [0.05, 0.95], axis=0)
    return low, high


def regressed_effects(dag: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return total effects by least squares of each variable on its parents, [cause, effect]."""
    covariance = np.cov(values, rowvar=False)
    weights = np.zeros(dag.shape)
    for v in range(len(dag)):
        parents = np.flatnonzero(dag[:, v])
        if len(parents):
            own = covariance[np.ix_(parents, parents)]
            weights[parents, v] = np.linalg.lstsq(own, covariance[parents, v], rcond=None)[0]
    return np.asarray(np.linalg.inv(np.eye(len(dag)) - weights))


def effect_coverage(low: np.ndarray, high: np.ndarray, effects: np.ndarray) -> Measures:
    """Return the share of true total effects within their intervals, of all pairs and of those with an effect.

    Wide intervals cover all: their mean width is told beside it.
    """
    away = ~np.eye(len(effects), dtype=bool)
    inside = (low - 1e-9 <= effects) & (effects <= high + 1e-9)
    present = away & (np.abs(effects) > 1e-9)
    return {
        "coverage": float(inside[away].mean()),
        "coverage_of_effects": float(inside[present].mean()),
        "interval_width": float((high - low)[away].mean()),
        "interval_width_of_effects": float((high - low)[present].mean()),
    }
