"""Distance to the exact posteriors: over orders (a graph counts once per topological order), and over graphs (once)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn import metrics
from orderspn.core.errors import Unavailable
from orderspn.experiments.experiment import N_ROWS, Experiment, Metric, Outcome, Run, Value
from orderspn.experiments.figures import PANEL, Curve, boxes, calibration_panel, new_parts, panels_of
from orderspn.posterior import Posterior

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from orderspn.experiments.tables import Row

N_BINS = 10
"""Bins of the calibration curve."""

REFERENCES = {"EXACT": "order", "EXACT-DAG": "dag"}
"""The target that each reference is exact for."""

METRICS = (
    Metric("mean-error-order", "mean edge error, orders", "lower"),
    Metric("largest-error-order", "largest edge error, orders", "lower"),
    Metric("mean-error-dag", "mean edge error, graphs", "lower"),
    Metric("largest-error-dag", "largest edge error, graphs", "lower"),
    Metric("covered", "covered order mass", "higher"),
    Metric("brier", "Brier score", "lower"),
)


def protocol(d: int) -> dict[str, Any]:  # noqa: ARG001
    """The numbers that the outcome depends on."""
    return {"rows": N_ROWS, "bins": N_BINS}


def measure(posterior: Posterior, run: Run) -> Outcome:
    """Edge probabilities, for comparison with the references, and their calibration against the true graph."""
    truth = run.simulation
    edges = posterior.edge_probabilities()
    values = [*_covered(posterior), Value("brier", None, metrics.brier_score(edges, truth))]
    curve = metrics.calibration_curve(edges, truth, N_BINS)
    for lower, predicted, observed, pairs in curve[["lower", "predicted", "observed", "pairs"]].itertuples(index=False):
        place = round(lower * N_BINS)
        values += [
            Value("bin-pairs", place, float(pairs)),
            Value("bin-predicted", place, float(predicted)),
            Value("bin-observed", place, float(observed)),
        ]
    return Outcome(tuple(values), edges=edges.to_numpy().tolist())


def _covered(posterior: Posterior) -> list[Value]:
    """Covered share of the mass of all orders; nothing for a list of graphs."""
    try:
        return [Value("covered", None, posterior.coverage().share)]
    except Unavailable:
        return []


def compare(outcomes: Mapping[str, Outcome]) -> dict[str, list[Value]]:
    """Edge errors of every method against both references, from the cells of one run."""
    return {
        method: [value for name in REFERENCES if name != method for value in _errors(outcome, outcomes[name], name)]
        for method, outcome in outcomes.items()
    }


def _errors(outcome: Outcome, reference: Outcome, name: str) -> list[Value]:
    error, target = metrics.edge_error(outcome.edges, reference.edges), REFERENCES[name]
    return [
        Value(f"mean-error-{target}", None, error.mean),
        Value(f"largest-error-{target}", None, error.largest),
    ]


def pooled_curve(rows: Sequence[Row], method: str, d: int) -> Curve:
    """Predicted and observed shares of edges over all runs, bin by bin."""
    of_method = [row for row in rows if row.method == method and row.d == d]
    found = {(row.metric, row.run, row.n): row.value for row in of_method}
    bins = []
    for place in range(N_BINS):
        runs = [row.run for row in of_method if row.metric == "bin-pairs" and row.n == place]
        if runs:
            pairs = [found["bin-pairs", run, place] for run in runs]
            shares = ([found[f"bin-{what}", run, place] for run in runs] for what in ("predicted", "observed"))
            bins.append([*(np.average(share, weights=pairs) for share in shares), sum(pairs)])
    return Curve(*np.array(bins).reshape(-1, 3).T)


def draw(rows: Sequence[Row], methods: Sequence[str]) -> Figure:
    """Both mean errors and the Brier score; below them a calibration curve for each method."""
    shown = [METRICS[0], METRICS[2], METRICS[5]]
    dimensions = sorted({row.d for row in rows})
    figure, parts = new_parts(2 * len(dimensions), 4 * PANEL[0], [PANEL[1], 0.72 * PANEL[1]] * len(dimensions))
    for d, above, below in zip(dimensions, parts[::2], parts[1::2], strict=True):
        line = panels_of(above, 1, len(shown))[0]
        for metric, ax in zip(shown, line, strict=True):
            boxes(ax, [row for row in rows if row.d == d and row.metric == metric.name], methods, metric)
        line[0].set_title(f"d = {d}", loc="left", fontsize=10)
        line = panels_of(below, 1, len(methods))[0]
        for method, ax in zip(methods, line, strict=True):
            calibration_panel(ax, method, pooled_curve(rows, method, d))
        line[0].set_ylabel("observed share of edges", fontsize=8.5)
        below.supxlabel("predicted probability of the edge (vertical lines: 95% intervals)", fontsize=8.5)
    return figure


EXACT = Experiment(
    name="exact",
    title="Distance to the exact posteriors",
    about="Edge errors are absolute differences of edge probabilities over all ordered pairs, the mean and the largest "
    "of them: against EXACT, the posterior over orders and graphs (order: a graph counts once for each order that it "
    "follows), and against EXACT-DAG, the posterior over graphs (dag: a graph counts once). Both are computed, not "
    "sampled. TRUST, TRUST-G and TRUST-D aim at the first, GADGET and DIBS at the second: an error against the other "
    "one is a difference of the targets as well. `covered` is the share of the mass of all orders that a circuit "
    "covers, and the Brier score compares with the true graph. The calibration curve pools all runs.",
    methods=("TRUST-G", "TRUST", "GADGET", "DIBS", "TRUST-D"),
    metrics=METRICS,
    protocol=protocol,
    measure=measure,
    draw=draw,
    references=tuple(REFERENCES),
    compare=compare,
)
