"""Checks of what the methods of a score return: float64 of the expected shape, without values that break sums.

Users may pass scores of their own (`protocol.py`), and scores from a file may have been fitted to any data. So each
result is checked once. Numbers of other types are converted; everything else is an error that names the method, what
was expected and what was got.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from orderspn.core.arguments import check_settings
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.scores.protocol import MarginalLikelihood

LARGEST_GAP = 1.8e8
"""Largest difference between the log scores of one family: sums over parent sets have exponents of 28 bits."""

NEEDED = ("log_likelihoods", "log_likelihoods_with_one_more", "settings")
"""Methods that learning needs; the optional ones are for effects, held-out rows and files."""


def check_fitted(likelihood: Any, d: int) -> None:
    """Raise an error if what `fit` returned is not a fitted score of d variables."""
    missing = [name for name in NEEDED if not callable(getattr(likelihood, name, None))]
    if missing:
        raise InvalidType(
            f"score.fit(data) must return an object with methods {', '.join(NEEDED)}; got "
            f"{type(likelihood).__name__} without {', '.join(missing)}."
        )
    n_variables = getattr(likelihood, "n_variables", None)
    if isinstance(n_variables, bool) or not isinstance(n_variables, int | np.integer) or n_variables != d:
        raise _fault(
            likelihood, "n_variables", f"must be {d}, the number of variables of the data; got {n_variables!r}"
        )
    check_settings(f"settings() of {type(likelihood).__name__}", likelihood.settings())


def read_log_values(likelihood: MarginalLikelihood, method: str, answer: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return the logarithms that a method of a score returned, without NaN and +inf."""
    values = read_numbers(likelihood, method, answer, shape)
    top = values.max(initial=-np.inf)
    if not top < np.inf:  # also if it is NaN
        at = int(np.flatnonzero(~(values < np.inf))[0])
        raise _fault(
            likelihood,
            method,
            f"must return finite numbers, or -inf for impossible parent sets; got {values[at]} at {at}",
        )
    return values


def read_finite(likelihood: MarginalLikelihood, method: str, answer: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return the finite numbers that a method of a score returned."""
    values = read_numbers(likelihood, method, answer, shape)
    finite = np.isfinite(values)
    if not finite.all():
        raise _fault(likelihood, method, f"must return finite numbers; got {values[~finite][0]}")
    return values


def read_numbers(likelihood: MarginalLikelihood, method: str, answer: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return numbers of the expected shape as contiguous float64."""
    try:
        values = np.asarray(answer)
    except ValueError as problem:  # rows of unequal length
        raise _fault(likelihood, method, f"must return an array; got {type(answer).__name__}: {problem}") from None
    if values.dtype.kind not in "iuf":
        got = f"{type(answer).__name__} of {values.dtype}"
        raise _fault(likelihood, method, f"must return an array of numbers; got {got}")
    if values.shape != shape:
        raise _fault(likelihood, method, f"must return shape {shape}; got {values.shape}")
    return np.asarray(values, dtype=np.float64, order="C")


def read_weights(likelihood: MarginalLikelihood, answer: Any, n_parents: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return location, scale and degrees of freedom of the weights of parents."""
    method = "weights_given"
    if not isinstance(answer, Sequence) or len(answer) != 3:
        raise _fault(
            likelihood, method, f"must return (location, scale, degrees of freedom); got {type(answer).__name__}"
        )
    location = read_finite(likelihood, method, answer[0], (n_parents,))
    scale = read_finite(likelihood, method, answer[1], (n_parents, n_parents))
    freedom = float(read_finite(likelihood, method, answer[2], ()))
    if freedom <= 0.0:
        raise _fault(likelihood, method, f"must return degrees of freedom above 0; got {freedom}")
    return location, scale, freedom


def check_gap(likelihood: MarginalLikelihood, log_score: np.ndarray) -> None:
    """Raise an error if the scores of possible parent sets of a variable differ by more than sums can hold."""
    best = log_score.max(initial=-np.inf)
    worst = np.min(log_score, where=log_score > -np.inf, initial=best)
    if best > -np.inf and best - worst > LARGEST_GAP:
        raise _fault(
            likelihood,
            "log_likelihoods",
            f"must return logarithms within {LARGEST_GAP:g} of each other, and -inf for impossible sets; with the "
            f"prior they are {best - worst:g} apart. Learn from fewer rows, or leave out columns that are functions of "
            "others",
        )


def _fault(likelihood: Any, method: str, message: str) -> InvalidValue:
    return InvalidValue(f"the score broke its protocol: `{method}` of {type(likelihood).__name__} {message}.")
