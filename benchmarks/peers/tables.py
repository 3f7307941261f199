"""The data of the study: each family gives tables with their true graphs, by the number of the repeat."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import orderspn as osp
from benchmarks.peers.discrete_networks import read_bif
from benchmarks.peers.environments import packages
from benchmarks.peers.methods import CATEGORIES, MIXED, NUMBERS
from orderspn.core.dag import topological_order

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Table:
    """Standardised numbers, or codes of categories, and what is true of them."""

    values: np.ndarray  # (rows, d)
    dag: np.ndarray  # (d, d), bool, [cause, effect]
    levels: np.ndarray | None = None  # (d,): 0 for numbers, else how many levels
    total_effects: np.ndarray | None = None  # (d, d), in standard deviations
    is_dag_known: bool = True  # False: `dag` is some member of the true equivalence class

    @property
    def kinds(self) -> np.ndarray:
        """Levels of each column, 0 for numbers."""
        return np.zeros(self.values.shape[1], dtype=np.int64) if self.levels is None else self.levels


@dataclass(frozen=True)
class Family:
    """Tables of one kind."""

    name: str
    label: str
    group: str
    make: Callable[[int], Table]
    repeats: int = 10
    kind: str = NUMBERS
    cpu_limit: float = 60.0
    needs_sources: bool = False


def standardised(values: np.ndarray) -> np.ndarray:
    """Return columns with mean 0 and variance 1."""
    return np.asarray((values - values.mean(axis=0)) / values.std(axis=0))


def published(name: str, _: int = 0) -> Table:
    """Return a table that came with a paper; there is one of each name."""
    with np.load(DATA / f"{name}.npz") as file:
        return Table(standardised(file["X"].astype(float)), file["dag"].astype(bool), is_dag_known=False)


def _linear(values: np.ndarray, weights: np.ndarray) -> Table:
    """A table of a linear network whose weights are known, [cause, effect]; effects in the units of its columns."""
    scale = values.std(axis=0)
    effects = np.linalg.inv(np.eye(len(weights)) - weights) * scale[:, None] / scale
    return Table(standardised(values), weights != 0, total_effects=effects)


def _dao(d: int, n_rows: int, shape: str, noise: str, repeat: int) -> Table:
    """A simulation of DaO: no variance and no share of explained variance tells the order; average degree 10."""
    sys.path.insert(0, str(packages("sources")))
    try:
        daosim: Any = importlib.import_module("daosim")
    finally:
        sys.path.pop(0)
    rng = np.random.default_rng([repeat, d, n_rows])
    graph = daosim.er_dag(d, ad=10, rng=rng)
    if shape == "sf":
        graph = daosim.sf_in(graph, rng=rng)
    graph = daosim.randomize_graph(graph, rng=rng)
    _, weights, variances = daosim.corr(graph, rng=rng)
    values = daosim.simulate(weights, variances, n_rows, getattr(daosim, f"{noise}_err"), rng=rng)
    return _linear(values, weights.T)


def _dao_or_published(name: str, d: int, n_rows: int, shape: str) -> Callable[[int], Table]:
    return lambda repeat: published(name) if repeat == 0 else _dao(d, n_rows, shape, "gaus", repeat)


def boss_like(d: int, n_rows: int, degree: float, repeat: int) -> Table:
    """Like the published tables of BOSS: weights from -1 to 1, noise with standard deviations from 1 to 2.

    Each variable is standardised before its effects are added. That is read off the tables: shares of explained
    variance, coefficients and correlations have the same distributions (tests/peers/test_tables.py).
    """
    rng = np.random.default_rng([repeat, d, int(degree)])
    dag = osp.simulate.erdos_renyi(d, degree, rng=rng)
    weights = np.where(dag, rng.uniform(-1.0, 1.0, size=(d, d)), 0.0)
    noise = rng.uniform(1.0, 2.0, size=d)
    values = np.zeros((n_rows, d))
    for v in topological_order("dag", dag):
        column = values @ weights[:, v] + noise[v] * rng.normal(size=n_rows)
        weights[:, v] /= column.std()
        values[:, v] = standardised(column)
    return _linear(values, weights)


def _gaussian_network(name: str, n_rows: int, repeat: int) -> Table:
    network = osp.simulate.load_network(name)
    return _linear(network.sample(n_rows, rng=repeat).to_numpy(), network.weights)


def _discrete_network(name: str, n_rows: int, repeat: int) -> Table:
    network = read_bif(packages("sources") / "pgmpy" / "utils" / "example_models" / f"{name}.bif.gz")
    levels = np.array([len(own) for own in network.levels.values()])
    drawn = network.sample(n_rows, np.random.default_rng(repeat))
    kept = [v for v in range(len(levels)) if len(np.unique(drawn[:, v])) > 1]
    assert len(kept) == len(levels), f"{name}: a column has one value; draw more rows"
    for v in kept:  # levels that were not drawn would be levels without rows
        present, drawn[:, v] = np.unique(drawn[:, v], return_inverse=True)
        levels[v] = len(present)
    return Table(drawn.astype(float), network.adjacency, levels)


def _sachs(repeat: int) -> Table:
    sachs = osp.load_sachs(log=True)
    names = list(sachs.data.columns)
    dag = np.zeros((len(names), len(names)), dtype=bool)
    for cause, effect in sachs.consensus:
        dag[names.index(cause), names.index(effect)] = True
    rows = np.random.default_rng(repeat).permutation(len(sachs.data))[:500]
    return Table(standardised(sachs.data.to_numpy()[rows]), dag)


def _paper(d: int, n_rows: int, repeat: int) -> Table:
    simulation = osp.simulate.linear_gaussian(d, n_rows, rng=repeat)
    return _linear(simulation.data.to_numpy(), simulation.weights)


def _nonlinear(d: int, n_rows: int, repeat: int) -> Table:
    simulation = osp.simulate.nonlinear(d, n_rows, rng=repeat)
    return Table(standardised(simulation.data.to_numpy()), simulation.adjacency)


def _mixed(d: int, n_rows: int, repeat: int) -> Table:
    simulation = osp.simulate.mixed(d, n_rows, rng=repeat)
    values, levels = np.empty((n_rows, d)), np.zeros(d, dtype=np.int64)
    for v, (name, kind) in enumerate(simulation.kinds.items()):
        column = simulation.data[name].to_numpy()
        if kind == "category":
            present, codes = np.unique(column.astype(str), return_inverse=True)
            values[:, v], levels[v] = codes, len(present)
        else:
            values[:, v] = standardised(column.astype(float))
    return Table(values, simulation.adjacency, levels)


_BOSS, _DAO, _BN, _REAL, _OWN = "BOSS", "DaO", "bnlearn repository", "Sachs", "orderspn.simulate"
_LISTED = (
    Family("sachs", "Sachs proteins, 11 variables, 500 of 853 rows", _REAL, _sachs),
    Family("paper16", "linear Gaussian, 16 variables, 100 rows", _OWN, lambda r: _paper(16, 100, r)),
    Family(
        "dao20-er",
        "DaO, random graphs, 20 variables, 1000 rows",
        _DAO,
        _dao_or_published("dao_gaus_d20_n1000_er_0", 20, 1000, "er"),
        needs_sources=True,
    ),
    Family(
        "dao20-sf-200",
        "DaO, scale-free, 20 variables, 200 rows",
        _DAO,
        _dao_or_published("dao_gaus_d20_n200_sf_0", 20, 200, "sf"),
        needs_sources=True,
    ),
    Family(
        "dao20-exp",
        "DaO with exponential noise, 20 variables, 1000 rows",
        _DAO,
        lambda r: _dao(20, 1000, "er", "exp", r),
        needs_sources=True,
    ),
    Family("nonlinear12", "nonlinear, 12 variables, 1000 rows", _OWN, lambda r: _nonlinear(12, 1000, r)),
    Family(
        "mixed12", "numbers and categories, 12 variables, 1000 rows", _OWN, lambda r: _mixed(12, 1000, r), kind=MIXED
    ),
    Family(
        "child",
        "child (discrete), 20 variables, 1000 rows",
        _BN,
        lambda r: _discrete_network("child", 1000, r),
        kind=CATEGORIES,
        needs_sources=True,
    ),
    Family(
        "alarm",
        "alarm (discrete), 37 variables, 1000 rows",
        _BN,
        lambda r: _discrete_network("alarm", 1000, r),
        kind=CATEGORIES,
        needs_sources=True,
    ),
    Family("ecoli70", "ecoli70, 46 variables, 500 rows", _BN, lambda r: _gaussian_network("ecoli70", 500, r)),
    Family("magic-niab", "magic-niab, 44 variables, 500 rows", _BN, lambda r: _gaussian_network("magic-niab", 500, r)),
    Family("boss50-er6", "like BOSS, degree 6, 50 variables, 1000 rows", _OWN, lambda r: boss_like(50, 1000, 6, r)),
    Family("boss50-er10", "like BOSS, degree 10, 50 variables, 1000 rows", _OWN, lambda r: boss_like(50, 1000, 10, r)),
    *(
        Family(
            f"boss-{shape}{degree}",
            f"BOSS, {kind} graph of degree {degree}, 100 variables, 1000 rows",
            _BOSS,
            partial(published, f"boss_{shape}{degree}_0"),
            1,
            cpu_limit=180.0,
        )
        for shape, degree, kind in (
            ("er", 2, "random"),
            ("er", 6, "random"),
            ("er", 10, "random"),
            ("er", 20, "random"),
            ("sf", 10, "scale-free"),
        )
    ),
    Family(
        "dao100-er",
        "DaO, random graphs, 100 variables, 1000 rows",
        _DAO,
        _dao_or_published("dao_gaus_d100_n1000_er_0", 100, 1000, "er"),
        3,
        cpu_limit=180.0,
        needs_sources=True,
    ),
)
FAMILIES = {family.name: family for family in _LISTED}
