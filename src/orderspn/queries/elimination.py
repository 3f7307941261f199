"""Sums of products of tables, one variable after the other.

A factor is a table with an axis for each of its members, ascending, behind a first axis for draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

Members = tuple[int, ...]


@dataclass(frozen=True)
class Plan:
    """In which order variables are summed out, and the entries of the largest table on the way."""

    order: Members
    largest: int


def plan_elimination(members: Sequence[Members], kept: int, sizes: Mapping[int, int]) -> Plan:
    """Sum out all variables but `kept`, always the one next whose factors have the smallest product."""
    scopes = [frozenset(own) for own in members]
    left = frozenset().union(*scopes) - {kept}
    order: list[int] = []
    largest = max(_entries(scope, sizes) for scope in scopes)
    while left:
        joined = {v: frozenset().union(*(scope for scope in scopes if v in scope)) for v in left}
        entries = {v: _entries(joined[v], sizes) for v in left}
        chosen = min(left, key=lambda v: (entries[v], v))
        largest = max(largest, entries[chosen])
        scopes = [scope for scope in scopes if chosen not in scope] + [joined[chosen] - {chosen}]
        left -= {chosen}
        order.append(chosen)
    return Plan(tuple(order), largest)


def _entries(scope: frozenset[int], sizes: Mapping[int, int]) -> int:
    entries = 1
    for v in scope:
        entries *= sizes[v]
    return entries


def eliminate(members: Sequence[Members], tables: Sequence[np.ndarray], plan: Plan) -> np.ndarray:
    """The sum over all variables but the one kept, shape (draws, levels of that)."""
    factors = list(zip(members, tables, strict=True))
    for v in plan.order:
        own, table = _product([factor for factor in factors if v in factor[0]])
        rest = tuple(u for u in own if u != v)
        factors = [factor for factor in factors if v not in factor[0]]
        factors.append((rest, table.sum(axis=1 + own.index(v))))
    return _product(factors)[1]


def _product(factors: Sequence[tuple[Members, np.ndarray]]) -> tuple[Members, np.ndarray]:
    union = tuple(sorted(set().union(*(own for own, _ in factors))))
    product = np.ones((1,) * (1 + len(union)))
    for own, table in factors:
        levels = dict(zip(own, table.shape[1:], strict=True))
        product = product * table.reshape(len(table), *(levels.get(v, 1) for v in union))
    return union, product
