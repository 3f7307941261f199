"""The graphs of a Markov equivalence class, one after the other.

Two graphs are equivalent if and only if one becomes the other by reversing covered edges one at a time (Chickering,
UAI 1995). An edge x -> y is covered if y has the parents of x, and x, and no others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def equivalent_dags(dag: np.ndarray, most: int, context: Sequence[int] = ()) -> tuple[np.ndarray, bool]:
    """Return DAGs equivalent to one (d, d), that one first, at most `most`, shape (n, d, d), and whether it is all.

    Edges from context variables, which are only ever causes, keep their direction.

    Examples
    --------
    The chain A -> B -> C has two further members in its class: the fork, and the chain in the other direction.

    >>> import numpy as np
    >>> chain = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)
    >>> len(equivalent_dags(chain, most=100)[0]), len(equivalent_dags(chain, most=100, context=[0])[0])
    (3, 1)
    >>> members, complete = equivalent_dags(chain, most=2)
    >>> len(members), complete
    (2, False)
    """
    fixed = sum(1 << int(v) for v in context)
    d = len(dag)
    first = tuple(sum(1 << int(v) for v in np.flatnonzero(dag[:, child])) for child in range(d))
    found = {first: None}
    waiting = [first]
    for parents in waiting:
        for other in _neighbours(parents, fixed):
            if other not in found:
                if len(found) >= most:
                    return _as_matrices(list(found), d), False
                found[other] = None
                waiting.append(other)
    return _as_matrices(list(found), d), True


def _neighbours(parents: tuple[int, ...], fixed: int) -> list[tuple[int, ...]]:
    """Return the graphs with one covered edge reversed, none from `fixed`; graphs are masks of parents."""
    others = []
    for y, of_y in enumerate(parents):
        rest = of_y & ~fixed
        while rest:
            bit = rest & -rest
            rest ^= bit
            x = bit.bit_length() - 1
            if parents[x] | bit == of_y:
                other = list(parents)
                other[y], other[x] = parents[x], parents[x] | 1 << y
                others.append(tuple(other))
    return others


def _as_matrices(found: list[tuple[int, ...]], d: int) -> np.ndarray:
    graphs = np.zeros((len(found), d, d), dtype=bool)
    for place, parents in enumerate(found):
        for child, rest in enumerate(parents):
            while rest:
                graphs[place, (rest & -rest).bit_length() - 1, child] = True
                rest &= rest - 1
    return graphs
