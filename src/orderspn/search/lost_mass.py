"""An estimate of the mass that the families leave out: parent sets with outsiders that have no row.

There are too many choices of one or two outsiders without a row to score all, and most of their mass is in few. So the
most promising choices are always scored, and others at random: a choice c is scored with a probability `p(c)` that
grows with its guessed mass, and then counts `1 / p(c)` times. This estimates the sum over all choices without bias
(Horvitz and Thompson). Sets with three or more outsiders are not counted.

The lost share of a variable is the mean over sampled orders of `lost / (kept + lost)`. The denominator has to be
estimated too. With the same estimate of `lost` in both places, a heavy choice that is scored once in a hundred times
would count a hundred times in both, and the share would be far too low on average. So each choice is divided by a sum
in which it counts once itself, which estimates the denominator *given that the choice is scored*. What remains is an
upward bias of second order in the errors of the others: the estimate is rather too high than too low.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from orderspn.core.deadline import Deadline, now
from orderspn.core.randomness import generator_of, seed_for
from orderspn.core.tasks import chosen_backend
from orderspn.core.workers import Workers
from orderspn.leaves.context import root_block
from orderspn.leaves.family import Family
from orderspn.leaves.lists import ParentLists
from orderspn.leaves.transforms import subset_sum
from orderspn.scores.local import LocalScore

SINGLES, LEADING_PAIRS, PAIRS = 16, 12, 12
"""Numbers of choices that are scored: of one outsider; of two outsiders, the most promising ones and random others."""

UNIFORM = 0.2
"""Share of the scoring probability that is uniform over all choices, so that none counts too often if it is scored."""

MOST_VARIABLES = 100
"""Variables whose lost share is estimated; of more, a random choice."""

ASKED = 32
"""Outsiders that are tried in pairs with every other outsider, added to the best set of candidates."""

LARGEST_LOG_ODDS = 50.0
"""Bound of log odds, so that their sums stay finite."""

OF_A_TASK = 8
"""Variables of one task, on a backend."""

ENTRIES_AT_ONCE = 1 << 22
"""Parent sets scored in one call; this bounds the memory."""


@dataclass(frozen=True)
class LostShare:
    """The share of the mass that families leave out, averaged over variables, and the number of these variables."""

    share: float
    variables: int


def lost_share(
    local: LocalScore,
    families: Sequence[Family],
    orders: np.ndarray,
    seed: np.random.SeedSequence,
    workers: Workers,
    deadline: Deadline,
) -> LostShare:
    """Estimate the share of the mass of all parent sets that the families leave out, averaged over variables.

    The average is over all variables, or over a random choice: of at most `MOST_VARIABLES`, and of as many as there is
    time for.
    """
    d = len(families)
    places = np.argsort(orders, axis=1)
    lost = np.zeros(d)
    seeds = seed_for(seed, "choices").spawn(d)
    backend = chosen_backend()

    def fill(child: int) -> None:
        before = places < places[:, [child]]
        lost[child] = _lost_of(local, families[child], before, generator_of(seeds[child]))

    _, variables = root_block(families)  # context variables have no parents to lose
    shuffled = generator_of(seed_for(seed, "variables")).permutation(variables)[:MOST_VARIABLES]
    steps = workers.steps("mass left out", shuffled.size)
    if backend is not None and not deadline.limited:
        pieces = [shuffled[start : start + OF_A_TASK] for start in range(0, shuffled.size, OF_A_TASK)]
        asked_away = [(piece, [seeds[child] for child in piece.tolist()]) for piece in pieces]
        shared = local, _Orders(places, ParentLists.of(families))
        ends = backend.run(_lost_in_worker, shared, asked_away, lambda which, _: steps.advance(pieces[which].size))
        lost[shuffled] = np.concatenate(ends)
        return LostShare(float(lost[np.sort(shuffled)].mean()), shuffled.size)
    if not deadline.limited:
        workers.run([partial(fill, child) for child in shuffled.tolist()], steps)
        return LostShare(float(lost[np.sort(shuffled)].mean()), shuffled.size)
    done, at_once, seconds = 0, workers.n_jobs, 0.0
    while done < shuffled.size and (done == 0 or seconds <= deadline.left):
        begin = now()
        asked = shuffled[done : done + at_once].tolist()
        workers.run([partial(fill, child) for child in asked], steps)
        done, seconds = done + len(asked), now() - begin
    return LostShare(float(lost[np.sort(shuffled[:done])].mean()), done)


@dataclass(frozen=True, eq=False)
class _Orders:
    """What all tasks share besides scores: places of variables in sampled orders (m, d), candidates and outsiders."""

    places: np.ndarray
    lists: ParentLists


def _lost_in_worker(
    key: object,  # noqa: ARG001
    shared: tuple[LocalScore, _Orders],
    children: np.ndarray,
    seeds: Sequence[np.random.SeedSequence],
) -> np.ndarray:
    """Estimate the lost shares of a few variables, as a task of a backend, which scores their families again."""
    local, orders = shared
    found = np.empty(len(children))
    for which, (child, seed) in enumerate(zip(children.tolist(), seeds, strict=True)):
        before = orders.places < orders.places[:, [child]]
        found[which] = _lost_of(local, orders.lists.family(local, child), before, generator_of(seed))
    return found


def _lost_of(local: LocalScore, family: Family, before: np.ndarray, rng: np.random.Generator) -> float:
    """Estimate the lost share of one variable, given its predecessors in sampled orders (m, d)."""
    if family.candidates.size == local.rules.n_allowed(family.child):
        return 0.0
    odds, chances = _scored_odds(local, family, before, rng)
    weighted = odds / chances  # (m, choices)
    total = 1.0 + weighted.sum(axis=1, keepdims=True)
    shares = (weighted / (total - weighted + odds)).sum(axis=1)
    return float(min(shares.mean(), 1.0))


def _scored_odds(
    local: LocalScore, family: Family, before: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return, for choices of outsiders without a row, odds of their mass to the kept mass, and scoring probabilities.

    Shapes (m, choices), for each order, and (choices,).
    """
    masks, opened = family.opened_by(before)
    log_kept, shares = _kept(family, masks, opened)

    def odds_of(choices: np.ndarray) -> np.ndarray:
        log_odds = _log_masses(local, family, choices, masks) - log_kept[:, None]
        return np.where(before[:, choices].all(axis=2), np.exp(np.minimum(log_odds, LARGEST_LOG_ODDS)), 0.0)

    non_candidates = np.setdiff1d(np.flatnonzero(local.rules.allowed[:, family.child]), family.candidates)
    alone = (family.outsider_rows >= 0).sum(axis=1) == 1
    have_row = family.outsider_rows[alone].max(axis=1, initial=-1)
    # The promise of an outsider is the mass that it adds alone: that of its row, else of its scored sets, else a guess.
    base = _Base.of(local, family, before)
    promise = base.odds_with() * before.mean(axis=0)
    promise[have_row] = shares[1:][alone]
    without_row = np.setdiff1d(non_candidates, have_row)
    single_chances = _chances(_weights(promise[without_row]), 0, SINGLES)
    singles = _drawn(single_chances, rng)
    single_odds = odds_of(without_row[singles, None])
    promise[without_row[singles]] = single_odds.mean(axis=0)

    all_pairs = _pairs_without_row(family, non_candidates)
    as_numbers = before.astype(np.float32)
    both_before = as_numbers.T @ as_numbers / len(before)
    together = both_before * base.odds_with_pairs(
        non_candidates[np.argsort(-promise[non_candidates], kind="stable")[:ASKED]]
    )
    pair_weights = _weights(promise[all_pairs].prod(axis=1), together[all_pairs[:, 0], all_pairs[:, 1]])
    pair_chances = _chances(pair_weights, LEADING_PAIRS, PAIRS)
    pairs = _drawn(pair_chances, rng)
    odds = np.concatenate([single_odds, odds_of(all_pairs[pairs])], axis=1)
    return odds, np.concatenate([single_chances[singles], pair_chances[pairs]])


