"""Models by the names that files have for them, one line for each; and those of others, once they are registered."""

from __future__ import annotations

from typing import Any, TypeVar

from orderspn.core.registry import Registry
from orderspn.core.stored_arrays import StoredArrays
from orderspn.models.circuit_graphs import CircuitGraphs
from orderspn.models.dag_graphs import DagGraphs
from orderspn.models.exact_order_graphs import ExactOrderGraphs
from orderspn.models.particle_graphs import ParticleGraphs
from orderspn.models.protocol import GraphModel
from orderspn.models.sampled_graphs import SampledGraphs

MODELS: Registry[GraphModel] = Registry(
    "model",
    "orderspn.models.register",
    {
        ExactOrderGraphs.kind: ExactOrderGraphs,
        CircuitGraphs.kind: CircuitGraphs,
        DagGraphs.kind: DagGraphs,
        SampledGraphs.kind: SampledGraphs,
        ParticleGraphs.kind: ParticleGraphs,
    },
)

M = TypeVar("M", bound=type[Any])


def register(model: M) -> M:
    """Make a class of models known by its `kind` to `load`, which then reads files of its posteriors.

    Parameters
    ----------
    model : class
        With the attributes of `models/protocol.py`. It must be possible to import it, so that files can say which class
        wrote them. Nothing is imported because a file says so.

    Returns
    -------
    class
        The same, so that this can decorate it.

    Examples
    --------
    >>> from orderspn.models import register
    >>> from orderspn.models.dag_graphs import DagGraphs
    >>> register(DagGraphs).kind  # which was known before
    'dags'
    """
    MODELS.add(getattr(model, "kind", None), model, ("arrays", "restore"))
    return model


def stored_arrays(kind: str) -> StoredArrays | None:
    """The arrays that a registered model may have in a file; None for any arrays of numbers."""
    return getattr(MODELS[kind], "stored", None)
