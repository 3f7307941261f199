"""Skewed variables and heavy tails: a few extreme rows decide about correlations, and so about edges."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from orderspn.checks.finding import Finding, which
from orderspn.checks.shapes import MOST_SKEWNESS, Shape
from orderspn.checks.tables import Numbers

NORMAL_SCORES = "replace {them} by normal scores, scipy.stats.norm.ppf((x.rank() - 0.5) / len(x))"
"""The remedy that helps with any values."""


def skewness(table: Numbers) -> list[Finding]:
    """Find skewed variables and heavy tails, one finding for each remedy."""
    found = {name: shape for name, shape in table.shapes.items() if not shape.is_normal}
    by_remedy: dict[str, list[str]] = {}
    for name in found:
        own = table.own(table.variables.index(name))
        by_remedy.setdefault(_remedy(own), []).append(name)
    return [_finding(tuple(names), found, remedy) for remedy, names in by_remedy.items()]


def _finding(names: tuple[str, ...], shapes: dict[str, Shape], remedy: str) -> Finding:
    are = "is" if len(names) == 1 else "are"
    skewed = max(names, key=lambda name: abs(shapes[name].skewness))
    worst = shapes[skewed].skewness
    if abs(worst) > MOST_SKEWNESS:
        what, amount = "strongly skewed", f"skewness {worst:.1f}"
    else:
        skewed = max(names, key=lambda name: shapes[name].kurtosis)
        what, amount = "heavy-tailed", f"excess kurtosis {shapes[skewed].kurtosis:.1f}"
    where = "" if len(names) == 1 else f" in {skewed!r}"
    them = "it" if len(names) == 1 else "them"
    return Finding(
        "skewness",
        names,
        f"{which(names)} {are} {what} ({amount}{where}), so that a few extreme rows decide the edges.",
        remedy.format(them=them),
    )


def _remedy(own: np.ndarray) -> str:
    """Return a transform that helps: it is tried on the values."""
    if own.min() > 0.0 and _helps(np.log, own):
        return "Take logarithms of {them} (np.log)."
    if own.min() == 0.0 and _helps(np.log1p, own):
        return "Take logarithms of {them}, with zeros (np.log1p)."
    why = "the values have both signs" if own.min() < 0.0 < own.max() else "they would not help here"
    return f"Correct outliers that are errors, or {NORMAL_SCORES}; no logarithms, because {why}."


def _helps(transform: Callable[[np.ndarray], np.ndarray], own: np.ndarray) -> bool:
    return Shape.of(transform(own)).is_normal
