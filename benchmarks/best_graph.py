"""`best_graph` beside FLOP, another search for one graph: CPU time, scores and distance to the truth.

    python -m benchmarks.best_graph                        # simulated tables; writes best_graph.md
    python -m benchmarks.best_graph --public FOLDER        # and .npz files with X, dag and cpdag in a folder
    python -m benchmarks.best_graph --learn NAME ...       # and learn posteriors of some, for their best graphs

FLOP (`pip install flopsearch`, in the extra [benchmarks]) minimises BIC with the penalty 2, by local search over orders
with restarts. Both run on one thread, on the same standardized tables, one after the other; times are CPU-seconds, and
what counts are ratios. FLOP returns a CPDAG; its scores are those of a DAG of that class.
"""

from __future__ import annotations

import argparse
import shlex
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

import orderspn as osp
from orderspn.scores.local import LocalScore

PAGE = Path(__file__).with_suffix(".md")

SIMULATED, DEGREES = "simulated", (2, 6, 10, 20)

PENALTY = 2.0

FLOP_RESTARTS = 20
"""Restarts that FLOP has by default in its R package."""


class Task(NamedTuple):
    """A table of known origin."""

    name: str
    values: np.ndarray  # (N, d), standardized
    cpdag: np.ndarray  # (d, d), bool: both directions where there is no direction


