"""From data to a posterior: the one door to every method."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from orderspn.circuit.learning import CircuitSettings
from orderspn.core.arguments import check_choice, check_effort, check_integer, check_positive
from orderspn.core.deadline import Deadline
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.randomness import LEARNING, RandomState, apart, seed_sequence
from orderspn.core.workers import ProgressCallback, Workers, available_cores
from orderspn.knowledge.foreign import read_knowledge
from orderspn.knowledge.rules import parent_rules
from orderspn.methods.dibs import ParticleSettings, check_dibs, dibs_demand, learn_dibs
from orderspn.methods.exact import exact_demand, learn_exact, learn_exact_dags
from orderspn.methods.gadget import GadgetSettings, gadget_demand, learn_gadget
from orderspn.methods.memory import Demand, fitting_threads
from orderspn.methods.problem import Problem, Solution
from orderspn.methods.trust import learn_trust, trust_demand
from orderspn.models.capabilities import MASSES
from orderspn.oracles.protocol import Oracle
from orderspn.parents.candidates import Candidates, check_required
from orderspn.parents.plan import plan_parents
from orderspn.parents.sizes import FamilySizes
from orderspn.posterior import Posterior
from orderspn.scores.choosing import fit_score, read_for_score
from orderspn.scores.local import LocalScore
from orderspn.scores.protocol import Score
from orderspn.scores.structure_prior import SizePrior, log_prior_by_size
from orderspn.search.ensemble import Effort

METHODS = ("auto", "exact", "trust", "gadget", "dibs")
LISTING = ("gadget", "dibs")
"""Methods whose posterior is a list of graphs, each of which counts as it is."""

TARGETS = ("order", "dag")

EXACT_UP_TO = 25
"""Variables up to which "auto" is exact: a few seconds."""

EXACT_DAGS_UP_TO = 14
"""The same where every graph counts once."""

MEMORY_LIMIT = 4 * 2**30
"""Bytes that a posterior and its usual questions may take by default: exact up to 26 variables."""


def learn(
    data: Any,
    *,
    variables: Sequence[str] | None = None,
    interventions: Any = None,
    targets: Mapping[Any, Any] | None = None,
    score: str | Score = "auto",
    prior: SizePrior = "fair",
    candidates: Candidates = "auto",
    outsiders: int | str = "auto",
    refine: int | None = None,
    max_parents: int | None = None,
    knowledge: Any = None,
    method: str = "auto",
    target: str | None = None,
    n_orders: int | None = None,
    n_graphs: int | None = None,
    chains: int | None = None,
    effort: float | None = None,
    oracle: str | Oracle | None = None,
    expansion: Sequence[int] | None = None,
    block_size: int | None = None,
    weights: str | None = None,
    standardize: bool = False,
    rng: RandomState = 0,
    n_jobs: int | None = None,
    memory_limit: int | None = None,
    time_limit: float | None = None,
    progress: ProgressCallback | None = None,
) -> Posterior:
    """Learn a posterior over the causal graphs that could have produced the data.

    Parameters
    ----------
    data : DataFrame or array
        A pandas or polars DataFrame (or anything else narwhals reads), or a two-dimensional array, of numbers or of
        categories (text, truth values, categorical types; `read_categories` says what counts as a level). Columns must
        be complete and not constant.
    variables : sequence of str, optional
        Names of the columns of an array (default `X1`, `X2`, ...); of a DataFrame, the columns to use.
    interventions : str, sequence or table of truth values, optional
        Which variables were set from outside, in which rows: the name of a column of `data` (which is then no variable)
        or a sequence with one entry per row, each the name of a variable, several names (list, tuple or set), or
        nothing (None, NaN or empty text). Or truth values: an array of shape (rows, variables), or a DataFrame with
        columns named by variables. A variable is scored by the rows in which it was not set; all others learn from
        these rows as well. Rows of two pandas tables are matched by their index, any others by position.
    targets : mapping, optional
        Labels of conditions to the variables that each of them sets (a name, several, or an empty list for none), where
        `interventions` hold such labels.
    score : {"auto", "bge", "bdeu"} or score object
        The marginal likelihood: "bge" for numbers (linear Gaussian networks), "bdeu" for categories (tables of
        probabilities). By default real numbers are scored by "bge" and categories by "bdeu"; with whole numbers, which
        may be either, or a mixture, it must be said. `scores.BGe(...)` and `scores.BDeu(...)` set hyperparameters.
    prior : {"fair", "uniform"} or callable
        Prior over parent sets by size: every size equally probable, every set equally probable, or the
        relative weight of a set as a function of its size.
    candidates : "auto", int or mapping
        Which variables may be parents in any combination: a number per variable (chosen by forward selection on the
        local score, then refined), or a mapping of each variable to its candidate causes. By default all others up to
        20 variables; beyond, 20 for "exact", for the others 12 beside outsiders and 16 without (fewer where memory is
        short).
    outsiders : "auto", 0, 1 or 2
        How many parents at once may come from outside the candidates. By default 1, unless candidates are named;
        "exact" and "dibs" have none, and none are needed where all others are candidates. With 2, the most promising
        pairs are added.
    refine : int, optional
        For all but "exact": how often candidates are chosen again by what a short search over orders says
        (default 4, at most 1000).
    max_parents : int, optional
        Largest number of parents of a variable (default: no limit but the candidates).
    knowledge : Knowledge, str, or an object of another package, optional
        What is known before any data, and kept to strictly: edges that must or must not be, tiers, roots and leaves,
        numbers of parents, prior probabilities of edges. `osp.Knowledge(...)`, a string such as `"A -> B, C !-> D"`, an
        `ExpertKnowledge` of pgmpy or a `BackgroundKnowledge` of causal-learn. What no graph satisfies is an error.
    method : {"auto", "exact", "trust", "gadget", "dibs"}
        "exact" covers every order; its memory doubles with each variable (about 25 are comfortable). "trust" is the
        paper's OrderSPN, which covers a part of the orders, ends in exact blocks, and serves more variables. "auto"
        is exact up to 25 variables. "gadget" samples graphs by partition MCMC: its answers are frequencies. "dibs"
        moves a few particles by variational inference, and its answers are shares of their graphs (needs the extra
        [jax]).
    target : {"order", "dag"}, optional
        Whether a graph counts once for each order that it follows ("order": of "exact" and "trust") or once ("dag": of
        "gadget" and "dibs", and of "exact" up to 16 variables on request). With "auto", "dag" is exact up to 14
        variables, and sampled by "gadget" beyond.
    n_orders : int, optional
        For "trust": orders sampled by tempered Markov chains, from whose cuts into blocks the circuit is made (default
        1024 up to 40 variables, 512 beyond, fewer where memory is short).
    n_graphs : int, optional
        For "gadget": graphs to sample (default 10,000, fewer where memory is short), at least four of each run. For
        "dibs": particles (default 30).
    chains : int, optional
        For "gadget": chains of each of its four runs, at different temperatures (default 16).
    effort : float, optional
        For all but "exact": how long the search is, as a multiple of the usual (default 1).
    oracle : {"auto", "enumeration", "random", "order-mcmc", "gadget", "dibs"} or Oracle, optional
        For "trust": instead of cutting sampled orders, grow the circuit layer by layer, as in the paper, with this
        method to propose the partitions of sum nodes ("auto": all of them for small nodes, order MCMC for the others).
    expansion : sequence of int, optional
        For "trust" with an oracle: number of partitions of each sum node, layer by layer, the paper's K (default
        [64, 4, ...]).
    block_size : int, optional
        For "trust": variables that an exact block at the bottom may order (default 10 or half of all); 1 gives the
        paper's regular OrderSPN.
    weights : {"elbo", "gradient", "sampled", "uniform", "score"}, optional
        For "trust": how partitions are weighed: by the optimum of the evidence lower bound, in closed form ("elbo",
        the paper's choice) or by gradient ascent (needs the extra [jax]), as often as they were drawn ("sampled", the
        default: edge probabilities are closer to the exact ones), or all alike. With the oracles "random" and "dibs",
        whose draws are none from the posterior, the default is "elbo". For "dibs": particles all alike ("uniform", the
        default), or distinct graphs in proportion to their scores ("score", which is called DiBS+).
    standardize : bool, default False
        Centre each column and divide it by its standard deviation, over the rows in which it was not set. BGe depends
        on the scale of the data, and effects are then in standard deviations. Not for categories.
    rng : int, SeedSequence, Generator or None, default 0
        Seed of methods that use randomness; recorded with the posterior if it is a number. The exact method uses none.
    n_jobs : int, optional
        Threads (default: all cores). It never changes an answer.
    memory_limit : int, optional
        Bytes that the posterior may take, with the usual questions about it: edge probabilities, the same under
        evidence, the most probable graph, samples (default 4 GiB). Numbers of candidates, orders and graphs that nobody
        asked for are chosen within it, so are threads, and what does not fit is refused. Exact effects have a limit of
        their own.
    time_limit : float, optional
        For "trust" and "gadget": seconds that the whole call may take. Each part of the work measures how fast it is
        and does less where there is no time for the usual: fewer outsiders and candidates (those asked for are kept),
        rounds of refinement, sweeps, orders or graphs, and variables that are asked what their parent sets leave out.
        `settings["time_limit_reached"]` says whether it came to that, `settings["shortened"]` what was done of what is
        usual. The least is done whatever the limit: a fitted score, five candidates and eight outsiders of each
        variable, and one short search. On two cores that takes LEAST. The time in which functions are compiled,
        once after an installation, cannot be foreseen. The answer depends on the speed of the machine if the limit is
        reached, and not otherwise.
    progress : callable, optional
        Called as `progress(work, done, total)` during long work.

    Returns
    -------
    Posterior

    Examples
    --------
    >>> import orderspn as osp
    >>> posterior = osp.learn(osp.load_sachs().data, standardize=True)
    >>> posterior
    <Posterior: exact, 11 variables, 853 rows>

    Rows under interventions: `condition` is a column of labels, and `targets` say what each of them acts on.

    >>> sachs = osp.load_sachs(interventions=True)
    >>> osp.learn(sachs.data, interventions="condition", targets=sachs.targets, standardize=True)
    <Posterior: exact, 11 variables, 7466 rows>
    """
    workers = make_workers(n_jobs, progress)
    deadline = Deadline.after(None if time_limit is None else check_positive("time_limit", time_limit))
    chosen_score, dataset = read_for_score(score, data, variables, standardize, interventions, targets)
    d = dataset.n_variables
    limit = MEMORY_LIMIT if memory_limit is None else check_integer("memory_limit", memory_limit, 1)
    chosen_method, chosen_target = _choose_method(method, target, d)
    _check_belongs(
        chosen_method,
        n_orders=n_orders,
        n_graphs=n_graphs,
        chains=chains,
        refine=refine,
        effort=effort,
        oracle=oracle,
        expansion=expansion,
        block_size=block_size,
        weights=weights,
        time_limit=time_limit,
    )
    log_prior, cap = _prior_of_sizes(prior, max_parents, d)
    known = read_knowledge(knowledge, dataset.variables)
    rules = parent_rules(known, dataset.variables, cap, log_prior) if known else None
    factor = 1.0 if effort is None else check_effort(effort)
    search = Effort.usual(d, factor)
    work: Callable[[Problem], Solution]
    demand: Callable[[FamilySizes, int], Demand]
    if chosen_method == "trust":
        circuit = CircuitSettings.checked(d, limit, oracle, expansion, block_size, weights, n_orders)
        _check_time_limit(time_limit, circuit)
        demand = partial(trust_demand, circuit)
        work = partial(learn_trust, search=search, settings=circuit)
    elif chosen_method == "gadget":
        sampling = GadgetSettings.checked(d, limit, n_graphs, chains, factor)
        demand = partial(gadget_demand, sampling)
        work = partial(learn_gadget, search=search, settings=sampling)
    elif chosen_method == "dibs":
        particles = ParticleSettings.checked(n_graphs, weights, factor)
        demand = partial(dibs_demand, particles)
        # Steps say how long it takes; candidates are looked for as usual.
        work = partial(learn_dibs, search=Effort.usual(d), settings=particles)
    else:
        demand = partial(exact_demand, chosen_target)
        work = learn_exact if chosen_target == "order" else learn_exact_dags
    plan = plan_parents(
        candidates,
        0 if chosen_method == "dibs" and outsiders == "auto" else outsiders,
        refine,
        d,
        limit,
        searched=chosen_method != "exact",
        needed=lambda sizes: demand(sizes, 1).needed,  # so that the number of threads changes no answer
    )
    if rules is not None:
        plan = replace(plan, required=tuple(rules.required.sum(axis=0).tolist()))
        check_required(plan.required, dataset.variables)
    if chosen_method == "dibs":
        check_dibs(plan)
    sizes = plan.sizes(d)
    workers = replace(workers, n_jobs=fitting_threads(lambda n: demand(sizes, n).needed, workers.n_jobs, limit))
    demand(sizes, workers.n_jobs).check(limit)
    local = LocalScore(fit_score(chosen_score, dataset), log_prior, cap, rules)
    seed = apart(seed_sequence(rng), LEARNING)
    problem = Problem(tuple(dataset.variables), local, plan, seed, workers, deadline)
    solution = work(problem)
    for warning in solution.warnings:
        warnings.warn(warning, UserWarning, stacklevel=2)
    settings: dict[str, Any] = {
        "method": chosen_method,
        "target": chosen_target,
        "score": local.likelihood.settings(),
        "prior": prior if isinstance(prior, str) else "custom",
        **plan.recorded(),
        "max_parents": local.max_parents,
        "knowledge": known.to_dict(),
        "rows": dataset.n_rows,
        "interventions": None if dataset.intervened is None else int(dataset.intervened.any(axis=1).sum()),
        "standardized": dataset.standardized,
        "data_fingerprint": dataset.fingerprint,
        "seed": int(rng) if isinstance(rng, int | np.integer) else None,
        **solution.report,
    }
    summed = MASSES.optional(solution.model)
    if summed is not None:
        _ = summed.log_evidence  # the long part of the work belongs here, not to the first question
    return Posterior(solution.model, settings)


def _prior_of_sizes(prior: SizePrior, max_parents: int | None, d: int) -> tuple[np.ndarray, int]:
    """Log prior of parent sets by their size, and the largest size."""
    cap = d - 1 if max_parents is None else min(check_integer("max_parents", max_parents, 0), d - 1)
    log_prior = log_prior_by_size(prior, d)
    if log_prior[0] == -np.inf:
        raise InvalidValue(
            "no graph has any weight: the prior gives weight 0 to having no parents, but the variable that comes first "
            "has none. Give prior(0) more weight."
        )
    return log_prior, cap


def _choose_method(method: str, target: str | None, d: int) -> tuple[str, str]:
    """The method, and whether a graph counts once for each of its orders or once."""
    check_choice("method", method, METHODS)
    if target is not None:
        check_choice("target", target, TARGETS)
    if method == "auto":
        if target == "dag":
            return ("exact" if d <= EXACT_DAGS_UP_TO else "gadget"), "dag"
        return ("exact" if d <= EXACT_UP_TO else "trust"), "order"
    own = "dag" if method in LISTING else "order"
    if method != "exact" and target not in (None, own):
        raise InvalidValue(
            f"method {method!r} has target={own!r}; got target={target!r}. Use method='auto', which chooses a method "
            "for the target."
        )
    return method, own if target is None else target


BELONGS = {
    "n_orders": ("trust",),
    "oracle": ("trust",),
    "expansion": ("trust",),
    "block_size": ("trust",),
    "weights": ("trust", "dibs"),
    "n_graphs": ("gadget", "dibs"),
    "chains": ("gadget",),
    "refine": ("trust", "gadget", "dibs"),
    "effort": ("trust", "gadget", "dibs"),
    "time_limit": ("trust", "gadget"),
}
"""Arguments that some methods alone have."""


def _check_belongs(method: str, **given: object) -> None:
    """Refuse arguments that another method has."""
    for name, value in given.items():
        if value is not None and method not in BELONGS[name]:
            owners = " and ".join(f"method={owner!r}" for owner in BELONGS[name])
            raise InvalidValue(f"{name} belongs to {owners}; got {name}={value!r} with method={method!r}.")


def _check_time_limit(time_limit: float | None, circuit: CircuitSettings) -> None:
    if time_limit is not None and circuit.oracle is not None:
        raise InvalidValue(
            "time_limit belongs to circuits from sampled orders; one that grows with oracle= or expansion= takes as "
            "long as these make it. Leave one or the other out, or choose smaller factors in expansion=."
        )


def make_workers(n_jobs: int | None, progress: ProgressCallback | None) -> Workers:
    """Check the number of threads; None stands for all cores."""
    if progress is not None and not callable(progress):
        raise InvalidType(f"progress must be a function progress(work, done, total); got {progress!r}.")
    return Workers(available_cores() if n_jobs is None else check_integer("n_jobs", n_jobs, 1), progress)
