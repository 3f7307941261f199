"""Saving and loading of posteriors.

A file contains sufficient statistics, prior, candidates and evidence: a few kilobytes. Tables and lattices are rebuilt
from them, in less time than it would take to read them. Samples of graphs are stored as they are.

Files may come from unknown sources. So their content is checked before it is used: first the archive (`archive`), then
the manifest (`schema`), then the arrays against the manifest, then the memory that the posterior needs (`demands`).
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from orderspn._version import __version__
from orderspn.core.arguments import check_integer, check_path
from orderspn.core.destination import destination
from orderspn.core.errors import InvalidValue, UnreadableFile
from orderspn.core.json_text import read_json
from orderspn.core.registry import NotRegistered, place_of
from orderspn.core.workers import Workers
from orderspn.data.units import Units
from orderspn.display.progress import Progress, showing
from orderspn.knowledge.context import read_context
from orderspn.knowledge.rules import parent_rules
from orderspn.learning import MEMORY_LIMIT, make_workers
from orderspn.methods.memory import fitting_threads
from orderspn.models.capabilities import MASSES
from orderspn.models.orientations import unoriented
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
from orderspn.storage.parents import check_context_parents, parent_arrays, split_candidates, split_outsiders
from orderspn.storage.schema import Manifest, checked_manifest
from orderspn.storage.units import restore_units, unit_arrays

ENDING = ".npz"
"""Ending of the names of files."""


def check_destination(path: str | PathLike[str]) -> None:
    """Raise an error for a path that a posterior cannot be saved to, or whose name does not end in .npz.

    Devices and pipes, such as /dev/stdout, may have any name.
    """
    if not destination(path).is_stream and Path(path).suffix.lower() != ENDING:
        raise InvalidValue(
            f"the file of a posterior must have a name that ends in {ENDING}; got {str(path)!r}. Name it "
            f"{str(path) + ENDING!r}."
        )


def save(posterior: Posterior, path: str | PathLike[str]) -> None:
    """Write a posterior; the file at `path` is replaced only once the new one is complete."""
    model = unoriented(posterior.model)
    manifest, arrays = _manifest(posterior, model), _arrays(model, posterior.units)
    try:
        _check_readable(model, manifest, arrays)
    except Exception as problem:
        # Scores and models of users may raise any exception.
        reason = _reason(problem).removesuffix(".")
        raise InvalidValue(f"this posterior cannot be saved, because it could not be loaded: {reason}.") from problem
    write_archive(path, manifest, arrays)


def _manifest(posterior: Posterior, model: GraphModel) -> dict[str, Any]:
    """Return the manifest of the file."""
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "package_version": __version__,
        "variables": posterior.variables,
        "model": model.kind,
        "settings": dict(posterior.settings),
        "evidence": {
            "present": posterior.evidence.present,
            "absent": posterior.evidence.absent,
            "before": posterior.evidence.before,
            "adjacent": posterior.evidence.adjacent,
        },
        **_classes(model, posterior.settings["score"]["name"]),
    }


def _arrays(model: GraphModel, units: Units | None) -> dict[str, np.ndarray]:
    """Return the arrays of the score, of the model, and of every posterior."""
    common = {"log_prior": model.score.log_prior, **parent_arrays(model.candidates, model.outsider_rows)}
    common.update(unit_arrays(units))
    parts = arrays_of(model.score.likelihood).arrays(), model.arrays(), common
    counted = Counter(name for part in parts for name in part)
    name, times = counted.most_common(1)[0]
    if times > 1:
        raise InvalidValue(
            f"two parts of this posterior have an array {name!r}: its score, its model, or the common part of all "
            "posteriors. Give it another name."
        )
    return {name: array for part in parts for name, array in part.items()}


def _check_readable(model: GraphModel, manifest: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Raise an error for what `load` would refuse, except for the checks that a model makes of its own arrays."""
    read_json(json.dumps(manifest, allow_nan=False))
    checked = checked_manifest(manifest)
    checked.report.check_model(model)
    check_arrays(arrays, checked.settings["score"]["name"], checked.model)
    restored, _ = restore_local_score(checked.report, arrays, checked.n_variables)
    restore_units(arrays, checked.report.standardized, checked.n_variables)
    own = model.score.likelihood
    if type(restored) is not type(own):
        raise ValueError(
            f"its score, {checked.settings['score']['name']!r}, is a {type(own).__name__} and would be loaded as "
            f"{type(restored).__name__}. Give it another name"
        )


