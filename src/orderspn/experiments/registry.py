"""Experiments by name."""

from __future__ import annotations

from orderspn.experiments.ablation import ABLATION
from orderspn.experiments.conditional import CONDITIONAL
from orderspn.experiments.coverage import COVERAGE
from orderspn.experiments.exact import EXACT
from orderspn.experiments.experiment import Experiment
from orderspn.experiments.performance import PERFORMANCE

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment for experiment in (PERFORMANCE, COVERAGE, CONDITIONAL, ABLATION, EXACT)
}
"""What `reproduce` can do."""
