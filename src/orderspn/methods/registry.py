"""Methods by name."""

from __future__ import annotations

from typing import Any

from orderspn.core.arguments import check_choice
from orderspn.core.errors import InvalidType
from orderspn.methods.auto import Auto
from orderspn.methods.dibs import DiBS
from orderspn.methods.exact import Exact
from orderspn.methods.gadget import Gadget
from orderspn.methods.method import Method
from orderspn.methods.trust import Trust

METHODS: dict[str, type[Any]] = {method.name: method for method in (Auto, Exact, Trust, Gadget, DiBS)}


def as_method(method: object) -> Method | Auto:
    """Return the method of that name with its default settings, or the given method itself.

    Examples
    --------
    >>> as_method("exact")
    Exact(target='order', outsiders=0)
    """
    if isinstance(method, Method | Auto):
        return method
    if isinstance(method, str):
        found: Method | Auto = METHODS[check_choice("method", method, tuple(METHODS))]()
        return found
    got = f"the class {method.__name__}; write {method.__name__}()" if isinstance(method, type) else repr(method)
    names = ", ".join(repr(name) for name in METHODS)
    raise InvalidType(f"method must be one of {names}, or a value such as methods.Gadget(n_graphs=500); got {got}.")
