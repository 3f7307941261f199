"""Experiments: drawn orders that are weighted anew, beside learning again from the same simulated rows.

`python -m benchmarks.reweighting` writes benchmarks/reweighting.md. For each number of variables the same outcomes of
the same experiments are valued twice. The log probability of the rows is the inner term of the value: its mean error is
the bias that few orders cause. The error of the value has also that of the candidates that are left out.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import orderspn as osp
from orderspn.design.drawn_orders import ORDERS
from orderspn.design.listing import possible_experiments
from orderspn.design.questions import Graph
from orderspn.design.relearning import learned_again
from orderspn.design.reweighting import reweighted_trial
from orderspn.experiments.tables import as_markdown

PAGE = Path(__file__).with_suffix(".md")
ERRORS = ("of the value", "of the log probability")
VARIABLES, NETWORKS, DRAWS, ROWS = (8, 10, 12), 2, 16, 50


def compared(d: int, seed: int) -> pd.DataFrame:
    """Return both values of outcomes of three experiments on a simulated posterior."""
    posterior = osp.learn(osp.simulate.linear_gaussian(d, 100, rng=seed).data, check=False, progress=False)
    listed = possible_experiments(posterior, [0, d // 2], ROWS, None, False, None)
    plans = [(one,) for one in listed]
    trial = reweighted_trial(posterior, Graph(), plans, DRAWS, np.random.SeedSequence(seed))
    found = []
    for plan in range(len(plans)):
        for draw in range(DRAWS):
            start = time.process_time()
            after = trial.learned(draw, plan)
            entropy = after.entropy()
            middle = time.process_time()
            again: Any = learned_again(posterior.model, after.score.likelihood, posterior.evidence)
            known = again.entropy()
            found.append(
                {
                    "d": d,
                    "value": posterior.entropy() - known,
                    "of the value": (trial.before[0] - entropy) - (posterior.entropy() - known),
                    "of the log probability": after.log_evidence - again.log_evidence,
                    "effective orders": after.effective_orders,
                    "ms": 1000 * (middle - start),
                    "ms again": 1000 * (time.process_time() - middle),
                }
            )
    return pd.DataFrame(found)


def main() -> None:
    """Measure and write the page."""
    frame = pd.concat([compared(d, seed) for d in VARIABLES for seed in range(NETWORKS)])
    columns = [
        "variables",
        "outcomes",
        "mean value",
        "mean error of the value",
        "mean error of the log probability",
        "median effective orders",
        "smallest",
        "ms an outcome",
        "ms to learn again",
    ]
    rows = []
    for d in VARIABLES:
        own: pd.DataFrame = frame[frame["d"] == d]
        errors = [f"{np.mean(own[name]):+.4f} ± {np.std(own[name], ddof=1) / np.sqrt(len(own)):.4f}" for name in ERRORS]
        effective: pd.Series[float] = own["effective orders"]
        counts = [f"{float(effective.median()):.0f}", f"{float(effective.min()):.1f}"]
        times = [f"{float(own['ms'].median()):.1f}", f"{float(own['ms again'].median()):.1f}"]
        rows.append([str(d), str(len(own)), f"{float(own['value'].mean()):.3f}", *errors, *counts, *times])
    lines = [
        "# Experiments: orders weighted anew",
        "Made by `python -m benchmarks.reweighting`; its first lines say how.",
        f"{ORDERS} drawn orders, {NETWORKS} networks of each size, three experiments of {ROWS} rows, values in nats, "
        "times of one core.",
        as_markdown(columns, rows),
    ]
    PAGE.write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    print(PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
