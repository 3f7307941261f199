"""Relations that are not linear: BGe sees only the linear part of them, and may orient edges wrongly.

The measure is a share of variance: how much of what a linear regression leaves of a variable is explained by the square
and the cube of another variable, or (with few variables) by the product of two others. It is 0 for linear Gaussian
networks, in whichever direction the regression goes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from orderspn.checks.finding import Finding
from orderspn.checks.tables import Numbers

STRONG = 1 / 3
"""Share of the remaining variance from which there is a warning."""

NOTABLE = 0.1
"""Share of the remaining variance from which there is a note."""

CHANCE = 50.0
"""Share times rows below which it may be a coincidence: seven standard errors, because there are many pairs."""

MOST_WITH_PRODUCTS = 60
"""Variables up to which products of two are tried."""

MOST_ROWS = 4000
MOST_PRODUCT_ROWS = 2000
"""Rows that are used; more would not change a share by much."""


class Curve(NamedTuple):
    """How much of the remaining variance of an effect a nonlinear function of causes explains."""

    share: float
    causes: tuple[str, ...]
    effect: str

    def __str__(self) -> str:
        of = (
            f"{self.causes[0]!r}" if len(self.causes) == 1 else "the product of " + " and ".join(map(repr, self.causes))
        )
        return f"{self.effect!r} against {of}"


def nonlinearity(table: Numbers) -> list[Finding]:
    """Find relations far from linear; variables that are skewed have a finding of their own already."""
    normal = {name for name, shape in table.shapes.items() if shape.is_normal}
    kept = [i for i, name in enumerate(table.variables) if name in normal]
    standard = _thinned(table.standard, MOST_ROWS)[:, kept]
    names = [table.variables[i] for i in kept]
    least = max(NOTABLE, CHANCE / max(len(standard), 1))
    if len(kept) < 2 or least >= 1.0:
        return []
    curves = _of_pairs(standard, names, least)
    if 3 <= len(kept) <= MOST_WITH_PRODUCTS and len(standard) > 3 * len(kept):
        curves += _of_products(_thinned(standard, MOST_PRODUCT_ROWS), names, least)
    return [_finding(curves)] if curves else []


def _thinned(rows: np.ndarray, most: int) -> np.ndarray:
    """Return every k-th row, so that about `most` are left."""
    return rows[:: -(-len(rows) // most)]


def _of_pairs(standard: np.ndarray, names: list[str], least: float) -> list[Curve]:
    """Return the curves of one variable against the square and the cube of another."""
    n_rows = len(standard)
    squares = _beside(standard**2, [standard])
    cubes = _beside(standard**3, [standard, squares])
    explained = (squares.T @ standard / n_rows) ** 2 + (cubes.T @ standard / n_rows) ** 2  # [cause, effect]
    remaining = 1.0 - (standard.T @ standard / n_rows) ** 2
    share = np.where(remaining > 1e-9, explained / np.maximum(remaining, 1e-9), 0.0)
    np.fill_diagonal(share, 0.0)
    return [Curve(float(share[k, j]), (names[k],), names[j]) for k, j in np.argwhere(share > least).tolist()]


def _beside(feature: np.ndarray, others: list[np.ndarray]) -> np.ndarray:
    """Return columns without their mean and their projections on those of others, in standard units; 0 if none is left.

    Each of the others has mean 0 and variance 1, and they are uncorrelated, column by column.
    """
    own = feature - feature.mean(axis=0)
    for other in others:
        own = own - other * (own * other).mean(axis=0)
    deviation = np.sqrt((own**2).mean(axis=0))
    scaled: np.ndarray = own / np.where(deviation > 1e-6, deviation, np.inf)
    return scaled


def _of_products(standard: np.ndarray, names: list[str], least: float) -> list[Curve]:
    """Return the curves of one variable, given a linear regression on all others, against products of two others."""
    n_rows, d = standard.shape
    precision = np.linalg.pinv(standard.T @ standard / n_rows, hermitian=True)
    residuals = standard @ precision
    residuals = residuals / np.maximum(np.sqrt((residuals**2).mean(axis=0)), 1e-300)
    first, second = np.triu_indices(d, k=1)
    products = standard[:, first] * standard[:, second]
    products = products - products.mean(axis=0)
    products = products / np.maximum(np.sqrt((products**2).mean(axis=0)), 1e-300)
    share = (products.T @ residuals / n_rows) ** 2  # [product, effect]
    share[np.arange(len(first)), first] = 0.0  # products with the effect itself
    share[np.arange(len(first)), second] = 0.0
    return [
        Curve(float(share[p, j]), (names[first[p]], names[second[p]]), names[j])
        for p, j in np.argwhere(share > least).tolist()
    ]


def _finding(curves: list[Curve]) -> Finding:
    ordered = sorted(curves, key=lambda curve: -curve.share)
    best = ordered[0]
    concerned = tuple(dict.fromkeys(name for curve in ordered for name in (curve.effect, *curve.causes)))
    of = "" if len(ordered) == 1 else f" (the strongest of {len(ordered)} such relations)"
    strong = best.share > STRONG
    how = "far from linear" if strong else "not quite linear"
    return Finding(
        "nonlinearity",
        concerned,
        f"{best} is {how}: a curve explains {best.share:.0%} of what a line leaves{of}. The linear model sees only the "
        "line.",
        "Pass score=osp.scores.BGe(degree=3), which allows curves, or transform variables until plots look linear.",
        "warning" if strong else "note",
    )
