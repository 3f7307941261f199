"""The speed of chains, and the number of draws that there is time for.

Walks are made in pieces, and the draws depend on the lengths of the pieces. So the pieces are the same as without a
time limit as long as there is time for them; only the last one is shortened.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from orderspn.core.deadline import Deadline, now


@dataclass(eq=False)
class Pacing:
    """The speed of chains that walk together.

    Attributes
    ----------
    fewest_moves : int
        Moves between two draws that are made even after the deadline.
    rehearse : callable
        Makes a given number of moves of every chain and discards them.
    seconds : float
        Duration of one move of every chain, by the last walk that was timed; 0 before the first.
    """

    fewest_moves: int
    rehearse: Callable[[int], object]
    seconds: float = 0.0

    def fitting(self, n_draws: int, moves_per_draw: int, least: int, deadline: Deadline) -> tuple[int, int]:
        """Return the number of draws that there is time for, and the number of moves before each.

        That is `n_draws` and `moves_per_draw` if there is time for all. Otherwise there are fewer draws, but at least
        `least`; if there is no time even for these, there are fewer moves before each.
        """
        left = deadline.left
        if left == math.inf:
            return n_draws, moves_per_draw
        if left == 0.0:
            return least, min(moves_per_draw, self.fewest_moves)
        if self.seconds == 0.0:
            self.timed(self.fewest_moves, self.rehearse, self.fewest_moves)
            left = deadline.left
        if n_draws * moves_per_draw * self.seconds <= left:
            return n_draws, moves_per_draw
        fitting = int(left / (moves_per_draw * self.seconds))
        if fitting >= max(least, 1):
            return fitting, moves_per_draw
        fewer_moves = int(left / (max(least, 1) * self.seconds))
        return least, max(min(moves_per_draw, self.fewest_moves), fewer_moves)

    def timed(self, moves: int, walk: Callable[..., object], *arguments: object) -> None:
        """Call `walk`, in which every chain makes that many moves, and measure how long it takes."""
        begin = now()
        walk(*arguments)
        self.seconds = max((now() - begin) / max(moves, 1), 1e-12)
