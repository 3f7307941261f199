"""`compare`: which edges moved from one posterior to another, and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from orderspn.comparison.comparison import Comparison, VariationBound
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.metrics.differences import total_variation
from orderspn.models.capabilities import GRAPH_SCORES
from orderspn.models.graph_shares import LISTED_UP_TO
from orderspn.posterior import Posterior

if TYPE_CHECKING:
    import pandas as pd


def compare(a: Posterior, b: Posterior, *, labels: Sequence[str] = ("a", "b")) -> Comparison:
    """Compare two posteriors: of two conditions, two priors, with and without a variable, knowledge or evidence.

    Edges between the variables that both have are compared, matched by name. The total variation distance is exact for
    up to 5 variables. Otherwise there is a lower bound: the largest distance between the distributions of one pair of
    variables, which is joined in one direction, in the other, or not at all.

    Parameters
    ----------
    a, b : Posterior
        To compare under evidence, pass `a.given(...)`.
    labels : sequence of two str, default ("a", "b")
        What to call them.

    Returns
    -------
    Comparison
        With `.edges` and `.adjacencies` (tables, the largest change first), `.total_variation`,
        `.expected_differences`, the variables that only one of them has, and `.notes`. It shows itself as text and in a
        notebook; `plot.comparison` draws it.

    Examples
    --------
    >>> import orderspn as osp
    >>> data = osp.load_sachs(log=True).data
    >>> moved = osp.compare(osp.learn(data), osp.learn(data, knowledge="PKA -> Akt"), labels=("plain", "informed"))
    >>> moved.edges.loc[0, ["cause", "effect"]].tolist()
    ['PKA', 'Akt']
    >>> moved.total_variation.exact, moved.total_variation.lower > 0.5
    (False, True)
    """
    names = _checked_labels(labels)
    for name, value in (("a", a), ("b", b)):
        if not isinstance(value, Posterior):
            raise InvalidType(f"{name} must be a posterior; got {type(value).__name__}. Learn or load one.")
    common = [name for name in a.variables if name in set(b.variables)]
    if len(common) < 2:
        raise InvalidValue(
            f"a and b must have at least two variables in common; got {len(common)}. Their names have to be the same."
        )
    first, second = (p.edge_probabilities().loc[common, common].to_numpy() for p in (a, b))
    errors = np.hypot(*(p.edge_standard_errors().loc[common, common].to_numpy() for p in (a, b)))
    alike = set(a.variables) == set(b.variables)
    return Comparison(
        names,
        common,
        [name for name in a.variables if name not in common],
        [name for name in b.variables if name not in common],
        _edge_table(common, first, second, errors),
        _adjacency_table(common, first, second),
        _variation(a, b) if alike and _enumerable(a) and _enumerable(b) else _bound(common, first, second),
        _differing(first, second),
        (_differing(first, first), _differing(second, second)),
        _notes(a, b, names, common),
    )


def _checked_labels(labels: object) -> tuple[str, str]:
    if isinstance(labels, str) or not isinstance(labels, Sequence) or len(labels) != 2:
        raise InvalidValue(f"labels must be two texts, such as ('control', 'treated'); got {labels!r}.")
    if not all(isinstance(label, str) for label in labels) or labels[0] == labels[1]:
        raise InvalidValue(f"labels must be two different texts; got {labels!r}.")
    return labels[0], labels[1]


def _edge_table(names: list[str], first: np.ndarray, second: np.ndarray, errors: np.ndarray) -> pd.DataFrame:
    import pandas as pd

    change = second - first
    pairs = [(c, e) for c in range(len(names)) for e in range(len(names)) if c != e]
    pairs.sort(key=lambda pair: (-round(abs(float(change[pair])), 9), names[pair[0]], names[pair[1]]))
    rows = [
        (names[c], names[e], first[c, e], second[c, e], change[c, e], errors[c, e])
        for c, e in pairs
        if first[c, e] > 0.0 or second[c, e] > 0.0
    ]
    return pd.DataFrame(rows, columns=["cause", "effect", "first", "second", "change", "standard_error"])


def _adjacency_table(names: list[str], first: np.ndarray, second: np.ndarray) -> pd.DataFrame:
    import pandas as pd

    before, after = (np.minimum(p + p.T, 1.0) for p in (first, second))
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    pairs.sort(key=lambda pair: (-round(abs(float(after[pair] - before[pair])), 9), names[pair[0]], names[pair[1]]))
    rows = [
        (names[i], names[j], before[i, j], after[i, j], after[i, j] - before[i, j])
        for i, j in pairs
        if before[i, j] > 0.0 or after[i, j] > 0.0
    ]
    return pd.DataFrame(rows, columns=["a", "b", "first", "second", "change"])


def _enumerable(posterior: Posterior) -> bool:
    return len(posterior.variables) <= LISTED_UP_TO and GRAPH_SCORES.of(posterior.model)


def _variation(a: Posterior, b: Posterior) -> VariationBound:
    return VariationBound(total_variation(a, b), True, "all graphs")


def _bound(names: list[str], first: np.ndarray, second: np.ndarray) -> VariationBound:
    """Return the largest distance between the distributions of how one pair is joined.

    Of three outcomes, half the sum of absolute differences is the largest difference in the probability of an event.
    """
    change = second - first
    joined = change + change.T
    distances = (np.abs(change) + np.abs(change.T) + np.abs(joined)) / 2.0
    above = np.where(np.triu(np.ones(distances.shape, dtype=bool), 1), distances, -1.0)
    i, j = np.unravel_index(int(np.argmax(above)), distances.shape)
    return VariationBound(float(distances[i, j]), False, f"{names[i]} and {names[j]}")


def _differing(first: np.ndarray, second: np.ndarray) -> float:
    """Return the expected number of pairs that two independent graphs join differently."""
    apart, apart_too = (np.maximum(1.0 - p - p.T, 0.0) for p in (first, second))
    same = first * second + first.T * second.T + apart * apart_too
    return float(np.triu(1.0 - same, 1).sum())


def _notes(a: Posterior, b: Posterior, labels: tuple[str, str], common: list[str]) -> list[str]:
    found = []
    context = [{name for name in p.context if name in common} for p in (a, b)]
    for label, own, other in zip(labels, context, context[::-1], strict=True):
        if own - other:
            found.append(f"{', '.join(sorted(own - other))}: context, which is never explained, only in {label}")
    if a.evidence != b.evidence:
        found += [f"{label} is given {p.evidence}" for label, p in zip(labels, (a, b), strict=True) if p.evidence]
    if a.model.target != b.model.target:
        found.append(f"targets differ: {a.model.target!r} and {b.model.target!r}; graphs count differently")
    return found