def _kept(family: Family, masks: np.ndarray, opened: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the log mass of the family given each order (m,), and the mean shares of its rows over orders (rows,)."""
    log_mass = family.log_mass.reshape(family.n_rows, family.n_masks)[:, masks].T
    log_mass = np.where(opened, log_mass, -np.inf)  # (m, rows)
    top = log_mass.max(axis=1)
    shares = np.exp(log_mass - top[:, None])
    total = shares.sum(axis=1)
    return top + np.log(total), (shares / total[:, None]).mean(axis=0)


def _pairs_without_row(family: Family, non_candidates: np.ndarray) -> np.ndarray:
    """Return all pairs of non-candidates without a row, shape (pairs, 2), ascending."""
    first, second = np.triu_indices(non_candidates.size, 1)
    pairs = np.stack([non_candidates[first], non_candidates[second]], axis=1)
    rows = np.sort(family.outsider_rows[(family.outsider_rows >= 0).sum(axis=1) == 2], axis=1).reshape(-1, 2)
    if not len(rows):
        return pairs
    d = int(max(pairs.max(initial=0), rows.max())) + 1
    return pairs[~np.isin(pairs @ [d, 1], rows @ [d, 1])]


@dataclass(frozen=True, eq=False)
class _Base:
    """A parent set to which outsiders are added, to guess their masses."""

    local: LocalScore
    child: int
    parents: np.ndarray
    log_score: float

    @classmethod
    def of(cls, local: LocalScore, family: Family, before: np.ndarray) -> _Base:
        """Return the best set of those candidates that precede the child in at least half of the orders."""
        usual = family.opened_by(before.mean(axis=0, keepdims=True) >= 0.5)[0]
        within = (np.arange(family.n_masks) & ~usual) == 0
        best = int(np.argmax(np.where(within, family.log_score[: family.n_masks], -np.inf)))
        return cls(local, family.child, family.members(best), float(family.log_score[best]) + family.log_scale)

    def odds_with(self, *more: int) -> np.ndarray:
        """Return the scores of the set with `more` variables and each one further, relative to the set alone, (d,)."""
        parents = np.array([*self.parents.tolist(), *more], dtype=np.int64)
        log_score = self.local.with_one_more(self.child, parents)
        log_odds = log_score + self.local.log_prior[parents.size + 1] - self.log_score
        return np.asarray(np.exp(np.minimum(log_odds, LARGEST_LOG_ODDS)))

    def odds_with_pairs(self, asked: np.ndarray) -> np.ndarray:
        """Return the same for pairs of variables of which one is in `asked`, shape (d, d); 0 for other pairs.

        Two outsiders may explain together what neither explains alone, which the masses of their rows do not show.
        """
        odds = np.zeros((self.local.log_prior.size, self.local.log_prior.size))
        if asked.size > 1:
            for one in asked.tolist():
                odds[one] = self.odds_with(one)
        return np.maximum(odds, odds.T)


def _log_masses(local: LocalScore, family: Family, choices: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Return the log mass of the sets of each choice of outsiders with candidates within masks (m,), (m, choices)."""
    found = np.empty((masks.size, len(choices)))
    piece = max(1, ENTRIES_AT_ONCE // family.n_masks)
    for start in range(0, len(choices), piece):
        rows = choices[start : start + piece]
        log_score = local.table(family.child, family.candidates, rows)[family.n_masks :]  # row 0 is the family's
        log_mass = subset_sum(log_score - family.log_scale, family.candidates.size)
        found[:, start : start + piece] = log_mass.reshape(len(rows), family.n_masks)[:, masks].T
    return found


def _weights(*promises: np.ndarray) -> np.ndarray:
    """Return weights of all choices: a mixture of several guesses of their masses, and of a uniform distribution."""
    weights = np.full(promises[0].size, UNIFORM / max(promises[0].size, 1))
    for promise in promises:
        weights += (1.0 - UNIFORM) / len(promises) * promise / max(promise.sum(), np.finfo(float).tiny)
    return weights


def _chances(weights: np.ndarray, n_leading: int, count: int) -> np.ndarray:
    """Return probabilities: 1 for the `n_leading` largest weights; others proportional to weights, with sum `count`."""
    certain = np.zeros(weights.size, dtype=bool)
    certain[np.argsort(-weights, kind="stable")[:n_leading]] = True
    left = count + n_leading
    chances = np.ones(weights.size)
    while certain.sum() < min(left, weights.size):
        chances = np.where(certain, 1.0, weights * (left - certain.sum()) / weights[~certain].sum())
        if (chances <= 1.0).all():
            break
        certain |= chances > 1.0
    return np.minimum(chances, 1.0)


def _drawn(chances: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw indices with given probabilities (systematic sampling), ascending; always the same number of them.

    The indices lie on a line in random order, each as long as its probability, and every point at distance 1 draws one.
    """
    shuffled = rng.permutation(np.flatnonzero(chances < 1.0))
    passed = np.floor(np.cumsum(np.concatenate([[rng.random()], chances[shuffled]])))
    return np.sort(np.concatenate([np.flatnonzero(chances >= 1.0), shuffled[np.diff(passed) > 0.0]]))
