"""How far two answers to the same question are apart: edge probabilities, total effects."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from orderspn.core.arguments import check_integer
from orderspn.core.randomness import RandomState
from orderspn.metrics.arguments import off_diagonal, read_effects, read_probabilities


class EdgeError(NamedTuple):
    """Absolute differences of edge probabilities, over the d(d - 1) ordered pairs."""

    largest: float
    mean: float


def edge_error(a: Any, b: Any) -> EdgeError:
    """Largest and mean absolute difference of edge probabilities.

    Parameters
    ----------
    a, b : Posterior, DataFrame, array or sampled graphs
        Probabilities of edges, row = cause, column = effect. Variables are matched by name if both have names.

    Returns
    -------
    EdgeError
        With `.largest` and `.mean`.

    Examples
    --------
    >>> import orderspn as osp
    >>> osp.metrics.edge_error([[0, 0.5], [0.25, 0]], [[0, 0.75], [0.25, 0]])
    EdgeError(largest=0.25, mean=0.125)
    """
    first, second = read_probabilities("a", a), read_probabilities("b", b)
    difference = np.abs(off_diagonal(first.values - second.in_order_of(first, "b", "a")))
    return EdgeError(float(difference.max()), float(difference.mean()))


def effect_error(effects: Any, truth: Any, *, n_samples: int = 1000, rng: RandomState = 0) -> float:
    """Mean squared error of total effects, over the d(d - 1) ordered pairs: the paper's MSE-CE.

    Parameters
    ----------
    effects : Posterior, DataFrame or array
        Total effects, row = cause, column = effect: of a posterior its `causal_effects`, exact where it can; or what
        `estimate_effects` or `effect_samples` returned.
    truth : a simulated network, DataFrame or array
        The true total effects, `(I - B)^-1` for weights B, in the same units. Variables are matched by name if both
        have names.
    n_samples : int, default 1000
        Graphs to draw from a posterior that has no exact effects (`target="dag"` of method "exact").
    rng : int, SeedSequence, Generator or None
        For these draws.

    Returns
    -------
    float

    Examples
    --------
    >>> import orderspn as osp
    >>> truth = osp.simulate.linear_gaussian(6, n_rows=1000, rng=0)
    >>> osp.metrics.effect_error(osp.learn(truth.data), truth) < 0.2
    True
    """
    count = check_integer("n_samples", n_samples, 2)
    found = read_effects("effects", effects, count, rng)
    true = read_effects("truth", truth, count, rng).in_order_of(found, "truth", "effects")
    return float(np.mean(off_diagonal(found.values - true) ** 2))
