"""Posteriors in files.

A file holds what the posterior follows from (sufficient statistics, prior, candidates, evidence), a few
kilobytes, not the tables and lattices, which are rebuilt in less time than it would take to read them. Samples of
graphs are kept as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np

from orderspn._version import __version__
from orderspn.circuit.circuit_orders import CircuitOrders
from orderspn.core.errors import InvalidValue, UnreadableFile
from orderspn.core.workers import ProgressCallback, Workers
from orderspn.knowledge.rules import parent_rules
from orderspn.knowledge.statement import Knowledge
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.learning import make_workers
from orderspn.leaves.scoring import score_families
from orderspn.models.dag_graphs import DagGraphs
from orderspn.models.listed_graphs import ListedGraphs
from orderspn.models.order_graphs import OrderGraphs
from orderspn.models.particle_graphs import ParticleGraphs
from orderspn.models.protocol import GraphModel
from orderspn.models.sampled_graphs import SampledGraphs
from orderspn.posterior import Posterior
from orderspn.queries.edges import Edges
from orderspn.queries.order_model import OrderModel
from orderspn.scores.bdeu import FittedBDeu
from orderspn.scores.bge import FittedBGe
from orderspn.scores.local import LocalScore
from orderspn.scores.protocol import MarginalLikelihood
from orderspn.storage.archive import FORMAT, FORMAT_VERSION, manifest_in, read_arrays, write_archive
from orderspn.storage.circuits import circuit_arrays, restore_circuit
from orderspn.storage.parents import parent_arrays, split_candidates, split_outsiders
from orderspn.storage.samples import restore_graphs, restore_weights, sample_arrays, weight_arrays

RESTORED: Mapping[str, type[FittedBGe | FittedBDeu]] = {"bge": FittedBGe, "bdeu": FittedBDeu}
"""Scores by the names that files have for them."""


def save(posterior: Posterior, path: str | PathLike[str]) -> None:
    """Write a posterior; the file at `path` is replaced only once the new one is complete."""
    manifest = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "package_version": __version__,
        "variables": posterior.variables,
        "settings": dict(posterior.settings),
        "evidence": {
            "present": posterior.evidence.present,
            "absent": posterior.evidence.absent,
            "before": posterior.evidence.before,
        },
    }
    score = posterior._model.score
    if not isinstance(score.likelihood, tuple(RESTORED.values())):
        raise InvalidValue("only posteriors with the BGe or the BDeu score can be saved; this one has another.")
    arrays = {"log_prior": score.log_prior, **score.likelihood.arrays(), **_model_arrays(posterior._model)}
    write_archive(path, manifest, arrays)


def _model_arrays(model: GraphModel) -> dict[str, np.ndarray]:
    if isinstance(model, ListedGraphs):
        rows = [others[:, None] for others in model.outsiders]
        arrays = {**parent_arrays(model.candidates, rows), **sample_arrays(model)}
        return arrays | weight_arrays(model) if isinstance(model, ParticleGraphs) else arrays
    assert isinstance(model, OrderGraphs | DagGraphs)
    arrays = parent_arrays(model.candidates, [family.outsiders for family in model.learned])
    if isinstance(model, OrderGraphs) and isinstance(model.orders, CircuitOrders):
        arrays |= circuit_arrays(model.orders.prior)
    return arrays


def load(
    path: str | PathLike[str], *, n_jobs: int | None = None, progress: ProgressCallback | None = None
) -> Posterior:
    """Read a posterior written by `Posterior.save`.

    Parameters
    ----------
    path : str or path
    n_jobs, progress
        As for `learn`.

    Returns
    -------
    Posterior

    Raises
    ------
    ValueError
        If the file is damaged, is no posterior, or was written by a newer version; the message says which.

    Examples
    --------
    >>> import orderspn as osp, tempfile, pathlib
    >>> posterior = osp.learn(osp.load_sachs().data, standardize=True, rng=7)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     posterior.save(pathlib.Path(folder) / "posterior.npz")
    ...     osp.load(pathlib.Path(folder) / "posterior.npz").settings["seed"]
    7
    """
    workers = make_workers(n_jobs, progress)
    arrays = read_arrays(path)
    manifest = manifest_in(path, arrays)
    try:
        return _restore(manifest, arrays, workers)
    except (KeyError, TypeError, ValueError, IndexError) as problem:
        raise UnreadableFile(f"{str(path)!r} is damaged: {problem}") from problem


def _restore(manifest: Mapping[str, Any], arrays: Mapping[str, np.ndarray], workers: Workers) -> Posterior:
    settings = manifest["settings"]
    variables = tuple(str(name) for name in manifest["variables"])
    likelihood = _restore_score(settings["score"], arrays)
    log_prior, max_parents = arrays["log_prior"], settings["max_parents"]
    if likelihood.n_variables != len(variables) or log_prior.shape != (len(variables),):
        raise ValueError("the sizes of its parts differ.")
    known = Knowledge.from_dict(settings.get("knowledge", {}))  # files before version 6 have none
    rules = parent_rules(known, variables, max_parents, log_prior) if known else None
    local = LocalScore(likelihood, log_prior, max_parents, rules)
    evidence = Edges(
        [(cause, effect) for cause, effect in manifest["evidence"]["present"]],
        [(cause, effect) for cause, effect in manifest["evidence"]["absent"]],
        [(first, second) for first, second in manifest["evidence"].get("before", ())],  # since format 6
    )
    model = _restore_model(manifest, arrays, variables, local, workers)
    return Posterior(model, settings).given(evidence)


def _restore_model(
    manifest: Mapping[str, Any],
    arrays: Mapping[str, np.ndarray],
    variables: tuple[str, ...],
    local: LocalScore,
    workers: Workers,
) -> GraphModel:
    settings = manifest["settings"]
    candidates = split_candidates(arrays, len(variables))
    outsiders = split_outsiders(arrays, candidates, manifest["format_version"])
    if settings["method"] in ("gadget", "dibs"):
        n_runs = settings["diagnostics"]["runs_kept"] if settings["method"] == "gadget" else 1
        graphs, log_scores = restore_graphs(arrays, n_runs, len(variables))
        others = [np.unique(rows[rows >= 0]) for rows in outsiders]
        about = variables, local, candidates, others, graphs, log_scores
        everyone = np.ones(len(graphs), dtype=bool)
        if settings["method"] == "dibs":
            return ParticleGraphs(*about, restore_weights(arrays, len(graphs)), workers, everyone)
        return SampledGraphs(*about, np.full(len(graphs), 1.0 / len(graphs)), workers, everyone, n_runs)
    families = tuple(score_families(local, candidates, workers, outsiders))
    if settings["target"] == "dag":
        return DagGraphs(variables, local, families, workers)
    exact = settings["method"] == "exact"
    orders: OrderModel = (
        ExactOrders.over_all(families, workers) if exact else restore_circuit(arrays, families, workers)
    )
    return OrderGraphs(variables, local, families, orders, workers, covers_all=exact)


def _restore_score(settings: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> MarginalLikelihood:
    if settings["name"] not in RESTORED:
        raise ValueError(f"unknown score {settings['name']!r}")
    return RESTORED[settings["name"]].restore(settings, arrays)
