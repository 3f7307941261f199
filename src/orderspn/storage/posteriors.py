"""Saving and loading of posteriors.

Files may come from unknown sources. So their content is checked before it is used: first the archive (`archive`), then
the manifest (`schema`), then the arrays against the manifest, then the memory that the posterior needs (`demands`).
"""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path

from orderspn._version import __version__
from orderspn.core.arguments import check_integer, check_path
from orderspn.core.destination import destination
from orderspn.core.errors import InvalidValue, UnreadableFile
from orderspn.core.json_text import read_json
from orderspn.core.memory import MEMORY_LIMIT
from orderspn.core.registry import NotRegistered
from orderspn.display.progress import Progress, make_workers, showing
from orderspn.mixture import Mixture
from orderspn.posterior import Posterior
from orderspn.storage.archive import (
    FORMAT,
    FORMAT_VERSION,
    MIXTURE_VERSION,
    Archive,
    is_mixture,
    read_archive,
    write_archive,
)
from orderspn.storage.demands import Budget
from orderspn.storage.mixtures import check_readable_mixture, described_mixture, restored_mixture
from orderspn.storage.one_posterior import arrays_in_file, check_readable, described, restored
from orderspn.storage.schema import checked_manifest, checked_mixture

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
    mixed = posterior if isinstance(posterior, Mixture) else None
    body, arrays = described_mixture(mixed) if mixed else (described(posterior), arrays_in_file(posterior))
    version = MIXTURE_VERSION if mixed else FORMAT_VERSION
    manifest = {"format": FORMAT, "format_version": version, "package_version": __version__, **body}
    try:
        read_json(json.dumps(manifest, allow_nan=False))
        if mixed:
            check_readable_mixture(mixed, checked_mixture(manifest), arrays)
        else:
            check_readable(posterior, checked_manifest(manifest), arrays)
    except Exception as problem:
        # Scores and models of users may raise any exception.
        reason = _reason(problem).removesuffix(".")
        raise InvalidValue(f"this posterior cannot be saved, because it could not be loaded: {reason}.") from problem
    write_archive(path, manifest, arrays)


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
        with showing(progress):
            return _restored(archive, Budget(workers, limit, str(path)))
    except UnreadableFile:
        raise
    except NotRegistered as problem:
        raise UnreadableFile(f"{str(path)!r} cannot be read: {problem}") from problem
    except MemoryError as problem:
        raise UnreadableFile(f"{str(path)!r} needs more memory than this computer has free.") from problem
    except Exception as problem:
        # Any exception here is caused by the content of the file.
        raise UnreadableFile(f"{str(path)!r} is damaged: {_reason(problem)}") from problem


def _restored(archive: Archive, budget: Budget) -> Posterior:
    if is_mixture(archive.manifest):
        return restored_mixture(archive, budget)
    return restored(checked_manifest(archive.manifest), archive.manifest["settings"], archive.arrays, budget)


def _reason(problem: Exception) -> str:
    return f"it has no {problem}." if isinstance(problem, KeyError) else str(problem)
