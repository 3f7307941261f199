"""One cell of the study: a group of arms on all tables of a family."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks.calibration.arms import ARMS, DEFAULT, TABLES, Arm, edges_by_arm
from benchmarks.calibration.summaries import KINDS, summarised
from benchmarks.calibration.tables import FAMILIES, VARIABLES


def arms_of(group: str) -> list[Arm]:
    """Return the arms of a group; the default is always among them, to be compared with on the same tables."""
    return [arm for arm in ARMS.values() if arm.group == group or arm is DEFAULT]


def measure_cell(family: str, group: str) -> dict[str, Any]:
    """Learn from all tables by all arms of a group."""
    started = time.process_time()
    answered = [_answered(family, group, seed) for seed in range(TABLES[group])]
    found: dict[str, Any] = {
        "tables": TABLES[group],
        "variables": VARIABLES,
        "rows": FAMILIES[family].make(0).frame.shape[0],
        "true_edges": round(float(np.mean([graph.sum() for _, graph in answered])), 2),
        "cpu_seconds": round(time.process_time() - started, 1),
        "group": group,
    }
    for kind, pairs_of in KINDS.items():
        answers = {arm.name: [pairs_of(edges[arm.name], graph) for edges, graph in answered] for arm in arms_of(group)}
        found[kind] = summarised(answers, DEFAULT.name)
    return found


def _answered(family: str, group: str, seed: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return edge probabilities by arm, and the true graph."""
    table = FAMILIES[family].make(seed)
    return edges_by_arm(table.frame, arms_of(group)), table.graph
