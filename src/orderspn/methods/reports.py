"""What each method may say in the settings of a posterior, besides what all say: one structure for each, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast

from msgspec import UNSET, UnsetType

from orderspn.core.checked_json import Count, Finite, Share, converted, require
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.registry import NotRegistered
from orderspn.methods.settings import Diagnostics, Settings
from orderspn.models.circuit_graphs import CircuitGraphs
from orderspn.models.dag_graphs import DagGraphs
from orderspn.models.exact_order_graphs import ExactOrderGraphs
from orderspn.models.particle_graphs import ParticleGraphs
from orderspn.models.protocol import GraphModel, Lines
from orderspn.models.sampled_graphs import SampledGraphs


class ExactReport(Settings):
    """All orders, or all DAGs."""

    models = (ExactOrderGraphs.kind, DagGraphs.kind)


class TrustReport(Settings):
    """A circuit, from sampled orders or grown with an oracle."""

    models = (CircuitGraphs.kind,)

    target: Literal["order"]
    block_size: Count
    weights: Literal["elbo", "gradient", "sampled", "uniform"]
    n_orders: Count | UnsetType = UNSET
    diagnostics: Diagnostics | UnsetType = UNSET
    outsider_share: Share | UnsetType = UNSET
    oracle: dict[str, Any] | UnsetType = UNSET
    expansion: list[Count] | UnsetType = UNSET
    oracle_info: dict[str, Finite] | UnsetType = UNSET

    def __post_init__(self) -> None:
        super().__post_init__()
        grown = self.oracle is not UNSET and self.expansion is not UNSET
        require(grown == (self.n_orders is UNSET), "a circuit is made either from orders or by an oracle")
        require(self.oracle is UNSET or isinstance(self.oracle.get("name"), str), "the oracle has no name")

    def lines(self) -> Lines:
        """Orders or oracle, and how well runs agree."""
        lines = [("made from", f"{self._made_from()}, {self.weights} weights")]
        info = {} if self.oracle_info is UNSET else self.oracle_info
        if "acceptance" in info:
            chains = f"; {100 * info['chains_kept']:.0f}% of its chains agree" if "chains_kept" in info else ""
            lines.append(("acceptance", f"{info['acceptance']:.2f} of the oracle's moves{chains}"))
        return lines if self.diagnostics is UNSET else [*lines, self.diagnostics.line()]

    def _made_from(self) -> str:
        if self.oracle is UNSET:
            return f"{self.n_orders:,} sampled orders"
        return f"partitions by oracle {self.oracle['name']!r}, expansion {self.expansion}"


class GadgetReport(Settings):
    """Graphs sampled by partition MCMC."""

    models = (SampledGraphs.kind,)

    target: Literal["dag"]
    n_graphs: Count
    runs: Count
    chains: Count
    iterations: Count
    acceptance: dict[str, Share]
    swap_rates: list[Share]
    diagnostics: Diagnostics

    def lines(self) -> Lines:
        """How long the chains were, and how well they agree."""
        made = f"{self.n_graphs:,} graphs by {self.runs} runs of {self.chains} chains"
        return [
            ("sampled", f"{made}, {self.iterations:,} moves each"),
            ("accepted", ", ".join(f"{kind} {100 * rate:.1f}%" for kind, rate in self.acceptance.items())),
            self.diagnostics.line(),
        ]

    def check_model(self, model: GraphModel) -> None:
        """Besides, the runs must be those that were compared."""
        super().check_model(model)
        kept = self.diagnostics.runs_kept
        require(cast("SampledGraphs", model).n_runs == kept, "its graphs are not those of as many runs as it says")


class DibsReport(Settings):
    """Graphs of particles."""

    models = (ParticleGraphs.kind,)

    target: Literal["dag"]
    n_graphs: Count
    distinct_graphs: Count
    cyclic_particles: Count
    trimmed_particles: Count
    impossible_particles: Count
    steps: Count
    weights: Literal["uniform", "score"]

    def lines(self) -> Lines:
        """How long the particles were moved, and what they ended as."""
        counted = "all alike" if self.weights == "uniform" else "by their scores"
        moved = f"{self.n_graphs:,} in {self.steps:,} steps, {self.cyclic_particles} with cycles (broken)"
        return [("particles", f"{moved}; {self.distinct_graphs:,} different graphs, weighed {counted}")]


class OtherReport(Settings, forbid_unknown_fields=False):
    """Of a method that declares nothing: any JSON values besides what all say."""


REPORTS: dict[str, type[Settings]] = {
    "exact": ExactReport,
    "trust": TrustReport,
    "gadget": GadgetReport,
    "dibs": DibsReport,
}
"""What the settings of a posterior may be, by the method that made it."""


def register_report(method: str, report: type[Settings] = OtherReport) -> None:
    """Let files have posteriors of another method, and say what their settings may be.

    Parameters
    ----------
    method : str
        Its name, which is `settings["method"]`.
    report : class, optional
        A subclass of `Settings` with the fields that the method adds; by default these may be any JSON values.

    Examples
    --------
    >>> register_report("exact", ExactReport)  # which was known before
    >>> register_report("exact")
    Traceback (most recent call last):
    orderspn.core.errors.InvalidValue: method 'exact' has a report already, ExactReport; give yours another name.
    """
    if not isinstance(report, type) or not issubclass(report, Settings):
        raise InvalidType(f"report must be a subclass of methods.settings.Settings; got {report!r}.")
    known = REPORTS.setdefault(method, report)
    if known is not report:
        raise InvalidValue(f"method {method!r} has a report already, {known.__name__}; give yours another name.")


def report_of(settings: Mapping[str, Any]) -> Settings:
    """Settings as what their method may say; a ValueError says what is wrong with them."""
    method = settings.get("method")
    if not isinstance(method, str):
        raise ValueError("its settings name no method")
    if method not in REPORTS:
        raise NotRegistered(
            f"its method {method[:100]!r} is not known. If it is one of another package, import that package "
            "first, or call orderspn.methods.reports.register_report with its name."
        )
    return converted(settings, REPORTS[method], "$.settings")
