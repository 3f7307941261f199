"""Learning performance and its ablation: the paper's four metrics for every method, as box plots."""

from __future__ import annotations

from typing import Any

from orderspn import metrics
from orderspn.experiments.experiment import METRICS, N_ROWS, N_TEST_ROWS, Experiment, Metric, Outcome, Run, Value
from orderspn.experiments.figures import box_panels
from orderspn.posterior import Posterior

N_SAMPLES = 1000
"""Graphs drawn from a posterior, for the metrics that are means over graphs."""

QUALITY = (
    Metric("e-shd", "E-SHD (CPDAG)", "lower"),
    Metric("mll", "MLL", "higher"),
    Metric("auroc", "AUROC", "higher"),
    Metric("mse-ce", "MSE-CE", "lower", scale="log"),  # a few runs are far above the others
)
ABOUT = (
    f"E-SHD is the expected structural Hamming distance between CPDAGs, over {N_SAMPLES} graphs drawn from the "
    f"posterior. MLL is the mean, over as many graphs, of the BGe log marginal likelihood of {N_TEST_ROWS} further "
    "rows. AUROC ranks all ordered pairs of variables by edge probability. MSE-CE is the mean squared error of the "
    "expected total causal effects, exact given the posterior, against the inverse of I - B, over all ordered pairs."
)


def protocol(d: int) -> dict[str, Any]:  # noqa: ARG001
    """The numbers that the metrics depend on."""
    return {"rows": N_ROWS, "test_rows": N_TEST_ROWS, "graphs_drawn": N_SAMPLES}


def measure(posterior: Posterior, run: Run) -> Outcome:
    """All four metrics of one posterior."""
    truth, rng = run.simulation, run.stream(METRICS)
    found = {
        "e-shd": metrics.expected_shd(posterior, truth, between="cpdag", n_samples=N_SAMPLES, rng=rng),
        "mll": metrics.marginal_log_likelihood(posterior, run.test_rows, n_samples=N_SAMPLES, rng=rng),
        "auroc": metrics.auroc(posterior, truth),
        "mse-ce": metrics.effect_error(posterior, truth),
    }
    return Outcome(tuple(Value(name, None, value) for name, value in found.items()))


PERFORMANCE = Experiment(
    name="performance",
    title="Learning performance",
    about=ABOUT,
    methods=("GADGET", "TRUST-G", "DIBS", "TRUST-D", "ORDERSPN"),
    metrics=QUALITY,
    protocol=protocol,
    measure=measure,
    draw=lambda rows, methods: box_panels(rows, methods, QUALITY),
)


ABLATION = Experiment(
    name="ablation",
    title="Ablation of structure and weights",
    about="RANDOM learns neither the structure of the circuit nor its weights, PARAMETERS the weights alone, STRUCTURE "
    f"the structure alone, TRUST-G both. {ABOUT}",
    methods=("RANDOM", "PARAMETERS", "STRUCTURE", "GADGET", "TRUST-G"),
    metrics=QUALITY,
    protocol=protocol,
    measure=measure,
    draw=lambda rows, methods: box_panels(rows, methods, QUALITY),
)
