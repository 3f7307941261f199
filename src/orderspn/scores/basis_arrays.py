"""The bases of all variables as flat arrays of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from orderspn.core.stored_arrays import INTEGER, NUMBER, StoredArray, StoredArrays
from orderspn.scores.basis import Basis

PARTS = ("centre", "scale", "mean", "whitening")

STORED: StoredArrays = {
    "basis_width": StoredArray((INTEGER,), (1,)),
    **{f"basis_{part}": StoredArray((NUMBER,), (1,)) for part in PARTS},
}


def basis_arrays(bases: Sequence[Basis]) -> dict[str, np.ndarray]:
    """Return the bases as arrays of a file."""
    flat = {f"basis_{part}": np.concatenate([getattr(basis, part).ravel() for basis in bases]) for part in PARTS}
    return {"basis_width": np.array([basis.width for basis in bases], dtype=np.int64), **flat}


def split_bases(arrays: Mapping[str, np.ndarray], sizes: Sequence[tuple[int, int]], degree: int) -> tuple[Basis, ...]:
    """Return the bases from arrays, given the numbers of columns and levels of each variable (no levels: numbers)."""
    widths = arrays["basis_width"]
    n_numbers = np.array([0 if levels else columns for columns, levels in sizes], dtype=np.int64)
    n_features = np.array([levels - 1 if levels else columns * degree for columns, levels in sizes], dtype=np.int64)
    if widths.shape != n_features.shape or (widths < 1).any() or (widths > n_features).any():
        raise ValueError("the widths of its variables do not match their columns")
    counts = {"centre": n_numbers, "scale": n_numbers, "mean": n_features, "whitening": n_features * widths}
    pieces = {part: _split(arrays[f"basis_{part}"], own) for part, own in counts.items()}
    if any((scale <= 0.0).any() for scale in pieces["scale"]):
        raise ValueError("its standard deviations are not positive")
    shapes = zip(n_features.tolist(), widths.tolist(), strict=True)
    pieces["whitening"] = [own.reshape(shape) for own, shape in zip(pieces["whitening"], shapes, strict=True)]
    degrees = [0 if levels else degree for _, levels in sizes]
    return tuple(Basis(own, *parts) for own, *parts in zip(degrees, *(pieces[part] for part in PARTS), strict=True))


def _split(flat: np.ndarray, counts: np.ndarray) -> list[np.ndarray]:
    if flat.shape != (counts.sum(),) or not np.isfinite(flat).all():
        raise ValueError("the columns of its variables do not match their bases")
    return np.split(flat, np.cumsum(counts)[:-1])
