"""Archives: one `.npz` with a JSON manifest, no pickle, written atomically; and what is refused as one."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from orderspn.core.atomic import replacing
from orderspn.core.errors import UnreadableFile

FORMAT = "orderspn-posterior"
FORMAT_VERSION = 6
"""2 brought outsiders, 3 samples of graphs and posteriors that count every graph once, 4 weights of graphs, 5 BDeu, 6
interventions, orders in evidence, and background knowledge."""


def write_archive(path: str | PathLike[str], manifest: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write an archive; the file at `path` is replaced only once the new one is complete."""
    described = np.frombuffer(json.dumps(manifest).encode(), dtype=np.uint8)
    with replacing(Path(path)) as temporary, temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, manifest=described, **arrays)
        file.flush()
        os.fsync(file.fileno())


def read_manifest(path: str | PathLike[str]) -> dict[str, Any]:
    """Read what a file says about itself: format, versions, variables, settings and evidence."""
    return manifest_in(path, read_arrays(path))


def read_arrays(path: str | PathLike[str]) -> dict[str, np.ndarray]:
    """Read all arrays of an archive."""
    content = Path(path).read_bytes()
    try:
        file = np.load(io.BytesIO(content), allow_pickle=False)
        arrays = {name: file[name] for name in file.files} if isinstance(file, np.lib.npyio.NpzFile) else {}
    except Exception as problem:
        # A damaged archive makes zipfile raise almost anything; the disk is not involved any more.
        raise UnreadableFile(f"{str(path)!r} is no posterior saved by orderspn, or it is damaged.") from problem
    return arrays


def manifest_in(path: str | PathLike[str], arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Read the manifest among the arrays of an archive."""
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
