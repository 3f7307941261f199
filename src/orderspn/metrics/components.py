"""Components of a mixture, for metrics that need the score and the units of each; anything else is a mixture of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from orderspn.core.errors import InvalidValue
from orderspn.core.randomness import RNGLike, seed_sequence
from orderspn.data.mixed import Table
from orderspn.missing.imputations import Imputations
from orderspn.models.capabilities import MIXTURE

WeightedComponent = tuple[float, Any, RNGLike]
"""A weight, a posterior, and the seed of draws from it."""


@dataclass(frozen=True, eq=False)
class CompletedTables:
    """Completed tables that were read, one for each component of a posterior learned from missing values."""

    tables: Sequence[Table]

    def __len__(self) -> int:
        return len(self.tables)

    def __iter__(self) -> Iterator[Table]:
        return iter(self.tables)

    @property
    def intervened(self) -> np.ndarray | None:
        """Which variables were intervened on in which rows, the same in all tables."""
        return self.tables[0].intervened


def training_rows(graphs: Any, train: Any) -> list[Any]:
    """Return the training rows of each component: its own completed table if values were missing, else the same."""
    components = graphs.components if is_mixture(graphs) else [graphs]
    if isinstance(train, Imputations | CompletedTables):
        if len(train) != len(components):
            raise InvalidValue(
                f"train has {len(train)} completed tables, and graphs {len(components)} component(s). Pass the "
                "imputations of the same posterior."
            )
        return list(train)
    if any(_is_imputed(component) for component in components):
        raise InvalidValue(
            "train must be posterior.imputations() if values were missing, because every component of the posterior "
            f"was learned from a completed table of its own; got {type(train).__name__}."
        )
    return [train] * len(components)


def _is_imputed(component: Any) -> bool:
    about = getattr(component, "settings", {}).get("missing") or {}
    return about.get("handled") == "imputed"


def components_of(graphs: Any, rng: RNGLike) -> list[WeightedComponent]:
    """Return the components of positive weight of a mixture; for anything else, itself."""
    return [own for own in _all_components(graphs, rng) if own[0] > 0.0]


def trained_components(graphs: Any, train: Any, rng: RNGLike) -> list[tuple[WeightedComponent, Any]]:
    """Return the same, each with its training rows."""
    each = zip(_all_components(graphs, rng), training_rows(graphs, train), strict=True)
    return [(own, rows) for own, rows in each if own[0] > 0.0]


def _all_components(graphs: Any, rng: RNGLike) -> list[WeightedComponent]:
    if not is_mixture(graphs):
        return [(1.0, graphs, rng)]
    seeds = seed_sequence(rng).spawn(len(graphs.components))
    return list(zip(graphs.weights.tolist(), graphs.components, seeds, strict=True))


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
