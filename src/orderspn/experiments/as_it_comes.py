"""Data as it comes, beyond the paper: mixed tables, curves, and missing cells, beside what is usually done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from orderspn import metrics
from orderspn.experiments.experiment import METRICS, Experiment, Metric, Outcome, Value
from orderspn.experiments.figures import box_panels
from orderspn.experiments.preparation import COMPLETIONS, DRAWING_SWEEPS, FILLING_SWEEPS
from orderspn.experiments.samples import (
    INCOMPLETE_ROWS,
    MISSING_SHARE,
    ROWS,
    Sample,
    incomplete_samples,
    mixed_samples,
    nonlinear_samples,
)
from orderspn.posterior import Posterior
from orderspn.simulate.functions import CURVES

N_SAMPLES = 1000
"""Graphs drawn from a posterior, for the expected distance."""

QUALITY = (
    Metric("auroc", "AUROC", "higher"),
    Metric("average-precision", "average precision", "higher"),
    Metric("brier-sum", "Brier sum", "lower"),
    Metric("e-shd", "E-SHD (CPDAG)", "lower"),
)
ABOUT = (
    "n is the number of rows. AUROC and average precision rank all ordered pairs of variables by edge probability. The "
    "Brier sum is that of the squared differences between probabilities and the true graph, over the same pairs. E-SHD "
    f"is the expected structural Hamming distance between CPDAGs, over {N_SAMPLES} graphs drawn from the posterior. "
    "All methods sum over all orders exactly: they differ in the table and the score alone."
)


def measure(posterior: Posterior, sample: Sample) -> Outcome:
    """All four metrics of one posterior."""
    truth, rng = sample.truth, sample.stream(METRICS)
    edges = posterior.edge_probabilities()
    d = len(edges)
    found = {
        "auroc": metrics.auroc(edges, truth),
        "average-precision": metrics.average_precision(edges, truth),
        "brier-sum": d * (d - 1) * metrics.brier_score(edges, truth),
        "e-shd": metrics.expected_shd(posterior, truth, between="cpdag", n_samples=N_SAMPLES, rng=rng),
    }
    return Outcome(tuple(Value(name, len(sample.data), value) for name, value in found.items()))


def _experiment(
    name: str,
    title: str,
    d: int,
    data: str,
    methods: Sequence[str],
    simulate: Callable[[int, int], list[Sample]],
    **protocol: Any,
) -> Experiment:
    return Experiment(
        name=name,
        title=title,
        about=ABOUT,
        methods=methods,
        metrics=QUALITY,
        protocol=lambda _: {**protocol, "graphs_drawn": N_SAMPLES},
        measure=measure,
        draw=lambda rows, chosen: box_panels(rows, chosen, QUALITY),
        simulate=simulate,
        data=data,
        known=methods,
        d=d,
    )


MIXED = _experiment(
    "mixed",
    "Numbers and categories in one table",
    9,
    "`simulate.mixed` with its defaults. An Erdos-Renyi graph with 1.5d expected edges; four in ten variables are "
    "categories of two to four levels, with logits linear in their causes; the others are linear in their causes, with "
    "noise of deviation 0.7.",
    ("GROUPS", "CUBIC", "CODES", "BINS"),
    mixed_samples,
    rows=list(ROWS),
)

NONLINEAR = _experiment(
    "nonlinear",
    "Curves instead of lines",
    9,
    "`simulate.nonlinear` with its defaults. An Erdos-Renyi graph with 1.5d expected edges; every variable is a sum of "
    "curves of its standardized causes, tanh(1.5 x), x^2, sin(x) or |x| at random, with weights between 0.7 and 1.5 "
    "and random signs, plus noise of deviation 1.",
    ("CUBIC", "AUTO", "LINEAR", "BINS"),
    nonlinear_samples,
    rows=list(ROWS),
    functions=list(CURVES),
)

MISSING = _experiment(
    "missing",
    "Missing values",
    10,
    f'`simulate.linear_gaussian(d, {INCOMPLETE_ROWS}, weights="uniform")`. An Erdos-Renyi graph with 2d expected '
    "edges, weights between 0.5 and 2 with random signs, equal noise variances. Every cell is missing with probability "
    f"{MISSING_SHARE:g}, whatever its value.",
    ("FULL", "IMPUTED", "COMPLETE-ROWS", "MEANS", "CHAINED", "CHAINED-20"),
    incomplete_samples,
    rows=INCOMPLETE_ROWS,
    missing=MISSING_SHARE,
    completions=COMPLETIONS,
    sweeps=[FILLING_SWEEPS, DRAWING_SWEEPS],
)
