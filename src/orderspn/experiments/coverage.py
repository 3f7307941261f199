"""Coverage: how often a posterior leaves room for several true edges at once."""

from __future__ import annotations

from typing import Any

from orderspn import metrics
from orderspn.experiments.experiment import Experiment, Metric, Outcome, Value
from orderspn.experiments.figures import line_panels
from orderspn.experiments.runs import N_ROWS, SELECTIONS, Run
from orderspn.posterior import Posterior

N_SELECTIONS = 50
"""Selections of true edges in each run: the paper's."""

COVERED = Metric("coverage", "selections with probability above 0", "higher")


def edge_counts(d: int) -> list[int]:
    """How many edges are asked for together: powers of 2 up to the number of variables.

    Examples
    --------
    >>> edge_counts(16), edge_counts(6)
    ([1, 2, 4, 8, 16], [1, 2, 4])
    """
    return [2**k for k in range(d.bit_length()) if 2**k <= d]


def protocol(d: int) -> dict[str, Any]:
    """The numbers that coverage depends on."""
    return {"rows": N_ROWS, "selections": N_SELECTIONS, "edges": edge_counts(d)}


def measure(posterior: Posterior, run: Run) -> Outcome:
    """Coverage for every number of edges that the true graph has."""
    truth = run.simulation
    d, n_true = len(truth.variables), len(run.true_edges)
    found = [
        Value("coverage", n, _share(posterior, run, n))
        for n in edge_counts(d)
        if n <= n_true  # a graph with fewer edges has no such selection
    ]
    return Outcome(tuple(found))


def _share(posterior: Posterior, run: Run, n: int) -> float:
    return metrics.conjunction_coverage(
        posterior, run.simulation, n, n_selections=N_SELECTIONS, rng=run.stream(SELECTIONS, n)
    )


COVERAGE = Experiment(
    name="coverage",
    title="Coverage of true edges",
    about=f"The share of {N_SELECTIONS} random selections of n true edges whose conjunction has a probability above 0. "
    "Selections are the same for every method. Runs whose graph has fewer than n edges do not count for that n.",
    methods=("GADGET", "TRUST-G", "DIBS", "TRUST-D", "ORDERSPN"),
    metrics=(COVERED,),
    protocol=protocol,
    measure=measure,
    draw=lambda rows, methods: line_panels(rows, methods, COVERED, "true edges asked for together"),
)
