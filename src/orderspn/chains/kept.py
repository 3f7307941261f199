"""The state of runs as a part of a checkpoint: from it they walk on, and end as they would have."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from orderspn.chains.run import Run, RunState
from orderspn.checkpoints.part import Part

STATE = RunState._fields[:-1]
"""The arrays of the state of a run; its random numbers are kept as a JSON value."""


def kept_state(runs: Sequence[Run], **found: np.ndarray) -> Part:
    """Return where runs are, and what they have found so far, as a part."""
    states = [run.state for run in runs]
    arrays = {name: np.stack([getattr(state, name) for state in states]) for name in STATE}
    return Part({**arrays, **found}, {"rng": [state.rng.bit_generator.state for state in states]})


def resume(runs: Sequence[Run], part: Part) -> None:
    """Bring runs to where those of the part were."""
    for number, run in enumerate(runs):
        rng = run.rng
        rng.bit_generator.state = part.values["rng"][number]
        run.resume(RunState(**{name: part.arrays[name][number] for name in STATE}, rng=rng))
