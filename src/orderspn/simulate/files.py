"""Linear Gaussian networks in files, and those that come with the package.

A file is JSON as exported from the bnlearn repository: `nodes`, `arcs`, and for each node in `cpds` its
`coefficients` (of its parents and of "(Intercept)") and its residual `variance`, numbers in lists of one.
"""

from __future__ import annotations

from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from orderspn.core.errors import InvalidType, InvalidValue, UnreadableFile, unknown_name
from orderspn.core.json_text import read_json
from orderspn.simulate.network import LinearGaussianNetwork

NETWORKS = ("ecoli70", "magic-niab")
"""Names of the networks that come with the package."""

INTERCEPT = "(Intercept)"


def load_network(source: str | PathLike[str]) -> LinearGaussianNetwork:
    """Load a linear Gaussian network by name or from a file.

    Both networks that come with the package are of the bnlearn repository (bnlearn.com/bnrepository).

    Parameters
    ----------
    source : str or path
        "ecoli70" (gene expression of E. coli: 46 variables, 70 edges; Schaefer and Strimmer 2005), "magic-niab"
        (traits and markers of wheat: 44 variables, 66 edges; Scutari et al. 2014), or the path of a JSON file in the
        same format.

    Returns
    -------
    LinearGaussianNetwork

    Examples
    --------
    >>> import orderspn as osp
    >>> network = osp.simulate.load_network("ecoli70")
    >>> network
    <LinearGaussianNetwork: 46 variables, 70 edges>
    >>> network.sample(500, rng=0).shape
    (500, 46)
    """
    if not isinstance(source, (str, PathLike)):
        raise InvalidType(f"source must be a name or a path; got {source!r} of type {type(source).__name__}.")
    if isinstance(source, str) and source in NETWORKS:
        text = (files("orderspn.simulate") / "networks" / f"{source}.json").read_text(encoding="utf-8")
        return _network(source, text)
    path = Path(source)
    if isinstance(source, str) and not path.suffix and not path.exists():
        raise unknown_name(source, NETWORKS, "network")
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UnreadableFile(f"cannot read {str(path)!r} as a network: it is not text.") from None
    except OSError as problem:
        raise InvalidValue(
            f"cannot read {str(path)!r}: {problem.strerror}. Networks by name are {', '.join(map(repr, NETWORKS))}."
        ) from None
    return _network(str(path), text)


def _network(source: str, text: str) -> LinearGaussianNetwork:
    try:
        return _parsed(read_json(text))
    except KeyError as problem:
        raise UnreadableFile(f"cannot read {source!r} as a network: {problem} is missing.") from None
    except (TypeError, ValueError) as problem:
        raise UnreadableFile(f"cannot read {source!r} as a network: {problem}") from None


def _parsed(content: dict[str, Any]) -> LinearGaussianNetwork:
    names = [str(name) for name in content["nodes"]]
    place = {name: i for i, name in enumerate(names)}
    adjacency = np.zeros((len(names), len(names)), dtype=bool)
    for cause, effect in content["arcs"]:
        adjacency[place[cause], place[effect]] = True
    weights = np.zeros(adjacency.shape)
    intercepts, noise_variances = np.zeros(len(names)), np.zeros(len(names))
    for name, i in place.items():
        distribution = content["cpds"][name]
        coefficients = dict(distribution["coefficients"])
        intercepts[i] = _only(coefficients.pop(INTERCEPT))
        noise_variances[i] = _only(distribution["variance"])
        parents = [place[parent] for parent in coefficients]
        if sorted(parents) != np.flatnonzero(adjacency[:, i]).tolist():
            raise InvalidValue(f"the coefficients of {name!r} do not belong to its parents.")
        weights[parents, i] = [_only(coefficient) for coefficient in coefficients.values()]
    return LinearGaussianNetwork(weights, noise_variances, intercepts, variables=names, adjacency=adjacency)


def _only(number: Any) -> float:
    """A number, or the one number of a list."""
    if isinstance(number, list):
        (number,) = number
    return float(number)
