"""Methods to learn a posterior, each a value with its settings."""

from orderspn.methods.auto import Auto
from orderspn.methods.dibs import DiBS
from orderspn.methods.exact import Exact
from orderspn.methods.gadget import Gadget
from orderspn.methods.method import Method
from orderspn.methods.registry import METHODS, as_method, register
from orderspn.methods.trust import Trust

__all__ = ["METHODS", "Auto", "DiBS", "Exact", "Gadget", "Method", "Trust", "as_method", "register"]


def __dir__() -> list[str]:
    return __all__
