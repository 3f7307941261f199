"""Components of a mixture, for metrics that need the score and the units of each; anything else is a mixture of one."""

from __future__ import annotations

from typing import Any

import numpy as np

from orderspn.core.errors import InvalidValue
from orderspn.core.randomness import RNGLike, seed_sequence
from orderspn.models.capabilities import MIXTURE

WeightedComponent = tuple[float, Any, RNGLike]
"""A weight, a posterior, and the seed of draws from it."""


def components_of(graphs: Any, rng: RNGLike) -> list[WeightedComponent]:
    """Return the components of positive weight of a mixture; for anything else, itself."""
    if not is_mixture(graphs):
        return [(1.0, graphs, rng)]
    seeds = seed_sequence(rng).spawn(len(graphs.components))
    each = zip(graphs.weights.tolist(), graphs.components, seeds, strict=True)
    return [(weight, component, seed) for weight, component, seed in each if weight > 0.0]


def check_named(name: str, table: Any, graphs: Any) -> None:
    """Raise an error for rows without names of columns, if the components of a mixture have different orders."""
    if not isinstance(table, (np.ndarray, list, tuple)) or not is_mixture(graphs):
        return
    if any(component.variables != graphs.variables for component in graphs.components):
        raise InvalidValue(
            f"{name} must have names of columns, because the components of the mixture have their variables in "
            "different orders; got an array. Pass a DataFrame."
        )


def is_mixture(graphs: Any) -> bool:
    """Whether graphs are a posterior that is a mixture."""
    return MIXTURE.of(getattr(graphs, "model", None))
