"""The probability that one variable is an ancestor of another, for all pairs at once, and sets of descendants."""

from __future__ import annotations

import numpy as np

from orderspn.models import orientations
from orderspn.models.ancestral_graphs import DRAWS, batches
from orderspn.models.ancestry import error_of_model, exact_descendants
from orderspn.models.capabilities import DESCENDANTS, GRAPH_LIST
from orderspn.models.mixture_graphs import MixtureGraphs
from orderspn.models.protocol import GraphModel
from orderspn.queries.closure import reachability
from orderspn.queries.descendant_sets import DescendantSets, binomial_error

LISTED_BYTES, RELATION = 2**27, 9
"""Bytes of the relations of listed graphs that are counted at a time, and of each: as a boolean and as a number."""

Matrices = tuple[np.ndarray, np.ndarray]
"""Probabilities and their standard errors, each (d, d), [ancestor, descendant]."""


def ancestor_matrix(model: GraphModel, *, with_errors: bool = True) -> Matrices:
    """Return the probability that one variable is an ancestor of another, and its standard error.

    Without errors, which may take longer than the probabilities, they are NaN unless they are 0.
    """
    if isinstance(model, MixtureGraphs):
        parts = [ancestor_matrix(component.model, with_errors=with_errors) for _, component in model.shares()]
        ordered = [
            (component.in_order(mean), component.in_order(error))
            for (_, component), (mean, error) in zip(model.shares(), parts, strict=True)
        ]
        mean = sum(share * own for (share, _), (own, _) in zip(model.shares(), ordered, strict=True))
        return np.minimum(np.asarray(mean), 1.0), model.combined_errors([error for _, error in ordered])
    exact = _exact_matrix(model)
    if exact is not None:
        return exact, np.zeros(exact.shape)
    if GRAPH_LIST.of(model):
        return _of_list(model, with_errors)
    return _of_draws(model, with_errors)


def descendant_sets(model: GraphModel, source: int) -> DescendantSets:
    """Return the distribution of the descendants of a variable."""
    if isinstance(model, MixtureGraphs):
        shares, components = zip(*model.shares(), strict=True)
        each = [descendant_sets(component.model, int(component.places[source])) for component in components]
        ordered = [
            DescendantSets(sets.members[:, component.places], sets.probabilities, sets.standard_errors)
            for sets, component in zip(each, components, strict=True)
        ]
        return DescendantSets.mixed(shares, ordered)
    exact = exact_descendants(model, source)
    if exact is not None:
        return exact
    listed = GRAPH_LIST.optional(model)
    if listed is not None:
        graphs, weights = listed.weighted_graphs()
        return DescendantSets.of_draws(reachability(graphs)[:, source], weights)
    members = np.concatenate([reachability(samples.adjacency)[:, source] for samples in batches(model, DRAWS)])
    return DescendantSets.of_draws(members, np.full(len(members), 1.0 / len(members)), error_of_model(model))


def _exact_matrix(model: GraphModel) -> np.ndarray | None:
    """Return exact probabilities if there are some."""
    if isinstance(model, orientations.OrientedGraphs):
        if not DESCENDANTS.of(model.base):
            return None
        parts = [(share, _exact_matrix(part)) for share, part in model.parts()]
        known = [share * own for share, own in parts if own is not None]
        return np.sum(known, axis=0) if known else None
    capable = DESCENDANTS.optional(model)
    return None if capable is None else capable.exact_ancestors()


def _of_list(model: GraphModel, with_errors: bool) -> Matrices:
    """Count in a list of graphs."""
    listed = GRAPH_LIST.require(model, "ancestors", "this is no list")
    graphs, weights = listed.weighted_graphs()
    d = len(model.variables)
    size = max(1, LISTED_BYTES // (RELATION * d**2))
    mean = np.zeros((d, d))
    for first in range(0, len(graphs), size):
        reached = reachability(graphs[first : first + size])
        mean += np.tensordot(weights[first : first + size], reached, axes=1)
    errors = getattr(model, "ancestor_standard_errors", None) if with_errors else None
    return np.minimum(mean, 1.0), np.full((d, d), np.nan) if errors is None else errors()


def _of_draws(model: GraphModel, with_errors: bool) -> Matrices:
    """Count in graphs that are drawn."""
    counted = np.zeros((len(model.variables),) * 2)
    drawn = 0
    for samples in batches(model, DRAWS):
        counted += reachability(samples.adjacency).sum(axis=0)
        drawn += len(samples)
    mean = counted / drawn
    errors = np.hypot(binomial_error(mean, drawn), error_of_model(model) if with_errors else np.nan)
    np.fill_diagonal(errors, 0.0)
    return mean, errors
