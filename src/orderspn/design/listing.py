"""Possible experiments from what users say: which variables may be set, to which values, at which cost."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from orderspn.core.arguments import check_integer, check_positive, is_listing
from orderspn.core.errors import InvalidType, InvalidValue, unknown_name
from orderspn.core.names import quoted
from orderspn.design.experiment import OBSERVE, Experiment, named
from orderspn.design.outcomes import suggested_values
from orderspn.posterior import Posterior

Costs = Mapping[str, float] | None


def allowed_targets(posterior: Posterior, targets: Any) -> list[int]:
    """Return the variables that may be intervened on; context variables may not."""
    if targets is None:
        return [posterior.variables.index(name) for name in posterior.explained]
    if isinstance(targets, str) or not is_listing(targets):
        raise InvalidType(f"targets must be a list of variables that may be intervened on; got {targets!r}.")
    chosen = list(targets)
    for name in chosen:
        if name not in posterior.variables:
            raise unknown_name(str(name), posterior.variables)
        if name in posterior.context:
            raise InvalidValue(
                f"{name!r} is a context variable: it is never explained, so an experiment on it tells nothing about "
                "its causes. Leave it out of targets."
            )
    if len(set(chosen)) < len(chosen):
        raise InvalidValue(f"targets must name each variable once; got {quoted(chosen)}.")
    return [posterior.variables.index(name) for name in chosen]


def possible_experiments(
    posterior: Posterior,
    targets: Sequence[int],
    rows: object,
    values: Mapping[str, Any] | None,
    pairs: bool,
    costs: Costs,
) -> list[Experiment]:
    """Return observation and all experiments on one variable, and if asked for, on two."""
    count = check_integer("rows", rows, 1)
    names = posterior.variables
    settings = _values(posterior, targets, values)
    sets: list[tuple[int, ...]] = [(), *((v,) for v in targets)]
    if pairs:
        sets += list(combinations(targets, 2))
    price = _costs(costs, names, [named(tuple(names[v] for v in own)) for own in sets])
    made = []
    for own in sets:
        name = named(tuple(names[v] for v in own))
        # Of two variables the costs are added, unless the pair has one of its own.
        cost = price.get(
            name, sum(price.get(names[v], price.get(named((names[v],)), 1.0)) for v in own) if own else 1.0
        )
        made.append(Experiment(name, own, tuple(settings[v] for v in own), count, cost))
    return made


def _values(posterior: Posterior, targets: Sequence[int], given: Any) -> dict[int, tuple[float, ...]]:
    fitted, names = posterior.model.score.likelihood, posterior.variables
    suggested = suggested_values(fitted)
    chosen = {v: suggested[v] for v in targets}
    if given is None:
        return chosen
    if not isinstance(given, Mapping):
        raise InvalidType(
            f"values must map variables to the values that they are set to; got {type(given).__name__}. For example "
            "values={'A': [0, 1]}."
        )
    for name, several in given.items():
        if name not in names:
            raise unknown_name(str(name), names)
        v = names.index(name)
        if v not in chosen:
            raise InvalidValue(f"values has {name!r}, which is not among the variables that may be intervened on.")
        listed = [several] if isinstance(several, str) or not is_listing(several) else list(several)
        if not listed:
            raise InvalidValue(f"values must have at least one value for {name!r}; got none.")
        levels = getattr(fitted, "levels", None)
        chosen[v] = tuple(
            _number(posterior, v, value) if levels is None else _code(name, levels[v], value) for value in listed
        )
    return chosen


def _number(posterior: Posterior, v: int, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not np.isfinite(float(value)):
        raise InvalidValue(f"values must be finite numbers for {posterior.variables[v]!r}; got {value!r}.")
    if posterior.units is None:
        return float(value)
    row = np.zeros((1, len(posterior.variables)))
    row[0, v] = float(value)
    return float(posterior.units.applied(row)[0, v])


def _code(name: str, levels: tuple[str, ...], value: Any) -> float:
    if str(value) not in levels:
        raise unknown_name(str(value), levels, "level", name)
    return float(levels.index(str(value)))


def _costs(costs: Any, names: Sequence[str], experiments: Sequence[str]) -> dict[str, float]:
    if costs is None:
        return {}
    if not isinstance(costs, Mapping):
        raise InvalidType(f"costs must map variables to costs, such as {{'A': 3}}; got {type(costs).__name__}.")
    for name in costs:
        if name not in names and name not in experiments and name != OBSERVE:
            raise unknown_name(str(name), [*names, OBSERVE])
    return {str(name): check_positive(f"costs[{name!r}]", cost) for name, cost in costs.items()}


def shown_values(posterior: Posterior, experiment: Experiment) -> dict[str, tuple[Any, ...]]:
    """Return the values of an experiment in the units of the data, or as levels."""
    levels = getattr(posterior.model.score.likelihood, "levels", None)
    shown: dict[str, tuple[Any, ...]] = {}
    for v, values in zip(experiment.targets, experiment.values, strict=True):
        name = posterior.variables[v]
        if levels is not None:
            shown[name] = tuple(levels[v][int(code)] for code in values)
        elif posterior.units is None:
            shown[name] = values
        else:
            rows = np.zeros((len(values), len(posterior.variables)))
            rows[:, v] = values
            shown[name] = tuple(float(value) for value in posterior.units.undone(rows)[:, v])
    return shown
