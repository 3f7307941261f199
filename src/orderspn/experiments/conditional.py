"""Conditional queries: how well the other edges are told once some true ones are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from orderspn.core.errors import ImpossibleEvidence
from orderspn.experiments.experiment import Experiment, Metric, Outcome, Value
from orderspn.experiments.figures import line_panels
from orderspn.experiments.runs import N_ROWS, SELECTIONS, Run
from orderspn.metrics import auroc
from orderspn.metrics.edge_probabilities import area_under_roc
from orderspn.posterior import Posterior
from orderspn.queries.edges import Edge, Edges

N_EDGES = (4, 8, 16)
"""How many true edges are known: the paper's."""

N_SELECTIONS = 5
"""Selections of known edges in each run, over which its AUROC is averaged; the paper does not say how many it took."""

AUROC = Metric("auroc", "AUROC of the other pairs", "higher")
UNANSWERED = Metric("unanswered", "selections with probability 0", "lower")


def protocol(d: int) -> dict[str, Any]:  # noqa: ARG001
    """The numbers that the outcome depends on."""
    return {"rows": N_ROWS, "selections": N_SELECTIONS, "edges": list(N_EDGES)}


def measure(posterior: Posterior, run: Run) -> Outcome:
    """AUROC given 4, 8 and 16 edges, as far as the true graph has more than these."""
    n_true = len(run.true_edges)
    # Without a true edge among the other pairs nothing is to be ranked.
    return Outcome(tuple(value for n in N_EDGES if n < n_true for value in _given(posterior, run, n)))


def _given(posterior: Posterior, run: Run, n: int) -> list[Value]:
    found = [conditional_auroc(posterior, run, known) for known in select_edges(run, n, N_SELECTIONS)]
    answered = [area is not None for area in found]
    overall = None if all(answered) else auroc(posterior, run.simulation)
    areas = [overall if area is None else area for area in found]
    return [
        Value("auroc", n, float(np.mean(np.array(areas, dtype=np.float64)))),
        Value("unanswered", n, float(1.0 - np.mean(answered))),
    ]


def select_edges(run: Run, n: int, count: int) -> list[list[Edge]]:
    """Selections of n true edges; the same for every method."""
    edges = run.true_edges
    rng = np.random.default_rng(run.stream(SELECTIONS, n))
    return [[edges[i] for i in sorted(rng.choice(len(edges), size=n, replace=False))] for _ in range(count)]


def conditional_auroc(posterior: Posterior, run: Run, known: Sequence[Edge]) -> float | None:
    """AUROC of the pairs that are not among the known edges, or None if the posterior rules these out."""
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
    f"but these. Each run is the mean over {N_SELECTIONS} selections, the same for every method. Where a posterior "
    "rules a selection out, its unconditional AUROC over all pairs stands in, as in the paper; `unanswered` is the "
    "share of selections where that was so.",
    methods=("EXACT", "TRUST-G", "GADGET"),
    metrics=(AUROC, UNANSWERED),
    protocol=protocol,
    measure=measure,
    draw=lambda rows, methods: line_panels(rows, methods, AUROC, "true edges known", spread=True),
)
