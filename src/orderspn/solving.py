"""From a table that was read to its posterior: memory, plan of parent sets, scores, method and settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from orderspn.checks.context import about_explained
from orderspn.checks.suite import warnings_of
from orderspn.core.arguments import check_integer, check_positive
from orderspn.core.deadline import Deadline
from orderspn.core.errors import InvalidValue
from orderspn.core.heard import Heard, Unheard, without_warnings
from orderspn.core.logs import logger
from orderspn.core.randomness import RNGLike, seed_for, seed_sequence
from orderspn.core.workers import Workers
from orderspn.data.distributions import DISTRIBUTIONS
from orderspn.data.mixed import Table
from orderspn.display.progress import Progress, showing
from orderspn.knowledge.context import read_context
from orderspn.knowledge.foreign import read_knowledge
from orderspn.knowledge.rules import parent_rules
from orderspn.methods.auto import Auto
from orderspn.methods.memory import fitting_threads
from orderspn.methods.method import Method
from orderspn.methods.problem import Problem, SearchState
from orderspn.models.capabilities import MASSES
from orderspn.models.protocol import GraphModel
from orderspn.parents.candidates import Candidates, check_required
from orderspn.parents.plan import ParentPlan, plan_parents
from orderspn.posterior import Posterior
from orderspn.scores.choosing import fit_score, kinds_of
from orderspn.scores.degrees import is_auto, with_best_degree
from orderspn.scores.local import LocalScore
from orderspn.scores.parent_rules import ParentRules
from orderspn.scores.protocol import Score
from orderspn.scores.structure_prior import SizePrior, log_prior_by_size

NOTHING: Mapping[str, Any] = {}


class Request(NamedTuple):
    """What `learn` was asked for, besides the data and how they are read."""

    method: Method | Auto
    context: Sequence[str] | None
    knowledge: Any
    prior: SizePrior
    candidates: Candidates
    max_parents: int | None
    check: bool
    distributions: bool
    rng: RNGLike
    time_limit: float | None
    memory_limit: int
    workers: Workers
    progress: Progress
    parts: int = 1
    """Number of posteriors that are mixed, of which this is one: each may do with a part of the draws."""
    resumed: SearchState | None = None
    """The end of the search in a table that is much like this one."""

    def quiet(self) -> Request:
        """Return the same without checks and progress."""
        return self._replace(check=False, workers=replace(self.workers, progress=None), progress=False)


class Solved(NamedTuple):
    """A posterior, and the end of its search if there was one."""

    posterior: Posterior
    state: SearchState | None


def settled(score: Score, table: Table, request: Request) -> Score:
    """Return the score with its degree, if that is left open."""
    if not is_auto(score):
        return score
    with without_warnings():
        return with_best_degree(score, lambda tried: solve(table, tried, request.quiet(), Unheard()).posterior, table)


def solve(
    dataset: Table,
    chosen_score: Score,
    request: Request,
    heard: Heard,
    recorded: Mapping[str, Any] = NOTHING,
) -> Solved:
    """Learn from a table that was read; some settings are recorded besides, or instead."""
    workers, limit, prior = request.workers, request.memory_limit, request.prior
    whole = workers.stage("done")
    time_limit = request.time_limit
    deadline = Deadline.after(None if time_limit is None else check_positive("time_limit", time_limit))
    given = read_context(request.context, dataset.variables)
    if request.check:
        tell_findings(dataset, chosen_score, given, heard)
    d = dataset.n_variables
    chosen = request.method.resolved_beside(given.size, d - given.size, limit).as_part_of(request.parts)
    _check_time_limit(chosen, time_limit)
    log_prior, cap = _prior_of_sizes(prior, request.max_parents, d)
    known = read_knowledge(request.knowledge, dataset.variables)
    rules = parent_rules(known, dataset.variables, cap, log_prior, given) if known else None
    plan = _plan(chosen, request.candidates, dataset.variables, limit, rules, given)
    sizes = plan.sizes(d)
    threads = fitting_threads(lambda n: chosen.demand(sizes, n).needed, workers.n_jobs, limit)
    chosen.demand(sizes, threads).check(limit)
    logger.debug("method: %r, %r, %d threads", chosen, plan, threads)
    likelihood = heard.during(lambda: fit_score(chosen_score, dataset))
    local = LocalScore(likelihood, log_prior, cap, rules, given)
    seed = seed_for(seed_sequence(request.rng), "learning")
    own = replace(workers, n_jobs=threads)
    problem = Problem(tuple(dataset.variables), local, plan, seed, own, deadline, request.resumed)
    with showing(request.progress):
        solution = chosen.learn(problem)
        summed = MASSES.optional(solution.model)
        if summed is not None:
            summing = workers.stage("sums")
            log_evidence = summed.log_evidence  # computed here, so that the first query does not take long
            summing.done("log evidence %.4f", log_evidence)
    heard.add(solution.warnings)
    settings: dict[str, Any] = {
        **chosen.settings(),
        "score": local.likelihood.settings(),
        "prior": prior if isinstance(prior, str) else "custom",
        **plan.recorded(),
        "max_parents": local.max_parents,
        "knowledge": known.to_dict(),
        "kinds": kinds_of(dataset),
        "context": [dataset.variables[v] for v in given],
        **_explained_candidates(solution.model),
        "rows": dataset.n_rows,
        "interventions": None if dataset.intervened is None else int(dataset.intervened.any(axis=1).sum()),
        "standardized": dataset.units is not None,
        "data_fingerprint": dataset.fingerprint,
        "seed": recorded_seed(request.rng),
        "warnings": heard.messages,
        **solution.report,
        **recorded,
    }
    logger.debug("settings: %r", {key: value for key, value in settings.items() if key != DISTRIBUTIONS})
    whole.done("%s posterior over the graphs of %d variables", settings["method"], d)
    return Solved(Posterior(solution.model, settings, units=dataset.units), solution.state)


def recorded_seed(rng: RNGLike) -> int | None:
    """Return the seed for the settings; None if a generator was given."""
    return int(rng) if isinstance(rng, int | np.integer) else None


def tell_findings(table: Table, score: Score, context: np.ndarray, heard: Heard) -> None:
    """Warn of data that may not fit."""
    found = warnings_of(table, curves=getattr(score, "degree", 1) > 1)
    heard.add(map(str, about_explained(found, [table.variables[v] for v in context])))


def _plan(
    method: Method,
    candidates: Candidates,
    variables: Sequence[str],
    limit: int,
    rules: ParentRules | None,
    context: np.ndarray,
) -> ParentPlan:
    """Return the numbers of candidates and outsiders of each variable."""
    plan = plan_parents(
        candidates,
        method.outsiders,
        method.refine,
        len(variables),
        limit,
        searched=method.searches,
        needed=lambda sizes: method.demand(sizes, 1).needed,  # so that the number of threads changes no answer
        context=tuple(context.tolist()),
    )
    if rules is None:
        return plan
    plan = replace(plan, required=tuple(rules.required.sum(axis=0).tolist()))
    check_required(plan.required, variables)
    return plan


def _explained_candidates(model: GraphModel) -> dict[str, str]:
    """Return whether all explained variables are candidates of each other, if there are context variables beside."""
    context, allowed = model.score.context, model.score.rules.allowed
    if not context.size:
        return {}
    explained = np.setdiff1d(np.arange(len(allowed)), context)
    left_out = [np.setdiff1d(explained[allowed[explained, v]], model.candidates[v]) for v in explained]
    return {"explained_candidates": "chosen" if any(others.size for others in left_out) else "all"}


def _prior_of_sizes(prior: SizePrior, max_parents: int | None, d: int) -> tuple[np.ndarray, int]:
    """Return the log prior of parent sets by their size, and the largest size."""
    cap = d - 1 if max_parents is None else min(check_integer("max_parents", max_parents, 0), d - 1)
    log_prior = log_prior_by_size(prior, d)
    if log_prior[0] == -np.inf:
        raise InvalidValue(
            "no graph has any weight: the prior gives weight 0 to having no parents, but the variable that comes first "
            "has none. Give prior(0) more weight."
        )
    return log_prior, cap


def _check_time_limit(method: Method, time_limit: float | None) -> None:
    if time_limit is not None and not method.heeds_time_limit:
        raise InvalidValue(
            f"time_limit is for methods.Gadget() and for methods.Trust() from sampled orders; got "
            f"time_limit={time_limit!r} with {method!r}, whose time depends only on its settings. Leave it out, or "
            "use method='trust'."
        )
