"""How often the checks of data fire: on clean data (false alarms), on data with one flaw (detection), and their time.

    python -m benchmarks.data_checks --datasets 300

Clean data are simulated linear Gaussian networks of several sizes: in their own units, in units from 1e-3 to 1e3, with
noise of many sizes, with strong weights, sorted by a column, and in groups of rows.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import orderspn as osp
from orderspn.checks.suite import findings_in

SIZES = [(d, n_rows) for d in (11, 20, 50) for n_rows in (100, 300, 1000, 2000)]
Flaw = Callable[[pd.DataFrame, np.random.Generator], pd.DataFrame]


def clean(number: int, kind: str) -> pd.DataFrame:
    """Simulate a data set without flaws."""
    d, n_rows = SIZES[number % len(SIZES)]
    rng = np.random.default_rng([number, 1])
    if kind == "many kinds of noise":
        noise = 10 ** rng.uniform(-2, 2, d)
        data = osp.simulate.linear_gaussian(d, n_rows=n_rows, noise_variances=noise, rng=number).data
    elif kind == "strong weights":
        data = osp.simulate.linear_gaussian(d, n_rows=n_rows, weights="uniform", rng=number).data
    else:
        data = osp.simulate.linear_gaussian(d, n_rows=n_rows, rng=number).data
    if kind == "other units":
        return data * 10 ** rng.uniform(-3, 3, d) + 10 ** rng.uniform(-3, 3, d)
    if kind == "sorted":
        return data.sort_values("X1", ignore_index=True)
    if kind == "in groups":
        groups = np.sort(rng.integers(0, 4, n_rows))
        return data + data.std().to_numpy() * rng.normal(size=(4, d))[groups]
    return data


KINDS = ("as simulated", "other units", "many kinds of noise", "strong weights", "sorted", "in groups")


def _noise(data: pd.DataFrame, rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=len(data))


def _standard(column: pd.Series) -> np.ndarray:
    return ((column - column.mean()) / column.std()).to_numpy()


def lognormal(data: pd.DataFrame, _: np.random.Generator) -> pd.DataFrame:
    return data.assign(X1=np.exp(1.5 * _standard(data["X1"])))


def cauchy(data: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    return data.assign(X1=rng.standard_cauchy(len(data)))


def transposed(data: pd.DataFrame, _: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame(data.to_numpy()[:100].T)


def two_units(data: pd.DataFrame, _: np.random.Generator) -> pd.DataFrame:
    return data.assign(X1=32 + 1.8 * data["X2"])


def total(data: pd.DataFrame, _: np.random.Generator) -> pd.DataFrame:
    return data.assign(X1=data["X2"] + data["X3"] + data["X4"])


def row_numbers(data: pd.DataFrame, _: np.random.Generator) -> pd.DataFrame:
    return data.assign(X1=np.arange(len(data)))


def shuffled_identifier(data: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    return data.assign(X1=rng.permutation(len(data)))


def rare(data: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    return data.assign(X1=np.where(rng.permutation(len(data)) < len(data) // 200, 1.0, 0.0))


def random_walks(data: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame(np.cumsum(rng.normal(size=data.shape), axis=0), columns=data.columns)


def autoregressive(data: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    values = rng.normal(size=data.shape)
    for row in range(1, len(values)):
        values[row] += 0.7 * values[row - 1]
    return pd.DataFrame(values, columns=data.columns)


def parabola(data: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    return data.assign(X1=_standard(data["X2"]) ** 2 + _noise(data, rng))


def wave(data: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    return data.assign(X1=np.sin(2 * _standard(data["X2"])) + 0.3 * _noise(data, rng))


def product(data: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    first, second = rng.normal(size=(2, len(data)))
    return data.assign(X1=first, X2=second, X3=first * second + 0.5 * _noise(data, rng))


FLAWS: dict[str, tuple[str, Flaw]] = {
    "a lognormal column": ("skewness", lognormal),
    "a column with Cauchy tails": ("skewness", cauchy),
    "100 rows, transposed": ("few rows", transposed),
    "a column in two units": ("copies", two_units),
    "a total": ("linear combination", total),
    "row numbers": ("identifier", row_numbers),
    "row numbers, shuffled": ("identifier", shuffled_identifier),
    "one value in 99.5%": ("nearly constant", rare),
    "independent random walks": ("dependent rows", random_walks),
    "autoregressive, 0.7": ("dependent rows", autoregressive),
    "a parabola": ("nonlinearity", parabola),
    "a wave": ("nonlinearity", wave),
    "a product": ("nonlinearity", product),
}
"""Flaws with the check that should warn of them."""


def false_alarms(n_datasets: int) -> None:
    print(f"False alarms: share of {n_datasets} clean data sets with a warning, by the kind of data\n")
    counts = {kind: Counter[str]() for kind in KINDS}
    for kind in KINDS:
        for number in range(n_datasets):
            found = findings_in(osp.read_table(clean(number, kind)))
            counts[kind].update({f"{finding.check} ({finding.severity})" for finding in found})
    fired = sorted({name for count in counts.values() for name in count})
    table = pd.DataFrame({kind: {name: counts[kind][name] / n_datasets for name in fired} for kind in KINDS})
    print(table.to_string(float_format="{:.3f}".format) if fired else f"none at all in {len(KINDS)} kinds", "\n")


def detection(n_datasets: int) -> None:
    print(f"Detection: share of {n_datasets} data sets with one flaw in which the right check warns, by rows\n")
    rows = sorted({n_rows for _, n_rows in SIZES})
    found: dict[str, dict[int, list[bool]]] = {name: {n: [] for n in rows} for name in FLAWS}
    for name, (check, flaw) in FLAWS.items():
        for number in range(n_datasets):
            data = clean(number, "as simulated")
            flawed = flaw(data, np.random.default_rng([number, 2]))
            try:
                findings = findings_in(osp.read_table(flawed))
            except ValueError:  # too few rows for a second value
                continue
            fired = any(f.check == check and f.severity == "warning" for f in findings)
            found[name][len(data)].append(fired)
    shares = {
        f"{name} [{FLAWS[name][0]}]": {n: np.mean(own) if own else np.nan for n, own in by.items()}
        for name, by in found.items()
    }
    print(pd.DataFrame(shares).T.to_string(float_format="{:.2f}".format, na_rep="-"), "\n")


def times(repeats: int = 3) -> None:
    print("Time of the checks and of learn with check=False, in seconds of the processor (the best of a few)\n")
    lines: list[tuple[int, int, float, float | None, float | None]] = []
    for d, n_rows in [(11, 853), (20, 1000), (25, 2000), (50, 2000), (100, 10_000)]:
        data = osp.simulate.linear_gaussian(d, n_rows=n_rows, rng=0).data
        checking = _check_seconds(osp.read_table(data), repeats)
        learning = min(_learn_seconds(data) for _ in range(2))
        lines.append((d, n_rows, checking, learning, checking / learning))
    for d, n_rows in [(500, 10_000), (500, 100_000)]:
        table = osp.read_table(np.random.default_rng(0).normal(size=(n_rows, d)))
        lines.append((d, n_rows, _check_seconds(table, repeats), None, None))
    columns = ["variables", "rows", "checks", "learn", "ratio"]
    print(pd.DataFrame(lines, columns=columns).to_string(index=False, float_format="{:.3f}".format, na_rep="-"))


def _check_seconds(table: osp.Dataset, repeats: int) -> float:
    return min(_seconds(findings_in, table) for _ in range(repeats))


def _learn_seconds(data: pd.DataFrame) -> float:
    return _seconds(_learn, data)


def _learn(data: pd.DataFrame) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        osp.learn(data, standardize=True, check=False)


def _seconds(work: Callable[[Any], object], on: Any) -> float:
    start = time.process_time()
    work(on)
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", type=int, default=300, help="data sets of each kind (default 300)")
    parser.add_argument("--no-times", action="store_true", help="leave the times out, which need an idle machine")
    arguments = parser.parse_args()
    false_alarms(arguments.datasets)
    detection(arguments.datasets)
    if not arguments.no_times:
        times()


if __name__ == "__main__":
    main()
