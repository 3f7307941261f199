"""Files: one `.npz` with a JSON manifest, no pickle, written atomically.

A file holds what the posterior follows from (sufficient statistics, prior, candidates, evidence), a few
kilobytes, not the tables and lattices, which are rebuilt in less time than it would take to read them.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from orderspn._version import __version__
from orderspn.circuit.circuit_orders import CircuitOrders
from orderspn.circuit.learning import weigh_circuit
from orderspn.circuit.structure import Structure
from orderspn.circuit.validation import check_weights, validate
from orderspn.core.atomic import replacing
from orderspn.core.errors import InvalidValue, UnreadableFile
from orderspn.core.workers import ProgressCallback, Workers
from orderspn.lattice.exact_orders import ExactOrders
from orderspn.learning import make_workers
from orderspn.leaves.family import Family
from orderspn.leaves.scoring import score_families
from orderspn.parents.outsiders import MOST_AT_ONCE
from orderspn.posterior import Posterior
from orderspn.queries.edges import Edges
from orderspn.queries.order_model import OrderModel
from orderspn.scores.bge import FittedBGe
from orderspn.scores.local import NO_OUTSIDERS, LocalScore

FORMAT = "orderspn-posterior"
FORMAT_VERSION = 2
OUTSIDERS_SINCE = 2
"""The first format in which families may have outsiders."""


def save(posterior: Posterior, path: str | PathLike[str]) -> None:
    """Write a posterior; the file at `path` is replaced only once the new one is complete."""
    manifest = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "package_version": __version__,
        "variables": posterior.variables,
        "settings": dict(posterior.settings),
        "evidence": {"present": posterior.evidence.present, "absent": posterior.evidence.absent},
    }
    families, score = posterior._families, posterior._score
    if not isinstance(score.likelihood, FittedBGe):
        raise InvalidValue("only posteriors with the BGe score can be saved; this one has another.")
    arrays = {
        "manifest": np.frombuffer(json.dumps(manifest).encode(), dtype=np.uint8),
        "log_prior": score.log_prior,
        "candidates": np.concatenate([f.candidates for f in families]).astype(np.int64),
        "n_candidates": np.array([f.candidates.size for f in families], dtype=np.int64),
        "outsiders": np.concatenate([_padded(f.outsiders) for f in families]),
        "n_outsider_rows": np.array([len(f.outsiders) for f in families], dtype=np.int64),
        **score.likelihood.arrays(),
        **_circuit_arrays(posterior),
    }
    with replacing(Path(path)) as temporary, temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)
        file.flush()
        os.fsync(file.fileno())


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
    arrays = _read_arrays(path)
    manifest = _manifest_in(path, arrays)
    try:
        return _restore(manifest, arrays, workers)
    except (KeyError, TypeError, ValueError, IndexError) as problem:
        raise UnreadableFile(f"{str(path)!r} is damaged: {problem}") from problem


def _restore(manifest: Mapping[str, Any], arrays: Mapping[str, np.ndarray], workers: Workers) -> Posterior:
    settings = manifest["settings"]
    variables = [str(name) for name in manifest["variables"]]
    candidates = _split_candidates(arrays["candidates"], arrays["n_candidates"], len(variables))
    likelihood = _restore_score(settings["score"], arrays)
    local = LocalScore(likelihood, arrays["log_prior"], settings["max_parents"])
    if likelihood.n_variables != len(variables) or local.log_prior.shape != (len(variables),):
        raise ValueError("the sizes of its parts differ.")
    evidence = Edges(
        [(cause, effect) for cause, effect in manifest["evidence"]["present"]],
        [(cause, effect) for cause, effect in manifest["evidence"]["absent"]],
    )
    outsiders = _split_outsiders(arrays, candidates, manifest["format_version"])
    families = score_families(local, candidates, workers, outsiders)
    orders: OrderModel = ExactOrders.over_all(families, workers)
    if settings["method"] == "trust":
        orders = _restore_circuit(arrays, families, workers)
    return Posterior(variables, local, families, orders, settings, workers).given(evidence)


def _circuit_arrays(posterior: Posterior) -> dict[str, np.ndarray]:
    """Structure and weights of a circuit; sets of variables as packed bits."""
    if not isinstance(posterior._orders, CircuitOrders):
        return {}
    prior = posterior._orders.prior
    return {
        "circuit_before": np.packbits(prior.structure.before, axis=1),
        "circuit_variables": np.packbits(prior.structure.variables, axis=1),
        "circuit_partition_starts": prior.structure.partition_starts,
        "circuit_first": prior.structure.first,
        "circuit_second": prior.structure.second,
        "circuit_multiplicity": prior.structure.multiplicity,
        "circuit_log_weights": prior.log_weights,
    }


def _restore_circuit(arrays: Mapping[str, np.ndarray], families: Sequence[Family], workers: Workers) -> CircuitOrders:
    d = len(families)
    structure = Structure(
        np.unpackbits(arrays["circuit_before"], axis=1, count=d).astype(bool),
        np.unpackbits(arrays["circuit_variables"], axis=1, count=d).astype(bool),
        arrays["circuit_partition_starts"],
        arrays["circuit_first"],
        arrays["circuit_second"],
        arrays["circuit_multiplicity"],
    )
    validate(structure)
    log_weights = arrays["circuit_log_weights"]
    check_weights(structure, log_weights)
    return weigh_circuit(structure, families, log_weights, workers)


def read_manifest(path: str | PathLike[str]) -> dict[str, Any]:
    """Read what a file says about itself: format, versions, variables, settings and evidence."""
    return _manifest_in(path, _read_arrays(path))


def _read_arrays(path: str | PathLike[str]) -> dict[str, np.ndarray]:
    content = Path(path).read_bytes()
    try:
        file = np.load(io.BytesIO(content), allow_pickle=False)
        arrays = {name: file[name] for name in file.files} if isinstance(file, np.lib.npyio.NpzFile) else {}
    except Exception as problem:
        # A damaged archive makes zipfile raise almost anything; the disk is not involved any more.
        raise UnreadableFile(f"{str(path)!r} is no posterior saved by orderspn, or it is damaged.") from problem
    return arrays


def _manifest_in(path: str | PathLike[str], arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    foreign = UnreadableFile(f"{str(path)!r} holds NumPy arrays, but no posterior saved by orderspn.")
    if "manifest" not in arrays:
        raise foreign
    try:
        manifest = json.loads(arrays["manifest"].tobytes().decode())
    except ValueError as problem:
        raise UnreadableFile(f"{str(path)!r} is damaged: its manifest cannot be read.") from problem
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise foreign
    version = manifest.get("format_version")
    if not isinstance(version, int) or version > FORMAT_VERSION:
        raise UnreadableFile(
            f"{str(path)!r} was written by a newer orderspn ({manifest.get('package_version')}), in format "
            f"{version}; this one reads up to {FORMAT_VERSION}. Upgrade with: pip install --upgrade orderspn"
        )
    return manifest


def _split_candidates(flat: np.ndarray, counts: np.ndarray, d: int) -> list[np.ndarray]:
    if counts.shape != (d,) or flat.shape != (counts.sum(),):
        raise ValueError("the number of candidates does not match the variables")
    if not (np.issubdtype(flat.dtype, np.integer) and np.issubdtype(counts.dtype, np.integer)):
        raise ValueError("candidates that are no whole numbers")
    candidates = np.split(flat, np.cumsum(counts)[:-1])
    for child, causes in enumerate(candidates):
        if causes.size and (causes.min() < 0 or causes.max() >= d or child in causes):
            raise ValueError("candidates that are no other variables")
        if (np.diff(causes) <= 0).any():
            raise ValueError("candidates out of order")
    return candidates


def _padded(outsiders: np.ndarray) -> np.ndarray:
    """Rows of outsiders with as many columns as any can have."""
    padded = np.full((len(outsiders), MOST_AT_ONCE), -1, dtype=np.int64)
    padded[:, : outsiders.shape[1]] = outsiders
    return padded


def _split_outsiders(
    arrays: Mapping[str, np.ndarray], candidates: Sequence[np.ndarray], version: int
) -> list[np.ndarray]:
    missing = sorted({"outsiders", "n_outsider_rows"} - arrays.keys())
    if version < OUTSIDERS_SINCE and len(missing) == 2:
        return [NO_OUTSIDERS] * len(candidates)
    if missing:
        raise ValueError(f"the arrays of outsiders are not complete: {', '.join(missing)} missing")
    flat, counts = arrays["outsiders"], arrays["n_outsider_rows"]
    d = len(candidates)
    if counts.shape != (d,) or (counts < 0).any() or flat.shape != (counts.sum(), MOST_AT_ONCE):
        raise ValueError("the number of outsiders does not match the variables")
    if not np.issubdtype(flat.dtype, np.integer):
        raise ValueError("outsiders that are no whole numbers")
    rows = np.split(flat, np.cumsum(counts)[:-1])
    for child, (causes, own) in enumerate(zip(candidates, rows, strict=True)):
        known = own[own >= 0]
        if (own < -1).any() or (own >= d).any() or (own[:, 0] < 0).any() or (own[:, 0] == own[:, 1]).any():
            raise ValueError("outsiders that are no variables")
        if child in known or np.isin(known, causes).any() or len({frozenset(row) for row in own.tolist()}) != len(own):
            raise ValueError("outsiders that are candidates, or appear twice")
    return [own if len(own) else NO_OUTSIDERS for own in rows]


def _restore_score(settings: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> FittedBGe:
    if settings["name"] != "bge":
        raise ValueError(f"unknown score {settings['name']!r}")
    return FittedBGe.restore(settings, arrays)
