"""What an experiment may show: scores after simulated rows, for numbers and for categories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from orderspn.core.errors import Unavailable
from orderspn.design import category_rows, gaussian_rows
from orderspn.design.experiment import Experiment
from orderspn.scores.bdeu import FittedBDeu
from orderspn.scores.bdeu_completion import draw_tables
from orderspn.scores.bge import FittedBGe

ScoreAfter = Callable[[Sequence[Experiment], np.random.SeedSequence], Any]
"""Maps experiments that are all done, and a seed, to the fitted score after their rows."""


def outcomes_of(fitted: Any, graph: np.ndarray, rng: np.random.Generator) -> ScoreAfter:
    """Draw the parameters of a graph; return the scores after experiments under them.

    The same seed gives the same noise to all experiments, so that differences between them are precise.
    """
    drawn: Any
    after: Any
    if isinstance(fitted, FittedBGe):
        drawn, after = gaussian_rows.drawn_parameters(fitted, graph, rng), gaussian_rows.after_experiment
    else:
        drawn, after = draw_tables(fitted, graph, rng), category_rows.after_experiment

    def score_after(experiments: Sequence[Experiment], seed: np.random.SeedSequence) -> Any:
        score = fitted
        for place, experiment in enumerate(experiments):
            own = np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, place)))
            score = after(score, drawn, experiment, own)
        return score

    return score_after


def suggested_values(fitted: Any) -> list[tuple[float, ...]]:
    """Return values to set each variable to: two numbers, or all levels."""
    if isinstance(fitted, FittedBGe):
        return gaussian_rows.suggested_values(fitted)
    return [tuple(map(float, range(len(levels)))) for levels in fitted.levels]


def simulates(fitted: Any) -> bool:
    """Whether rows under this score can be simulated from the sums that it keeps."""
    return isinstance(fitted, FittedBGe | FittedBDeu)


def check_simulates(fitted: Any) -> None:
    """Raise an error if rows under this score cannot be simulated from the sums that it keeps."""
    if not simulates(fitted):
        raise Unavailable(
            "simulated experiments need scores.BGe() without polynomials and categories, or scores.BDeu(); the score "
            f"of this posterior is {fitted.settings()['name']!r} of another form. Use method='limit', which needs none."
        )
