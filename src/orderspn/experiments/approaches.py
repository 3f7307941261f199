"""All that experiments compare: what they ask of it, by name, and the choice among it before any work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from orderspn.core.errors import InvalidValue, unknown_name
from orderspn.experiments.experiment import Experiment
from orderspn.experiments.methods import METHODS
from orderspn.experiments.planners import PLANNERS
from orderspn.experiments.treatments import TREATMENTS


class Approach(Protocol):
    """A way from a run to a posterior: a method of learning, or a treatment of the table before it."""

    @property
    def name(self) -> str:
        """The name in tables and figures."""

    @property
    def what(self) -> str:
        """What it is, in a few words."""

    @property
    def colour(self) -> str:
        """The colour of its marks in all figures."""

    @property
    def most_variables(self) -> int | None:
        """The largest number of variables that it can handle, if there is one."""

    def recorded(self, d: int, effort: float) -> dict[str, Any]:
        """The settings as JSON values."""

    def require(self) -> None:
        """Raise an error if a package that it needs is not installed."""

    def posterior(self, run: Any, effort: float, rng: np.random.SeedSequence) -> Any:
        """Learn from a run of its experiment, in one thread: a posterior, or what the experiment measures instead."""


APPROACHES: Mapping[str, Approach] = {**METHODS, **TREATMENTS, **PLANNERS}
"""Everything that can be compared, by name."""

assert len(APPROACHES) == len(METHODS) + len(TREATMENTS) + len(PLANNERS), "two approaches have the same name"


def choose_methods(
    names: Sequence[str] | None, experiment: Experiment, dimensions: Sequence[int]
) -> tuple[list[Approach], list[str]]:
    """Find methods by name before any of them runs, and note which of the default ones are left out.

    Parameters
    ----------
    names : sequence of str, optional
        The requested methods, in upper or lower case; one that is not available is an error.
    experiment : Experiment
        It has the default methods, which are taken as far as they are available, and references.
    dimensions : sequence of int
        Numbers of variables.

    Returns
    -------
    methods : list of Approach
    notes : list of str
        What is left out, and why.
    """
    asked = names is not None
    wanted = list(
        dict.fromkeys([*(experiment.methods if names is None else map(str.upper, names)), *experiment.references])
    )
    if not wanted or (asked and not names):
        raise InvalidValue(f"methods must name at least one method; known are {', '.join(experiment.known)}.")
    for name in wanted:
        if name not in experiment.known:
            raise unknown_name(name, list(experiment.known), "method")
    chosen, notes = [], []
    for method in map(APPROACHES.__getitem__, wanted):
        _check_size(method, max(dimensions))
        try:
            method.require()
        except ImportError as problem:
            if asked:
                raise
            notes.append(f"{method.name} is left out: {problem}")
            continue
        chosen.append(method)
    return chosen, notes


def _check_size(method: Approach, d: int) -> None:
    if method.most_variables is not None and d > method.most_variables:
        raise InvalidValue(
            f"the method {method.name} is for up to {method.most_variables} variables; got d={d}. Choose a smaller d, "
            "or name other methods."
        )
