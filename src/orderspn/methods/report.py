"""The report of a method: the settings of a posterior, declared field by field.

In files the settings are JSON, possibly from an unknown source. A `Report` has no missing or unknown field, and its
numbers are finite and within their ranges.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from orderspn.core.checked_json import Count, Finite, Name, Positive, Share, require
from orderspn.data.distributions import Distribution, check_distributions
from orderspn.models.protocol import GraphModel, Lines

Text = Annotated[str, Meta(max_length=100_000)]
Fingerprint = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class MissingValues(Struct, forbid_unknown_fields=True, kw_only=True):
    """Missing values of the data, and what was done about them."""

    handled: Literal["imputed", "dropped"]
    cells: Count
    columns: dict[str, Count]
    patterns: Count
    complete_rows: Count
    assumption: Literal["missing at random"] | UnsetType = UNSET
    imputations: Count | UnsetType = UNSET
    chains: Count | UnsetType = UNSET
    burn_in: Count | UnsetType = UNSET
    rhat_edges: Finite | UnsetType | None = UNSET


class LearnedPrior(Struct, forbid_unknown_fields=True, kw_only=True):
    """The beta-binomial prior of parent sets that was learned, and in how many rounds."""

    mean: Annotated[float, Meta(gt=0.0, lt=1.0)]
    concentration: Positive
    rounds: Count


class Report(Struct, forbid_unknown_fields=True, kw_only=True):
    """The settings of a posterior by any method; each method adds its own fields."""

    models: ClassVar[tuple[str, ...]] = ()
    """Kinds of models that the method makes; empty for any."""

    method: Name
    target: Literal["order", "dag"]
    score: dict[str, Any]
    prior: Literal["fair", "uniform", "learned", "custom"]
    learned_prior: LearnedPrior | UnsetType = UNSET
    candidates: Count | Literal["given"]
    outsiders: Annotated[int, Meta(ge=0, le=2)]
    refinements: Count
    max_parents: Count
    knowledge: dict[str, Any]
    kinds: dict[str, Literal["number", "category", "group"]] | UnsetType = UNSET
    context: list[str] = []
    explained_candidates: Literal["all", "chosen"] | UnsetType = UNSET
    rows: Count
    interventions: Count | None
    standardized: bool
    data_fingerprint: Fingerprint
    distributions: dict[str, Distribution] | UnsetType = UNSET
    missing: MissingValues | UnsetType = UNSET
    seed: Annotated[int, Meta(ge=0)] | None
    warnings: Annotated[list[Text], Meta(max_length=1000)] = []
    lost_share: Share | UnsetType = UNSET
    time_limit_reached: bool | UnsetType = UNSET
    shortened: dict[str, tuple[Count, Count]] | UnsetType = UNSET

    def __post_init__(self) -> None:
        require(isinstance(self.score.get("name"), str), "the score has no name")
        require(
            self.score.get("rows", self.rows) == self.rows, "the number of rows of the score is not that of the data"
        )
        require((self.interventions or 0) <= self.rows, "there are more rows under interventions than rows")
        if self.distributions is not UNSET:
            check_distributions(self.distributions, self.rows, None if self.kinds is UNSET else self.kinds)

    def lines(self) -> Lines:
        """Return the lines of a summary about the method."""
        return []

    def check_model(self, model: GraphModel) -> None:
        """Raise a ValueError for a model that this method does not make."""
        require(model.target == self.target, f"its target is not {self.target!r}")
        require(not self.models or model.kind in self.models, f"its model is not one of method {self.method!r}")


class Diagnostics(Struct, forbid_unknown_fields=True, kw_only=True):
    """How well independent runs agree; undefined values are None."""

    rhat_score: Finite | None
    ess_score: Finite | None
    rhat_edges: Finite | None
    ess_edges: Finite | None
    rhat_limit: Finite | None
    edge_standard_error: Finite | None
    runs: Count
    runs_kept: Count
    score_gap: Finite | None
    orders: Count

    def line(self) -> tuple[str, str]:
        """Return the line of a summary about the agreement, and the error of edges that are means over draws."""
        error = self.edge_standard_error
        within = "an unknown error" if error is None else f"{2 * error:.3f}"
        return "agreement", f"{self.agreement}; edges within {within}"

    @property
    def agreement(self) -> str:
        """How many runs count and whether they agree, for a summary."""
        return (
            f"{self.runs_kept} of {self.runs} searches; R-hat {_rhat(self.rhat_score)} of scores, "
            f"{_rhat(self.rhat_edges)} of edges"
        )


def _rhat(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3f}"


class AnyReport(Report, forbid_unknown_fields=False):
    """The report of a method without a declaration: any JSON values besides the common fields."""
