"""The warnings of a call, passed on to its caller and kept."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

PACKAGE = __name__.partition(".")[0]

T = TypeVar("T")


class Heard:
    """Collects messages to the user, and warns of each of them at the line outside this package that led here."""

    def __init__(self, messages: Sequence[str] = ()) -> None:
        self.messages = list(messages)

    def add(self, messages: Iterable[str]) -> None:
        """Warn of messages."""
        for message in messages:
            self.messages.append(message)
            warnings.warn(message, UserWarning, stacklevel=_calls_within_package())

    def during(self, work: Callable[[], T]) -> T:
        """Do work, and add its warnings to the user. Warnings of other kinds are passed on as they are."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = work()
        for warning in caught:
            if warning.category is not UserWarning:
                warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
        self.add(str(warning.message) for warning in caught if warning.category is UserWarning)
        return result


class Unheard(Heard):
    """Keeps no messages and warns of none. It changes no filters, which threads share: see `without_warnings`."""

    def add(self, messages: Iterable[str]) -> None:
        """Do nothing."""

    def during(self, work: Callable[[], T]) -> T:
        """Do work."""
        return work()


@contextmanager
def without_warnings() -> Iterator[None]:
    """Ignore warnings to the user in this block, also in the threads that it waits for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def _calls_within_package() -> int:
    """Return the level of the stack, counted from the caller, of the first function outside this package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE:
        frame, level = frame.f_back, level + 1
    return level
