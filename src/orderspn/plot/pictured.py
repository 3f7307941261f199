"""What a picture of edges shows: their probabilities, and what is known where these are a posterior's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.metrics.arguments import read_probabilities
from orderspn.models.protocol import is_posterior
from orderspn.plot.known_edges import KnownEdges, known_edges

if TYPE_CHECKING:
    from orderspn.posterior import Posterior
    from orderspn.queries.edges import EdgesLike


class Pictured(NamedTuple):
    """Probabilities of edges with the names of variables; `posterior`, under its evidence, where there is one."""

    names: list[str]
    values: np.ndarray  # (d, d), [cause, effect]
    posterior: Posterior | None

    @property
    def title(self) -> str:
        """The evidence in words, if there is any."""
        return f"given {self.posterior.evidence}" if self.posterior is not None and self.posterior.evidence else ""

    def known(self, marks: bool) -> KnownEdges:
        """The edges to mark as required and as forbidden, if any are to be."""
        return known_edges(self.posterior) if marks and self.posterior is not None else KnownEdges()


def pictured(name: str, source: Any, given: EdgesLike) -> Pictured:
    """Read a posterior, a DataFrame or array of probabilities, or graphs; `name` is the argument, for errors.

    Examples
    --------
    >>> pictured("probabilities", [[0.0, 0.8], [0.2, 0.0]], None).names
    ['X1', 'X2']
    """
    posterior = _conditioned(name, source, given)
    try:
        read = read_probabilities(name, source if posterior is None else posterior)
    except InvalidType as problem:
        raise InvalidType(f"{problem} A posterior and sampled graphs are taken as well.") from None
    names = [f"X{k + 1}" for k in range(read.n_variables)] if read.variables is None else list(read.variables)
    return Pictured(names, read.values, posterior)


def _conditioned(name: str, source: Any, given: EdgesLike) -> Posterior | None:
    """The posterior under its evidence; None for probabilities alone."""
    if is_posterior(source):
        conditioned: Posterior = source.given(given)
        return conditioned
    if given is not None:
        raise InvalidValue(
            f"given conditions a posterior, and {name} is a {type(source).__name__}. Pass the posterior itself, "
            "or posterior.edge_probabilities(given)."
        )
    return None
