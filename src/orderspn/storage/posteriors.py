"""Posteriors in files.

A file holds what the posterior follows from (sufficient statistics, prior, candidates, evidence), a few
kilobytes, not the tables and lattices, which are rebuilt in less time than it would take to read them. Samples of
graphs are kept as they are.

Anybody may have written a file. What it says is checked before anything is made from it: first the archive
(`archive`), then the manifest (`schema`), then arrays beside the manifest, then the memory that all of it would take
(`demands`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike

import numpy as np

from orderspn._version import __version__
from orderspn.circuit.circuit_orders import CircuitOrders
from orderspn.circuit.weighing import weigh_circuit
from orderspn.core.arguments import check_integer, check_path
from orderspn.core.errors import InvalidValue, UnreadableFile
from orderspn.core.workers import ProgressCallback, Workers
from orderspn.knowledge.rules import parent_rules
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.learning import MEMORY_LIMIT, make_workers
from orderspn.leaves.scoring import score_families
from orderspn.methods.memory import fitting_threads
from orderspn.models.dag_graphs import DagGraphs
from orderspn.models.listed_graphs import ListedGraphs
from orderspn.models.memory import listed_bytes
from orderspn.models.order_graphs import OrderGraphs
from orderspn.models.particle_graphs import ParticleGraphs
from orderspn.models.protocol import GraphModel
from orderspn.models.sampled_graphs import SampledGraphs
from orderspn.posterior import Posterior
from orderspn.scores.local import LocalScore
from orderspn.storage.archive import FORMAT, FORMAT_VERSION, read_archive, write_archive
from orderspn.storage.circuits import circuit_arrays, restore_circuit
from orderspn.storage.demands import bytes_of_families, check_demand, sizes_under
from orderspn.storage.local_scores import RESTORED, restore_local_score
from orderspn.storage.parents import parent_arrays, split_candidates, split_outsiders
from orderspn.storage.samples import restore_graphs, restore_weights, sample_arrays, weight_arrays
from orderspn.storage.schema import DibsSettings, GadgetSettings, Manifest, TrustSettings, checked_manifest


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
    try:
        checked_manifest(manifest)
    except ValueError as problem:
        raise InvalidValue(f"this posterior cannot be saved, as it could not be read again: {problem}.") from problem
    arrays = {"log_prior": score.log_prior, **score.likelihood.arrays(), **_model_arrays(posterior._model)}
    write_archive(path, manifest, arrays)


def _model_arrays(model: GraphModel) -> dict[str, np.ndarray]:
    if isinstance(model, ListedGraphs):
        rows = [others[:, None] for others in model.outsiders]
        arrays = {**parent_arrays(model.candidates, rows), **sample_arrays(model)}
        return arrays | weight_arrays(model) if isinstance(model, ParticleGraphs) else arrays
    assert isinstance(model, OrderGraphs | DagGraphs)
    arrays = parent_arrays(model.candidates, [family.outsider_rows for family in model.learned])
    if isinstance(model, OrderGraphs) and isinstance(model.orders, CircuitOrders):
        arrays |= circuit_arrays(model.orders.prior)
    return arrays


def load(
    path: str | PathLike[str],
    *,
    n_jobs: int | None = None,
    memory_limit: int | None = None,
    progress: ProgressCallback | None = None,
) -> Posterior:
    """Read a posterior written by `Posterior.save`.

    Files from unknown sources are safe to load: they cannot run code, and memory is checked before it is allocated.

    Parameters
    ----------
    path : str or path
    n_jobs, progress
        As for `learn`.
    memory_limit : int, optional
        Bytes that the posterior may use (default 4 GiB), as for `learn`. A file that demands more is refused.

    Returns
    -------
    Posterior

    Raises
    ------
    UnreadableFile
        A ValueError: if the file is damaged or has been changed, is no posterior, was written by another version, or
        demands too much memory; the message says which.

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
    limit = MEMORY_LIMIT if memory_limit is None else check_integer("memory_limit", memory_limit, 1)
    path = check_path("path", path)
    archive = read_archive(path, limit)
    try:
        manifest = checked_manifest(archive.manifest)
        model = _Restoring(manifest, archive.arrays, workers, limit, str(path)).model()
        posterior = Posterior(model, archive.manifest["settings"]).given(manifest.evidence.edges())
        _check_mass(posterior)
    except UnreadableFile:
        raise
    except MemoryError as problem:
        raise UnreadableFile(f"{str(path)!r} needs more memory than this computer has free.") from problem
    except Exception as problem:
        # Whoever wrote the file, whatever it says: it is the file that is wrong.
        raise UnreadableFile(f"{str(path)!r} is damaged: {_reason(problem)}") from problem
    return posterior


