"""How much mass the families leave out: parent sets with more outsiders, or others, than they have rows for.

All such sets cannot be scored; a few of them, chosen at random, can. Given sampled orders their masses relative to
those of the families, times the number of such choices, estimate without bias what one or two outsiders more would add.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import comb

import numpy as np

from orderspn.core.workers import Workers
from orderspn.leaves.family import Family
from orderspn.leaves.transforms import subset_sum
from orderspn.scores.local import LocalScore

TRIED = 8
"""Choices of outsiders scored for each variable, of one and of two."""


def lost_share(
    local: LocalScore, families: Sequence[Family], orders: np.ndarray, seed: np.random.SeedSequence, workers: Workers
) -> float:
    """Estimated share of the mass of all parent sets that the families lack, on average over variables."""
    d = len(families)
    places = np.argsort(orders, axis=1)
    lost = np.zeros(d)
    seeds = seed.spawn(d)

    def fill(child: int) -> None:
        before = places < places[:, [child]]
        lost[child] = _lost_of(local, families[child], before, np.random.default_rng(seeds[child]))

    workers.run([partial(fill, child) for child in range(d)], workers.steps("mass left out", d))
    return float(lost.mean())


def _lost_of(local: LocalScore, family: Family, before: np.ndarray, rng: np.random.Generator) -> float:
    """Of one variable, given its predecessors in sampled orders (m, d)."""
    d = before.shape[1]
    strangers = np.setdiff1d(np.arange(d), [*family.candidates.tolist(), family.child])
    masks, opened = family.opened_by(before)
    by_row = family.log_mass.reshape(family.n_rows, family.n_masks)[:, masks].T  # (m, rows)
    log_tau = np.logaddexp.reduce(np.where(opened, by_row, -np.inf), axis=1)
    rows = {tuple(sorted(int(v) for v in row if v >= 0)) for row in family.outsiders}
    added = np.zeros(len(before))
    for size in (1, 2):
        n_missing = comb(strangers.size, size) - sum(len(row) == size for row in rows)
        chosen = _choices(strangers, size, rows, min(TRIED, n_missing), rng)
        for always in chosen:
            log_score = local.table(family.child, family.candidates, np.array([always]))[family.n_masks :]
            log_mass = subset_sum(log_score - family.log_scale, family.candidates.size)
            open_ = before[:, list(always)].all(axis=1)
            ratio = np.exp(np.minimum(log_mass[masks] - log_tau, 50.0))
            added += np.where(open_, ratio, 0.0) * n_missing / len(chosen)
    return float(np.mean(added / (1.0 + added)))


def _choices(
    strangers: np.ndarray, size: int, rows: set[tuple[int, ...]], count: int, rng: np.random.Generator
) -> list[tuple[int, ...]]:
    """Different random choices of outsiders that have no row."""
    chosen: set[tuple[int, ...]] = set()
    while len(chosen) < count:
        choice = tuple(sorted(int(v) for v in rng.choice(strangers, size, replace=False)))
        if choice not in rows:
            chosen.add(choice)
    return sorted(chosen)
