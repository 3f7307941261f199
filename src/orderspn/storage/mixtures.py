"""Mixtures in files: each component is stored as a posterior of its own, under names with its number in front.

Mixtures of mixtures are flat, so nothing is nested. Components are stored under their evidence, which includes that of
the mixture, together with the weights that they have under it. Distributions of the data that all components share are
stored once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from orderspn.core.checked_json import require
from orderspn.core.stored_arrays import NUMBER, StoredArray
from orderspn.data.distributions import DISTRIBUTIONS
from orderspn.mixture import Mixture
from orderspn.mixture.mixing import assembled
from orderspn.models.capabilities import MIXTURE
from orderspn.models.capabilities import require as require_capability
from orderspn.storage.archive import Archive
from orderspn.storage.demands import Budget
from orderspn.storage.members import fits
from orderspn.storage.one_posterior import arrays_in_file, check_readable, described, restored
from orderspn.storage.schema import MixtureManifest, checked_mixture, described_evidence

LOG_WEIGHTS = "mixture_log_weights"
"""The array of the logs of weights under the evidence."""

STORED_LOG_WEIGHTS = StoredArray((NUMBER,), (1,))

TOLERANCE = 1e-9
"""Largest distance of the log of the sum of weights from 0."""


def described_mixture(mixture: Mixture) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return what a manifest says about a mixture, and its arrays."""
    mixed = require_capability(mixture.model, MIXTURE, "a mixture")
    settings, components = mixture.settings, mixture.components
    shared = {key: settings[key] for key in (DISTRIBUTIONS,) if key in settings}
    body = {
        "variables": mixture.variables,
        "weighting": settings["weighting"],
        "weights": settings["weights"],
        "given": settings["given"],
        "evidence": described_evidence(mixture.evidence),
        "reweighted": mixed.reweighted,
        "log_evidence": mixed.log_total,
        **shared,
        "components": [_without(described(component), shared) for component in components],
    }
    arrays = {LOG_WEIGHTS: mixed.log_weights}
    for m, component in enumerate(components):
        arrays |= {_prefix(m) + name: array for name, array in arrays_in_file(component).items()}
    return body, arrays


def _without(description: dict[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    """Return the description of a component without settings that are stored with the mixture."""
    own = {key: value for key, value in description["settings"].items() if key not in shared}
    return {**description, "settings": own}


def check_readable_mixture(mixture: Mixture, manifest: MixtureManifest, arrays: Mapping[str, np.ndarray]) -> None:
    """Raise an error for what `load` would refuse."""
    parts = _by_component(arrays, len(manifest.components))
    for component, description, own in zip(mixture.components, manifest.components, parts, strict=True):
        check_readable(component, description, own)


def restored_mixture(archive: Archive, budget: Budget) -> Mixture:
    """Return the mixture of a file, which may come from an unknown source."""
    manifest = checked_mixture(archive.manifest)
    log_weights = _log_weights(archive.arrays, len(manifest.components))
    parts = _by_component(archive.arrays, len(manifest.components))
    shared = {key: archive.manifest[key] for key in (DISTRIBUTIONS,) if key in archive.manifest}
    settings = [{**described["settings"], **shared} for described in archive.manifest["components"]]
    evidence = manifest.evidence.edges()
    components = []
    for description, own_settings, own, log_weight in zip(
        manifest.components, settings, parts, log_weights, strict=True
    ):
        components.append(restored(description, own_settings, own, budget))
        budget.close_part()
        under = components[-1].evidence
        require(log_weight == -np.inf or under & evidence == under, "its components are not under its evidence")
    known = manifest.weighting == "evidence" or np.count_nonzero(log_weights > -np.inf) == 1
    require(manifest.log_evidence is None or known, "its weights are not by evidence, but it has a log evidence")
    return assembled(
        tuple(manifest.variables),
        components,
        log_weights,
        manifest.weighting,
        weights=manifest.weights,
        given=manifest.given,
        evidence=evidence,
        log_total=manifest.log_evidence,
        reweighted=manifest.reweighted,
    )


def _log_weights(arrays: Mapping[str, np.ndarray], n: int) -> np.ndarray:
    """Return the logs of the weights (n,), checked."""
    log_weights = arrays[LOG_WEIGHTS]
    require(fits(STORED_LOG_WEIGHTS, log_weights.dtype, log_weights.ndim), f"{LOG_WEIGHTS!r} has another type")
    require(log_weights.shape == (n,), "its components and their weights do not match")
    valid = not np.isnan(log_weights).any() and bool((log_weights <= TOLERANCE).all())
    require(valid and abs(np.logaddexp.reduce(log_weights)) <= TOLERANCE, "the sum of its weights is not 1")
    return log_weights


def _by_component(arrays: Mapping[str, np.ndarray], n: int) -> list[dict[str, np.ndarray]]:
    """Return the arrays of each component by their own names; raise an error for any others."""
    parts: list[dict[str, np.ndarray]] = [{} for _ in range(n)]
    places = {_prefix(m): own for m, own in enumerate(parts)}
    for name, array in arrays.items():
        prefix, name_of_its_own = name[: name.rfind("/") + 1], name[name.rfind("/") + 1 :]
        if prefix in places:
            places[prefix][name_of_its_own] = array
        else:
            require(name == LOG_WEIGHTS, f"it has the unknown array {name!r}")
    return parts


def _prefix(m: int) -> str:
    """Return the beginning of the names of the arrays of a component."""
    return f"components/{m}/"
