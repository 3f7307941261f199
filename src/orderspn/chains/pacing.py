"""How fast chains walk, and how far they come before a deadline.

Walks are cut into pieces whose bounds change what is drawn. So pieces are as long as without a time limit while there
is time for them, and only the last one is made to fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from orderspn.core.deadline import Deadline, now


@dataclass(eq=False)
class Pacing:
    """The pace of chains that walk together.

    Attributes
    ----------
    fewest_moves : int
        Moves between two looks that are made however late it is.
    rehearse : callable
        Makes that many moves of every chain, and throws them away.
    seconds : float
        What a move of every chain takes, by the last walk that was timed; 0 before the first.
    """

    fewest_moves: int
    rehearse: Callable[[int], object]
    seconds: float = 0.0

    def fitting(self, looks: int, moves: int, least: int, deadline: Deadline) -> tuple[int, int]:
        """How many looks there is time for, and after how many moves each.

        They are `looks` and `moves` if these fit, else fewer looks, and `least` if less than that fit: then with fewer
        moves.
        """
        left = deadline.left
        if left == math.inf:
            return looks, moves
        if left == 0.0:
            return least, min(moves, self.fewest_moves)
        if self.seconds == 0.0:
            self.timed(self.fewest_moves, self.rehearse, self.fewest_moves)
            left = deadline.left
        if looks * moves * self.seconds <= left:
            return looks, moves
        fitting = int(left / (moves * self.seconds))
        if fitting >= max(least, 1):
            return fitting, moves
        slower = int(left / (max(least, 1) * self.seconds))
        return least, max(min(moves, self.fewest_moves), slower)

    def timed(self, moves: int, walk: Callable[..., object], *arguments: object) -> None:
        """Do something in which every chain makes that many moves, and see how long it takes."""
        begin = now()
        walk(*arguments)
        self.seconds = max((now() - begin) / moves, 1e-12)
