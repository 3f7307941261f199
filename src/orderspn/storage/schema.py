"""The schema of the manifest of a file: every field with its type and range.

A `Manifest` is safe to use: no field is missing or unknown, numbers are finite and within their ranges, and names of
variables are different. Files are also checked when they are written. The schema of the settings is declared by the
method that made them, and that of the score's settings by the score.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from orderspn.core.checked_json import Name, converted, require
from orderspn.core.registry import NotRegistered
from orderspn.data.columns import checked_names
from orderspn.knowledge.statement import Knowledge
from orderspn.methods.registry import report_of
from orderspn.methods.report import Report
from orderspn.models.registry import MODELS
from orderspn.queries.edges import Edges
from orderspn.scores.registry import SCORES, check_described

Pair = tuple[str, str]
Place = Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_.]*:[A-Za-z_][A-Za-z0-9_.]*$", max_length=300)]
"""The place of a class, as `module:QualifiedName`."""


class Evidence(Struct, forbid_unknown_fields=True):
    """The evidence that the posterior is conditioned on."""

    present: list[Pair]
    absent: list[Pair]
    before: list[Pair]
    adjacent: list[Pair]

    def edges(self) -> Edges:
        """Return the evidence as `Edges`."""
        return Edges(self.present, self.absent, self.before, self.adjacent)


class Manifest(Struct, forbid_unknown_fields=True):
    """The manifest of a file."""

    format: str
    format_version: int
    package_version: str
    variables: Annotated[list[str], Meta(min_length=2)]
    model: Name
    settings: dict[str, Any]
    evidence: Evidence
    score_class: Place | UnsetType = UNSET
    model_class: Place | UnsetType = UNSET

    def __post_init__(self) -> None:
        checked_names(self.variables)

    @property
    def report(self) -> Report:
        """The settings that the posterior was learned with, checked."""
        return report_of(self.settings)

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.variables)

    @property
    def knowledge(self) -> Knowledge:
        """The background knowledge."""
        return Knowledge.from_dict(self.settings["knowledge"])


def check_known(manifest: Manifest) -> None:
    """Raise an error for a score or model whose class is not registered; files never cause an import."""
    score, own = manifest.settings["score"]["name"], (manifest.score_class, manifest.model_class)
    score_class, model_class = (None if place is UNSET else place for place in own)
    if score not in SCORES:
        raise SCORES.unknown(score, score_class)
    if manifest.model not in MODELS:
        raise MODELS.unknown(manifest.model, model_class)


def checked_manifest(manifest: Mapping[str, Any]) -> Manifest:
    """Convert a manifest; raise a ValueError that says what is wrong with it, or what has to be registered first."""
    try:
        checked = converted(manifest, Manifest)
        most = checked.report.max_parents
        require(most < checked.n_variables, "there are more parents than other variables")
        check_known(checked)
        check_described(checked.settings["score"], "$.settings.score")
    except NotRegistered:
        raise
    except ValueError as problem:
        raise ValueError(f"its manifest is invalid: {problem}") from problem
    return checked
