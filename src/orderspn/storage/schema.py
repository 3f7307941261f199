"""What the manifest of a file may say: every field with its type and range, declared once.

Whatever has been converted to a `Manifest` is safe to use: no field is missing or unknown, numbers are finite and
within their ranges, and names are those of different variables. Files are held to it when they are written, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from orderspn.data.columns import checked_names
from orderspn.knowledge.statement import Knowledge
from orderspn.queries.edges import Edges

LARGEST_COUNT = 2**53
"""Integers up to which a double holds each of them."""

Count = Annotated[int, Meta(ge=0, le=LARGEST_COUNT)]
Positive = Annotated[float, Meta(gt=0.0, le=1e300)]
Finite = Annotated[float, Meta(ge=-1e300, le=1e300)]
Share = Annotated[float, Meta(ge=-1e-9, le=1.0 + 1e-9)]
Fingerprint = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Pair = tuple[str, str]


class BGeScore(Struct, tag_field="name", tag="bge", forbid_unknown_fields=True, kw_only=True):
    """Hyperparameters of BGe, and the number of rows."""

    alpha_mu: Positive
    alpha_w: Positive
    t: Positive
    rows: Count


class BDeuScore(Struct, tag_field="name", tag="bdeu", forbid_unknown_fields=True, kw_only=True):
    """Hyperparameter of BDeu, and the number of rows."""

    equivalent_sample_size: Positive
    rows: Count


class Diagnostics(Struct, forbid_unknown_fields=True, kw_only=True):
    """How well independent runs agree; what is undefined is None."""

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


class Settings(Struct, forbid_unknown_fields=True, kw_only=True):
    """What every method says of how it learned."""

    target: Literal["order", "dag"]
    score: BGeScore | BDeuScore
    prior: Literal["fair", "uniform", "custom"]
    candidates: Count | Literal["given"]
    outsiders: Annotated[int, Meta(ge=0, le=2)]
    refinements: Count
    max_parents: Count
    knowledge: dict[str, Any]
    rows: Count
    interventions: Count | None
    standardized: bool
    data_fingerprint: Fingerprint
    seed: Annotated[int, Meta(ge=0)] | None
    lost_share: Share | UnsetType = UNSET
    time_limit_reached: bool | UnsetType = UNSET
    shortened: dict[str, tuple[Count, Count]] | UnsetType = UNSET

    def __post_init__(self) -> None:
        _require(self.score.rows == self.rows, "the score has not as many rows as there are")
        _require((self.interventions or 0) <= self.rows, "there are more rows under interventions than rows")


class ExactSettings(Settings, tag_field="method", tag="exact"):
    """All orders, or all DAGs."""


class TrustSettings(Settings, tag_field="method", tag="trust"):
    """A circuit, from sampled orders or grown with an oracle."""

    target: Literal["order"]
    effort: Positive
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
        _require(grown == (self.n_orders is UNSET), "a circuit is made either from orders or by an oracle")
        _require(self.oracle is UNSET or isinstance(self.oracle.get("name"), str), "the oracle has no name")


class GadgetSettings(Settings, tag_field="method", tag="gadget"):
    """Graphs sampled by partition MCMC."""

    target: Literal["dag"]
    n_graphs: Count
    effort: Positive
    n_runs: Count
    n_chains: Count
    iterations: Count
    acceptance: dict[str, Share]
    swap_rates: list[Share]
    diagnostics: Diagnostics


class DibsSettings(Settings, tag_field="method", tag="dibs"):
    """Graphs of particles."""

    target: Literal["dag"]
    n_graphs: Count
    distinct_graphs: Count
    cyclic_particles: Count
    trimmed_particles: Count
    impossible_particles: Count
    steps: Count
    effort: Positive
    n_particles: Count
    weights: Literal["uniform", "score"]


class Evidence(Struct, forbid_unknown_fields=True):
    """What the posterior is conditioned on."""

    present: list[Pair]
    absent: list[Pair]
    before: list[Pair]

    def edges(self) -> Edges:
        """As questions have it."""
        return Edges(self.present, self.absent, self.before)


class Manifest(Struct, forbid_unknown_fields=True):
    """What a file says about itself."""

    format: str
    format_version: int
    package_version: str
    variables: Annotated[list[str], Meta(min_length=2)]
    settings: ExactSettings | TrustSettings | GadgetSettings | DibsSettings
    evidence: Evidence

    def __post_init__(self) -> None:
        checked_names(self.variables)
        _require(self.settings.max_parents < len(self.variables), "there are more parents than other variables")

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.variables)

    @property
    def knowledge(self) -> Knowledge:
        """What was known before any data."""
        return Knowledge.from_dict(self.settings.knowledge)


def checked_manifest(manifest: Mapping[str, Any]) -> Manifest:
    """Convert a manifest; a ValueError says what is wrong with it and where."""
    try:
        return msgspec.convert(manifest, Manifest)
    except msgspec.ValidationError as problem:
        raise ValueError(f"its manifest says what cannot be: {problem}") from problem


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)
