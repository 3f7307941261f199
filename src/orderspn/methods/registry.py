"""Methods by name: the built-in ones, and classes of users once they are registered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from orderspn.core.arguments import check_choice
from orderspn.core.checked_json import converted
from orderspn.core.errors import InvalidType
from orderspn.core.registry import NotRegistered, Registry
from orderspn.methods.auto import Auto
from orderspn.methods.dibs import DiBS
from orderspn.methods.exact import Exact
from orderspn.methods.gadget import Gadget
from orderspn.methods.method import Method
from orderspn.methods.report import Report
from orderspn.methods.trust import Trust

METHODS: Registry[Any] = Registry(
    "method",
    "orderspn.methods.register",
    {
        "auto": Auto,
        "exact": Exact,
        "trust": Trust,
        "gadget": Gadget,
        "dibs": DiBS,
    },
)

M = TypeVar("M", bound=type[Method])


def register(method: M) -> M:
    """Register a class of methods by its `name`, for `learn(..., method=name)` and for `load`.

    Parameters
    ----------
    method : class
        A subclass of `Method` that can be imported.

    Returns
    -------
    class
        The same class, so that `register` works as a decorator.

    Examples
    --------
    >>> import orderspn as osp
    >>> osp.methods.register(osp.methods.Exact).name  # it is registered already
    'exact'
    """
    if isinstance(method, type) and not issubclass(method, Method):
        raise InvalidType(f"a method must be a subclass of orderspn.methods.Method; got {method.__name__}.")
    METHODS.add(getattr(method, "name", None), method, ("demand", "learn"))
    return method


def as_method(method: object) -> Method | Auto:
    """Return the method of that name with its default settings, or the given method itself.

    Examples
    --------
    >>> as_method("exact")
    Exact()
    """
    if isinstance(method, Method | Auto):
        return method
    if isinstance(method, str):
        found: Method | Auto = METHODS[check_choice("method", method, tuple(METHODS))]()
        return found
    got = f"the class {method.__name__}; write {method.__name__}()" if isinstance(method, type) else repr(method)
    names = ", ".join(repr(name) for name in METHODS)
    raise InvalidType(f"method must be one of {names}, or a value such as methods.Gadget(n_graphs=500); got {got}.")


def report_of(settings: Mapping[str, Any]) -> Report:
    """Convert the settings of a posterior to the report of their method; raise a ValueError if they are invalid."""
    name = settings.get("method")
    if not isinstance(name, str):
        raise ValueError("its settings name no method")
    report: type[Report] | None = getattr(METHODS.get(name), "report", None)
    if report is None:
        raise NotRegistered(
            f"its method {name[:100]!r} is not known. If it is from another package, import that package first, or "
            "call orderspn.methods.register with its class."
        )
    return converted(settings, report, "$.settings")
