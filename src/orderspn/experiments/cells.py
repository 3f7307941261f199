"""Cells: one method on one run of an experiment, the piece of work that is done once and kept."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

from orderspn._version import __version__
from orderspn.core.checksum import sha256_of_json
from orderspn.experiments.experiment import Outcome
from orderspn.experiments.methods import METHODS
from orderspn.experiments.registry import EXPERIMENTS
from orderspn.experiments.resources import Usage, forget_peak, measured, peak_bytes
from orderspn.experiments.runs import LEARNING, Run, make_run
from orderspn.learning import learn
from orderspn.posterior import Posterior

FORMAT = 2
"""Raised when what a cell holds changes, so that older ones are not taken for new ones; 2 brought the checksum."""


@dataclass(frozen=True)
class Cell:
    """One method on one run; `run` counts from 0, `seed` is that of the run."""

    experiment: str
    d: int
    method: str
    run: int
    seed: int
    effort: float

    @property
    def key(self) -> str:
        """Its name, also of its file."""
        return f"{self.experiment}-d{self.d}-{self.method}-run{self.run:03d}"

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that its outcome depends on, as JSON values."""
        return {
            "format": FORMAT,
            "version": __version__,
            "experiment": self.experiment,
            "d": self.d,
            "method": self.method,
            "seed": self.seed,
            "protocol": EXPERIMENTS[self.experiment].protocol(self.d),
            "learn": METHODS[self.method].recorded(self.d, self.effort),
        }

    @property
    def fingerprint(self) -> str:
        """A digest of its settings: where it differs, a kept outcome is that of another question."""
        return sha256_of_json(self.settings)


def run_cell(cell: Cell) -> Outcome:
    """Simulate, learn and measure, in one thread."""
    usage: Usage = {}
    run = make_run(cell.d, cell.seed)
    forget_peak()
    with measured("learn", usage):
        posterior, said = _learn(cell, run)
    with measured("measure", usage):
        outcome = EXPERIMENTS[cell.experiment].measure(posterior, run)
    return replace(outcome, warnings=said, timings={**usage, "peak_bytes": peak_bytes()})


def _learn(cell: Cell, run: Run) -> tuple[Posterior, tuple[str, ...]]:
    """The posterior, and the warnings of learning, which belong to the outcome and not on the screen of a worker."""
    arguments = METHODS[cell.method].arguments(cell.d, cell.effort)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        posterior = learn(run.simulation.data, rng=run.stream(LEARNING), n_jobs=1, **arguments)
    said = [warning for warning in caught if issubclass(warning.category, UserWarning)]
    for warning in caught:
        if warning not in said:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    return posterior, tuple(str(warning.message) for warning in said)
