"""Whether the standard errors of circuits are of the right size, on data sets where the exact answers are known.

    python -m benchmarks.circuit_errors            # 24 data sets of 16 variables, 16 of 20; writes circuit_errors.md

Each answer of a circuit gives a ratio: (its answer - the exact one) / its standard error. If the errors are of the
right size, the ratios of many answers have a standard deviation near 1. Exact posterior and circuit have the same
families: all other variables are candidates.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import orderspn as osp
from benchmarks.data import linear_gaussian

PAGE = Path(__file__).with_suffix(".md")

ROWS = 100

CIRCUITS = {
    "default": osp.methods.Trust(),
    "blocks of 5": osp.methods.Trust(block_size=5),
    "64 orders": osp.methods.Trust(n_orders=64),
}

UNCERTAIN = 0.01
"""Answers with an exact probability at least this far from 0 and 1 are compared."""

SMALLEST = 1e-3
"""Smaller standard errors have columns of their own: most of such an error is the draw that was not made."""

EVENTS = 8
"""Number of events of each data set, with and without evidence."""

EVIDENCE = {"likely evidence": 0.5, "unlikely evidence": 0.03}
"""Evidence is the edge whose probability is nearest to these."""


@dataclass
class Ratios:
    """Ratios of one kind of answer, data set by data set; and answers whose error is unknown."""

    by_set: list[np.ndarray] = field(default_factory=list)
    tiny: list[np.ndarray] = field(default_factory=list)  # those with an error below `SMALLEST`
    unknown: int = 0

    def add(self, answers: np.ndarray, exact: np.ndarray, errors: np.ndarray) -> None:
        asked = np.minimum(exact, 1.0 - exact) >= UNCERTAIN
        self.unknown += int(np.isnan(errors[asked]).sum())
        # Comparisons with NaN are false.
        for ratios, compared in ((self.by_set, asked & (errors >= SMALLEST)), (self.tiny, asked & (errors < SMALLEST))):
            ratios.append(((answers - exact)[compared] / errors[compared]).ravel())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, nargs=2, default=[24, 16], help="data sets of 16 and of 20 variables")
    parser.add_argument("--first-seed", type=int, default=0, help="other seeds are other data sets")
    parser.add_argument("--output", type=Path, default=PAGE)
    arguments = parser.parse_args()
    found: dict[tuple[str, int, str], Ratios] = {}
    begin = time.monotonic()
    for d, count in zip((16, 20), arguments.sets, strict=True):
        for seed in range(count):
            measure(d, arguments.first_seed + seed, found)
            arguments.output.write_text(page(found))
            print(f"{d} variables, set {seed + 1} of {count}, {time.monotonic() - begin:.0f} s", flush=True)
    print(table(found))


def measure(d: int, seed: int, found: dict[tuple[str, int, str], Ratios]) -> None:
    """Compare all answers on one data set."""
    values = linear_gaussian(d, ROWS, seed)
    exact = osp.learn(values, standardize=True, candidates=d - 1, method="exact")
    circuits = {
        name: osp.learn(values, standardize=True, candidates=d - 1, method=method, rng=seed)
        for name, method in CIRCUITS.items()
    }
    events = list(itertools.islice(events_of(exact, np.random.default_rng([seed, d])), EVENTS))
    for about, given in [("no evidence", None), *((name, evidence(exact, p)) for name, p in EVIDENCE.items())]:
        known = exact.given(given)
        edges = known.edge_probabilities().to_numpy()
        answers = np.array([known.probability(event) for event in events])
        for name, circuit in circuits.items():
            under = circuit.given(given)
            add = found.setdefault((f"edges, {about}", d, name), Ratios()).add
            add(under.edge_probabilities().to_numpy(), edges, under.edge_standard_errors().to_numpy())
            add = found.setdefault((f"events, {about}", d, name), Ratios()).add
            own = np.array([(under.probability(event), under.standard_error(event)) for event in events])
            add(own[:, 0], answers, own[:, 1])


def evidence(exact: osp.Posterior, target: float) -> str:
    """Return the edge whose probability is nearest to a target."""
    edges, names = exact.edge_probabilities().to_numpy(), exact.variables
    cause, effect = divmod(int(np.abs(edges - target).argmin()), len(names))
    return f"{names[cause]} -> {names[effect]}"


def events_of(exact: osp.Posterior, rng: np.random.Generator) -> Iterator[str]:
    """Yield conjunctions of an uncertain edge, the absence of one, and an order constraint, one or two of them."""
    edges = exact.edge_probabilities()
    names, values = exact.variables, edges.to_numpy()
    uncertain = np.argwhere((values > 0.1) & (values < 0.9))
    while True:
        (a, b), (c, e) = (uncertain[rng.integers(len(uncertain))] for _ in range(2))
        before = rng.choice(len(names), 2, replace=False)
        literals = [
            f"{names[a]} -> {names[b]}",
            f"{names[c]} !-> {names[e]}",
            f"{names[before[0]]} < {names[before[1]]}",
        ]
        yield ", ".join(literals[i] for i in sorted(rng.choice(3, rng.integers(1, 3), replace=False)))


def table(found: dict[tuple[str, int, str], Ratios]) -> str:
    lines = [
        "| answers | variables | circuit | number | mean | standard deviation | of single sets "
        "| 5%, 25%, 50%, 75%, 95% quantiles | beyond 2 | beyond 3 | unknown | tiny errors | beyond 2 | beyond 3 |",
        "| --- | ---: | --- | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for (about, d, circuit), ratios in sorted(found.items()):
        lines.append(f"| {about} | {d} | {circuit} | {_row(ratios)} |")
    for circuit in CIRCUITS:
        own = [ratios for (_, _, name), ratios in found.items() if name == circuit]
        together = Ratios(
            [z for ratios in own for z in ratios.by_set],
            [z for ratios in own for z in ratios.tiny],
            sum(ratios.unknown for ratios in own),
        )
        lines.append(f"| **all** | | {circuit} | {_row(together)} |")
    return "\n".join(lines)


def _row(ratios: Ratios) -> str:
    z, tiny = np.concatenate(ratios.by_set), np.concatenate(ratios.tiny)
    spreads = [float(np.sqrt(np.mean(own**2))) for own in ratios.by_set if own.size > 1]
    quantiles = ", ".join(f"{q:.2f}" for q in np.quantile(z, [0.05, 0.25, 0.5, 0.75, 0.95]))
    return (
        f"{z.size} | {z.mean():.2f} | {z.std():.2f} | {min(spreads):.2f}-{max(spreads):.2f} | {quantiles} | "
        f"{_beyond(z)} | {ratios.unknown} | {tiny.size} | {_beyond(tiny)}"
    )


def _beyond(z: np.ndarray) -> str:
    return f"{np.mean(np.abs(z) > 2):.1%} | {np.mean(np.abs(z) > 3):.1%}" if z.size else "| "


def page(found: dict[tuple[str, int, str], Ratios]) -> str:
    sets = {d: len(ratios.by_set) for (_, d, _), ratios in found.items()}
    measured = " and ".join(f"{count} data sets of {d} variables" for d, count in sets.items())
    return f"""# Standard errors of circuits

Written by `python -m benchmarks.circuit_errors`: {measured}, as in the paper, {ROWS} rows, standardized.
Each answer of a circuit gives a ratio: (its answer - the exact one) / its standard error. Normal ratios with standard
deviation 1 have quantiles -1.64, -0.67, 0, 0.67, 1.64; 4.6% of them are beyond 2 and 0.3% beyond 3. Answers with an
exact probability within {UNCERTAIN} of 0 or 1 are left out; errors below {SMALLEST:g} have columns of their own, at the
end. "Of single sets": smallest and largest root mean square of the ratios of a data set; ratios of one data set depend
on each other. "Unknown": answers whose standard error is NaN.

{table(found)}
"""


if __name__ == "__main__":
    main()
