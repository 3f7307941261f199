"""Queries about true edges: how often several are possible at once, and predictions given some of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from orderspn import metrics
from orderspn.core.errors import ImpossibleEvidence
from orderspn.experiments.experiment import N_ROWS, SELECTIONS, Experiment, Metric, Outcome, Run, Value
from orderspn.experiments.figures import line_panels
from orderspn.metrics.edge_probabilities import area_under_roc
from orderspn.posterior import Posterior
from orderspn.queries.edges import Edge, Edges

COVERAGE_SELECTIONS = 50
"""Selections of true edges in each run, as in the paper."""

COVERED = Metric("coverage", "selections with probability above 0", "higher")
KNOWN_EDGES = (4, 8, 16)
"""Numbers of true edges that are known, as in the paper."""

CONDITIONAL_SELECTIONS = 5
"""Selections of known edges in each run, over which the AUROC is averaged; the paper does not give its number."""

AUROC = Metric("auroc", "AUROC of the other pairs", "higher")
UNANSWERED = Metric("unanswered", "selections with probability 0", "lower")


def edge_counts(d: int) -> list[int]:
    """Numbers of edges in a conjunction: powers of 2 up to the number of variables.

    Examples
    --------
    >>> edge_counts(16), edge_counts(6)
    ([1, 2, 4, 8, 16], [1, 2, 4])
    """
    return [2**k for k in range(d.bit_length()) if 2**k <= d]


def coverage_protocol(d: int) -> dict[str, Any]:
    """The numbers that coverage depends on."""
    return {"rows": N_ROWS, "selections": COVERAGE_SELECTIONS, "edges": edge_counts(d)}


def measure_coverage(posterior: Posterior, run: Run) -> Outcome:
    """Coverage for every number of edges that the true graph has."""
    truth = run.simulation
    d, n_true = len(truth.variables), len(run.true_edges)
    found = [
        Value("coverage", n, _coverage(posterior, run, n))
        for n in edge_counts(d)
        if n <= n_true  # a graph with fewer edges has no such selection
    ]
    return Outcome(tuple(found))


def _coverage(posterior: Posterior, run: Run, n: int) -> float:
    return metrics.conjunction_coverage(
        posterior, run.simulation, n, n_selections=COVERAGE_SELECTIONS, rng=run.stream(SELECTIONS, n)
    )


COVERAGE = Experiment(
    name="coverage",
    title="Coverage of true edges",
    about=f"The share of {COVERAGE_SELECTIONS} random selections of n true edges whose conjunction has a probability "
    "above 0. Selections are the same for every method. Runs whose graph has fewer than n edges do not count for that "
    "n.",
    methods=("GADGET", "TRUST-G", "DIBS", "TRUST-D", "ORDERSPN"),
    metrics=(COVERED,),
    protocol=coverage_protocol,
    measure=measure_coverage,
    draw=lambda rows, methods: line_panels(rows, methods, COVERED, "true edges asked for together"),
)


def conditional_protocol(d: int) -> dict[str, Any]:  # noqa: ARG001
    """The numbers that the outcome depends on."""
    return {"rows": N_ROWS, "selections": CONDITIONAL_SELECTIONS, "edges": list(KNOWN_EDGES)}


def measure_conditional(posterior: Posterior, run: Run) -> Outcome:
    """AUROC given 4, 8 and 16 edges, if the true graph has more edges than that."""
    n_true = len(run.true_edges)
    # The AUROC needs a true edge among the other pairs.
    return Outcome(tuple(value for n in KNOWN_EDGES if n < n_true for value in _given(posterior, run, n)))


def _given(posterior: Posterior, run: Run, n: int) -> list[Value]:
    found = [conditional_auroc(posterior, run, known) for known in select_edges(run, n, CONDITIONAL_SELECTIONS)]
    answered = [area is not None for area in found]
    overall = None if all(answered) else metrics.auroc(posterior, run.simulation)
    areas = [overall if area is None else area for area in found]
    return [
        Value("auroc", n, float(np.mean(np.array(areas, dtype=np.float64)))),
        Value("unanswered", n, float(1.0 - np.mean(answered))),
    ]


def select_edges(run: Run, n: int, count: int) -> list[list[Edge]]:
    """Random selections of n true edges, the same for every method."""
    edges = run.true_edges
    rng = np.random.default_rng(run.stream(SELECTIONS, n))
    return [[edges[i] for i in sorted(rng.choice(len(edges), size=n, replace=False))] for _ in range(count)]


def conditional_auroc(posterior: Posterior, run: Run, known: Sequence[Edge]) -> float | None:
    """AUROC of the pairs that are not known edges; None if these have probability 0 under the posterior."""
    try:
        probabilities = posterior.edge_probabilities(given=Edges(present=known)).to_numpy()
    except ImpossibleEvidence:
        return None
    names = {name: v for v, name in enumerate(run.simulation.variables)}
    cause, effect = np.array([(names[i], names[j]) for i, j in known]).T
    open_pairs = ~np.eye(len(names), dtype=bool)
    open_pairs[cause, effect] = False
    return area_under_roc(probabilities[open_pairs], run.simulation.adjacency[open_pairs])


CONDITIONAL = Experiment(
    name="conditional",
    title="Conditional queries",
    about="AUROC of edge probabilities given that n random edges of the true graph are present, over all ordered pairs "
    f"but these. Each run is the mean over {CONDITIONAL_SELECTIONS} selections, the same for every method. If a "
    "selection has probability 0, the unconditional AUROC over all pairs is used, as in the paper; `unanswered` is the "
    "share of such selections.",
    methods=("EXACT", "TRUST-G", "GADGET"),
    metrics=(AUROC, UNANSWERED),
    protocol=conditional_protocol,
    measure=measure_conditional,
    draw=lambda rows, methods: line_panels(rows, methods, AUROC, "true edges known", spread=True),
)
