"""Climbs with any score, which is asked set by set: the steps of `places.py` and `growing.py` in plain Python.

Scores are remembered, because neighbouring orders ask for the same sets again and again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from orderspn.climbing.shifted import NO_GAIN
from orderspn.scores.local import LocalScore

REMEMBERED = 20_000_000
"""Numbers that a memo holds before it begins anew."""


class ScoreMemo:
    """Local scores of single parent sets, and of these with each one more parent, each computed once."""

    def __init__(self, local: LocalScore) -> None:
        self.local = local
        self.context = local.context
        self.required = local.rules.required
        self._most = np.minimum(local.rules.most, local.max_parents)
        d, known = local.log_prior.size, local.known
        self._log_normalizer = np.zeros(d)
        if known is not None:
            self._log_normalizer[:] = [known.log_normalizer(v, local.log_prior) for v in range(d)]
        self._scores: dict[tuple[int, frozenset[int]], float] = {}
        self._with_one_more: dict[tuple[int, frozenset[int]], np.ndarray] = {}

    def log_score(self, child: int, parents: frozenset[int]) -> float:
        """Return the log score of a set of parents; -inf if one that is required is missing."""
        key = child, parents
        if key not in self._scores:
            self._make_room(1)
            self._scores[key] = self.local.of_set(child, np.array(sorted(parents), dtype=np.int64))
        return self._scores[key]

    def with_one_more(self, child: int, parents: frozenset[int]) -> np.ndarray:
        """Return the log scores of a set of parents with each one more variable, shape (d,)."""
        key = child, parents
        if key not in self._with_one_more:
            size, log_prior = len(parents) + 1, self.local.log_prior
            self._make_room(log_prior.size)
            if size > self._most[child]:
                scores = np.full(log_prior.size, -np.inf)
            else:
                scores = self.local.with_one_more(child, np.array(sorted(parents), dtype=np.int64))
                scores = scores + (log_prior[size] - self._log_normalizer[child])
            self._with_one_more[key] = scores
        return self._with_one_more[key]

    def _make_room(self, count: int) -> None:
        d = self.local.log_prior.size
        if len(self._scores) + len(self._with_one_more) * d + count > REMEMBERED:
            self._scores, self._with_one_more = {}, {}


class Chosen(NamedTuple):
    """The parents of a variable, and their log score."""

    parents: frozenset[int]
    log_score: float


class Step(NamedTuple):
    """A variable at another place: its parents there, those of the others that it passed, and the gain of log score."""

    place: int
    own: Chosen
    others: dict[int, Chosen]
    gain: float


class AnyScoreClimber:
    """The state of one climb: an order of the explained variables, and the parents of each."""

    def __init__(self, memo: ScoreMemo, order: np.ndarray) -> None:
        self._memo = memo
        self._before = memo.context.tolist()
        self._order: list[int] = order.tolist()
        self._chosen: dict[int, Chosen] = {}
        required = memo.required
        for place, child in enumerate(self._order):
            start = frozenset(np.flatnonzero(required[:, child]).tolist())
            self._chosen[child] = self._settled(child, start, self._before + self._order[:place])

    @property
    def order(self) -> np.ndarray:
        """The explained variables, first to last, shape (n,)."""
        return np.array(self._order, dtype=np.int64)

    @property
    def graph(self) -> np.ndarray:
        """The graph, shape (d, d), bool, [cause, effect]."""
        graph = np.zeros_like(self._memo.required)
        for child, chosen in self._chosen.items():
            graph[list(chosen.parents), child] = True
        return graph

    @property
    def log_score(self) -> float:
        """Log score of the graph."""
        return float(sum(self._chosen[child].log_score for child in sorted(self._chosen)))

    def kept(self) -> tuple[list[int], dict[int, Chosen]]:
        """Return what `put_back` needs to return to this order."""
        return list(self._order), dict(self._chosen)

    def put_back(self, kept: tuple[list[int], dict[int, Chosen]]) -> None:
        """Return to an order."""
        self._order, self._chosen = list(kept[0]), dict(kept[1])

    def sweep(self, visits: np.ndarray, quiet: int) -> int:
        """Put variables into their best places, as in `Climber`."""
        for variable in visits.tolist():
            if quiet == visits.size:
                break
            best, most = None, 0.0
            for direction in (-1, 1):
                for step in self._walk(variable, direction):
                    if step.gain > most + NO_GAIN:
                        best, most = step.place, step.gain
            quiet += 1
            if best is not None:
                self._move(variable, best)
                quiet = 0
        return quiet

    def disturb(self, variables: np.ndarray, places: np.ndarray) -> None:
        """Move variables to places, as in `Climber`."""
        for variable, place in zip(variables.tolist(), places.tolist(), strict=True):
            self._move(variable, place)

    def _move(self, variable: int, place: int) -> None:
        start, last = self._order.index(variable), None
        if place == start:
            return
        for last in self._walk(variable, 1 if place > start else -1):
            if last.place == place:
                break
        if last is not None:
            self._chosen.update(last.others)
            self._chosen[variable] = last.own
            self._order.remove(variable)
            self._order.insert(last.place, variable)

    def deepen(self, children: np.ndarray) -> int:
        """Look for better parents of some variables, as in `Climber`."""
        n_better = 0
        for child in children.tolist():
            predecessors = self._before + self._order[: self._order.index(child)]
            best = self._deepened(child, self._chosen[child], predecessors)
            if best is not self._chosen[child]:
                self._chosen[child] = self._settled(child, best.parents, predecessors)
                n_better += 1
        return n_better

    def _deepened(self, child: int, chosen: Chosen, predecessors: list[int]) -> Chosen:
        """Return the best parents after each predecessor was added in turn, and each parent taken out for a while."""
        best = chosen
        possible = np.isfinite(self._memo.with_one_more(child, chosen.parents))
        tries = [
            *((chosen.parents | {v}, predecessors) for v in predecessors if possible[v]),
            *(
                (chosen.parents - {v}, [other for other in predecessors if other != v])
                for v in sorted(chosen.parents)
                if not self._memo.required[v, child]
            ),
        ]
        for parents, offered in tries:
            found = self._settled(child, parents, offered)
            if found.log_score > best.log_score + NO_GAIN:
                best = found
        return best

    def _walk(self, v: int, direction: int) -> Iterator[Step]:
        """Walk a variable through the order, from its place on; others that it passes keep their order."""
        order, required = self._order, self._memo.required
        own, others, gain = self._chosen[v], {}, 0.0
        place = order.index(v) + direction
        while 0 <= place < len(order):
            u = order[place]
            if required[u, v] if direction < 0 else required[v, u]:
                return
            before_u = self._before + [x for x in order[:place] if x != v]
            changed = (
                self._gained(u, v, self._chosen[u], before_u)
                if direction < 0
                else self._lost(u, v, self._chosen[u], before_u)
            )
            gain += changed.log_score - self._chosen[u].log_score
            others[u] = changed
            if direction < 0:
                own = self._lost(v, u, own, before_u)
            else:
                own = self._gained(v, u, own, before_u)
            yield Step(place, own, others, own.log_score - self._chosen[v].log_score + gain)
            place += direction

    def _lost(self, child: int, gone: int, chosen: Chosen, predecessors: list[int]) -> Chosen:
        """Return the parents of a child that loses one of its predecessors; `predecessors` are all others."""
        return chosen if gone not in chosen.parents else self._settled(child, chosen.parents - {gone}, predecessors)

    def _gained(self, child: int, new: int, chosen: Chosen, predecessors: list[int]) -> Chosen:
        """Return the parents of a child that gets one more predecessor; `predecessors` are all others."""
        if not self._memo.with_one_more(child, chosen.parents)[new] - chosen.log_score > NO_GAIN:
            return chosen
        return self._settled(child, chosen.parents | {new}, [*predecessors, new])

    def _settled(self, child: int, parents: frozenset[int], predecessors: list[int]) -> Chosen:
        """Grow and shrink a set of parents until neither raises the score."""
        chosen = Chosen(parents, self._memo.log_score(child, parents))
        while True:
            grown = self._grown(child, chosen, predecessors)
            chosen = self._shrunk(child, grown)
            if chosen.parents == grown.parents:
                return chosen

    def _grown(self, child: int, chosen: Chosen, predecessors: list[int]) -> Chosen:
        memo = self._memo
        while predecessors:
            offered = memo.with_one_more(child, chosen.parents)[predecessors]
            larger = chosen.parents | {predecessors[int(np.argmax(offered))]}
            if not offered.max() > chosen.log_score + NO_GAIN:
                break
            log_score = memo.log_score(child, larger)
            if not log_score > chosen.log_score + NO_GAIN:  # a score of a user's may say two things about one set
                break
            chosen = Chosen(larger, log_score)
        return chosen

    def _shrunk(self, child: int, chosen: Chosen) -> Chosen:
        memo = self._memo
        while True:
            smaller = [chosen.parents - {gone} for gone in sorted(chosen.parents) if not memo.required[gone, child]]
            best = max(smaller, key=lambda kept: memo.log_score(child, kept), default=chosen.parents)
            if not memo.log_score(child, best) > chosen.log_score + NO_GAIN:
                return chosen
            chosen = Chosen(best, memo.log_score(child, best))
