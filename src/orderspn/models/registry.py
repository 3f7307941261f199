"""Models by their names in files: the built-in ones, and classes of users once they are registered."""

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
    """Register a class of models by its `kind`, so that `load` can read its posteriors.

    Parameters
    ----------
    model : class
        With the attributes of `models/protocol.py`. It must be defined in a module, because files name the class.
        `load` never imports a class that a file names: it only uses registered classes.

    Returns
    -------
    class
        The same class, so that `register` works as a decorator.

    Examples
    --------
    >>> from orderspn.models import register
    >>> from orderspn.models.dag_graphs import DagGraphs
    >>> register(DagGraphs).kind  # it is registered already
    'dags'
    """
    MODELS.add(getattr(model, "kind", None), model, ("arrays", "restore"))
    return model


def stored_arrays(kind: str) -> StoredArrays | None:
    """Return the arrays that a registered model may have in a file; None for any arrays of numbers."""
    return getattr(MODELS[kind], "stored", None)
