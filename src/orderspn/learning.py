"""From data to a posterior: the one door to every method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from orderspn.core.arguments import check_choice, check_integer
from orderspn.core.errors import InvalidValue
from orderspn.core.randomness import RandomState, seed_sequence
from orderspn.core.workers import ProgressCallback, Workers, available_cores
from orderspn.data.dataset import read_table
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.leaves.family import Family
from orderspn.parents.candidates import Candidates, choose_candidates
from orderspn.posterior import Posterior
from orderspn.scores.family_scores import fit_score
from orderspn.scores.local import LocalScore
from orderspn.scores.protocol import Score
from orderspn.scores.structure_prior import SizePrior, log_prior_by_size

METHODS = ("auto", "exact")
PLANNED_METHODS = ("trust", "gadget", "dibs")

MEMORY_LIMIT = 4 * 2**30
"""Bytes that the exact method may take by default: up to 27 variables."""


def learn(
    data: Any,
    *,
    variables: Sequence[str] | None = None,
    score: str | Score = "bge",
    prior: SizePrior = "fair",
    candidates: Candidates = "auto",
    max_parents: int | None = None,
    method: str = "auto",
    standardize: bool = False,
    rng: RandomState = None,
    n_jobs: int | None = None,
    memory_limit: int | None = None,
    progress: ProgressCallback | None = None,
) -> Posterior:
    """Learn a posterior over the causal graphs that could have produced the data.

    Parameters
    ----------
    data : DataFrame or array
        A pandas or polars DataFrame (or anything else narwhals reads), or a two-dimensional array. All columns
        must be numeric, complete and not constant.
    variables : sequence of str, optional
        Names of the columns of an array (default `X1`, `X2`, ...); of a DataFrame, the columns to use.
    score : "bge" or score object
        The marginal likelihood; `scores.BGe(...)` sets its hyperparameters.
    prior : {"fair", "uniform"} or callable
        Prior over parent sets by size: every size equally probable, every set equally probable, or the
        relative weight of a set as a function of its size.
    candidates : "auto", int or mapping
        Which variables may be parents: a number per variable (chosen by forward selection on the local score),
        a mapping of each variable to its candidate causes, or all others up to 20 variables and 16 beyond.
    max_parents : int, optional
        Largest number of parents of a variable (default: no limit but the candidates).
    method : {"auto", "exact"}
        "exact" covers every order; its memory doubles with each variable (about 25 are comfortable).
    standardize : bool, default False
        Centre each column and divide it by its standard deviation. BGe depends on the scale of the data, and
        effects are then in standard deviations.
    rng : int, SeedSequence, Generator or None
        Seed of methods that use randomness; recorded with the posterior. The exact method uses none.
    n_jobs : int, optional
        Threads (default: all cores). It never changes an answer.
    memory_limit : int, optional
        Bytes the exact method may use (default 4 GiB).
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
    """
    _check_method(method)
    workers = make_workers(n_jobs, progress)
    dataset = read_table(data, variables, standardize=standardize)
    d = dataset.n_variables
    cap = d - 1 if max_parents is None else min(check_integer("max_parents", max_parents, 0), d - 1)
    limit = MEMORY_LIMIT if memory_limit is None else check_integer("memory_limit", memory_limit, 1)
    _check_memory(d, limit)
    local = LocalScore(fit_score(score, dataset), log_prior_by_size(prior, d), cap)
    chosen = choose_candidates(candidates, dataset.variables, lambda: local)
    _check_memory(d, limit, sum(1 << causes.size for causes in chosen))
    settings = {
        "method": "exact",
        "target": "order",
        "score": local.likelihood.settings(),
        "prior": prior if isinstance(prior, str) else "custom",
        "candidates": _recorded_candidates(candidates),
        "max_parents": cap,
        "rows": dataset.n_rows,
        "standardized": dataset.standardized,
        "data_fingerprint": dataset.fingerprint,
        "seed": _recorded_seed(rng),
    }
    posterior = assemble(dataset.variables, local, chosen, settings, workers)
    # The long part of the work belongs here, not to the first question.
    if posterior.log_evidence == -np.inf:
        raise InvalidValue(
            "no graph has any weight: the prior gives weight 0 to every number of parents that is possible here "
            "(some variable comes first and has none). Give prior(0) more weight."
        )
    return posterior


def assemble(
    variables: Sequence[str],
    local: LocalScore,
    candidates: Sequence[np.ndarray],
    settings: dict[str, Any],
    workers: Workers,
) -> Posterior:
    """Score all families and put the exact posterior together."""
    families: list[Family | None] = [None] * len(candidates)

    def fill(child: int) -> None:
        families[child] = Family(child, candidates[child], local.table(child, candidates[child]))

    workers.run([partial(fill, i) for i in range(len(candidates))], workers.steps("scores", len(candidates)))
    scored = [family for family in families if family is not None]
    return Posterior(variables, local, scored, ExactOrders.over_all(scored, workers), settings, workers)


def _check_method(method: str) -> None:
    if method in PLANNED_METHODS:
        raise InvalidValue(
            f"method {method!r} is not part of this version of orderspn yet; use method='exact' (or 'auto')."
        )
    check_choice("method", method, METHODS)


def make_workers(n_jobs: int | None, progress: ProgressCallback | None) -> Workers:
    """Check the number of threads; None stands for all cores."""
    return Workers(available_cores() if n_jobs is None else check_integer("n_jobs", n_jobs, 1), progress)


def _check_memory(d: int, limit: int, n_parent_sets: int = 0) -> None:
    """Refuse what would not fit: two numbers per set of variables, four per parent set."""
    needed = 16 * 2**d + 32 * n_parent_sets
    if needed > limit:
        parts = f" and {n_parent_sets:,} parent sets" if n_parent_sets else ""
        raise InvalidValue(
            f"method 'exact' needs about {_readable(needed)} of memory for {d} variables{parts}; the limit is "
            f"{_readable(limit)}. Choose fewer columns with variables=[...], lower candidates=, or raise "
            "memory_limit= (in bytes)."
        )


def _readable(size: int) -> str:
    units = ("bytes", "KiB", "MiB", "GiB")
    power = min((size.bit_length() - 1) // 10, 3)
    return f"{size / 2 ** (10 * power):,.{1 if power else 0}f} {units[power]}"


def _recorded_candidates(candidates: Candidates) -> str | int:
    if isinstance(candidates, Mapping):
        return "given"
    return candidates if isinstance(candidates, str) else int(candidates)


def _recorded_seed(rng: RandomState) -> int | None:
    """The seed as it goes into files: an integer can be written down, a generator's state cannot."""
    seed_sequence(rng)  # complain about anything that is no seed
    return int(rng) if isinstance(rng, int | np.integer) else None
