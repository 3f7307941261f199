"""Names of variables in time: `X[t]` is a variable now, `X[t-2]` the same two steps before."""

from __future__ import annotations

import re
from typing import NamedTuple

_NAME = re.compile(r"(?P<variable>.+)\[t(?:-(?P<lag>[1-9][0-9]*))?\]\Z", re.DOTALL)


class Moment(NamedTuple):
    """A variable at a time: `lag` steps before now."""

    variable: str
    lag: int

    @property
    def name(self) -> str:
        """The name as a column.

        Examples
        --------
        >>> Moment("X", 0).name, Moment("X", 2).name
        ('X[t]', 'X[t-2]')
        """
        return f"{self.variable}[t-{self.lag}]" if self.lag else f"{self.variable}[t]"


def moment_of(name: str) -> Moment | None:
    """Read the name of a column; None if it is not one of a variable in time.

    Examples
    --------
    >>> moment_of("X[t-2]"), moment_of("age")
    (Moment(variable='X', lag=2), None)
    """
    found = _NAME.match(name)
    return None if found is None else Moment(found["variable"], int(found["lag"] or 0))
