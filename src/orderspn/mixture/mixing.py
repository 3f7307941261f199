"""`mix`: from posteriors and weights to a mixture."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.core.arguments import as_float, check_choice, is_listing
from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.core.names import quoted
from orderspn.mixture.described import described, sharing
from orderspn.mixture.mixed_posterior import Mixture
from orderspn.models.capabilities import MASSES, MIXTURE, require
from orderspn.models.component import Component
from orderspn.models.mixture_graphs import MixtureGraphs
from orderspn.posterior import Posterior
from orderspn.queries.edges import Edges

if TYPE_CHECKING:
    from orderspn.data.units import Units

MOST_COMPONENTS = 1000
"""Most components of a mixture, also in a file."""


def mix(posteriors: Iterable[Posterior], weights: str | Sequence[float] | np.ndarray = "evidence") -> Mixture:
    """Mix posteriors over the same variables: `p(G) = sum_m w_m p_m(G)`, a posterior again.

    It serves averages over hyperparameters, priors or scores, completed tables of data with missing values, and pools
    of independent runs. The posteriors may differ in data, score, prior, candidates, method and target, and may be
    under evidence or mixtures themselves.

    Parameters
    ----------
    posteriors : list of Posterior
        Up to 1000, over the same variables. Variables are matched by name; the first posterior gives their order.
    weights : "evidence", "equal" or list of numbers, default "evidence"
        "evidence": proportional to `exp(log_evidence)`, which is Bayesian model averaging with equal prior weights. It
        needs posteriors with a log evidence (`method="exact"` or `"trust"`) of the same data and the same target.
        "equal": the same for all, for example for imputations of missing values. Numbers are divided by their sum.

    Returns
    -------
    Mixture
        A `Posterior` with every query, and the attributes `components` and `weights`.

    Notes
    -----
    The prior of parent sets is normalised for each variable, not over all graphs. So weights by evidence compare
    scores, hyperparameters, candidates and runs. Between posteriors with different `prior=` or `knowledge=` they also
    have the ratio of the prior masses of acyclic graphs.

    Evidence on a mixture changes its weights: `mix([p, q]).given(e)` gives more weight to the posterior in which `e`
    was more probable, while `mix([p.given(e), q.given(e)], weights="equal")` does not.

    Examples
    --------
    >>> import orderspn as osp
    >>> data = osp.load_sachs(log=True).data[["Raf", "Mek", "Erk", "Akt"]]
    >>> runs = [osp.learn(data, score=osp.scores.BGe(alpha_mu=a)) for a in (5.0, 10.0, 20.0)]
    >>> mixture = osp.mix(runs, weights="evidence")
    >>> mixture.weights.round(3)
    array([0.031, 0.172, 0.797])
    >>> best = max(runs, key=lambda run: run.log_evidence)
    >>> mixture.log_evidence < best.log_evidence
    True

    Evidence changes the weights, and all other answers with them:

    >>> under = mixture.given("Raf -> Mek")
    >>> under.probability("Mek -> Raf")
    0.0
    """
    listed = _checked_posteriors(posteriors)
    log_weights, weighting = _log_weights(weights, listed)
    flat = [_flat(posterior) for posterior in listed]
    parts = [part for own, _ in flat for part in own]
    if len(parts) > MOST_COMPONENTS:
        raise InvalidValue(
            f"a mixture has at most {MOST_COMPONENTS} components; got {len(parts)}. Mix fewer posteriors."
        )
    each = np.concatenate([log_weight + inner for log_weight, (_, inner) in zip(log_weights, flat, strict=True)])
    return assembled(
        tuple(listed[0].variables),
        parts,
        each - np.logaddexp.reduce(each),
        weighting,
        log_total=_log_total(listed, log_weights, weighting),
        reweighted=any(_is_reweighted(posterior) for posterior in listed),
    )


def assembled(
    variables: tuple[str, ...],
    posteriors: Sequence[Posterior],
    log_weights: np.ndarray,
    weighting: str,
    *,
    log_total: float | None,
    weights: Sequence[float] | None = None,
    given: Sequence[str | None] | None = None,
    evidence: Edges | None = None,
    reweighted: bool = False,
) -> Mixture:
    """Make a mixture of posteriors that are no mixtures, new or from a file.

    A new one has the given log weights, with sum 1, and the evidence that all its components share. One from a file
    also has the weights and the evidence of its components before it was conditioned on `evidence`.
    """
    own_settings = sharing(p.settings for p in posteriors)
    components = tuple(
        Component.of(p.model, p.evidence, own, p.units, variables)
        for p, own in zip(posteriors, own_settings, strict=True)
    )
    model = MixtureGraphs(variables, components, log_weights, log_total, reweighted)
    first = model.weights.tolist() if weights is None else weights
    under = [str(p.evidence) or None for p in posteriors] if given is None else given
    settings = described(components, first, weighting, under)
    return Mixture(model, settings, _shared_evidence(components) if evidence is None else evidence, _units(components))


def _checked_posteriors(posteriors: object) -> list[Posterior]:
    """Return the posteriors as a list; raise an error unless they are posteriors over the same variables."""
    if isinstance(posteriors, Posterior) or not is_listing(posteriors):
        raise InvalidType(f"posteriors must be a list of posteriors; got {type(posteriors).__name__}.")
    listed = list(posteriors)
    if not listed:
        raise InvalidValue("posteriors must hold at least one posterior; got none.")
    for place, posterior in enumerate(listed):
        if not isinstance(posterior, Posterior):
            raise InvalidType(f"posteriors must hold posteriors; got {type(posterior).__name__} at place {place}.")
        _check_variables(listed[0].variables, posterior.variables, place)
    return listed


def _check_variables(first: list[str], other: list[str], place: int) -> None:
    missing, unknown = [v for v in first if v not in other], [v for v in other if v not in first]
    if missing or unknown:
        differ = [f"without {quoted(missing)}"] * bool(missing) + [f"with {quoted(unknown)}"] * bool(unknown)
        raise InvalidValue(
            f"posteriors must be over the same variables; the first is over {quoted(first)}, and the one at place "
            f"{place} is {' and '.join(differ)}. Learn all of them with the same variables=[...]."
        )


def _flat(posterior: Posterior) -> tuple[Sequence[Posterior], np.ndarray]:
    """Return the components of a mixture, or a posterior as a single one, with log weights."""
    if isinstance(posterior, Mixture):
        return posterior.components, require(posterior.model, MIXTURE, "its components").log_weights
    return [posterior], np.zeros(1)


def _log_weights(weights: object, posteriors: Sequence[Posterior]) -> tuple[np.ndarray, str]:
    """Return the log weight of each posterior up to a constant, and where it comes from."""
    if isinstance(weights, str):
        check_choice("weights", weights, ("evidence", "equal"))
        return (_by_evidence(posteriors) if weights == "evidence" else np.zeros(len(posteriors))), weights
    if not is_listing(weights):
        raise InvalidType(f'weights must be "evidence", "equal" or a list of numbers; got {weights!r}.')
    numbers_given = [_checked_weight(weight) for weight in weights]
    if len(numbers_given) != len(posteriors):
        raise InvalidValue(
            f"weights must have a number for each of the {len(posteriors)} posteriors; got {len(numbers_given)}."
        )
    if not any(numbers_given):
        raise InvalidValue("weights must have a number greater than 0; got only 0.")
    return np.array([math.log(weight) if weight > 0.0 else -math.inf for weight in numbers_given]), "given"


def _checked_weight(weight: Any) -> float:
    if isinstance(weight, bool) or not isinstance(weight, numbers.Real):
        raise InvalidType(f"weights must be numbers of at least 0; got {weight!r} of type {type(weight).__name__}.")
    number = as_float(weight)
    if not 0.0 <= number < math.inf:
        raise InvalidValue(f"weights must be finite numbers of at least 0; got {number}.")
    return number


def _by_evidence(posteriors: Sequence[Posterior]) -> np.ndarray:
    """Return log evidences, if they can be compared."""
    if len(posteriors) == 1:
        return np.zeros(1)
    remedy = 'Pass weights="equal", or numbers.'
    for place, posterior in enumerate(posteriors):
        if not _has_evidence(posterior):
            raise InvalidValue(
                f'weights="evidence" needs posteriors with a log evidence; the one at place {place} has none: '
                f"{posterior!r}. {remedy}"
            )
    for key, same in (("data_fingerprint", "the same data (and units)"), ("target", "the same target")):
        values = [posterior.settings.get(key) for posterior in posteriors]
        if None in values or len(set(values)) > 1:
            place = next(m for m, value in enumerate(values) if value is None or value != values[0])
            raise InvalidValue(
                f'weights="evidence" compares posteriors of {same}; the one at place {place} differs from the first in '
                f"settings[{key!r}]. {remedy}"
            )
    return np.array([posterior.log_evidence for posterior in posteriors])


def _has_evidence(posterior: Posterior) -> bool:
    mixed = MIXTURE.optional(posterior.model)
    return MASSES.of(posterior.model) if mixed is None else mixed.log_total is not None


def _is_reweighted(posterior: Posterior) -> bool:
    """Whether evidence has changed the weights of a posterior that is a mixture itself."""
    mixed = MIXTURE.optional(posterior.model)
    return mixed is not None and mixed.reweighted


def _log_total(posteriors: Sequence[Posterior], log_weights: np.ndarray, weighting: str) -> float | None:
    """Return the log of the mean evidence; without weights by evidence that of the only posterior that counts."""
    counted = np.flatnonzero(log_weights > -math.inf)
    if counted.size == 1:
        only = posteriors[counted[0]]
        return only.log_evidence if _has_evidence(only) else None
    return float(np.logaddexp.reduce(log_weights)) - math.log(len(posteriors)) if weighting == "evidence" else None


def _shared_evidence(components: Sequence[Component]) -> Edges:
    first = components[0].evidence
    return first if all(component.evidence == first for component in components) else Edges()


def _units(components: Sequence[Component]) -> Units | None:
    """Return the units of the data if all components have the same, for variables in the same order; else None."""
    units = [component.units for component in components]
    ordered = all((component.places == np.arange(component.places.size)).all() for component in components)
    first = units[0]
    return first if first is not None and ordered and all(u is not None and first.same_as(u) for u in units) else None
