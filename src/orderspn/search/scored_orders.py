"""The scores of the orders of families as a promise: tables of this process, or of the workers where chains walk.

Tables take time and memory to lay out. Where the runs of a search are tasks of a backend, each worker lays out its own,
and answers what is asked about sampled orders with them. Then this process needs none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from orderspn.chains.away import Origin
from orderspn.core.deadline import Deadline, now
from orderspn.core.tasks import Backend, chosen_backend
from orderspn.search.order_scores import OrderScores


@dataclass(frozen=True, eq=False)
class ScoredOrders:
    """Scores of the orders of n variables.

    Attributes
    ----------
    n : int
        Number of variables to be ordered.
    make : callable
        Lays out the scores, in this process.
    origin : Origin, optional
        How another process makes them; without it all work is in this process.
    """

    n: int
    make: Callable[[], OrderScores]
    origin: Origin | None = None
    _made: list[OrderScores] = field(default_factory=list, init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    @classmethod
    def known(cls, order_scores: OrderScores, origin: Origin | None = None) -> ScoredOrders:
        """Return scores that are laid out already."""
        return cls(order_scores.n, lambda: order_scores, origin)

    @property
    def here(self) -> OrderScores:
        """The scores, laid out in this process when they are first asked for."""
        with self._lock:
            if not self._made:
                self._made.append(self.make())
            return self._made[0]

    @property
    def backend(self) -> Backend | None:
        """Where questions about orders are answered, if not in this process."""
        return None if self.origin is None or self._made else chosen_backend()

    def prepared(self, deadline: Deadline) -> float:
        """Lay the scores out if they will be needed here; return the seconds, which a deadline asks for."""
        begin = now()
        if self.backend is None or deadline.limited:
            _ = self.here
        return now() - begin
