"""Learning performance: the paper's figure of four metrics for every method."""

from __future__ import annotations

from orderspn.experiments import quality
from orderspn.experiments.experiment import Experiment
from orderspn.experiments.figures import box_panels

PERFORMANCE = Experiment(
    name="performance",
    title="Learning performance",
    about=quality.ABOUT,
    methods=("GADGET", "TRUST-G", "DIBS", "TRUST-D", "ORDERSPN"),
    metrics=quality.QUALITY,
    protocol=quality.protocol,
    measure=quality.measure,
    draw=lambda rows, methods: box_panels(rows, methods, quality.QUALITY),
)
