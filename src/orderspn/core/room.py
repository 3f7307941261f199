"""Memory that is used again for one array after the other."""

from __future__ import annotations

import math

import numpy as np


class Room:
    """Arrays by name, each in the memory of the last one with its name if that is large enough.

    Large arrays that are made for each of thousands of tasks come from the system every time, which takes longer than
    to fill them. A room belongs to one thread.

    Examples
    --------
    >>> room = Room()
    >>> first = room.array("sums", (3, 2))
    >>> first[:] = 7.0
    >>> room.array("sums", (2, 2)).tolist()
    [[7.0, 7.0], [7.0, 7.0]]
    """

    def __init__(self) -> None:
        self._kept: dict[str, np.ndarray] = {}

    def array(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """Return an array of float64 with any content, which is lost when the name is asked for again."""
        size = math.prod(shape)
        if name not in self._kept or self._kept[name].size < size:
            self._kept[name] = np.empty(size)
        return self._kept[name][:size].reshape(shape)