@dataclass(frozen=True)
class Result:
    """What one search found: CPU-seconds, log scores of its graph, distance between CPDAGs, number of edges."""

    seconds: float
    log_bge: float
    log_bic: float
    distance: int
    edges: int
    limited_share: float = np.nan
    """Share of the variables that probably have more parents than their families let them; of posteriors alone."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--public", type=Path, help="folder of .npz files with X, dag and cpdag")
    parser.add_argument("--sets", type=int, default=8, help="simulated tables of each degree")
    parser.add_argument("--repeats", type=int, default=1, help="runs of each search on each simulated table")
    parser.add_argument("--public-repeats", type=int, default=3, help="and on each public one, with other seeds")
    parser.add_argument("--learn", nargs="*", default=[], help="learn posteriors of tables whose names begin like this")
    parser.add_argument("--flop-restarts", type=int, default=FLOP_RESTARTS)
    parser.add_argument("--output", type=Path, default=PAGE)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    warm_up()
    found: dict[str, dict[str, list[Result]]] = {}
    for task in _tasks(arguments.public, arguments.sets):
        own = found.setdefault(task.name, {})
        repeats = arguments.repeats if task.name.startswith(SIMULATED) else arguments.public_repeats
        learning = task.name.startswith(tuple(arguments.learn))
        for seed in range(repeats):
            for search, results in compare(task, seed, arguments.flop_restarts, learning).items():
                own.setdefault(search, []).append(results)
        print(_row(task.name, own), flush=True)
        arguments.output.write_text(_page(found, arguments), encoding="utf-8")


def _tasks(public: Path | None, n_sets: int) -> Iterator[Task]:
    for path in sorted(public.glob("*.npz")) if public else []:
        with np.load(path) as arrays:
            yield Task(path.stem, standardized(arrays["X"].astype(np.float64)), arrays["cpdag"].astype(bool))
    for degree in DEGREES:
        for seed in range(n_sets):
            noise = np.random.default_rng([degree, seed]).uniform(1.0, 4.0, size=100)
            simulated = osp.simulate.linear_gaussian(
                100, 1000, expected_degree=degree, weight_scale=0.5, noise_variances=noise, rng=seed
            )
            truth = osp.metrics.cpdag(simulated.adjacency)
            yield Task(f"{_named(degree)}{seed}", standardized(simulated.data.to_numpy()), truth)


def _named(degree: int) -> str:
    """Return how names of simulated tables of this degree begin."""
    return f"{SIMULATED}, degree {degree}, "


def warm_up() -> None:
    """Compile or load what the searches need."""
    tiny = np.random.default_rng(0).normal(size=(50, 4))
    for score in ("bge", "bic"):
        osp.best_graph(tiny, score=score, restarts=1)


def standardized(values: np.ndarray) -> np.ndarray:
    return np.asarray((values - values.mean(axis=0)) / values.std(axis=0))


def compare(task: Task, seed: int, flop_restarts: int, learning: bool) -> dict[str, Result]:
    """Search one table in three ways, and learn its posterior if asked to."""
    import flopsearch

    table, d = osp.read_table(task.values), task.values.shape[1]
    bge = LocalScore(osp.scores.BGe().fit(table), osp.scores.log_prior_by_size("fair", d), d - 1)
    bic = LocalScore(osp.scores.BIC(PENALTY).fit(table), osp.scores.log_prior_by_size("uniform", d), d - 1)

    def result(search: Callable[[], Any], graph_of: Callable[[Any], np.ndarray]) -> Result:
        start = time.process_time()
        answer = search()
        seconds = time.process_time() - start
        graph = graph_of(answer)
        distance = osp.metrics.structural_hamming_distance(osp.metrics.cpdag(graph), task.cpdag)
        return Result(seconds, _log_score(bge, graph), _log_score(bic, graph), distance, int(graph.sum()))

    def learned() -> osp.Posterior:
        return osp.learn(task.values, rng=seed, n_jobs=1, check=False, standardize=False)

    def ours(score: Any) -> Callable[[], osp.FoundGraph]:
        return lambda: osp.best_graph(task.values, score=score, rng=seed, n_jobs=1, check=False, standardize=False)

    found = {
        "flop": result(lambda: flopsearch.flop(task.values, PENALTY, restarts=flop_restarts), _dag_of),
        "bic": result(ours(osp.scores.BIC(PENALTY)), lambda found: found.adjacency),
        "bge": result(ours("bge"), lambda found: found.adjacency),
    }
    if learning:
        posteriors: list[osp.Posterior] = []
        of_posterior = result(lambda: posteriors.append(learned()), lambda _: _best_of(posteriors[0]))
        found["posterior"] = replace(of_posterior, limited_share=posteriors[0].settings["limited_share"])
    return found


def _best_of(posterior: osp.Posterior) -> np.ndarray:
    """Return the best graph of a posterior as an array."""
    return np.asarray(nx.to_numpy_array(posterior.best_graph().graph, nodelist=posterior.variables) > 0.0)


def _log_score(local: LocalScore, graph: np.ndarray) -> float:
    return sum(local.of_set(child, np.flatnonzero(graph[:, child])) for child in range(len(graph)))


def _dag_of(cpdag: np.ndarray) -> np.ndarray:
    """Return a DAG of a CPDAG with 1 for directed edges and 2 for others, by the algorithm of Dor and Tarsi."""
    directed, undirected = cpdag == 1, cpdag == 2
    dag, left = directed.copy(), np.ones(len(cpdag), dtype=bool)
    while left.any():
        sink = next(v for v in np.flatnonzero(left).tolist() if _is_sink(v, directed, undirected))
        dag[undirected[sink], sink] = True
        left[sink] = False
        for edges in (directed, undirected):
            edges[sink] = edges[:, sink] = False
    return np.asarray(dag)


def _is_sink(v: int, directed: np.ndarray, undirected: np.ndarray) -> bool:
    """Whether all undirected edges at v can point to it: its neighbours by them are joined to all others at v."""
    if directed[v].any():
        return False
    neighbours = np.flatnonzero(undirected[v] | directed[:, v])
    joined = directed | directed.T | undirected
    return all(joined[w, neighbours[neighbours != w]].all() for w in np.flatnonzero(undirected[v]))


HEAD = (
    "| table | FLOP, CPU-s | BIC / FLOP, CPU | BGe / FLOP, CPU | BIC score - FLOP's | BGe score - FLOP's "
    "| SHD of FLOP | of BIC | of BGe | of the posterior | limited |\n"
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
)


def _row(name: str, own: dict[str, list[Result]]) -> str:
    """Return a line of the table; means over the runs, and of differences of scores also the smallest and largest."""
    flop, bic, bge = own["flop"], own["bic"], own["bge"]

    def mean(results: list[Result], field: str) -> float:
        return float(np.mean([getattr(result, field) for result in results]))

    def gain(results: list[Result], field: str) -> str:
        gains = [getattr(a, field) - getattr(b, field) for a in results for b in flop]
        return f"{np.mean(gains):+.1f} ({min(gains):+.1f} to {max(gains):+.1f})"

    seconds = mean(flop, "seconds")
    ratios = " | ".join(f"{mean(results, 'seconds') / seconds:.2f}" for results in (bic, bge))
    distances = " | ".join(f"{mean(results, 'distance'):.0f}" for results in (flop, bic, bge))
    learned = " | "
    if "posterior" in own:
        distance, limited = mean(own["posterior"], "distance"), mean(own["posterior"], "limited_share")
        learned = f"{distance:.0f} | {limited:.2f}"
    gains = f"{gain(bic, 'log_bic')} | {gain(bge, 'log_bge')}"
    return f"| {name} | {seconds:.2f} | {ratios} | {gains} | {distances} | {learned} |"


SUMMARY_HEAD = (
    "| degree | tables | SHD of FLOP | BIC, less | BGe, less | of the posterior, less | BIC score, more "
    "| BGe score, more | CPU, BIC / FLOP | CPU, BGe / FLOP |\n"
    "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
)


def _summary(degree: int, tables: list[dict[str, list[Result]]]) -> str:
    """Return means over tables of one degree, of differences to FLOP with standard errors over tables."""

    def means(search: str, field: str) -> np.ndarray:
        return np.array([np.mean([getattr(result, field) for result in own[search]]) for own in tables])

    def gain(search: str, field: str, sign: int) -> str:
        if any(search not in own for own in tables):
            return ""
        gains = sign * (means(search, field) - means("flop", field))
        return f"{gains.mean():.1f} ± {gains.std(ddof=1) / np.sqrt(len(gains)):.1f}"

    seconds = means("flop", "seconds").sum()
    cells = [
        f"{degree} | {len(tables)} | {means('flop', 'distance').mean():.1f}",
        *(gain(search, "distance", -1) for search in ("bic", "bge", "posterior")),
        gain("bic", "log_bic", 1),
        gain("bge", "log_bge", 1),
        *(f"{means(search, 'seconds').sum() / seconds:.2f}" for search in ("bic", "bge")),
    ]
    return f"| {' | '.join(cells)} |"


def _by_degree(found: dict[str, dict[str, list[Result]]]) -> str:
    """Return a line for each degree of which there are two simulated tables or more."""
    tables = {degree: [own for name, own in found.items() if name.startswith(_named(degree))] for degree in DEGREES}
    return "\n".join(_summary(degree, own) for degree, own in tables.items() if len(own) > 1)


def _page(found: dict[str, dict[str, list[Result]]], arguments: argparse.Namespace) -> str:
    rows = "\n".join(_row(name, own) for name, own in found.items())
    public = " --public FOLDER" if arguments.public else ""
    learn = f" --learn {shlex.join(arguments.learn)}" if arguments.learn else ""
    return f"""# The best graph, beside FLOP

Written by `python -m benchmarks.best_graph{public} --sets {arguments.sets} --repeats {arguments.repeats}{learn}`, with
flopsearch ({arguments.flop_restarts} restarts, penalty {PENALTY:g}). `best_graph` has its defaults, once with
`scores.BIC(penalty={PENALTY:g})`, the score that FLOP searches, and once with BGe. All run on one thread. Numbers are
means over runs with different seeds, {arguments.public_repeats} of each public table and {arguments.repeats} of each
simulated one; of differences of log scores the smallest and the largest are in brackets. A difference above 0 says that
`best_graph` found the better graph. SHD: structural Hamming distance to the true CPDAG. "of the posterior": of
`learn(...).best_graph()` with defaults, for some of the tables; "limited": the share of the variables that have
probably more parents than their families let them, for which `learn` warns. Simulated tables have 1000 rows of 100
variables; Erdos-Renyi graphs, weights N(0, 1/4), noise variances between 1 and 4.

{HEAD}
{rows}

Simulated tables by degree: the SHD of FLOP, by how much those of the others are less and their scores more, with
standard errors over tables:

{SUMMARY_HEAD}
{_by_degree(found)}
"""


if __name__ == "__main__":
    main()
