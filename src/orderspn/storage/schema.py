"""The schema of the manifest of a file: every field with its type and range.

A `Manifest` is safe to use: no field is missing or unknown, numbers are finite and within their ranges, and names of
variables are different. Files are also checked when they are written. The schema of the settings is declared by the
method that made them, and that of the score's settings by the score.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from orderspn.core.checked_json import Finite, Name, Share, converted, require
from orderspn.core.registry import NotRegistered
from orderspn.data.columns import checked_names
from orderspn.data.distributions import DISTRIBUTIONS, Distribution, check_distributions
from orderspn.knowledge.statement import Knowledge
from orderspn.methods.registry import report_of
from orderspn.methods.report import Report, Text
from orderspn.mixture.mixing import MOST_COMPONENTS
from orderspn.models.registry import MODELS
from orderspn.queries.edges import Edges
from orderspn.scores.registry import SCORES, check_described

Pair = tuple[str, str]
Variables = Annotated[list[str], Meta(min_length=2)]
Place = Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_.]*:[A-Za-z_][A-Za-z0-9_.]*$", max_length=300)]
"""The place of a class, as `module:QualifiedName`."""


class Evidence(Struct, forbid_unknown_fields=True):
    """The evidence that the posterior is conditioned on."""

    present: list[Pair]
    absent: list[Pair]
    before: list[Pair]
    adjacent: list[Pair]
    ancestors: list[Pair] = []
    not_ancestors: list[Pair] = []

    def edges(self) -> Edges:
        """Return the evidence as `Edges`."""
        return Edges(self.present, self.absent, self.before, self.adjacent, self.ancestors, self.not_ancestors)


def described_evidence(evidence: Edges) -> dict[str, Any]:
    """Return evidence as it is in a manifest."""
    described = {
        "present": evidence.present,
        "absent": evidence.absent,
        "before": evidence.before,
        "adjacent": evidence.adjacent,
    }
    if evidence.ancestry:  # without them, versions that do not know ancestors read the file too
        described |= {"ancestors": evidence.ancestors, "not_ancestors": evidence.not_ancestors}
    return described


class Description(Struct, forbid_unknown_fields=True, kw_only=True):
    """One posterior, alone in a file or as a component of a mixture."""

    variables: Variables
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


class Manifest(Description, forbid_unknown_fields=True, kw_only=True):
    """The manifest of a file with one posterior."""

    format: str
    format_version: int
    package_version: str


class MixtureManifest(Struct, forbid_unknown_fields=True, kw_only=True):
    """The manifest of a file with a mixture, whose components are single posteriors."""

    format: str
    format_version: int
    package_version: str
    variables: Variables
    weighting: Literal["evidence", "equal", "given"]
    weights: Annotated[list[Share], Meta(min_length=1, max_length=MOST_COMPONENTS)]
    given: list[Text | None]
    evidence: Evidence
    reweighted: bool
    log_evidence: Finite | None
    distributions: dict[str, Distribution] | UnsetType = UNSET
    """Those of the data, if all components have the same."""
    components: Annotated[list[Description], Meta(min_length=1, max_length=MOST_COMPONENTS)]

    def __post_init__(self) -> None:
        checked_names(self.variables)
        same = len(self.weights) == len(self.given) == len(self.components)
        require(same, "the numbers of its components, weights and evidence differ")
        require(abs(sum(self.weights) - 1.0) < 1e-6, "the sum of its weights is not 1")
        for component in self.components:
            require(sorted(component.variables) == sorted(self.variables), "its components have other variables")


def check_known(manifest: Description) -> None:
    """Raise an error for a score or model whose class is not registered; files never cause an import."""
    score, own = manifest.settings["score"]["name"], (manifest.score_class, manifest.model_class)
    score_class, model_class = (None if place is UNSET else place for place in own)
    if score not in SCORES:
        raise SCORES.unknown(score, score_class)
    if manifest.model not in MODELS:
        raise MODELS.unknown(manifest.model, model_class)


def checked_manifest(manifest: Mapping[str, Any]) -> Manifest:
    """Convert a manifest; raise a ValueError that says what is wrong with it, or what has to be registered first."""
    with _as_invalid():
        checked = converted(manifest, Manifest)
        _check_described(checked, "$")
        return checked


def checked_mixture(manifest: Mapping[str, Any]) -> MixtureManifest:
    """Convert the manifest of a mixture, in the same way."""
    with _as_invalid():
        checked = converted(manifest, MixtureManifest)
        for m, component in enumerate(checked.components):
            _check_described(component, f"$.components[{m}]")
        _check_shared(checked)
        return checked


def _check_described(description: Description, place: str) -> None:
    """Raise a ValueError for settings that are invalid, or whose classes are not registered."""
    report = description.report
    require(report.max_parents < description.n_variables, "there are more parents than other variables")
    _check_names(report.distributions, description.variables)
    check_known(description)
    check_described(description.settings["score"], f"{place}.settings.score")


def _check_names(distributions: Mapping[str, Distribution] | UnsetType, variables: Sequence[str]) -> None:
    named = distributions is UNSET or sorted(distributions) == sorted(variables)
    require(named, "its distributions are not those of its variables")


def _check_shared(mixture: MixtureManifest) -> None:
    """Raise a ValueError for shared distributions that do not belong to every component."""
    if mixture.distributions is UNSET:
        return
    _check_names(mixture.distributions, mixture.variables)
    each = [component.settings for component in mixture.components]
    rows, kinds = each[0]["rows"], each[0].get("kinds")
    check_distributions(mixture.distributions, rows, kinds)
    for own in each:
        require(own["rows"] == rows and own.get("kinds") == kinds, "its components do not share their distributions")
        require(DISTRIBUTIONS not in own, "its components have distributions of their own")


@contextmanager
def _as_invalid() -> Iterator[None]:
    """Say of a ValueError that it is about the manifest."""
    try:
        yield
    except NotRegistered:
        raise
    except ValueError as problem:
        raise ValueError(f"its manifest is invalid: {problem}") from problem
