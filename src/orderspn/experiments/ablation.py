"""Ablation: which of the two steps of learning a circuit, structure and weights, does what."""

from __future__ import annotations

from orderspn.experiments import quality
from orderspn.experiments.experiment import Experiment
from orderspn.experiments.figures import box_panels

ABLATION = Experiment(
    name="ablation",
    title="Ablation of structure and weights",
    about="RANDOM learns neither the structure of the circuit nor its weights, PARAMETERS the weights alone, STRUCTURE "
    f"the structure alone, TRUST-G both. {quality.ABOUT}",
    methods=("RANDOM", "PARAMETERS", "STRUCTURE", "GADGET", "TRUST-G"),
    metrics=quality.QUALITY,
    protocol=quality.protocol,
    measure=quality.measure,
    draw=lambda rows, methods: box_panels(rows, methods, quality.QUALITY),
)
