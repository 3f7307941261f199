"""`batch`: several experiments that are done together, chosen one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.arguments import check_integer, check_positive
from orderspn.core.errors import InvalidValue
from orderspn.core.randomness import RNGLike
from orderspn.core.tasks import workers_stay
from orderspn.design.experiment import Experiment
from orderspn.design.experiments import How, ask, value_of
from orderspn.design.listing import Costs, allowed_targets, possible_experiments
from orderspn.design.questions import QuestionLike
from orderspn.display.progress import Progress, showing
from orderspn.posterior import Posterior

if TYPE_CHECKING:
    import pandas as pd

MOST_STEPS = 20


def batch(
    posterior: Posterior,
    question: QuestionLike = "graph",
    *,
    size: int | None = None,
    budget: float | None = None,
    rows: int = 50,
    targets: Sequence[str] | None = None,
    values: Mapping[str, Any] | None = None,
    pairs: bool = False,
    costs: Costs = None,
    method: How = "auto",
    draws: int | None = None,
    precision: float = 0.05,
    rng: RNGLike = 0,
    n_jobs: int | None = None,
    progress: Progress = "auto",
) -> pd.DataFrame:
    """Choose experiments that are done together, each the one that adds most per cost to those before it.

    Parameters
    ----------
    posterior, question, rows, targets, values, pairs, costs, method, draws, precision, rng, n_jobs, progress
        As for `experiments`.
    size : int, optional
        Largest number of experiments.
    budget : float, optional
        Largest sum of costs. One of `size` and `budget` is needed.

    Returns
    -------
    pandas.DataFrame
        A row for each step: the `experiment`, the `gain` that it adds with its `standard_error`, the `reduction` by all
        up to it, the `cost` of all, and whether the gain is `diminishing`: not larger than that of the step before, up
        to two standard errors. If it is not, two experiments tell more together than alone, and sets chosen one by one
        may miss such pairs.

    Examples
    --------
    >>> import orderspn as osp
    >>> network = osp.simulate.LinearGaussianNetwork([[0, 1, 0], [0, 0, 1], [0, 0, 0]], variables=["A", "B", "C"])
    >>> posterior = osp.learn(network.sample(100, rng=0))
    >>> chosen = osp.design.batch(posterior, size=2, rows=20, draws=64)
    >>> len(chosen), bool(chosen["reduction"].is_monotonic_increasing)
    (2, True)
    """
    import pandas as pd

    if size is None and budget is None:
        raise InvalidValue("batch needs size=, a number of experiments, or budget=, a sum of costs; got neither.")
    most = MOST_STEPS if size is None else check_integer("size", size, 1, MOST_STEPS)
    left = np.inf if budget is None else check_positive("budget", budget)
    places = allowed_targets(posterior, targets)
    asked = ask(posterior, question, places, method, draws, precision, rng)
    listed = possible_experiments(posterior, places, rows, values, pairs, costs)
    chosen: tuple[Experiment, ...] = ()
    steps: list[dict[str, Any]] = []
    total = error = 0.0
    with workers_stay(), showing(progress):
        while len(chosen) < most:
            payable = [one for one in listed if one.cost <= left]
            if not payable:
                break
            found = value_of(asked, [(*chosen, one) for one in payable], n_jobs, progress).values
            gains = found.reduction - total
            best = int(np.argmax(gains / [one.cost for one in payable]))
            chosen, left = (*chosen, payable[best]), left - payable[best].cost
            # Plans share draws, so the error of a difference is at most that of both.
            own = float(np.hypot(found.error[best], error))
            before = steps[-1]["gain"] if steps else np.inf
            steps.append(
                {
                    "experiment": payable[best].name,
                    "gain": float(gains[best]),
                    "standard_error": own,
                    "reduction": float(found.reduction[best]),
                    "cost": sum(one.cost for one in chosen),
                    "diminishing": bool(gains[best] <= before + 2.0 * own),
                }
            )
            total, error = float(found.reduction[best]), float(found.error[best])
    if not steps:
        raise InvalidValue(f"budget must pay for one experiment; got {budget!r}, and the cheapest costs more.")
    return pd.DataFrame(steps, index=pd.RangeIndex(1, len(steps) + 1, name="step"))
