"""Climbs in compiled code, for scores that are functions of regressions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from orderspn.climbing.places import BEGIN, DEEPEN, DISTURB, SWEEP, ClimbState, act
from orderspn.climbing.regression import new_regression
from orderspn.climbing.terms import ClimbTerms
from orderspn.scores.protocol import NO_VARIABLES


class Kept(NamedTuple):
    """What has to be put back to return to an order."""

    sequence: np.ndarray
    place: np.ndarray
    parents: np.ndarray
    n_parents: np.ndarray
    is_parent: np.ndarray
    worth: np.ndarray
    log_score: np.ndarray
    stamp: np.ndarray


class CompiledClimber:
    """The state of one climb: an order of the explained variables, after those of the context."""

    def __init__(self, terms: ClimbTerms, context: np.ndarray, order: np.ndarray) -> None:
        d, most = terms.group.size, max(1, int(terms.most.max()))
        self._terms, self._n_context = terms, context.size
        self._state = ClimbState(
            np.concatenate([context, order]).astype(np.int64),
            np.empty(d, dtype=np.int64),
            np.zeros((d, most), dtype=np.int32),
            np.zeros(d, dtype=np.int64),
            np.zeros((d, d), dtype=np.bool_),
            np.zeros((d, d), dtype=np.bool_),
            np.empty(d),
            np.zeros(d, dtype=np.int64),
            np.zeros(1, dtype=np.int64),
            np.empty((d, d)),
            np.zeros((d, d), dtype=np.int64),
        )
        self._own, self._other = new_regression(d, most), new_regression(d, most)
        self._act(BEGIN, NO_VARIABLES)

    @property
    def order(self) -> np.ndarray:
        """The explained variables, first to last, shape (n,)."""
        return self._state.sequence[self._n_context :].copy()

    @property
    def graph(self) -> np.ndarray:
        """The graph, shape (d, d), bool, [cause, effect]."""
        return np.ascontiguousarray(self._state.is_parent.T)

    @property
    def log_score(self) -> float:
        """Log score of the graph."""
        return float(self._state.log_score.sum())

    def sweep(self, visits: np.ndarray, quiet: int) -> int:
        """Put variables into their best places, as in `Climber`."""
        return self._act(SWEEP, visits, NO_VARIABLES, quiet)

    def disturb(self, variables: np.ndarray, places: np.ndarray) -> None:
        """Move variables to places, as in `Climber`."""
        self._act(DISTURB, variables, places + self._n_context)

    def deepen(self, children: np.ndarray) -> int:
        """Look for better parents of some variables, as in `Climber`."""
        return self._act(DEEPEN, children)

    def _act(self, action: int, variables: np.ndarray, targets: np.ndarray = NO_VARIABLES, quiet: int = 0) -> int:
        terms, state = self._terms, self._state
        return int(act(action, variables, targets, quiet, terms, state, self._n_context, self._own, self._other))

    def kept(self) -> Kept:
        """Return what `put_back` needs to return to this order."""
        return Kept(*(getattr(self._state, name).copy() for name in Kept._fields))

    def put_back(self, kept: Kept) -> None:
        """Return to an order. Scores that were computed since stay valid where predecessors are the same."""
        for name, array in kept._asdict().items():
            np.copyto(getattr(self._state, name), array)
