"""Campaigns of experiments, beyond the paper: which strategy learns the graph in the fewest rounds."""

from __future__ import annotations

import math

from orderspn.design.campaigns import Campaign
from orderspn.experiments.experiment import Experiment, Metric, Outcome, Run, Value
from orderspn.experiments.figures import line_panels
from orderspn.experiments.planners import PLANNERS, ROUNDS, ROWS, START_ROWS

METRICS = (
    Metric("e-shd", "expected distance (DAG)", "lower"),
    Metric("entropy", "entropy (nats)", "lower"),
    Metric("certainty", "mean probability of true edges", "higher"),
    Metric("area-e-shd", "mean expected distance over rounds", "lower"),
    Metric("area-entropy", "mean entropy over rounds (nats)", "lower"),
    Metric("rounds-to-90", "rounds until true edges have probability 0.9", "lower"),
)


def measure(campaign: Campaign, run: Run) -> Outcome:  # noqa: ARG001
    """What is known after each round, and means over the rounds."""
    table = campaign.table
    columns = {"e-shd": "expected_distance", "entropy": "entropy", "certainty": "certainty"}
    values = [
        Value(name, int(number), float(value))
        for name, column in columns.items()
        for number, value in zip(table.index, table[column], strict=True)
    ]
    after = table.iloc[1:]
    reached = campaign.rounds_to_certainty
    values += [
        Value("area-e-shd", None, float(after["expected_distance"].mean())),
        Value("area-entropy", None, float(after["entropy"].mean())),
        Value("rounds-to-90", None, float(ROUNDS + 1 if reached is None else reached)),
    ]
    assert all(math.isfinite(value.value) for value in values)
    return Outcome(tuple(values))


DESIGN = Experiment(
    name="design",
    title="Which experiment next",
    about=(
        f"{START_ROWS} rows of observations, then {ROUNDS} rounds of {ROWS} rows each, half of them with one variable "
        "a standard deviation below its mean and half above. n is the round. The expected distance is the structural "
        "Hamming distance between the true DAG and those of the posterior; the entropy is over pairs of a graph and an "
        f"order. A campaign that does not reach a mean probability of 0.9 of the true edges counts {ROUNDS + 1} "
        "rounds. All strategies have the same first rows and the same noise. Up to 12 variables INFORMATION simulates "
        "experiments and learns again; beyond, it weights drawn orders anew."
    ),
    methods=tuple(PLANNERS),
    metrics=METRICS,
    protocol=lambda _: {"rounds": ROUNDS, "rows": ROWS, "start_rows": START_ROWS},
    measure=measure,
    draw=lambda rows, methods: line_panels(rows, methods, METRICS[0], "round"),
    known=tuple(PLANNERS),
    d=10,
    paired_with="INFORMATION",
)
