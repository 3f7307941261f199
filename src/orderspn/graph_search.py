"""`best_graph`: from data to the best graph alone, without a posterior."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from orderspn.climbing.iterated import Climb, climb_all
from orderspn.core.arguments import check_choice, check_flag, check_integer, check_positive
from orderspn.core.deadline import Deadline
from orderspn.core.errors import InvalidValue
from orderspn.core.heard import Heard
from orderspn.core.names import quoted
from orderspn.core.randomness import RNGLike, seed_for, seed_sequence
from orderspn.data.column_groups import Groups
from orderspn.data.files import is_path, read_file
from orderspn.data.kinds import Kind
from orderspn.data.mixed import Table
from orderspn.display.progress import Progress, make_workers, showing
from orderspn.imputation.learning import Incomplete
from orderspn.knowledge.context import read_context
from orderspn.queries.equivalence_classes import named_graph
from orderspn.queries.found_graph import FoundGraph
from orderspn.scores.choosing import Standardize, fit_score, kinds_of, read_for_score
from orderspn.scores.degrees import is_auto
from orderspn.scores.local import LocalScore
from orderspn.scores.protocol import Score
from orderspn.scores.structure_prior import SizePrior
from orderspn.solving import known_before, recorded_seed, tell_findings

LEAST_RESTARTS, MOST_RESTARTS, RESTARTS_PER_VARIABLE = 75, 180, 3
"""How often a climb begins again by default."""

FEW_PARENTS = 6
"""Up to so many parents, the scores of all their subsets together take less time than those without each one alone."""


def best_graph(
    data: Any,
    *,
    variables: Sequence[str] | None = None,
    kinds: Mapping[str, Kind] | None = None,
    groups: Groups | None = None,
    knowledge: Any = None,
    context: Sequence[str] | None = None,
    interventions: Any = None,
    targets: Mapping[Any, Any] | None = None,
    score: str | Score = "auto",
    standardize: Standardize = "auto",
    check: bool = True,
    prior: SizePrior = "auto",
    max_parents: int | None = None,
    missing: Literal["error", "drop"] = "error",
    restarts: int | None = None,
    climbs: int = 1,
    rng: RNGLike = 0,
    time_limit: float | None = None,
    n_jobs: int | None = None,
    progress: Progress = "auto",
) -> FoundGraph:
    """Search for the graph with the highest score, and nothing else: no posterior, no probabilities.

    For those who want one graph of many variables in seconds. One graph does not say how certain it is: at 100
    variables there are usually very many graphs that explain the data nearly as well. `learn` gives their
    probabilities.

    The search is over orders of the variables. Each variable is taken out and put back where the score is highest, with
    the best parents that are found among its predecessors, until nothing improves. Then the order is disturbed, and the
    search begins again from there; the better result is kept.

    Parameters
    ----------
    data, variables, kinds, groups, knowledge, context, interventions, targets, standardize, check, n_jobs, progress
        As in `learn`.
    score : {"auto", "bge", "bdeu", "bic"} or score object
        As in `learn`. The search is compiled for "bge" of single columns of numbers and for "bic"; other scores are
        asked for one parent set after the other, which is for some tens of variables.
    prior : {"auto", "fair", "uniform"} or callable
        Prior over parent sets by size, as in `learn`. By default "uniform" for "bic", which has a penalty for each
        parent already, and "fair" for all others.
    max_parents : int, optional
        Largest number of parents of a variable (default: no limit).
    missing : {"error", "drop"}, default "error"
        What to do with missing values: refuse, or use complete rows. To impute them, use `learn`.
    restarts : int, optional
        How often each climb is disturbed and begun again (default: three times for each variable, at least 75 and at
        most 180). More never give a lower score.
    climbs : int, default 1
        Number of independent climbs, each from a random order of its own. Whether several end with the same score tells
        whether the search is long enough (`agreement`).
    rng : int, SeedSequence, Generator or None, default 0
        Seed of the search.
    time_limit : float, optional
        Seconds after which the search returns the best graph it has. The answer depends on the speed of the machine
        only if the limit is reached, which `settings["time_limit_reached"]` tells.

    Returns
    -------
    FoundGraph
        With `graph`, `order`, `log_score`, `cpdag`, `to_frame()` and `summary()`.

    Examples
    --------
    >>> import orderspn as osp
    >>> simulated = osp.simulate.linear_gaussian(30, 500, rng=0)
    >>> best = osp.best_graph(simulated.data, climbs=2)
    >>> best.agreement
    2
    >>> osp.metrics.structural_hamming_distance(best.graph, simulated.graph) < 40
    True

    Under BIC with a doubled penalty, and what is known:

    >>> best = osp.best_graph(simulated.data, score=osp.scores.BIC(penalty=2), knowledge="X1 -> X2, X3 !-> X4")
    >>> best.graph.has_edge("X1", "X2"), best.graph.has_edge("X3", "X4")
    (True, False)
    """
    asked = None if restarts is None else check_integer("restarts", restarts, 0)
    n_climbs = check_integer("climbs", climbs, 1)
    deadline = Deadline.after(None if time_limit is None else check_positive("time_limit", time_limit))
    check_choice("missing", missing, ("error", "drop"))
    workers, heard = make_workers(n_jobs, progress), Heard()
    data = read_file(data) if is_path(data) else data
    entries = interventions
    incomplete = Incomplete.found_in(data, variables, interventions)
    if incomplete is not None:
        if missing == "error":
            raise InvalidValue(_about_missing(incomplete))
        data, entries = incomplete.complete_rows(targets, tuple(groups or ()))
        variables = None
    chosen, table = heard.during(
        lambda: read_for_score(score, data, variables, standardize, entries, targets, kinds, groups)
    )
    given = read_context(context, table.variables)
    if is_auto(chosen):
        raise InvalidValue("degree='auto' is for learn, which compares posteriors. Pass a score of one degree.")
    if check_flag("check", check):
        tell_findings(table, chosen, given, heard)
    own_prior = _prior_for(chosen) if isinstance(prior, str) and prior == "auto" else prior
    known = known_before(table.variables, own_prior, max_parents, knowledge, given)
    likelihood = heard.during(lambda: fit_score(chosen, table))
    local = LocalScore(likelihood, known.log_prior, known.max_parents, known.rules, given)
    seed = seed_for(seed_sequence(rng), "best graph")
    count = _usual_restarts(table.n_variables - given.size) if asked is None else asked
    with showing(progress):
        found = climb_all(local, n_climbs, count, seed, workers, deadline)
    settings = {
        "score": likelihood.settings(),
        "prior": own_prior if isinstance(own_prior, str) else "custom",
        "max_parents": known.max_parents,
        "knowledge": known.statement.to_dict(),
        "kinds": kinds_of(table),
        "context": [table.variables[v] for v in given],
        "rows": table.n_rows,
        "interventions": None if table.intervened is None else int(table.intervened.any(axis=1).sum()),
        "standardized": table.units is not None,
        "data_fingerprint": table.fingerprint,
        "missing": None if incomplete is None else incomplete.report("dropped"),
        "seed": recorded_seed(rng),
        "climbs": n_climbs,
        "restarts": count,
        "restarts_done": sum(one.restarts for one in found),
        "time_limit_reached": not all(one.in_time for one in found),
        "warnings": heard.messages,
    }
    return _named(found, local, table, settings)


def _usual_restarts(n_explained: int) -> int:
    return min(max(RESTARTS_PER_VARIABLE * n_explained, LEAST_RESTARTS), MOST_RESTARTS)


def _prior_for(score: Score) -> str:
    """Return the default prior: none beside a score that has a penalty for each parent itself."""
    return "uniform" if getattr(score, "penalizes", False) else "fair"


def _about_missing(incomplete: Incomplete) -> str:
    columns = list(incomplete.cells.by_column)
    return (
        f"best_graph needs complete data, and {incomplete.cells.n_missing:,} values are missing, in {quoted(columns)}. "
        f"Pass missing='drop' to use the {incomplete.cells.n_complete_rows:,} complete rows, leave out columns with "
        "variables=[...], or use learn(data), which imputes them."
    )


def _named(found: list[Climb], local: LocalScore, table: Table, settings: Mapping[str, Any]) -> FoundGraph:
    """Return the best of the climbs, with names; of equal ones the first."""
    best = max(found, key=lambda one: one.log_score)
    names = list(table.variables)
    graph = named_graph(best.graph, names)
    order = [names[v] for v in (*local.context.tolist(), *best.order.tolist())]
    scores = tuple(sorted((one.log_score for one in found), reverse=True))
    return FoundGraph(graph, order, best.log_score, _edge_gains(best.graph, local), scores, settings)


def _edge_gains(graph: np.ndarray, local: LocalScore) -> np.ndarray:
    """Return what each edge is worth: the log score that is lost without it, shape (d, d)."""
    gains = np.zeros(graph.shape)
    for effect in range(len(graph)):
        parents = np.flatnonzero(graph[:, effect])
        if 0 < parents.size <= FEW_PARENTS:
            log_scores = local.table(effect, parents)
            every_one = log_scores.size - 1
            gains[parents, effect] = log_scores[every_one] - log_scores[every_one - (1 << np.arange(parents.size))]
        elif parents.size:
            without = [local.of_set(effect, parents[parents != cause]) for cause in parents]
            gains[parents, effect] = local.of_set(effect, parents) - np.array(without)
    return gains