def _reason(problem: Exception) -> str:
    return f"it has no {problem}." if isinstance(problem, KeyError) else str(problem)


def _check_mass(posterior: Posterior) -> None:
    """Refuse a posterior in which nothing is possible, or nothing is known."""
    if not isinstance(posterior._model, ListedGraphs) and not math.isfinite(posterior.log_evidence):
        raise ValueError("its log evidence is not finite.")


@dataclass(frozen=True)
class _Restoring:
    """A model from a manifest and arrays."""

    manifest: Manifest
    arrays: Mapping[str, np.ndarray]
    workers: Workers
    limit: int
    path: str

    def model(self) -> GraphModel:
        """The posterior before any evidence."""
        variables, settings = tuple(self.manifest.variables), self.manifest.settings
        known = self.manifest.knowledge
        likelihood, log_prior = restore_local_score(settings, self.arrays, len(variables))
        rules = parent_rules(known, variables, settings.max_parents, log_prior) if known else None
        local = LocalScore(likelihood, log_prior, settings.max_parents, rules)
        candidates = split_candidates(self.arrays, len(variables))
        outsiders = split_outsiders(self.arrays, candidates)
        if isinstance(settings, GadgetSettings | DibsSettings):
            return self._list(settings, local, candidates, outsiders)
        structure, log_weights = None, None
        if isinstance(settings, TrustSettings):
            structure, log_weights = restore_circuit(self.arrays, len(variables))
        sizes = sizes_under(self.manifest.evidence.edges(), candidates, outsiders, variables)
        scratch = getattr(likelihood, "scratch_bytes", 0)

        def needed(n_jobs: int) -> int:
            return n_jobs * scratch + bytes_of_families(sizes, settings.target, structure, n_jobs)

        workers = replace(self.workers, n_jobs=fitting_threads(needed, self.workers.n_jobs, self.limit))
        self._check_room(needed(workers.n_jobs))
        families = tuple(score_families(local, candidates, workers, outsiders))
        if settings.target == "dag":
            return DagGraphs(variables, local, families, workers)
        if structure is not None and log_weights is not None:
            circuit = weigh_circuit(structure, families, log_weights, workers)
            return OrderGraphs(variables, local, families, circuit, workers, covers_all=False)
        orders = ExactOrders.over_all(families, workers)
        return OrderGraphs(variables, local, families, orders, workers, covers_all=True)

    def _list(
        self,
        settings: GadgetSettings | DibsSettings,
        local: LocalScore,
        candidates: Sequence[np.ndarray],
        outsiders: Sequence[np.ndarray],
    ) -> GraphModel:
        """Graphs one by one."""
        variables = tuple(self.manifest.variables)
        self._check_room(listed_bytes(len(self.arrays["graphs"]), len(variables)))
        n_runs = settings.diagnostics.runs_kept if isinstance(settings, GadgetSettings) else 1
        graphs, log_scores = restore_graphs(self.arrays, n_runs, local)
        others = [np.unique(rows[rows >= 0]) for rows in outsiders]
        about = variables, local, candidates, others, graphs, log_scores
        everyone = np.ones(len(graphs), dtype=bool)
        if isinstance(settings, DibsSettings):
            return ParticleGraphs(*about, restore_weights(self.arrays, len(graphs)), self.workers, everyone)
        alike = np.full(len(graphs), 1.0 / len(graphs))
        return SampledGraphs(*about, alike, self.workers, everyone, n_runs)

    def _check_room(self, needed: int) -> None:
        check_demand(needed, self.limit, self.path)