def _classes(model: GraphModel, score: str) -> dict[str, str]:
    """Return the places of registered classes of users, for the message that asks to register them."""
    if score not in SCORES:
        raise InvalidValue(
            f"the score {score!r} is not registered, so its file could not be loaded. Call "
            "orderspn.scores.register with its class, which needs name = "
            f"{score!r} and a classmethod restore(settings, arrays)."
        )
    if MODELS.get(model.kind) is not type(model):
        raise InvalidValue(
            f"the model {model.kind!r} is not registered, so its file could not be loaded. Call "
            f"orderspn.models.register({type(model).__name__}) first."
        )
    places = {} if SCORES.is_own(score) else {"score_class": place_of(SCORES[score])}
    return places if MODELS.is_own(model.kind) else {**places, "model_class": place_of(type(model))}


def load(
    path: str | PathLike[str],
    *,
    n_jobs: int | None = None,
    memory_limit: int | None = None,
    progress: Progress = "auto",
) -> Posterior:
    """Read a posterior written by `Posterior.save`.

    Files from unknown sources are safe to load: they cannot run code, and memory is checked before it is allocated. A
    posterior with a score, model or method of another package can be loaded once its class is registered
    (`scores.register`, `models.register`, `methods.register`): nothing is imported because a file names it.

    Parameters
    ----------
    path : str or path
    n_jobs, progress
        As for `learn`.
    memory_limit : int, optional
        Bytes that the posterior may use (default 4 GiB), as for `learn`. A file that needs more is an error.

    Returns
    -------
    Posterior

    Raises
    ------
    UnreadableFile
        A ValueError: if the file is damaged or has been changed, is not a posterior, was written by another version, or
        needs too much memory; the message says which.

    Examples
    --------
    >>> import orderspn as osp, tempfile, pathlib
    >>> posterior = osp.learn(osp.load_sachs(log=True).data, rng=7)
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
        units = restore_units(archive.arrays, manifest.report.standardized, manifest.n_variables)
        with showing(progress):
            model = MODELS[manifest.model].restore(_parts(manifest, archive.arrays, workers, limit, str(path)))
            manifest.report.check_model(model)
            posterior = Posterior(model, archive.manifest["settings"], units=units).given(manifest.evidence.edges())
            _check_mass(posterior)
    except UnreadableFile:
        raise
    except NotRegistered as problem:
        raise UnreadableFile(f"{str(path)!r} cannot be read: {problem}") from problem
    except MemoryError as problem:
        raise UnreadableFile(f"{str(path)!r} needs more memory than this computer has free.") from problem
    except Exception as problem:
        # Any exception here is caused by the content of the file.
        raise UnreadableFile(f"{str(path)!r} is damaged: {_reason(problem)}") from problem
    return posterior


def _reason(problem: Exception) -> str:
    return f"it has no {problem}." if isinstance(problem, KeyError) else str(problem)


def _check_mass(posterior: Posterior) -> None:
    """Raise a ValueError for a posterior whose log evidence is not finite."""
    if MASSES.of(posterior.model) and not math.isfinite(posterior.log_evidence):
        raise ValueError("its log evidence is not finite.")


def _parts(manifest: Manifest, arrays: Mapping[str, np.ndarray], workers: Workers, limit: int, path: str) -> Parts:
    """Return the parts of the posterior before evidence."""
    variables, settings, known = tuple(manifest.variables), manifest.report, manifest.knowledge
    likelihood, log_prior = restore_local_score(settings, arrays, len(variables))
    context = read_context(settings.context, variables)
    rules = parent_rules(known, variables, settings.max_parents, log_prior, context) if known else None
    candidates = split_candidates(arrays, len(variables))
    rows = split_outsiders(arrays, candidates)
    check_context_parents(candidates, rows, context)

    def workers_for(needed: BytesForThreads) -> Workers:
        n_jobs = fitting_threads(needed, workers.n_jobs, limit)
        check_demand(needed(n_jobs), limit, path)
        return replace(workers, n_jobs=n_jobs)

    return Parts(
        variables,
        LocalScore(likelihood, log_prior, settings.max_parents, rules, context),
        candidates,
        rows,
        sizes_under(manifest.evidence.edges(), candidates, rows, variables, context.size),
        arrays,
        manifest.settings,
        workers_for,
    )
