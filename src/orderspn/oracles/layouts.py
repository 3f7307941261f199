"""Arrays that an oracle derives from the families of all variables, made once for all its questions."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from orderspn.leaves.tables import LeafTables

Layout = TypeVar("Layout")


class Layouts(Generic[Layout]):
    """Layouts of tables, made when they are first needed and dropped with the tables."""

    def __init__(self, make: Callable[[LeafTables], Layout]) -> None:
        self._make = make
        self._known: WeakKeyDictionary[LeafTables, Layout] = WeakKeyDictionary()
        self._one_at_a_time = Lock()  # questions may come from several threads at once

    def of(self, tables: LeafTables) -> Layout:
        """Return the layout of these tables."""
        with self._one_at_a_time:
            if tables not in self._known:
                self._known[tables] = self._make(tables)
            return self._known[tables]
