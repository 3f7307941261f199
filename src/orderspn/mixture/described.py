"""The settings of a mixture: what was mixed, with which weights, and what all components agree on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from orderspn.data.distributions import DISTRIBUTIONS
from orderspn.models.component import Component

ABSENT = object()


def described(
    components: Sequence[Component], weights: Sequence[float], weighting: str, given: Sequence[str | None]
) -> dict[str, Any]:
    """Return the settings of a mixture.

    Settings that are the same for all components are those of the mixture too, so that for example `settings["rows"]`
    is there if all were learned from as many rows. Distributions of the data that all share are not repeated for each.

    Parameters
    ----------
    components : sequence of Component
    weights : sequence of float
        Weights with which they were mixed, with sum 1.
    weighting : {"evidence", "equal", "given"}
        Where the weights come from.
    given : sequence of str or None
        The evidence of each component when it was mixed.
    """
    targets = {component.model.target for component in components}
    each = [dict(component.settings) for component in components]
    agreed = _agreed(each)
    shared = {DISTRIBUTIONS} & agreed.keys()
    return {
        **agreed,
        "method": "mixture",
        "target": targets.pop() if len(targets) == 1 else "mixed",
        "weighting": weighting,
        "weights": list(weights),
        "components": [{key: value for key, value in one.items() if key not in shared} for one in each],
        "given": list(given),
        "warnings": list(dict.fromkeys(message for one in each for message in one.get("warnings", ()))),
    }


def sharing(settings: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the settings of components that have the distributions of the first, if they are equal, only once.

    They are by far the largest of the settings, and a mixture may have hundreds of components.
    """
    kept: list[dict[str, Any]] = []
    for one in settings:
        first = (kept[0] if kept else one).get(DISTRIBUTIONS)
        kept.append({**one, DISTRIBUTIONS: first} if first is not None and one.get(DISTRIBUTIONS) == first else {**one})
    return kept


def _agreed(each: Sequence[dict[str, Any]]) -> dict[str, Any]:
    first, *others = each
    return {key: value for key, value in first.items() if all(own.get(key, ABSENT) == value for own in others)}
