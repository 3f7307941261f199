"""Learning a posterior from data, with any method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from orderspn.checks.context import about_explained
from orderspn.checks.suite import findings_in
from orderspn.core.arguments import check_integer, check_positive
from orderspn.core.deadline import Deadline
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.heard import Heard
from orderspn.core.logs import logger
from orderspn.core.randomness import RNGLike, seed_for, seed_sequence
from orderspn.core.workers import Workers, available_cores
from orderspn.display.progress import Progress, callback_of, check_progress, showing
from orderspn.knowledge.context import read_context
from orderspn.knowledge.foreign import read_knowledge
from orderspn.knowledge.rules import parent_rules
from orderspn.methods.auto import Auto
from orderspn.methods.memory import fitting_threads
from orderspn.methods.method import Method
from orderspn.methods.problem import Problem
from orderspn.methods.registry import as_method
from orderspn.models.capabilities import MASSES
from orderspn.models.protocol import GraphModel
from orderspn.parents.candidates import Candidates, check_required
from orderspn.parents.plan import ParentPlan, plan_parents
from orderspn.posterior import Posterior
from orderspn.scores.choosing import Standardize, fit_score, read_for_score
from orderspn.scores.local import LocalScore
from orderspn.scores.parent_rules import ParentRules
from orderspn.scores.protocol import Score
from orderspn.scores.structure_prior import SizePrior, log_prior_by_size

MEMORY_LIMIT = 4 * 2**30
"""Default limit of the memory in bytes of a posterior and its usual queries: exact up to 26 variables."""


def learn(
    data: Any,
    *,
    variables: Sequence[str] | None = None,
    method: str | Method | Auto = "auto",
    knowledge: Any = None,
    context: Sequence[str] | None = None,
    interventions: Any = None,
    targets: Mapping[Any, Any] | None = None,
    score: str | Score = "auto",
    standardize: Standardize = "auto",
    check: bool = True,
    prior: SizePrior = "fair",
    candidates: Candidates = "auto",
    max_parents: int | None = None,
    rng: RNGLike = 0,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_jobs: int | None = None,
    progress: Progress = "auto",
) -> Posterior:
    """Learn a posterior over the causal graphs that could have produced the data.

    `learn(data)` is enough to begin with. Add `knowledge` for what you know of the graph, `interventions` for rows of
    experiments, and `method` or `time_limit` for many variables; all other arguments have good defaults.

    Parameters
    ----------
    data : DataFrame, array, or path of a .csv, .tsv, .xlsx or .parquet file
        A pandas or polars DataFrame (or anything else narwhals reads), or a two-dimensional array, of numbers or of
        categories (text, booleans, categorical types; `read_categories` says what counts as a level). Columns must be
        complete and not constant.
    variables : sequence of str, optional
        Names of the columns of an array (default `X1`, `X2`, ...); of a DataFrame, the columns to use.
    method : {"auto", "exact", "trust", "gadget", "dibs"} or method value
        "exact" sums over every order; its memory doubles with each variable (about 25 are comfortable). "trust" is the
        paper's OrderSPN, which covers a part of the orders, ends in exact blocks, and is for more variables. "gadget"
        samples graphs by partition MCMC; its answers are frequencies. "dibs" moves a few particles by variational
        inference; its answers are shares of their graphs (needs the extra [jax]). "auto" is exact up to 25 variables,
        and "trust" beyond. `methods.Exact(...)`, `methods.Trust(...)`, `methods.Gadget(...)`, `methods.DiBS(...)` and
        `methods.Auto(...)` have settings of their own, for example the target: whether a graph counts once for each of
        its topological orders, or once.
    knowledge : Knowledge, str, or an object of another package, optional
        Background knowledge: required and forbidden edges, tiers, roots and leaves, numbers of parents, prior
        probabilities of edges. `osp.Knowledge(...)`, a string such as `"A -> B, C !-> D"`, an `ExpertKnowledge` of
        pgmpy or a `BackgroundKnowledge` of causal-learn. Knowledge that no graph satisfies is an error.
    context : sequence of str, optional
        Variables that are only ever causes and never explained: age, batch, dose, yesterday's values. They have no
        causes, no place in orders and no score of their own, so "exact" sums over all orders of the *other* variables,
        about 25, however many context variables there are. By default these limits count explained variables only.
    interventions : str, sequence or boolean table, optional
        Which variables were intervened on, in which rows: the name of a column of `data` (which is then not a variable)
        or a sequence with one entry per row, each the name of a variable, several names (list, tuple or set), or
        nothing (None, NaN or empty text). Or booleans: an array of shape (rows, variables), or a DataFrame with columns
        named by variables. A row in which a variable was intervened on does not count for its score, but counts for
        all others. Rows of two pandas tables are matched by their index, any others by position.
    targets : mapping, optional
        Labels of conditions to the variables that each of them intervenes on (a name, several, or an empty list for
        none), where `interventions` hold such labels.
    score : {"auto", "bge", "bdeu"} or score object
        The marginal likelihood: "bge" for numbers (linear Gaussian networks), "bdeu" for categories (tables of
        probabilities). By default columns of real numbers are scored by "bge", with integers and booleans (0 and 1)
        beside them, and text, categorical types and booleans by "bdeu". A table of integers is read as categories if no
        column has more than 10 different values, otherwise as numbers, and a warning says which. `scores.BGe(...)` and
        `scores.BDeu(...)` set hyperparameters.
    standardize : "auto" or bool, default "auto"
        Centre each column and divide it by its standard deviation, over the rows in which it was not intervened on.
        By default this is done for "bge", whose prior expects means of 0 and variances of about 1. Effects are given
        back in the units of the data (`units="sd"` for standard deviations). Not for categories.
    check : bool, default True
        Check whether the data fit, and warn of what `check_data` finds: skewness, curves, copies of columns, dependent
        rows and so on. It takes a fraction of a second. All warnings are kept in `posterior.warnings`.
    prior : {"fair", "uniform"} or callable
        Prior over parent sets by size: every size equally probable, every set equally probable, or the
        relative weight of a set as a function of its size.
    candidates : "auto", int or mapping
        Which variables may be parents in any combination: a number per variable (chosen by forward selection on the
        local score, then refined), or a mapping of each variable to its candidate causes. By default all others up to
        20 variables; beyond, 20 for "exact", for the others 12 with outsiders and 16 without (fewer if memory is
        short). With context variables, half of the candidates are the best explained variables, or all of these if
        they are fewer, and the rest are the best of all others.
    max_parents : int, optional
        Largest number of parents of a variable (default: no limit but the candidates).
    rng : int, SeedSequence, Generator or None, default 0
        Seed of methods that use randomness; recorded with the posterior if it is a number.
    time_limit : float, optional
        For "trust" and "gadget": seconds that the whole call may take. Each part of the work measures its speed and
        does less if there is no time for the default: fewer outsiders and candidates (requested ones are kept), rounds
        of refinement, sweeps, orders or graphs, and variables for which the mass outside their parent sets is
        estimated. `settings["time_limit_reached"]` says whether that happened, `settings["shortened"]` how much was
        done of the default. A minimum is done with any limit: a fitted score, five candidates and eight outsiders of
        each variable, and one short search. The time to compile functions, once after an installation, is not included.
        The answer depends on the speed of the machine only if the limit is reached.
    memory_limit : int, optional
        Bytes that the posterior may take, with the usual queries: edge probabilities, the same under evidence, the most
        probable graph, samples (default 4 GiB). Default numbers of candidates, orders, graphs and threads are chosen to
        stay within it; settings that need more are an error. Exact effects have a limit of their own.
    n_jobs : int, optional
        Threads (default: all cores). It never changes an answer.
    progress : bool, "auto" or callable, default "auto"
        Progress bars: True for bars, False for none, "auto" for bars on a terminal or in a notebook after two seconds
        of work. A function is called as `progress(work, done, total)`, now and by later queries.

    Returns
    -------
    Posterior

    Examples
    --------
    >>> import orderspn as osp
    >>> posterior = osp.learn(osp.load_sachs(log=True).data)
    >>> posterior
    <Posterior: exact, 11 variables, 853 rows>

    Every graph counted once, and a sample of graphs instead of an exact posterior:

    >>> osp.learn(osp.load_sachs(log=True).data, method=osp.methods.Exact(target="dag"))
    <Posterior: exact, 11 variables, 853 rows>
    >>> osp.learn(osp.load_sachs(log=True).data, method=osp.methods.Gadget(n_graphs=1000, effort=0.1))
    <Posterior: gadget, 11 variables, 853 rows>

    Rows under interventions: `condition` is a column of labels, and `targets` maps them to variables.

    >>> sachs = osp.load_sachs(interventions=True, log=True)
    >>> osp.learn(sachs.data, interventions="condition", targets=sachs.targets)
    <Posterior: exact, 11 variables, 7466 rows>
    """
    workers = make_workers(n_jobs, progress)
    whole, reading = workers.stage("done"), workers.stage("reading")
    deadline = Deadline.after(None if time_limit is None else check_positive("time_limit", time_limit))
    limit = MEMORY_LIMIT if memory_limit is None else check_integer("memory_limit", memory_limit, 1)
    asked = as_method(method)
    if not isinstance(check, (bool, np.bool_)):
        raise InvalidType(f"check must be True or False; got {check!r}.")
    heard = Heard()
    chosen_score, dataset = heard.during(
        lambda: read_for_score(score, data, variables, standardize, interventions, targets)
    )
    given = read_context(context, dataset.variables)
    if check:
        found = about_explained(findings_in(dataset), [dataset.variables[v] for v in given])
        heard.add(str(finding) for finding in found if finding.severity == "warning")
    d = dataset.n_variables
    reading.done("%d rows of %d variables", dataset.n_rows, d)
    chosen = asked.resolved_beside(given.size, d - given.size, limit)
    _check_time_limit(chosen, time_limit)
    log_prior, cap = _prior_of_sizes(prior, max_parents, d)
    known = read_knowledge(knowledge, dataset.variables)
    rules = parent_rules(known, dataset.variables, cap, log_prior, given) if known else None
    plan = _plan(chosen, candidates, dataset.variables, limit, rules, given)
    sizes = plan.sizes(d)
    threads = fitting_threads(lambda n: chosen.demand(sizes, n).needed, workers.n_jobs, limit)
    chosen.demand(sizes, threads).check(limit)
    logger.debug("method: %r, %r, %d threads", chosen, plan, threads)
    likelihood = heard.during(lambda: fit_score(chosen_score, dataset))
    local = LocalScore(likelihood, log_prior, cap, rules, given)
    seed = seed_for(seed_sequence(rng), "learning")
    problem = Problem(tuple(dataset.variables), local, plan, seed, replace(workers, n_jobs=threads), deadline)
    with showing(progress):
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
        "context": [dataset.variables[v] for v in given],
        **_explained_candidates(solution.model),
        "rows": dataset.n_rows,
        "interventions": None if dataset.intervened is None else int(dataset.intervened.any(axis=1).sum()),
        "standardized": dataset.units is not None,
        "data_fingerprint": dataset.fingerprint,
        "seed": int(rng) if isinstance(rng, int | np.integer) else None,
        "warnings": heard.messages,
        **solution.report,
    }
    logger.debug("settings: %r", settings)
    whole.done("%s posterior over the graphs of %d variables", settings["method"], d)
    return Posterior(solution.model, settings, units=dataset.units)


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


def make_workers(n_jobs: int | None, progress: Progress) -> Workers:
    """Check the number of threads; None stands for all cores."""
    callback = callback_of(check_progress(progress))
    return Workers(available_cores() if n_jobs is None else check_integer("n_jobs", n_jobs, 1), callback)
