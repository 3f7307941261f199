"""`Posterior.update`: the posterior after more rows, from sums over the earlier ones instead of their table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from orderspn.core.arguments import check_choice
from orderspn.core.capabilities import Capability
from orderspn.core.checksum import sha256_of_bytes
from orderspn.core.deadline import Deadline
from orderspn.core.errors import InvalidValue, Unavailable
from orderspn.core.memory import MEMORY_LIMIT
from orderspn.core.names import quoted
from orderspn.core.randomness import RNGLike, seed_for, seed_sequence
from orderspn.core.tasks import workers_stay
from orderspn.data.categories import Categories, category_values
from orderspn.data.dataset import Dataset, check_magnitude, read_evaluation_rows
from orderspn.data.distributions import DISTRIBUTIONS
from orderspn.data.interventions import read_with_interventions
from orderspn.data.units import Units
from orderspn.display.progress import Progress, make_workers, showing
from orderspn.methods.auto import Auto
from orderspn.methods.method import Method
from orderspn.methods.problem import Problem
from orderspn.methods.registry import as_method
from orderspn.models.mixture_graphs import MixtureGraphs
from orderspn.posterior import Posterior
from orderspn.scores.bge import FittedBGe
from orderspn.scores.bge_rows import standardized_again
from orderspn.scores.protocol import MarginalLikelihood, UpdatableLikelihood
from orderspn.solving import plan_of

Standardized = Literal["again", "keep"]

UPDATES: Capability[UpdatableLikelihood] = Capability(
    ("with_rows",),
    "needs a score that can be fitted to more rows",
    "Use scores.BGe() without polynomials and categories, or scores.BDeu(), or learn again from all rows.",
)


def update(
    posterior: Posterior,
    rows: Any,
    interventions: Any,
    targets: Mapping[Any, Any] | None,
    standardize: Standardized,
    method: str | Method | Auto | None,
    rng: RNGLike,
    n_jobs: int | None,
    progress: Progress,
) -> Posterior:
    """Return the posterior after more rows; see `Posterior.update`."""
    check_choice("standardize", standardize, ("again", "keep"))
    likelihood = updatable(posterior)
    table = read_more_rows(posterior, likelihood, rows, interventions, targets)
    fitted: Any = likelihood.with_rows(table)
    units = posterior.units
    if standardize == "again" and units is not None and isinstance(fitted, FittedBGe):
        fitted, units = standardized_again(fitted, units)
    intervened = 0 if table.intervened is None else int(table.intervened.any(axis=1).sum())
    before = posterior.settings["interventions"]
    changed = {
        "rows": fitted.n_rows,
        "interventions": (before or 0) + intervened if before is not None or intervened else None,
        "data_fingerprint": sha256_of_bytes(f"{posterior.settings['data_fingerprint']} {table.fingerprint}".encode()),
    }
    chosen = method_of(posterior) if method is None else as_method(method)
    return learned_again(posterior, fitted, units, changed, chosen, rng, n_jobs, progress)


def updatable(posterior: Posterior) -> UpdatableLikelihood:
    """Return the fitted score of a posterior, if rows can be added to it."""
    if isinstance(posterior.model, MixtureGraphs):
        raise Unavailable(
            "more rows can be added to the posterior of one table, and this one is a mixture. Learn again from all "
            "rows, or update its components and mix them again."
        )
    likelihood = posterior.model.score.likelihood
    return UPDATES.require(likelihood, "update()", f"the score {likelihood.settings()['name']!r} of this one is not")


def read_more_rows(
    posterior: Posterior, likelihood: Any, rows: Any, interventions: Any, targets: Mapping[Any, Any] | None
) -> Dataset | Categories:
    """Read rows of the variables of a posterior, in its units or with its levels."""
    names = posterior.variables
    if hasattr(likelihood, "levels"):
        return _read_categories(names, likelihood.levels, rows, interventions, targets)
    table = read_evaluation_rows(rows, names, interventions, targets)
    if not np.isfinite(table.values).all():
        broken = [names[v] for v in np.flatnonzero(~np.isfinite(table.values).all(axis=0))]
        raise InvalidValue(
            f"new rows must be complete and finite; {quoted(broken)} have missing or infinite values. Leave such rows "
            "out, or learn again from all rows, which imputes missing values."
        )
    _check_some(table.n_rows)
    values = table.values if posterior.units is None else posterior.units.applied(table.values)
    check_magnitude(names, values)
    return replace(table, values=values)


def _check_some(n_rows: int) -> None:
    if not n_rows:
        raise InvalidValue("new rows must have at least 1 row; got an empty table.")


def _read_categories(
    names: Sequence[str], levels: Sequence[tuple[str, ...]], rows: Any, interventions: Any, targets: Any
) -> Categories:
    columns, intervened = read_with_interventions(rows, names, interventions, targets)
    codes = []
    for name, known in zip(names, levels, strict=True):
        numbers = {level: number for number, level in enumerate(known)}
        own = [numbers.get(str(value), -1) for value in category_values(name, columns[name])]
        if -1 in own:
            new = str(category_values(name, columns[name])[own.index(-1)])
            raise InvalidValue(
                f"column {name!r} has the level {new!r}, which the posterior does not know; it knows {quoted(known)}. "
                "Learn again from all rows."
            )
        codes.append(own)
    _check_some(len(codes[0]))
    return Categories(tuple(names), np.array(codes, dtype=np.uint16).T.copy(), tuple(levels), intervened)


def method_of(posterior: Posterior) -> Method | Auto:
    """Return the method of a posterior with its settings."""
    settings = posterior.settings
    method = as_method(str(settings["method"]))
    return type(method)(**{name: settings[name] for name in method.get_params() if name in settings})


def learned_again(
    posterior: Posterior,
    likelihood: MarginalLikelihood,
    units: Units | None,
    changed: Mapping[str, Any],
    method: Method | Auto,
    rng: RNGLike,
    n_jobs: int | None,
    progress: Progress,
) -> Posterior:
    """Learn a posterior with the prior and knowledge of another, from a score that was fitted otherwise."""
    model, settings = posterior.model, posterior.settings
    local = replace(model.score, likelihood=likelihood)
    d, context = len(posterior.variables), local.context
    chosen = method.resolved_beside(context.size, d - context.size, MEMORY_LIMIT)
    asked = posterior.candidates if settings["candidates"] == "given" else "auto"
    rules = local.rules if posterior.knowledge else None
    plan = plan_of(chosen, asked, posterior.variables, MEMORY_LIMIT, rules, context)
    workers = make_workers(n_jobs, progress)
    chosen.demand(plan.sizes(d), workers.n_jobs).check(MEMORY_LIMIT)
    seed = seed_for(seed_sequence(rng), "learning")
    problem = Problem(tuple(posterior.variables), local, plan, seed, workers, Deadline.after(None))
    with workers_stay(), showing(progress):
        solution = chosen.learn(problem)
    kept = {key: value for key, value in settings.items() if key not in (DISTRIBUTIONS, "lost_share", "missing")}
    recorded = {
        **kept,
        **chosen.settings(),
        **plan.recorded(),
        **changed,
        "score": likelihood.settings(),
        "warnings": [*settings["warnings"], *solution.warnings],
        **solution.report,
    }
    return Posterior(solution.model, recorded, units=units).given(posterior.evidence or None)
