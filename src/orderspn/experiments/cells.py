"""Cells: one method on one run of an experiment, with its time and memory. Each is computed once and stored."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orderspn._version import __version__
from orderspn.core.checksum import sha256_of_json
from orderspn.experiments.approaches import APPROACHES
from orderspn.experiments.as_it_comes import MISSING, MIXED, NONLINEAR
from orderspn.experiments.campaigning import DESIGN
from orderspn.experiments.edge_queries import CONDITIONAL, COVERAGE
from orderspn.experiments.exact import EXACT
from orderspn.experiments.experiment import LEARNING, Experiment, Outcome
from orderspn.experiments.performance import ABLATION, PERFORMANCE

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (PERFORMANCE, COVERAGE, CONDITIONAL, ABLATION, EXACT, MIXED, NONLINEAR, MISSING, DESIGN)
}
"""The experiments that `reproduce` knows, by name."""

FORMAT = 2
"""Version of the content of a cell, so that older cells are not mistaken for new ones; 2 added the checksum."""

STATUS, FORGET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
"""Files in which Linux reports the peak memory of this process, and resets it."""

Usage = dict[str, float | None]


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
        """The name of the cell and of its file."""
        return f"{self.experiment}-d{self.d}-{self.method}-run{self.run:03d}"

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that the outcome depends on, as JSON values."""
        return {
            "format": FORMAT,
            "version": __version__,
            "experiment": self.experiment,
            "d": self.d,
            "method": self.method,
            "seed": self.seed,
            "protocol": EXPERIMENTS[self.experiment].protocol(self.d),
            "learn": APPROACHES[self.method].recorded(self.d, self.effort),
        }

    @property
    def fingerprint(self) -> str:
        """A digest of the settings: a stored outcome with another one belongs to other settings."""
        return sha256_of_json(self.settings)


def run_cell(cell: Cell) -> Outcome:
    """Simulate, learn and measure, in one thread."""
    usage: Usage = {}
    experiment = EXPERIMENTS[cell.experiment]
    runs = experiment.simulate(cell.d, cell.seed)
    reset_peak()
    with measured("learn", usage):
        learned = [_learn(cell, run) for run in runs]
    with measured("measure", usage):
        outcomes = [experiment.measure(posterior, run) for (posterior, _), run in zip(learned, runs, strict=True)]
    return Outcome(
        values=tuple(value for outcome in outcomes for value in outcome.values),
        edges=outcomes[0].edges if len(outcomes) == 1 else None,
        warnings=tuple(message for _, messages in learned for message in messages),
        timings={**usage, "peak_bytes": peak_bytes()},
    )


def _learn(cell: Cell, run: Any) -> tuple[Any, tuple[str, ...]]:
    """The posterior, and the warnings of learning, which are part of the outcome."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        posterior = APPROACHES[cell.method].posterior(run, cell.effort, run.stream(LEARNING))
    own = [warning for warning in caught if issubclass(warning.category, UserWarning)]
    for warning in caught:
        if warning not in own:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    return posterior, tuple(str(warning.message) for warning in own)


@contextmanager
def measured(name: str, usage: Usage) -> Iterator[None]:
    """Write `name_seconds` and `name_cpu_seconds` into `usage` once the work is done.

    Processor time does not depend on other work that waits for the same core.
    """
    start, cpu = time.perf_counter(), time.process_time()
    yield
    usage[f"{name}_seconds"] = time.perf_counter() - start
    usage[f"{name}_cpu_seconds"] = time.process_time() - cpu


def reset_peak() -> None:
    """Reset the peak memory, if the system can: a process computes one cell after another."""
    try:
        FORGET.write_text("5", encoding="ascii")
    except OSError:
        return


def peak_bytes() -> float | None:
    """The largest resident size since `reset_peak`, interpreter included; None if the system does not report it."""
    try:
        lines = STATUS.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    return next((1024.0 * int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), None)
