"""The choice of a method by the number of variables."""

from __future__ import annotations

from dataclasses import dataclass

from orderspn.core.arguments import check_choice
from orderspn.methods.exact import Exact
from orderspn.methods.gadget import Gadget
from orderspn.methods.method import TARGETS, Method, WithSettings
from orderspn.methods.trust import Trust

EXACT_UP_TO = 25
"""Most variables for which all orders are summed: a few seconds."""

EXACT_DAGS_UP_TO = 14
"""Most variables for which all DAGs are summed."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Auto(WithSettings):
    """`Exact` for few variables; for more, `Trust` with the target "order" and `Gadget` with "dag".

    Parameters
    ----------
    target : {"order", "dag"}, default "order"
        Whether a graph counts once for each of its topological orders (exact up to 25 variables), or once (exact up to
        14 variables).

    Examples
    --------
    >>> Auto(target="dag").resolved(10, 2**32), Auto().resolved(40, 2**32).name
    (Exact(target='dag'), 'trust')
    """

    name = "auto"
    target: str = "order"

    def __post_init__(self) -> None:
        check_choice("target", self.target, TARGETS)

    def resolved(self, d: int, memory_limit: int) -> Method:
        """Return the method for `d` variables, with its settings filled in."""
        return self._chosen(d).resolved(d, memory_limit)

    def resolved_beside(self, n_context: int, d: int, memory_limit: int) -> Method:
        """Return the method for `d` variables that are explained and `n_context` that are context."""
        return self._chosen(d).resolved_beside(n_context, d, memory_limit)

    def _chosen(self, d: int) -> Method:
        if self.target == "dag":
            return Exact(target="dag") if d <= EXACT_DAGS_UP_TO else Gadget()
        return Exact() if d <= EXACT_UP_TO else Trust()
