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
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike

import numpy as np

from orderspn._version import __version__
from orderspn.core.arguments import check_integer, check_path
from orderspn.core.errors import InvalidValue, UnreadableFile
from orderspn.core.registry import NotRegistered, place_of
from orderspn.core.workers import ProgressCallback, Workers
from orderspn.knowledge.rules import parent_rules
from orderspn.learning import MEMORY_LIMIT, make_workers
from orderspn.methods.memory import fitting_threads
from orderspn.models.capabilities import MASSES
from orderspn.models.parts import BytesForThreads, Parts
from orderspn.models.protocol import GraphModel
from orderspn.models.registry import MODELS
from orderspn.posterior import Posterior
from orderspn.scores.capabilities import arrays_of
from orderspn.scores.local import LocalScore
from orderspn.scores.registry import SCORES
from orderspn.storage.archive import FORMAT, FORMAT_VERSION, read_archive, write_archive
from orderspn.storage.demands import check_demand, sizes_under
from orderspn.storage.local_scores import restore_local_score
from orderspn.storage.members import check_arrays
from orderspn.storage.parents import parent_arrays, split_candidates, split_outsiders
from orderspn.storage.schema import Manifest, checked_manifest


def save(posterior: Posterior, path: str | PathLike[str]) -> None:
    """Write a posterior; the file at `path` is replaced only once the new one is complete."""
    model, settings = posterior.model, dict(posterior.settings)
    manifest = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "package_version": __version__,
        "variables": posterior.variables,
        "model": model.kind,
        "settings": settings,
        "evidence": {
            "present": posterior.evidence.present,
            "absent": posterior.evidence.absent,
            "before": posterior.evidence.before,
        },
        **_classes(model, settings["score"]["name"]),
    }
    parts = {
        "its score": arrays_of(model.score.likelihood).arrays(),
        "its model": model.arrays(),
        "every posterior": {"log_prior": model.score.log_prior, **parent_arrays(model.candidates, model.outsider_rows)},
    }
    arrays = _together(parts)
    try:
        report = checked_manifest(manifest).report
        report.check_model(model)
        check_arrays(arrays, settings["score"]["name"], model.kind)
        restored, _ = restore_local_score(report, arrays, len(posterior.variables))
    except Exception as problem:
        raise InvalidValue(
            f"this posterior cannot be saved, as it could not be read again: {_reason(problem)}."
        ) from problem
    if type(restored) is not type(model.score.likelihood):
        raise InvalidValue(
            f"this posterior cannot be saved, as it could not be read again: its score, {settings['score']['name']!r}, "
            f"would come back as {type(restored).__name__}, and is {type(model.score.likelihood).__name__}. Give it a "
            "name of its own."
        )
    write_archive(path, manifest, arrays)


def _classes(model: GraphModel, score: str) -> dict[str, str]:
    """Where the classes are that others have written, so that whoever reads the file knows what to register."""
    if score not in SCORES:
        raise InvalidValue(
            f"the score {score!r} is not registered, so that a file of it could not be read again. Call "
            "orderspn.scores.register with its class, which needs name = "
            f"{score!r} and a classmethod restore(settings, arrays)."
        )
    if MODELS.get(model.kind) is not type(model):
        raise InvalidValue(
            f"the model {model.kind!r} is not registered, so that a file of it could not be read again. Call "
            f"orderspn.models.register({type(model).__name__}) first."
        )
    places = {} if SCORES.is_own(score) else {"score_class": place_of(SCORES[score])}
    return places if MODELS.is_own(model.kind) else {**places, "model_class": place_of(type(model))}


def _together(parts: Mapping[str, Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """All arrays, if none has the name of another."""
    arrays: dict[str, np.ndarray] = {}
    for whose, own in parts.items():
        taken = sorted(arrays.keys() & own.keys())
        if taken:
            raise InvalidValue(
                f"two parts of this posterior have an array {taken[0]!r}, one of which is that of {whose}."
            )
        arrays |= own
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
        check_arrays(archive.arrays, manifest.settings["score"]["name"], manifest.model)
        model = MODELS[manifest.model].restore(_parts(manifest, archive.arrays, workers, limit, str(path)))
        manifest.report.check_model(model)
        posterior = Posterior(model, archive.manifest["settings"]).given(manifest.evidence.edges())
        _check_mass(posterior)
    except UnreadableFile:
        raise
    except NotRegistered as problem:
        raise UnreadableFile(f"{str(path)!r} cannot be read: {problem}") from problem
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
    if MASSES.of(posterior.model) and not math.isfinite(posterior.log_evidence):
        raise ValueError("its log evidence is not finite.")


def _parts(manifest: Manifest, arrays: Mapping[str, np.ndarray], workers: Workers, limit: int, path: str) -> Parts:
    """What there is of the posterior before any evidence."""
    variables, settings, known = tuple(manifest.variables), manifest.report, manifest.knowledge
    likelihood, log_prior = restore_local_score(settings, arrays, len(variables))
    rules = parent_rules(known, variables, settings.max_parents, log_prior) if known else None
    candidates = split_candidates(arrays, len(variables))
    rows = split_outsiders(arrays, candidates)

    def workers_for(needed: BytesForThreads) -> Workers:
        n_jobs = fitting_threads(needed, workers.n_jobs, limit)
        check_demand(needed(n_jobs), limit, path)
        return replace(workers, n_jobs=n_jobs)

    return Parts(
        variables,
        LocalScore(likelihood, log_prior, settings.max_parents, rules),
        candidates,
        rows,
        sizes_under(manifest.evidence.edges(), candidates, rows, variables),
        arrays,
        manifest.settings,
        workers_for,
    )
