"""From a table that was read to its posterior: memory, plan of parent sets, scores, method and settings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from orderspn.checkpoints.checkpoint import NOT_KEPT, Checkpoint
from orderspn.checks.context import about_explained
from orderspn.checks.suite import warnings_of
from orderspn.core.arguments import check_integer, check_positive
from orderspn.core.checksum import sha256_of_bytes
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
from orderspn.knowledge.statement import Knowledge
from orderspn.methods.auto import Auto
from orderspn.methods.memory import fitting_threads
from orderspn.methods.method import Method, SearchingMethod
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
from orderspn.scores.protocol import MarginalLikelihood, Score
from orderspn.scores.structure_prior import SizePrior, is_learned, log_prior_by_size

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
    runs: int | None = None
    """Number of independent searches; None for that of the method."""
    checkpoint: Checkpoint = NOT_KEPT
    """Where finished parts of the work are kept."""

    @property
    def answer_memory(self) -> int:
        """Bytes that an answer of the posterior may take; that of a mixture is made of one component at a time."""
        return self.memory_limit if self.parts == 1 else self.parts * self.memory_limit // 2

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

    def learned(tried: Score) -> Posterior:
        own = request.checkpoint.within(f"degree {getattr(tried, 'degree', 1)}")
        prior = "fair" if is_learned(request.prior) else request.prior  # which is learned afterwards
        return solve(table, tried, request.quiet()._replace(checkpoint=own, prior=prior), Unheard()).posterior

    with without_warnings():
        return with_best_degree(score, learned, table)


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
    chosen = _with_runs(chosen, request.runs)
    log_prior, cap, known, rules = known_before(dataset.variables, prior, request.max_parents, request.knowledge, given)
    plan = plan_of(chosen, request.candidates, dataset.variables, limit, rules, given)
    sizes = plan.sizes(d)
    threads = fitting_threads(lambda n: chosen.demand(sizes, n).needed, workers.n_jobs, limit)
    chosen.demand(sizes, threads).check(limit)
    logger.debug("method: %r, %r, %d threads", chosen, plan, threads)
    likelihood = heard.during(lambda: fit_score(chosen_score, dataset))
    local = LocalScore(likelihood, log_prior, cap, rules, given)
    seeds = seed_sequence(request.rng)
    checkpoint = request.checkpoint.belonging_to(question(dataset, likelihood, request, seeds))
    seed, own = seed_for(seeds, "learning"), replace(workers, n_jobs=threads, memory=request.answer_memory)
    problem = Problem(tuple(dataset.variables), local, plan, seed, own, deadline, request.resumed, checkpoint)
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


def question(
    table: Table, likelihood: MarginalLikelihood, request: Request, seeds: np.random.SeedSequence
) -> dict[str, Any]:
    """Return all that the answer depends on as JSON values, by name: what a checkpoint belongs to.

    Threads and backends are not among it.
    """
    if not request.checkpoint.is_on:
        return {}
    method, prior, d = request.method, request.prior, table.n_variables
    settings = {
        name: value.settings() if hasattr(value, "settings") else value for name, value in method.get_params().items()
    }
    candidates = request.candidates
    if isinstance(candidates, Mapping):
        candidates = {str(child): [str(cause) for cause in causes] for child, causes in candidates.items()}
    described = {
        "data": table.fingerprint,
        "score": likelihood.settings(),
        "prior": prior if isinstance(prior, str) else sha256_of_bytes(log_prior_by_size(prior, d).tobytes()),
        "method": {"name": method.name, **settings},
        "runs": request.runs,
        "candidates": candidates,
        "max_parents": request.max_parents,
        "knowledge": read_knowledge(request.knowledge, table.variables).to_dict(),
        "context": [str(name) for name in request.context or ()],
        "rng": [seeds.entropy, *seeds.spawn_key],
        "memory_limit": request.memory_limit,
        "posteriors": request.parts,
    }
    as_read: dict[str, Any] = json.loads(json.dumps(described, default=_as_json))
    return as_read


def _as_json(value: Any) -> Any:
    """Return a setting that JSON does not know as one that it knows; numbers of NumPy as numbers."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else repr(value)


class KnownBefore(NamedTuple):
    """What a local score depends on besides the data: prior by size, largest number of parents, knowledge."""

    log_prior: np.ndarray  # (d,)
    max_parents: int
    statement: Knowledge
    rules: ParentRules | None


def known_before(
    variables: Sequence[str], prior: SizePrior, max_parents: int | None, knowledge: Any, context: np.ndarray
) -> KnownBefore:
    """Read the prior, the largest number of parents and background knowledge."""
    log_prior, cap = _prior_of_sizes(prior, max_parents, len(variables))
    known = read_knowledge(knowledge, variables)
    rules = parent_rules(known, variables, cap, log_prior, context) if known else None
    return KnownBefore(log_prior, cap, known, rules)


def recorded_seed(rng: RNGLike) -> int | None:
    """Return the seed for the settings; None if a generator was given."""
    return int(rng) if isinstance(rng, int | np.integer) else None


def tell_findings(table: Table, score: Score, context: np.ndarray, heard: Heard) -> None:
    """Warn of data that may not fit."""
    found = warnings_of(table, curves=getattr(score, "degree", 1) > 1)
    heard.add(map(str, about_explained(found, [table.variables[v] for v in context])))


def plan_of(
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


def _with_runs(method: Method, runs: int | None) -> Method:
    """Return the method with this number of independent searches, if it is given."""
    if runs is None:
        return method
    if not isinstance(method, SearchingMethod):
        raise InvalidValue(
            f"runs is for methods that search: methods.Trust(), methods.Gadget() and methods.DiBS(); got runs={runs!r} "
            f"with {method!r}, which does not. Leave it out, or use method='trust'."
        )
    return method.with_settings(runs=runs)


def _check_time_limit(method: Method, time_limit: float | None) -> None:
    if time_limit is not None and not method.heeds_time_limit:
        raise InvalidValue(
            f"time_limit is for methods.Gadget() and for methods.Trust() from sampled orders; got "
            f"time_limit={time_limit!r} with {method!r}, whose time depends only on its settings. Leave it out, or "
            "use method='trust'."
        )
