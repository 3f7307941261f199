"""Files to begin with: every kind of posterior, and a cell of the experiments."""

import multiprocessing
import warnings

import pandas as pd

import orderspn as osp
from helpers.data import gaussian_data
from helpers.discrete import as_categories, discrete_data
from orderspn.data.dataset import read_table
from orderspn.experiments.cells import Cell
from orderspn.experiments.experiment import Outcome, Value
from orderspn.experiments.store import CellStore

NAMES = ["heart rate", "Größe", "C", "D", "5"]
ARITIES = (2, 3, 2, 2, 3)
SAMPLED = osp.methods.Gadget(effort=0.02, n_graphs=40, n_chains=2)

POSTERIORS = {
    "exact": {"standardize": False},
    "exact, outsiders": {"candidates": 2, "method": osp.methods.Exact(outsiders=1), "prior": lambda size: 0.5**size},
    "exact, evidence": {"candidates": 3, "given": "C !-> D, 'heart rate' < C"},
    "circuit, neighbours": {"method": osp.methods.Trust(expansion=[4], block_size=3), "given": "C -- D"},
    "exact, knowledge": {"knowledge": osp.Knowledge(tiers=[["C"], ["D"]], edge_probabilities={("C", "5"): 0.9})},
    "exact, interventions": {"interventions": ["C"] * 10 + [None] * 20 + ["D"] * 10},
    "DAGs": {"method": osp.methods.Exact(target="dag")},
    "circuit": {"method": osp.methods.Trust(expansion=[4], block_size=3)},
    "circuit from orders": {"method": osp.methods.Trust(n_orders=50, block_size=2, effort=0.02), "candidates": 2},
    "sampled": {"method": SAMPLED},
    "sampled, outsiders": {"method": SAMPLED.with_settings(outsiders=2), "candidates": 2},
    "particles": {"method": osp.methods.DiBS(effort=0.02, weights="score")},
    "exact, context": {"context": ["C"], "given": "C -> D"},
    "circuit, context": {"method": osp.methods.Trust(expansion=[4], block_size=2), "context": ["C"]},
    "exact, group": {"groups": {"both": ["C", "D"]}},
    "categories": {"categories": True},
    "categories, circuit": {"categories": True, "method": osp.methods.Trust(expansion=[2], block_size=3)},
}

CELL_KIND = "cell"
CELL = Cell("conditional", 8, "EXACT", 0, 12, 1.0)
OUTCOME = Outcome(
    (Value("auroc", None, 0.75), Value("coverage", 4, 0.5)),
    [[0.0, 0.25], [0.5, 0.0]],
    ("searches disagree",),
    {"learn": 0.5},
)

MIXTURES = {
    "mixture": (["exact", "DAGs", "sampled"], [0.5, 0.5, 0.0], None),
    "mixture, evidence": (["exact, outsiders", "circuit", "exact, knowledge"], "equal", "C -- D"),
}
"""Components, weights and evidence."""

KINDS = [*POSTERIORS, *MIXTURES, CELL_KIND]


def saved_seeds(folder, kinds):
    """Contents of one file of each kind, written by another process: JAX leaves threads behind, which do not fork."""
    writer = multiprocessing.get_context("spawn").Process(target=_save_all, args=(folder, list(kinds)))
    writer.start()
    writer.join()
    assert writer.exitcode == 0
    return {kind: (folder / f"{number}.npz").read_bytes() for number, kind in enumerate(kinds)}


def _save_all(folder, kinds):
    for number, kind in enumerate(kinds):
        save_seed(kind, folder / f"{number}.npz")


def save_seed(name, path):
    """Write the file of one kind."""
    if name == CELL_KIND:
        CellStore(path.parent).keep(CELL, OUTCOME)
        (path.parent / f"{CELL.key}.json").replace(path)
        return
    if name in MIXTURES:
        parts, weights, given = MIXTURES[name]
        osp.mix([_learned(part) for part in parts], weights).given(given).save(path)
        return
    _learned(name).save(path)


def _learned(name):
    """The posterior of one kind."""
    arguments = dict(POSTERIORS[name])
    given = arguments.pop("given", None)
    data = pd.DataFrame(gaussian_data(5, 40, seed=3), columns=NAMES)
    if "groups" not in arguments:
        data = read_table(data)
    if arguments.pop("categories", False):
        data = as_categories(discrete_data(ARITIES, 40, seed=3), ARITIES, NAMES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        posterior = osp.learn(data, rng=11, n_jobs=1, **arguments)
    return posterior.given(given)
