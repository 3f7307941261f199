"""The arrays that a file may have: their names, types and numbers of dimensions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from orderspn.core.stored_arrays import BOOLEAN, BYTE, INTEGER, NUMBER, SHORT, StoredArray, StoredArrays
from orderspn.models import registry as models
from orderspn.scores import registry as scores

MANIFEST, CHECKSUM = "manifest", "checksum"

TEXT = StoredArray((BYTE,), (1,))
"""The type of the manifest and the checksum."""

ANY = StoredArray((NUMBER, INTEGER, BYTE, SHORT, BOOLEAN), (0, 1, 2, 3, 4))
"""The types of any array: numbers in a few dimensions."""

COMMON: StoredArrays = {
    "log_prior": StoredArray((NUMBER,), (1,)),
    "candidates": StoredArray((INTEGER,), (1,)),
    "n_candidates": StoredArray((INTEGER,), (1,)),
    "outsiders": StoredArray((INTEGER,), (2,)),
    "n_outsider_rows": StoredArray((INTEGER,), (1,)),
    "unit_exponent": StoredArray((INTEGER,), (1,)),
    "unit_mean": StoredArray((NUMBER,), (1,)),
    "unit_rest": StoredArray((NUMBER,), (1,)),
    "unit_deviation": StoredArray((NUMBER,), (1,)),
}
"""The arrays of every posterior, for any score and model."""


def fits(declared: StoredArray, dtype: np.dtype, dimensions: int) -> bool:
    """Whether an array has a declared type; types are compared as little-endian."""
    return not dtype.hasobject and dtype.newbyteorder("<").str in declared.types and dimensions in declared.dimensions


def check_arrays(arrays: Mapping[str, np.ndarray], score: str, model: str) -> None:
    """Raise a ValueError for arrays that a posterior with this score and this model does not have."""
    of_score, of_model = scores.stored_arrays(score), models.stored_arrays(model)
    declared = {**(of_score or {}), **(of_model or {}), **COMMON}
    undeclared = None if of_score is not None and of_model is not None else ANY
    for name, array in arrays.items():
        own = declared.get(name, undeclared)
        if own is None:
            raise ValueError(f"it has the unknown array {name!r}")
        if not fits(own, array.dtype, array.ndim):
            raise ValueError(f"{name!r} has the type {array.dtype} and {array.ndim} dimensions")
