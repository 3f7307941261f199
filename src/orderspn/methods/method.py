"""The base class of methods: a value with settings, the memory that it needs, and `learn`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

from orderspn.core.arguments import check_effort, check_integer
from orderspn.core.errors import InvalidValue
from orderspn.methods.memory import Demand
from orderspn.methods.problem import Problem, Solution
from orderspn.methods.report import AnyReport, Report
from orderspn.parents.plan import check_rounds
from orderspn.parents.sizes import FamilySizes

TARGETS = ("order", "dag")
"""Whether a graph counts once for each of its topological orders, or once."""

RECORDED_OTHERWISE = ("outsiders", "refine", "runs")
"""Settings whose outcome is recorded: with the candidates, and with the comparison of runs."""

RUNS, MOST_RUNS = 4, 10_000
"""Default and largest number of independent searches."""


class WithSettings:
    """Base of frozen dataclasses whose fields are settings."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002
        """Return the settings by name, for scikit-learn; `deep` makes no difference."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def with_settings(self, **changed: Any) -> Self:
        """Return the same method with other settings.

        Examples
        --------
        >>> import orderspn as osp
        >>> osp.methods.Gadget(n_graphs=500).with_settings(effort=2.0).n_graphs
        500
        """
        known = self.get_params()
        for name in changed:
            if name not in known:
                has = f"its settings are {', '.join(known)}" if known else "it has no settings"
                raise InvalidValue(f"{type(self).__name__} has no setting {name!r}: {has}.")
        return replace(self, **changed)  # type: ignore[type-var]

    def __repr__(self) -> str:
        changed = (field for field in fields(self) if getattr(self, field.name) != field.default)  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(f'{field.name}={getattr(self, field.name)!r}' for field in changed)})"

    def _keep(self, **checked: Any) -> None:
        """Store checked values, at the end of construction."""
        for name, value in checked.items():
            object.__setattr__(self, name, value)


class Method(WithSettings, ABC):
    """A way to learn a posterior.

    Subclasses are frozen dataclasses. Their fields are the settings of the method, checked at construction. A setting
    may be None if its default depends on the number of variables or on the memory; `resolved` fills it in.
    """

    name: ClassVar[str]
    """The name for `learn(method=...)`."""

    report: ClassVar[type[Report]] = AnyReport
    """The schema of the settings of its posteriors, also in files."""

    @property
    @abstractmethod
    def target(self) -> str:
        """Whether a graph counts once for each of its topological orders ("order"), or once ("dag")."""

    @property
    def searches(self) -> bool:
        """Whether it searches over orders; only then are candidates refined, and outsiders the default."""
        return False

    @property
    def outsiders(self) -> int | str:
        """Largest number of parents from outside the candidates in a parent set: "auto", 0, 1 or 2."""
        return 0

    @property
    def refine(self) -> int | None:
        """Number of times that candidates are chosen again; None stands for the default number."""
        return None

    @property
    def heeds_time_limit(self) -> bool:
        """Whether it does less work if there is not enough time."""
        return False

    def resolved(self, d: int, memory_limit: int) -> Method:  # noqa: ARG002
        """Return the same method with all settings filled in, for `d` variables and a memory limit in bytes."""
        return self

    def resolved_beside(self, n_context: int, d: int, memory_limit: int) -> Method:  # noqa: ARG002
        """Return the same for `d` variables that are explained and `n_context` that are context."""
        return self.resolved(d, memory_limit)

    def as_part_of(self, n_posteriors: int) -> Method:  # noqa: ARG002
        """Return the same with fewer draws, if this many posteriors are mixed. Called on `resolved`."""
        return self

    @abstractmethod
    def demand(self, sizes: FamilySizes, n_jobs: int) -> Demand:
        """Return the memory that it takes, for given sizes of families and number of threads. Called on `resolved`."""

    @abstractmethod
    def learn(self, problem: Problem) -> Solution:
        """Learn the posterior. Called on `resolved`."""

    def settings(self) -> dict[str, Any]:
        """Return name, target and all settings that are not None, as JSON values."""
        own = {
            name: value
            for name, value in self.get_params().items()
            if value is not None and name not in RECORDED_OTHERWISE
        }
        return {"method": self.name, "target": self.target} | {name: _as_json(value) for name, value in own.items()}


@dataclass(frozen=True, kw_only=True, repr=False)
class SearchingMethod(Method):
    """A method that begins with searches over orders, which also refine the candidates."""

    searches = True

    refine: int | None = None
    effort: float = 1.0
    runs: int = RUNS

    def __post_init__(self) -> None:
        self._keep(
            refine=check_rounds(self.refine),
            effort=check_effort(self.effort),
            runs=check_integer("runs", self.runs, 1, MOST_RUNS),
        )


def _as_json(value: Any) -> Any:
    """Return a setting as a JSON value; for an oracle, its own settings."""
    if hasattr(value, "settings"):
        return value.settings()
    return list(value) if isinstance(value, tuple) else value
