"""The warnings of a call, passed on to its caller and kept."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


class Heard:
    """Collects messages to the user, and warns of each of them where the function that made this object was called."""

    def __init__(self, calls: int = 0, messages: Sequence[str] = ()) -> None:
        """`calls` are those between the function whose caller is warned and those that use this object."""
        self.messages = list(messages)
        self._calls = calls

    def add(self, messages: Iterable[str], *, calls: int = 0) -> None:
        """Warn of messages; `calls` are those between the function and this one."""
        for message in messages:
            self.messages.append(message)
            warnings.warn(message, UserWarning, stacklevel=3 + self._calls + calls)

    def during(self, work: Callable[[], T]) -> T:
        """Do work, and add its warnings to the user. Warnings of other kinds are passed on as they are."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = work()
        for warning in caught:
            if warning.category is not UserWarning:
                warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
        self.add((str(warning.message) for warning in caught if warning.category is UserWarning), calls=1)
        return result
