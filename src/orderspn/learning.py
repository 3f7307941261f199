"""Learning a posterior from data, with any method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, Literal

import numpy as np

from orderspn.checkpoints.checkpoint import Checkpoint
from orderspn.core.arguments import check_choice, check_flag, check_integer
from orderspn.core.errors import InvalidValue
from orderspn.core.heard import Heard, Unheard, without_warnings
from orderspn.core.memory import MEMORY_LIMIT
from orderspn.core.randomness import RNGLike, seed_for, seed_sequence
from orderspn.core.tasks import workers_stay
from orderspn.data.column_groups import Groups
from orderspn.data.describing import described
from orderspn.data.distributions import DISTRIBUTIONS
from orderspn.data.files import is_path, read_file
from orderspn.data.kinds import Kind
from orderspn.data.mixed import Table
from orderspn.display.progress import Progress, make_workers, showing
from orderspn.imputation.augmentation import CHAINS, n_sweeps
from orderspn.imputation.learning import Incomplete, learn_by_imputation
from orderspn.knowledge.context import read_context
from orderspn.methods.auto import Auto
from orderspn.methods.method import MOST_RUNS, Method
from orderspn.methods.problem import SearchState
from orderspn.methods.registry import as_method
from orderspn.mixture.mixing import MOST_COMPONENTS
from orderspn.parents.candidates import Candidates
from orderspn.posterior import Posterior
from orderspn.prior_learning.rounds import SHARE_OF_TIME, with_learned_prior
from orderspn.scores.choosing import Standardize, read_for_score
from orderspn.scores.protocol import Score
from orderspn.scores.structure_prior import SizePrior, is_learned
from orderspn.solving import NOTHING, Request, Solved, question, recorded_seed, settled, solve, tell_findings


def learn(
    data: Any,
    *,
    variables: Sequence[str] | None = None,
    kinds: Mapping[str, Kind] | None = None,
    groups: Groups | None = None,
    method: str | Method | Auto = "auto",
    knowledge: Any = None,
    context: Sequence[str] | None = None,
    interventions: Any = None,
    targets: Mapping[Any, Any] | None = None,
    score: str | Score = "auto",
    standardize: Standardize = "auto",
    check: bool = True,
    distributions: bool = True,
    prior: SizePrior = "fair",
    candidates: Candidates = "auto",
    max_parents: int | None = None,
    missing: Literal["impute", "drop", "error"] = "impute",
    imputations: int = 20,
    rng: RNGLike = 0,
    runs: int | None = None,
    checkpoint: str | PathLike[str] | None = None,
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
        A pandas or polars DataFrame (or anything else narwhals reads), or a two-dimensional array, of numbers,
        categories (text, booleans, categorical types; `read_categories` says what counts as a level), or both. Columns
        must not be constant. None, NaN and pandas' NA are missing values (see `missing`).
    variables : sequence of str, optional
        Names of the columns of an array (default `X1`, `X2`, ...); of a DataFrame, the columns to use.
    kinds : mapping, optional
        Names of columns to "number" or "category", where the types of columns do not say it: integers are numbers
        beside real numbers and categories among themselves if they have few different values. A note tells which
        reading was taken, and so does `settings["kinds"]`.
    groups : mapping, optional
        Several measured columns as one variable: names of variables to lists of columns of numbers, such as
        `{"region": ["left", "right"]}`.
    method : {"auto", "exact", "trust", "gadget", "dibs"} or method value
        "exact" sums over every order; its memory doubles with each variable (about 25 are comfortable). "trust" is the
        paper's OrderSPN, which covers a part of the orders, ends in exact blocks, and is for more variables. "gadget"
        samples graphs by Markov chains; its answers are frequencies. "dibs" moves a few particles by variational
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
        The marginal likelihood: "bge" for numbers (linear Gaussian networks), also with categories beside them,
        "bdeu" for categories alone (tables of probabilities). By default columns of real numbers are scored by "bge",
        with integers, booleans and categories beside them, and text, categorical types and booleans alone by "bdeu". A
        table of integers is read as categories if no column has more than 10 different values, otherwise as numbers,
        and a warning says which. `scores.BGe(...)` and `scores.BDeu(...)` set hyperparameters;
        `scores.BGe(degree=3)` allows curves.
    standardize : "auto" or bool, default "auto"
        Centre each column and divide it by its standard deviation, over the rows in which it was not intervened on.
        By default this is done for "bge", whose prior expects means of 0 and variances of about 1. Effects are given
        back in the units of the data (`units="sd"` for standard deviations). Not for categories.
    check : bool, default True
        Check whether the data fit, and warn of what `check_data` finds: skewness, curves, copies of columns, dependent
        rows and so on. It takes a fraction of a second. All warnings are kept in `posterior.warnings`.
    distributions : bool, default True
        Keep a histogram of each column, which `posterior.distributions()` returns and files contain. False if nobody
        who gets the file should see them.
    prior : {"fair", "uniform", "learned"}, scores.BetaBinomial or callable
        Prior over parent sets by size: every size equally probable, every set equally probable, or the
        relative weight of a set as a function of its size. "learned" chooses how many parents variables have
        (`scores.BetaBinomial`) and how strong effects are (`t` of BGe, if it is not given) by the evidence of the data
        (empirical Bayes). Its probabilities are better calibrated on dense graphs and on weak effects, and it takes two
        to four times as long.
    candidates : "auto", int or mapping
        Which variables may be parents in any combination: a number per variable, or a mapping of each variable to its
        candidate causes. By default all others up to 20 variables. Beyond, 20 for "exact", chosen by forward selection
        on the local score; the other methods choose 5 to 20 for each variable, many where many parents are probable,
        as far as memory allows: in all as many parent sets as with `settings["candidates"]` for each. With context
        variables, half of the candidates are the best explained variables, or all of these if they are fewer, and the
        rest are the best of all others.
    max_parents : int, optional
        Largest number of parents of a variable (default: no limit but the candidates).
    missing : {"impute", "drop", "error"}, default "impute"
        What to do with missing values. "impute": the posterior is the mean of those of completed tables, which are
        drawn together with graphs and parameters by a Markov chain. This is right if values are missing at random:
        that a value is missing depends on observed values alone. "drop": learn from complete rows. "error": refuse.
        `settings["missing"]` says how many cells of which columns there were, and what was done.
    imputations : int, default 20
        Completed tables of data with missing values, in two chains.
    rng : int, SeedSequence, Generator or None, default 0
        Seed of methods that use randomness; recorded with the posterior if it is a number.
    runs : int, optional
        Independent searches of "trust", "gadget" and "dibs" (default 4), which are compared and pooled. More of them
        are for clusters: each is a task of the backend that is chosen by `joblib.parallel_config`.
    checkpoint : path of a folder, optional
        Keep every finished part of the work there: rounds of refinement, stages of searches, completed tables. The
        same call after a crash continues, and ends with the same answer, bit by bit. A folder of other data, settings
        or seed is an error. It does not go with `time_limit`, by which the answer depends on speed, nor with
        `rng=None`. Delete the folder when the posterior is saved.
    time_limit : float, optional
        For "trust" and "gadget": seconds that the whole call may take. Each part of the work measures its speed and
        does less if there is no time for the default: fewer outsiders and candidates (requested ones are kept), rounds
        of refinement, sweeps, orders or graphs, and variables for which the mass outside their parent sets is
        estimated. `settings["time_limit_reached"]` says whether that happened, `settings["shortened"]` how much was
        done of the default. A minimum is done with any limit: a fitted score, five candidates and eight outsiders of
        each variable, and one short search. The time to compile functions, once after an installation, is not included.
        If missing values are imputed, all imputations share the time.
        The answer depends on the speed of the machine only if the limit is reached.
    memory_limit : int, optional
        Bytes that the posterior may take, with its answers (default 4 GiB), beside the interpreter and compiled
        functions. Default numbers of candidates, orders, graphs and threads are chosen to stay within it: fewer with
        less than the default, and with more of it more candidates and orders, which take longer. Settings that need
        more are an error, and so are exact effects and numbers of draws for which there is not enough beside the
        posterior.
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
    request = Request(
        as_method(method),
        context,
        knowledge,
        prior,
        candidates,
        max_parents,
        check_flag("check", check),
        check_flag("distributions", distributions),
        rng,
        time_limit,
        MEMORY_LIMIT if memory_limit is None else check_integer("memory_limit", memory_limit, 1),
        make_workers(n_jobs, progress),
        progress,
        runs=None if runs is None else check_integer("runs", runs, 1, MOST_RUNS),
        checkpoint=_checked_checkpoint(checkpoint, rng, time_limit),
    )
    check_choice("missing", missing, ("impute", "drop", "error"))
    count = check_integer("imputations", imputations, 1, MOST_COMPONENTS)

    def read(table: Any, names: Sequence[str] | None, entries: Any) -> tuple[Score, Table]:
        return read_for_score(score, table, names, standardize, entries, targets, kinds, groups)

    data = read_file(data) if is_path(data) else data  # once, for missing values and for all others
    incomplete = None if missing == "error" else Incomplete.found_in(data, variables, interventions)
    with workers_stay():
        if incomplete is None:
            return _from_complete(lambda: read(data, variables, interventions), request)
        if missing == "drop":
            return _from_complete_rows(incomplete, targets, tuple(groups or ()), read, request)
        return _from_completions(incomplete, lambda frame, entries: read(frame, None, entries), count, request)


def _from_complete(
    read: Callable[[], tuple[Score, Table]], request: Request, recorded: Mapping[str, Any] = NOTHING
) -> Posterior:
    """Learn from a table without missing values; some settings are recorded besides."""
    heard = Heard()
    reading = request.workers.stage("reading")
    score, table = heard.during(read)
    reading.done("%d rows of %d variables", table.n_rows, table.n_variables)
    score = settled(score, table, request)
    if is_learned(request.prior):
        score, request, told = with_learned_prior(score, table, request)
        recorded = {**recorded, **told}
    if request.distributions:
        recorded = {**recorded, DISTRIBUTIONS: described(table)}
    return solve(table, score, request, heard, recorded).posterior


def _from_complete_rows(
    incomplete: Incomplete,
    targets: Mapping[Any, Any] | None,
    groups: Sequence[str],
    read: Callable[..., tuple[Score, Table]],
    request: Request,
) -> Posterior:
    """Learn from the rows without missing values."""
    frame, entries = incomplete.complete_rows(targets, groups)
    return _from_complete(lambda: read(frame, None, entries), request, {"missing": incomplete.report("dropped")})


def _from_completions(
    incomplete: Incomplete,
    read: Callable[[Any, Any], tuple[Score, Table]],
    n_imputations: int,
    request: Request,
) -> Posterior:
    """Learn from completed tables; what is heard of the first one is told, and the others are alike."""
    heard, told = Heard(), NOTHING
    learned_score: Score | None = None
    if is_learned(request.prior):
        learned_score, request, told = _prior_by_completion(incomplete, read, request)
    seeds = seed_sequence(request.rng)
    drawing = seed_for(seeds, "imputations").spawn(1)[0]
    own = _of_one_completion(request, n_imputations)

    def read_and_check(frame: Any, entries: Any) -> tuple[Score, Table]:
        score, table = heard.during(lambda: read(frame, entries))
        score = settled(score, table, own) if learned_score is None else learned_score
        if request.check:
            tell_findings(table, score, read_context(request.context, table.variables), heard)
        return score, table

    def learn_from(
        table: Table, score: Score, seed: np.random.SeedSequence, resumed: SearchState | None, checkpoint: Checkpoint
    ) -> Solved:
        one = own._replace(rng=seed, resumed=resumed, checkpoint=checkpoint)
        return solve(table, score, one, Unheard(), {**told, "seed": recorded_seed(request.rng)})

    with showing(request.progress):
        return learn_by_imputation(
            incomplete,
            read_and_check,
            learn_from,
            request.context,
            n_imputations,
            drawing,
            request.workers,
            heard,
            request.distributions,
            lambda table, fitted: request.checkpoint.belonging_to(
                question(table, fitted, request, seeds) | {"imputations": n_imputations}
            ),
        )


def _prior_by_completion(
    incomplete: Incomplete, read: Callable[[Any, Any], tuple[Score, Table]], request: Request
) -> tuple[Score, Request, dict[str, Any]]:
    """Learn the prior from a table that was completed under the fair one."""
    limit = request.time_limit
    pilot = request.quiet()._replace(
        prior="fair",
        time_limit=None if limit is None else SHARE_OF_TIME * limit,
        checkpoint=request.checkpoint.within("completed for the prior"),
    )
    with without_warnings():
        frame = next(iter(_from_completions(incomplete, read, CHAINS, pilot).imputations()))
        score, table = read(frame, incomplete.interventions)
    left = request._replace(time_limit=None if limit is None else (1.0 - SHARE_OF_TIME) * limit)
    return with_learned_prior(settled(score, table, left), table, left)


def _of_one_completion(request: Request, n_imputations: int) -> Request:
    """Return what is asked for each completed table: a share of memory, time and draws, and of threads."""
    at_once = min(CHAINS, request.workers.n_jobs)
    return request.quiet()._replace(
        memory_limit=request.memory_limit // n_imputations,
        time_limit=None if request.time_limit is None else request.time_limit * at_once / n_sweeps(n_imputations),
        workers=replace(request.workers, n_jobs=request.workers.n_jobs // at_once, progress=None),
        parts=n_imputations,
    )


def _checked_checkpoint(folder: Any, rng: RNGLike, time_limit: float | None) -> Checkpoint:
    """Return the checkpoint in a folder; an error if a job that continues could not end as it would have."""
    checkpoint = Checkpoint.in_folder(folder)
    if checkpoint.is_on and time_limit is not None:
        raise InvalidValue(
            "checkpoint and time_limit do not go together: with a time limit the answer depends on the speed of the "
            "machine, so a job that is continued could not end with the same one. Leave time_limit out, and set the "
            "length of searches by the effort of the method."
        )
    if checkpoint.is_on and rng is None:
        raise InvalidValue("checkpoint needs a seed that the next call can repeat; got rng=None. Pass rng=0.")
    return checkpoint
