"""From data to a posterior: the one door to every method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from orderspn.circuit.learning import CircuitSettings, check_circuit_memory, learn_circuit
from orderspn.core.arguments import check_choice, check_integer
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.memory import readable_bytes
from orderspn.core.randomness import RandomState, seed_sequence
from orderspn.core.workers import ProgressCallback, Workers, available_cores
from orderspn.data.dataset import read_table
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.leaves.family import Family
from orderspn.oracles.protocol import Oracle
from orderspn.parents.candidates import Candidates, choose_candidates
from orderspn.posterior import Posterior
from orderspn.queries.order_model import OrderModel
from orderspn.scores.family_scores import fit_score
from orderspn.scores.local import LocalScore
from orderspn.scores.protocol import Score
from orderspn.scores.structure_prior import SizePrior, log_prior_by_size

METHODS = ("auto", "exact", "trust")
PLANNED_METHODS = ("gadget", "dibs")

EXACT_UP_TO = 25
"""Variables up to which "auto" is exact: a few seconds."""

MEMORY_LIMIT = 4 * 2**30
"""Bytes that a posterior may take by default: exact up to 27 variables."""


def learn(
    data: Any,
    *,
    variables: Sequence[str] | None = None,
    score: str | Score = "bge",
    prior: SizePrior = "fair",
    candidates: Candidates = "auto",
    max_parents: int | None = None,
    method: str = "auto",
    oracle: str | Oracle | None = None,
    expansion: Sequence[int] | None = None,
    block_size: int | None = None,
    weights: str | None = None,
    standardize: bool = False,
    rng: RandomState = 0,
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
    method : {"auto", "exact", "trust"}
        "exact" covers every order; its memory doubles with each variable (about 25 are comfortable). "trust" is the
        paper's OrderSPN, which covers a part of the orders, ends in exact blocks, and serves more variables. "auto"
        is exact up to 25 variables.
    oracle : {"auto", "enumeration", "random", "order-mcmc"} or Oracle, optional
        For "trust": who proposes the partitions of sum nodes (default "auto": all of them for small nodes, order MCMC
        for the others).
    expansion : sequence of int, optional
        For "trust": number of partitions of each sum node, layer by layer, the paper's K (default [64, 4, ...]).
    block_size : int, optional
        For "trust": variables that an exact block at the bottom may order (default 16, or half of all, or 12 beyond
        32 variables); 1 gives the paper's regular OrderSPN.
    weights : {"elbo", "gradient", "sampled", "uniform"}, optional
        For "trust": how partitions are weighed: by the optimum of the evidence lower bound, in closed form ("elbo",
        the paper's choice) or by gradient ascent (needs the extra [jax]), as often as the oracle drew them
        ("sampled", the default: edge probabilities are closer to the exact ones), or all alike. With the oracle
        "random", whose draws say nothing, the default is "elbo".
    standardize : bool, default False
        Centre each column and divide it by its standard deviation. BGe depends on the scale of the data, and
        effects are then in standard deviations.
    rng : int, SeedSequence, Generator or None, default 0
        Seed of methods that use randomness; recorded with the posterior if it is a number. The exact method uses none.
    n_jobs : int, optional
        Threads (default: all cores). It never changes an answer.
    memory_limit : int, optional
        Bytes that the posterior may use (default 4 GiB).
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
    workers = make_workers(n_jobs, progress)
    dataset = read_table(data, variables, standardize=standardize)
    d = dataset.n_variables
    chosen_method = _choose_method(method, d)
    circuit = _circuit_settings(chosen_method, d, oracle, expansion, block_size, weights)
    cap = d - 1 if max_parents is None else min(check_integer("max_parents", max_parents, 0), d - 1)
    limit = MEMORY_LIMIT if memory_limit is None else check_integer("memory_limit", memory_limit, 1)
    _check_memory(circuit, d, limit)
    seed = seed_sequence(rng)
    log_prior = log_prior_by_size(prior, d)
    if log_prior[0] == -np.inf:
        raise InvalidValue(
            "no graph has any weight: the prior gives weight 0 to having no parents, but the variable that comes first "
            "has none. Give prior(0) more weight."
        )
    local = LocalScore(fit_score(score, dataset), log_prior, cap)
    chosen = choose_candidates(candidates, dataset.variables, lambda: local)
    _check_memory(circuit, d, limit, sum(1 << causes.size for causes in chosen))
    settings: dict[str, Any] = {
        "method": chosen_method,
        "target": "order",
        "score": local.likelihood.settings(),
        "prior": prior if isinstance(prior, str) else "custom",
        "candidates": _recorded_candidates(candidates),
        "max_parents": cap,
        "rows": dataset.n_rows,
        "standardized": dataset.standardized,
        "data_fingerprint": dataset.fingerprint,
        "seed": int(rng) if isinstance(rng, int | np.integer) else None,
    }
    families = score_families(local, chosen, workers)
    orders: OrderModel = ExactOrders.over_all(families, workers)
    if circuit is not None:
        orders, oracle_info = learn_circuit(families, circuit, seed, workers)
        settings |= {**circuit.recorded(), "oracle_info": oracle_info}
    posterior = Posterior(dataset.variables, local, families, orders, settings, workers)
    _ = posterior.log_evidence  # the long part of the work belongs here, not to the first question
    return posterior


def score_families(local: LocalScore, candidates: Sequence[np.ndarray], workers: Workers) -> list[Family]:
    """Score every parent set of every variable."""
    families: list[Family | None] = [None] * len(candidates)

    def fill(child: int) -> None:
        log_score = local.table(child, candidates[child])
        log_scale = float(log_score.max())
        families[child] = Family(child, candidates[child], log_score - log_scale, log_scale)

    workers.run([partial(fill, i) for i in range(len(candidates))], workers.steps("scores", len(candidates)))
    return [family for family in families if family is not None]


def _choose_method(method: str, d: int) -> str:
    if method in PLANNED_METHODS:
        raise InvalidValue(
            f"method {method!r} is not part of this version of orderspn yet; use 'exact', 'trust' or 'auto'."
        )
    check_choice("method", method, METHODS)
    if method == "auto":
        return "exact" if d <= EXACT_UP_TO else "trust"
    return method


def _circuit_settings(
    method: str,
    d: int,
    oracle: str | Oracle | None,
    expansion: Sequence[int] | None,
    block_size: int | None,
    weights: str | None,
) -> CircuitSettings | None:
    if method == "trust":
        return CircuitSettings.checked(d, oracle, expansion, block_size, weights)
    given = {"oracle": oracle, "expansion": expansion, "block_size": block_size, "weights": weights}
    for name, value in given.items():
        if value is not None:
            raise InvalidValue(f"{name} belongs to method='trust'; got {name}={value!r} with method={method!r}.")
    return None


def make_workers(n_jobs: int | None, progress: ProgressCallback | None) -> Workers:
    """Check the number of threads; None stands for all cores."""
    if progress is not None and not callable(progress):
        raise InvalidType(f"progress must be a function progress(work, done, total); got {progress!r}.")
    return Workers(available_cores() if n_jobs is None else check_integer("n_jobs", n_jobs, 1), progress)


def _check_memory(circuit: CircuitSettings | None, d: int, limit: int, n_parent_sets: int = 0) -> None:
    """Refuse what would not fit: two numbers per set of variables, eight per parent set."""
    tables = 64 * n_parent_sets
    if circuit is not None:
        check_circuit_memory(circuit, d, limit, tables)
        return
    needed = 16 * 2**d + tables
    if needed > limit:
        parts = f" and {n_parent_sets:,} parent sets" if n_parent_sets else ""
        raise InvalidValue(
            f"method 'exact' needs about {readable_bytes(needed)} of memory for {d} variables{parts}; the limit is "
            f"{readable_bytes(limit)}. Use method='trust', choose fewer columns with variables=[...], lower "
            "candidates=, or raise memory_limit= (in bytes)."
        )


def _recorded_candidates(candidates: Candidates) -> str | int:
    if isinstance(candidates, Mapping):
        return "given"
    return candidates if isinstance(candidates, str) else int(candidates)
