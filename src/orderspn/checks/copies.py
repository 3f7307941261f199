"""Columns that repeat others: copies, perhaps in another unit, and linear combinations such as totals."""

from __future__ import annotations

import numpy as np

from orderspn.checks.finding import Finding, Severity, which
from orderspn.checks.tables import Levels, Numbers

COPY = 1.0 - 1e-5
"""Absolute correlation above which two columns count as copies: the second is the first in other units, rounded."""

NEAR_COPY = 0.9995
"""Absolute correlation above which there is a note."""

DEPENDENT = 1e-9
"""Eigenvalue of the correlation matrix below which columns count as linear combinations of each other."""

MEMBER = 1e-3
"""Smallest weight of a variable that is part of a linear combination."""

FEWEST_ROWS = 10
"""Rows from which a correlation of almost 1 is no coincidence."""


def copies(table: Numbers) -> list[Finding]:
    """Find columns that are copies of others up to unit and rounding, and those that are nearly so."""
    exact, nearly = _copy_groups(table, COPY), _copy_groups(table, NEAR_COPY)
    near = [group for group in nearly if group not in exact]
    return _copied(_named(table, exact)) + _nearly_copied(_named(table, near))


def combinations(table: Numbers) -> list[Finding]:
    """Find columns that are linear combinations of others: totals, averages, shares that sum to 1."""
    spare = {i for group in _copy_groups(table, COPY) for i in group[1:]}
    kept = [i for i in range(len(table.variables)) if i not in spare]
    if len(kept) < 3 or len(table.standard) <= len(kept):  # with fewer rows every column is one
        return []
    eigenvalues, vectors = np.linalg.eigh(table.correlations[np.ix_(kept, kept)])
    dependent = vectors[:, eigenvalues < DEPENDENT]
    # Two variables belong to the same combination if the projection on all combinations connects them.
    projection = dependent @ dependent.T
    return [_combined(tuple(table.variables[kept[i]] for i in group)) for group in groups(np.abs(projection) > MEMBER)]


def copied_levels(table: Levels) -> list[Finding]:
    """Find columns of categories that are copies of others, perhaps with other names of levels."""
    same: dict[bytes, list[str]] = {}
    for name, codes in zip(table.variables, table.codes.T, strict=True):
        _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
        renumbered = np.argsort(np.argsort(first))[inverse]  # levels in the order of their first rows
        same.setdefault(renumbered.astype(np.uint16).tobytes(), []).append(name)
    return _copied([tuple(names) for names in same.values() if len(names) > 1]) if table.n_rows >= FEWEST_ROWS else []


def groups(connected: np.ndarray) -> list[list[int]]:
    """Return the connected components with at least two members, of a symmetric relation (d, d).

    Examples
    --------
    >>> import numpy as np
    >>> groups(np.array([[1, 0, 1], [0, 1, 0], [1, 0, 1]], dtype=bool))
    [[0, 2]]
    """
    found: list[list[int]] = []
    seen: set[int] = set()
    for start in np.flatnonzero((connected & ~np.eye(len(connected), dtype=bool)).any(axis=1)).tolist():
        if start in seen:
            continue
        members, new = {start}, [start]
        while new:
            near = set(np.flatnonzero(connected[new.pop()]).tolist()) - members
            members |= near
            new += near
        seen |= members
        found.append(sorted(members))
    return found


def _copy_groups(table: Numbers, least: float) -> list[list[int]]:
    return groups(np.abs(table.correlations) > least) if len(table.standard) >= FEWEST_ROWS else []


def _named(table: Numbers, found: list[list[int]]) -> list[tuple[str, ...]]:
    return [tuple(table.variables[i] for i in group) for group in found]


def _copied(found: list[tuple[str, ...]]) -> list[Finding]:
    said = (
        f"columns are copies of each other, up to unit and rounding: {_listed(found)}. The posterior cannot tell them "
        "apart and divides their edges among them."
    )
    return _of_groups(found, said, "Keep one column of each group.", "warning")


def _nearly_copied(found: list[tuple[str, ...]]) -> list[Finding]:
    said = f"columns are nearly copies of each other (correlation above {NEAR_COPY}): {_listed(found)}."
    return _of_groups(found, said, "If they measure the same, keep one column of each group.", "note")


def _of_groups(found: list[tuple[str, ...]], message: str, remedy: str, severity: Severity) -> list[Finding]:
    names = tuple(name for group in found for name in group)
    return [Finding("copies", names, message, remedy, severity)] if names else []


def _listed(found: list[tuple[str, ...]]) -> str:
    return "; ".join(which(names) for names in found[:3]) + (f"; and {len(found) - 3} more" if len(found) > 3 else "")


def _combined(names: tuple[str, ...]) -> Finding:
    return Finding(
        "linear combination",
        names,
        f"{which(names, 6)} are linear combinations of each other, as a total is the sum of its parts: given the "
        "others, each of them is known without error.",
        "Drop one of them, for instance the total.",
    )
