"""The settings of a mixture: what was mixed, with which weights, and what all components agree on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from orderspn.models.component import Component

ABSENT = object()


def described(
    components: Sequence[Component], weights: Sequence[float], weighting: str, given: Sequence[str | None]
) -> dict[str, Any]:
    """Return the settings of a mixture.

    Settings that are the same for all components are those of the mixture too, so that for example `settings["rows"]`
    is there if all were learned from as many rows.

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
    return {
        **_agreed(each),
        "method": "mixture",
        "target": targets.pop() if len(targets) == 1 else "mixed",
        "weighting": weighting,
        "weights": list(weights),
        "components": each,
        "given": list(given),
        "warnings": list(dict.fromkeys(message for one in each for message in one.get("warnings", ()))),
    }


def _agreed(each: Sequence[dict[str, Any]]) -> dict[str, Any]:
    first, *others = each
    return {key: value for key, value in first.items() if all(own.get(key, ABSENT) == value for own in others)}
