"""Experiments: are predicted reductions of uncertainty the realised ones, and how long does a table of them take?

`python -m benchmarks.design` writes benchmarks/design.md and docs/design_calibration.png. A truth is drawn from a
posterior (a graph and its parameters), so that the model is right; a table of rows is simulated under it; the posterior
is updated with the table, in its units; and the reduction of entropy that this brings is compared with the one that was
predicted without the truth, from other random numbers.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import orderspn as osp
from orderspn.design.experiment import Experiment
from orderspn.design.gaussian_rows import drawn_parameters

PAGE = Path(__file__).with_suffix(".md")
PICTURE = Path(__file__).parents[1] / "docs" / "design_calibration.png"
POSTERIORS, TRUTHS, ROWS, VARIABLES = 12, 60, 40, 6


def rows_under(
    posterior: osp.Posterior, graph: np.ndarray, experiment: pd.Series, rng: np.random.Generator
) -> np.ndarray:
    """Simulate a table row by row, in the units of the data."""
    fitted: Any = posterior.model.score.likelihood
    parameters = drawn_parameters(fitted, graph, rng)
    d, names = len(graph), posterior.variables
    targets = [names.index(name) for name in experiment["targets"]]
    units = posterior.units
    assert units is not None
    values = np.zeros((ROWS, d))
    levels = [experiment["values"][names[v]] for v in targets]
    own = Experiment("", tuple(targets), tuple(tuple(level) for level in levels), ROWS)
    row = 0
    order = np.array(list(topological(graph)))
    for setting, count in own.settings():
        for _ in range(count):
            for v in order:
                if v in targets:
                    given = np.zeros((1, d))
                    given[0, v] = setting[targets.index(v)]
                    values[row, v] = units.applied(given)[0, v]
                else:
                    mean = parameters.intercepts[v] + values[row] @ parameters.weights[:, v]
                    values[row, v] = mean + np.sqrt(parameters.variances[v]) * rng.normal()
            row += 1
    return np.asarray(units.undone(values))


def topological(graph: np.ndarray) -> list[int]:
    """Return an order of the variables, causes first."""
    left, order = set(range(len(graph))), []
    while left:
        order += [v for v in sorted(left) if not any(graph[c, v] for c in left)]
        left -= set(order)
    return order


def calibration() -> pd.DataFrame:
    """Return predicted and realised reductions of each experiment on each posterior."""
    found = []
    for seed in range(POSTERIORS):
        data = osp.simulate.linear_gaussian(VARIABLES, 30, rng=seed).data
        posterior = osp.learn(data, check=False)
        table = osp.design.experiments(posterior, rows=ROWS, rng=seed, precision=0.02)
        graphs = posterior.sample(TRUTHS, rng=1000 + seed).adjacency
        before = posterior.entropy()
        for name, experiment in table.iterrows():
            realised = []
            for truth, graph in enumerate(graphs):
                rng = np.random.default_rng([seed, truth])
                rows = pd.DataFrame(rows_under(posterior, graph, experiment, rng), columns=posterior.variables)
                entries = [tuple(experiment["targets"])] * ROWS if experiment["targets"] else None
                after = posterior.update(rows, interventions=entries, standardize="keep", progress=False)
                realised.append(before - after.entropy())
            found.append(
                {
                    "posterior": seed,
                    "experiment": name,
                    "predicted": experiment["reduction"],
                    "realised": np.mean(realised),
                    "error": np.std(realised) / np.sqrt(TRUTHS),
                }
            )
    return pd.DataFrame(found)


def timing() -> dict[str, float]:
    """Return the seconds and precision of all single experiments on the proteins."""
    posterior = osp.learn(osp.load_sachs(log=True).data, check=False)
    osp.design.experiments(posterior, draws=2)  # compile
    start, cpu = time.perf_counter(), time.process_time()
    table = osp.design.experiments(posterior)
    reach = table["reduction"].max() - min(table["reduction"].min(), 0.0)
    return {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - cpu,
        "largest error, share of the range": table["standard_error"].max() / reach,
        "draws": int(table["draws"].sum()),
    }


def draw(frame: pd.DataFrame) -> None:
    """Draw realised against predicted reductions."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(5, 4.6), layout="constrained")
    ax.errorbar(frame["predicted"], frame["realised"], yerr=frame["error"], fmt="o", markersize=3, linewidth=0.7)
    top = float(max(frame["predicted"].max(), frame["realised"].max())) * 1.05
    ax.plot([0, top], [0, top], color="black", linewidth=0.8)
    ax.set_xlabel("predicted reduction of entropy (nats)")
    ax.set_ylabel("realised reduction, mean and standard error")
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(PICTURE, dpi=130)


def main() -> None:
    """Measure, draw and write the page."""
    frame, quick = calibration(), timing()
    draw(frame)
    by_posterior = (frame["realised"] - frame["predicted"]).groupby(frame["posterior"]).mean()
    difference, error = by_posterior.mean(), by_posterior.std() / np.sqrt(len(by_posterior))
    within = ((frame["realised"] - frame["predicted"]).abs() <= 2 * frame["error"]).mean()
    lines = [
        "# Experiments: predicted and realised",
        "",
        "Made by `python -m benchmarks.design`; its first lines say how.",
        "",
        f"- {len(frame)} experiments on {POSTERIORS} posteriors of {VARIABLES} variables, {TRUTHS} truths each: mean "
        f"predicted {frame['predicted'].mean():.3f} nats, mean realised {frame['realised'].mean():.3f}; difference "
        f"{difference:+.4f} ± {error:.4f}.",
        f"- {within:.0%} of the realised means are within two standard errors of the predicted ones.",
        "",
        "All single experiments on the proteins (11 variables, 853 rows, graph question):",
        "",
        *[f"- {name}: {value:.3g}" for name, value in quick.items()],
        "",
    ]
    PAGE.write_text("\n".join(lines), encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
