"""Oracles by name, and the check of their proposals."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np

from orderspn.core.arguments import check_choice, check_settings
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.oracles.default import EnumerateOrSample
from orderspn.oracles.dibs import Dibs
from orderspn.oracles.enumeration import Enumeration
from orderspn.oracles.gadget import Gadget
from orderspn.oracles.order_mcmc import OrderMCMC
from orderspn.oracles.protocol import Oracle, Proposal, Question
from orderspn.oracles.random_partitions import RandomPartitions

ORACLES: dict[str, type[Any]] = {
    "auto": EnumerateOrSample,
    "enumeration": Enumeration,
    "random": RandomPartitions,
    "order-mcmc": OrderMCMC,
    "gadget": Gadget,
    "dibs": Dibs,
}

MOST_DRAWS = 2**53
"""The largest multiplicity of a partition: integers up to it are exact in double precision."""


def make_oracle(oracle: str | Oracle) -> Oracle:
    """Return the oracle of that name with its default parameters, or the given oracle itself.

    Examples
    --------
    >>> make_oracle("order-mcmc")
    OrderMCMC(steps=None, burn_in=None, thin=None, chains=2, temperatures=4)
    """
    if isinstance(oracle, str):
        return ORACLES[check_choice("oracle", oracle, tuple(ORACLES))]()
    methods = [getattr(oracle, name, None) for name in ("propose", "settings")]
    if isinstance(oracle, type) or not all(callable(method) for method in methods):
        got = f"the class {oracle.__name__}" if isinstance(oracle, type) else f"{oracle!r}"
        names = ", ".join(repr(name) for name in ORACLES)
        raise InvalidType(
            f"oracle must be one of {names}, or an object with methods `propose` and `settings`; got {got}."
        )
    check_settings("oracle.settings()", oracle.settings())
    return oracle


def check_proposal(question: Question, proposal: Proposal, count: int, distinct: bool) -> None:
    """Raise `InvalidValue` unless the proposal follows the protocol for `count` and `distinct`."""
    if not isinstance(proposal, Proposal):
        raise _fault(f"`propose` must return a Proposal; got {type(proposal).__name__}")
    first, multiplicity = proposal.first, proposal.multiplicity
    if not isinstance(first, np.ndarray) or not isinstance(multiplicity, np.ndarray):
        raise _fault("`first` and `multiplicity` must be NumPy arrays")
    n = question.variables.size
    if first.dtype != np.bool_:
        raise _fault(f"`first` must hold booleans; got values of type {first.dtype}")
    if first.ndim != 2 or first.shape[1] != n:
        raise _fault(f"`first` must have shape (m, {n}), a column for each variable; got {first.shape}")
    _check_partitions(question, first)
    _check_multiplicity(first, multiplicity)
    _check_number(question, multiplicity, count, distinct)
    _check_info(proposal.info)


def _check_partitions(question: Question, first: np.ndarray) -> None:
    sizes = first.sum(axis=1)
    wrong = np.flatnonzero(sizes != question.n_first)
    if wrong.size:
        raise _fault(
            f"each row of `first` must put {question.n_first} of {question.variables.size} variables first; "
            f"row {wrong[0]} puts {sizes[wrong[0]]}"
        )
    repeated = len(first) - len(np.unique(first, axis=0))
    if repeated:
        raise _fault(f"the rows of `first` must differ; {repeated} of {len(first)} repeat another")


def _check_multiplicity(first: np.ndarray, multiplicity: np.ndarray) -> None:
    if not np.issubdtype(multiplicity.dtype, np.integer):
        raise _fault(f"`multiplicity` must hold integers; got values of type {multiplicity.dtype}")
    if multiplicity.shape != (len(first),):
        raise _fault(
            f"`multiplicity` must have shape ({len(first)},), an entry for each row of `first`; "
            f"got {multiplicity.shape}"
        )
    if (multiplicity <= 0).any():
        raise _fault(f"every multiplicity must be at least 1; got {multiplicity.min()}")
    if (multiplicity > MOST_DRAWS).any():
        raise _fault(f"a multiplicity must be at most {MOST_DRAWS}; got {multiplicity.max()}")


def _check_number(question: Question, multiplicity: np.ndarray, count: int, distinct: bool) -> None:
    if distinct:
        wanted = min(count, question.n_partitions)
        if multiplicity.size != wanted:
            raise _fault(
                f"{wanted} distinct partitions are required ({count} requested, {question.n_partitions} exist); "
                f"got {multiplicity.size}"
            )
        return
    drawn = sum(multiplicity.tolist())  # Python integers do not overflow
    if drawn != count:
        raise _fault(f"the multiplicities must sum to the {count} requested draws; got {drawn}")


def _check_info(info: object) -> None:
    if not isinstance(info, Mapping):
        raise _fault(f"`info` must be a dictionary of numbers by name; got {type(info).__name__}")
    for name, value in info.items():
        if not isinstance(name, str) or not isinstance(value, numbers.Real) or not math.isfinite(value):
            raise _fault(f"`info` must have finite numbers by name, to be saved; got {name!r}: {value!r}")


def _fault(message: str) -> InvalidValue:
    return InvalidValue(f"the oracle broke its protocol: {message}.")
