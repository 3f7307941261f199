"""Arguments of figures of edges: edge probabilities, and required and forbidden edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.metrics.arguments import read_probabilities
from orderspn.metrics.reference import read_reference as read_reference
from orderspn.models.protocol import is_posterior
from orderspn.queries.edges import Edge

if TYPE_CHECKING:
    from orderspn.posterior import Posterior
    from orderspn.queries.edges import EdgesLike


class EdgeProbabilities(NamedTuple):
    """Edge probabilities with the names of variables, and the posterior under its evidence if they come from one."""

    names: list[str]
    values: np.ndarray  # (d, d), [cause, effect]
    posterior: Posterior | None

    @property
    def title(self) -> str:
        """The evidence of the posterior as a title; empty without evidence."""
        return f"given {self.posterior.evidence}" if self.posterior is not None and self.posterior.evidence else ""

    @property
    def context(self) -> list[str]:
        """The context variables of the posterior; none of anything else."""
        return [] if self.posterior is None else list(getattr(self.posterior, "context", ()))

    def known(self, marks: bool) -> KnownEdges:
        """The edges to mark as required and as forbidden; none without `marks`."""
        return known_edges(self.posterior) if marks and self.posterior is not None else KnownEdges()


def read_edge_probabilities(name: str, source: Any, given: EdgesLike) -> EdgeProbabilities:
    """Read a posterior, a DataFrame or array of probabilities, or graphs; errors call the argument `name`.

    Examples
    --------
    >>> read_edge_probabilities("probabilities", [[0.0, 0.8], [0.2, 0.0]], None).names
    ['X1', 'X2']
    """
    posterior = _conditioned(name, source, given)
    try:
        read = read_probabilities(name, source if posterior is None else posterior)
    except InvalidType as problem:
        raise InvalidType(f"{problem} A posterior and sampled graphs are taken as well.") from None
    names = [f"X{k + 1}" for k in range(read.n_variables)] if read.variables is None else list(read.variables)
    return EdgeProbabilities(names, read.values, posterior)


def _conditioned(name: str, source: Any, given: EdgesLike) -> Posterior | None:
    """The posterior conditioned on `given`; None if the source is not a posterior."""
    if is_posterior(source):
        conditioned: Posterior = source.given(given)
        return conditioned
    if given is not None:
        raise InvalidValue(
            f"given needs a posterior to condition; got a {type(source).__name__} as {name}. Pass the posterior, or "
            "posterior.edge_probabilities(given)."
        )
    return None


class KnownEdges(NamedTuple):
    """Edges that evidence or background knowledge names as required or as forbidden."""

    required: frozenset[Edge] = frozenset()
    forbidden: frozenset[Edge] = frozenset()


def known_edges(posterior: Posterior) -> KnownEdges:
    """The edges that evidence or background knowledge names, without those that only follow from them."""
    evidence, knowledge = posterior.evidence, posterior.knowledge
    return KnownEdges(
        frozenset(evidence.present) | frozenset(knowledge.required),
        frozenset(evidence.absent) | frozenset(knowledge.forbidden),
    )
