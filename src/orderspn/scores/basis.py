"""The columns that stand for a variable: polynomials of numbers, or indicators of levels, whitened.

Features of numbers are the powers of standardized columns up to a degree, those of a category the indicators of all
levels but the first. Whitening makes them uncorrelated with mean 0 and variance 1. Scores do not change with the basis
of a whitened group, so neither the coding of levels nor the polynomials matter. The first column of a number is the
standardized number itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from orderspn.data.mixed import MixedVariable

NO_VARIATION = 1e-7
"""A feature is left out if less than this share of its standard deviation is not explained by earlier ones."""


@dataclass(frozen=True, eq=False)
class Basis:
    """How the values of one variable become whitened columns."""

    degree: int  # of the powers of numbers; 0 for indicators of levels
    centre: np.ndarray  # (columns,): of numbers; empty for a category
    scale: np.ndarray  # (columns,)
    mean: np.ndarray  # (features,)
    whitening: np.ndarray  # (features, width)

    @property
    def width(self) -> int:
        """Number of whitened columns."""
        return int(self.whitening.shape[1])

    @property
    def n_features(self) -> int:
        """Number of features before whitening."""
        return int(self.mean.size)

    @classmethod
    def of(cls, variable: MixedVariable, degree: int, natural: np.ndarray | None = None) -> Basis:
        """Return the basis of a variable from the rows without intervention on it (`natural`, None for all rows).

        Values under intervention say nothing about the natural variation of a variable. If some columns do not vary
        without intervention, all rows count.
        """
        whole = cls._of_rows(variable, degree, variable.values)
        if natural is None or natural.all() or natural.sum() < 2:
            return whole
        own = cls._of_rows(variable, degree, variable.values[natural])
        return own if own.width == whole.width else whole

    @classmethod
    def _of_rows(cls, variable: MixedVariable, degree: int, rows: np.ndarray) -> Basis:
        if variable.kind == "category":
            nothing, n_levels = np.empty(0), len(variable.levels)
            return cls(0, nothing, nothing, *_whitening(_indicators(rows, n_levels)))
        centre, scale = rows.mean(axis=0), rows.std(axis=0)
        scale[scale == 0.0] = 1.0  # it has no feature that varies, and is left out
        return cls(degree, centre, scale, *_whitening(_powers((rows - centre) / scale, degree)))

    def applied(self, values: np.ndarray) -> np.ndarray:
        """Return the whitened columns of rows of values, shape (rows, width)."""
        if self.degree == 0:
            features = _indicators(values, self.n_features + 1)
        else:
            features = _powers((values - self.centre) / self.scale, self.degree)
        columns: np.ndarray = (features - self.mean) @ self.whitening
        return columns


def starts_of(widths: Sequence[int]) -> np.ndarray:
    """Return the first column of each group of columns, and the number of all, shape (groups + 1,)."""
    return np.concatenate([[0], np.cumsum(np.asarray(widths, dtype=np.int64))]).astype(np.int64)


def _powers(standardized: np.ndarray, degree: int) -> np.ndarray:
    """Return the powers of columns: all of degree 1, then all of degree 2, and so on."""
    return np.concatenate([standardized**power for power in range(1, degree + 1)], axis=1)


def _indicators(codes: np.ndarray, n_levels: int) -> np.ndarray:
    """Return the indicators of all levels but the first, shape (rows, levels - 1)."""
    return np.asarray(codes == np.arange(1, n_levels), dtype=np.float64)


def _whitening(features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean of features (features,), and the matrix (features, width) that whitens their deviations."""
    mean = features.mean(axis=0)
    centred = features - mean
    lengths = np.linalg.norm(centred, axis=0)
    kept = np.flatnonzero(lengths > 0.0)
    while True:
        triangle = np.asarray(np.linalg.qr(centred[:, kept] / lengths[kept], mode="r"))
        weak = np.flatnonzero(np.abs(np.diag(triangle)) < NO_VARIATION)
        if triangle.shape[0] < kept.size:  # fewer rows than features
            weak = np.append(weak, triangle.shape[0])
        if weak.size == 0:
            break
        kept = np.delete(kept, weak[0])
    signs = np.sign(np.diag(triangle))
    whitening = np.zeros((mean.size, kept.size))
    inverse = np.linalg.inv(triangle) if kept.size else np.empty((0, 0))
    whitening[kept] = inverse * signs / lengths[kept][:, None] * np.sqrt(len(features))
    return mean, whitening
