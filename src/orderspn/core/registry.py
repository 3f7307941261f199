"""Registries: classes by their names in arguments and files, to which users may add their own.

A file names the classes that wrote it. Only registered classes are used to read it: a file never causes an import.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

from orderspn.core.errors import InvalidType, InvalidValue

C = TypeVar("C")


class NotRegistered(InvalidValue):
    """The error for a name in a file without a registered class; the message says how to register it."""


class Registry(Mapping[str, type[C]], Generic[C]):
    """Classes by name.

    Parameters
    ----------
    what : str
        What the classes are, for messages.
    register : str
        The public function that adds one, for messages.
    known : mapping
        The built-in classes, whose names cannot be replaced.
    """

    def __init__(self, what: str, register: str, known: Mapping[str, type[C]]) -> None:
        self._what, self._register = what, register
        self._own = frozenset(known)
        self._classes = dict(known)

    def __repr__(self) -> str:
        return f"<{self._what}s by name: {', '.join(self)}>"

    def __getitem__(self, name: str) -> type[C]:
        return self._classes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._classes)

    def __len__(self) -> int:
        return len(self._classes)

    def add(self, name: object, added: type[C], methods: tuple[str, ...]) -> None:
        """Add a class that has these methods; a class of the same place replaces its earlier definition."""
        if not isinstance(added, type):
            raise InvalidType(f"{self._register} takes a class, not an object of it; got {added!r}.")
        missing = [method for method in methods if not callable(getattr(added, method, None))]
        if missing:
            raise InvalidType(
                f"a {self._what} must have the methods {', '.join(methods)}; {place_of(added)} has no {missing[0]}."
            )
        if not isinstance(name, str) or not name or len(name) > 100:
            raise InvalidValue(
                f"a {self._what} must have a name, a text of up to 100 letters; {place_of(added)} has {name!r}."
            )
        if "<" in place_of(added):
            raise InvalidValue(
                f"a {self._what} must be a class that can be imported, because files name it; got "
                f"{place_of(added)}. Define it in a module, outside of functions."
            )
        taken = self._classes.get(name, added)
        if taken is not added and (name in self._own or place_of(taken) != place_of(added)):
            raise InvalidValue(f"the name {name!r} is that of {place_of(taken)}; give {place_of(added)} another.")
        self._classes[name] = added

    def is_own(self, name: str) -> bool:
        """Whether the class is built in."""
        return name in self._own

    def unknown(self, name: str, place: str | None) -> InvalidValue:
        """Build the error for a name in a file that is not registered; `place` is where the file says the class is."""
        module, _, qualified = (place or "").partition(":")
        if not qualified:
            return InvalidValue(f"it has an unknown {self._what}: {name[:100]!r}")
        first, _, _ = qualified.partition(".")
        line = f"from {module} import {first}; {self._register}({qualified})"
        return NotRegistered(
            f"its {self._what} {name[:100]!r} is the class {place}, which is not registered. If you trust that class, "
            f"run this first: {line}"
        )


def place_of(registered: type) -> str:
    """Return where a class can be imported from, as `module:QualifiedName`.

    Examples
    --------
    >>> place_of(Registry)
    'orderspn.core.registry:Registry'
    """
    return f"{registered.__module__}:{registered.__qualname__}"
