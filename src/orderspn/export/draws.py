"""Draws of graphs and of effects as labelled arrays, for xarray and ArviZ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from orderspn._version import __version__
from orderspn.core.errors import InvalidType
from orderspn.export.other_packages import load_package
from orderspn.models.capabilities import CHAINS
from orderspn.posterior import Posterior
from orderspn.queries.effects import EffectSamples
from orderspn.queries.sampling import GraphSamples

STATISTICS = {"log_score": "lp", "weight": "weight"}
"""Statistics of a draw, and their names in ArviZ."""

SQUARE = ("chain", "draw", "cause", "effect")
EACH = ("chain", "draw")


def to_xarray(draws: Any) -> Any:
    """Convert draws to an `xarray.Dataset` with named coordinates.

    Parameters
    ----------
    draws : GraphSamples, EffectSamples, or Posterior of method "gadget"
        The results of `posterior.sample` and `posterior.effect_samples` are independent draws and form one chain. A
        posterior that was sampled by Markov chains gives its own graphs, chain by chain, as diagnostics need them.
        Under evidence, which leaves a different number of graphs in each chain, they form one chain.

    Returns
    -------
    xarray.Dataset
        Dimensions `chain`, `draw`, `cause`, `effect`. Variables: `edges` (bool), whether a graph has the edge;
        `effects`, for draws of effects; `weight` of each draw, sum 1, unless all draws have the same weight;
        `log_score`, for graphs of Markov chains.

    Raises
    ------
    ImportError
        If xarray is not installed; the message has the command that installs it.

    Examples
    --------
    >>> import orderspn as osp
    >>> samples = osp.learn(osp.load_sachs(log=True).data).sample(100, rng=0)
    >>> table = osp.export.to_xarray(samples)
    >>> dict(table.sizes)
    {'chain': 1, 'draw': 100, 'cause': 11, 'effect': 11}
    >>> frequency = table["edges"].mean(["chain", "draw"]).sel(cause="Erk", effect="Akt")
    >>> bool(frequency == samples.adjacency[:, samples.variables.index("Erk"), samples.variables.index("Akt")].mean())
    True
    """
    variables, n_chains, arrays = _arrays_of(draws)
    return _dataset(variables, n_chains, arrays)


def to_arviz(draws: Any) -> Any:
    """Convert draws to the `xarray.DataTree` that ArviZ (from 1.0) works on.

    ArviZ ignores weights. For its results to be right, draw without `target="dag"`, or from a posterior over DAGs, in
    which every graph counts once.

    Parameters
    ----------
    draws : as for `to_xarray`

    Returns
    -------
    xarray.DataTree
        With the group `posterior` (`edges` as numbers 0 and 1, and `effects`), and the group `sample_stats` if there
        are log scores (`lp`) or weights (`weight`).

    Raises
    ------
    ImportError
        If xarray is not installed; the message has the command that installs it.

    Examples
    --------
    >>> import orderspn as osp
    >>> data = osp.load_sachs(log=True).data[["Raf", "Mek", "Erk", "Akt"]]
    >>> posterior = osp.learn(data, method=osp.methods.Gadget(n_graphs=1000))
    >>> tree = osp.export.to_arviz(posterior)
    >>> sorted(tree.children), tree["posterior"].sizes["chain"]
    (['posterior', 'sample_stats'], 4)
    """
    xarray = load_package("xarray", "xarray", "to_arviz")
    variables, n_chains, arrays = _arrays_of(draws)
    # ArviZ subtracts, and booleans cannot be subtracted.
    drawn = {name: values.astype(np.float64) for name, values in arrays.items() if name not in STATISTICS}
    statistics = {STATISTICS[name]: values for name, values in arrays.items() if name in STATISTICS}
    groups = {"/posterior": _dataset(variables, n_chains, drawn)}
    if statistics:
        groups["/sample_stats"] = _dataset(variables, n_chains, statistics).drop_vars(["cause", "effect"])
    return xarray.DataTree.from_dict(groups)


def _arrays_of(draws: Any) -> tuple[Sequence[str], int, dict[str, np.ndarray]]:
    """Names of variables, the number of chains, and arrays whose first axis is all draws, chain by chain."""
    if isinstance(draws, EffectSamples):
        return draws.variables, 1, {"effects": draws.values, **_graph_arrays(draws.graphs)}
    if isinstance(draws, GraphSamples):
        return draws.variables, 1, _graph_arrays(draws)
    chains = CHAINS.optional(draws.model) if isinstance(draws, Posterior) else None
    if chains is not None:
        n_chains, adjacency, log_scores = chains.draws()
        return draws.variables, n_chains, {"edges": adjacency, "log_score": log_scores}
    if isinstance(draws, Posterior):
        raise InvalidType(
            f"draws must be draws; got a posterior of method {draws.settings['method']!r}, which was not sampled by "
            "Markov chains. Pass posterior.sample(n) or posterior.effect_samples(n)."
        )
    raise InvalidType(
        "draws must be the result of posterior.sample(n) or posterior.effect_samples(n), or a posterior of method "
        f"'gadget'; got {type(draws).__name__}."
    )


def _graph_arrays(samples: GraphSamples) -> dict[str, np.ndarray]:
    weights = {} if samples.weights is None else {"weight": samples.weights}
    return {"edges": samples.adjacency, **weights}


def _dataset(variables: Sequence[str], n_chains: int, arrays: dict[str, np.ndarray]) -> Any:
    """Arrays (draws, ...) of all chains as a Dataset of arrays (chain, draw, ...)."""
    xarray = load_package("xarray", "xarray", "to_xarray")
    names = list(variables)
    by_chain = {
        name: (SQUARE if values.ndim == 3 else EACH, values.reshape(n_chains, -1, *values.shape[1:]))
        for name, values in arrays.items()
    }
    n_draws = len(next(iter(arrays.values()))) // n_chains
    coordinates = {"chain": np.arange(n_chains), "draw": np.arange(n_draws), "cause": names, "effect": names}
    about = {"inference_library": "orderspn", "inference_library_version": __version__}
    return xarray.Dataset(by_chain, coords=coordinates, attrs=about)
