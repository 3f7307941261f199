"""Data that comes with the package."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from orderspn.data.asia import PARENTS

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Sachs:
    """Protein signalling in single cells (Sachs et al., Science 2005).

    Attributes
    ----------
    data : pandas.DataFrame
        853 observational rows of 11 proteins and phospholipids.
    consensus : list of (str, str)
        The 17 edges (cause, effect) of the consensus network, acyclic. Networks with 18 edges (cyclic) and
        20 edges also circulate; this is neither of them.
    """

    data: pd.DataFrame
    consensus: list[tuple[str, str]]


def load_sachs() -> Sachs:
    """Load the bundled protein data and its consensus network.

    Returns
    -------
    Sachs

    Examples
    --------
    >>> import orderspn as osp
    >>> sachs = osp.load_sachs()
    >>> sachs.data.shape, len(sachs.consensus)
    ((853, 11), 17)
    """
    import pandas as pd

    tables = files("orderspn.data") / "tables"
    with (tables / "sachs_observational.csv").open(encoding="utf-8") as file:
        data = pd.read_csv(file)
    with (tables / "sachs_consensus_edges.csv").open(encoding="utf-8") as file:
        edges = pd.read_csv(file)
    return Sachs(data, list(zip(edges["cause"], edges["effect"], strict=True)))


@dataclass(frozen=True, eq=False)
class Asia:
    """Patients of a chest clinic, simulated from the network of Lauritzen and Spiegelhalter (1988).

    Attributes
    ----------
    data : pandas.DataFrame
        2000 rows of 8 columns that say "yes" or "no".
    network : list of (str, str)
        The 8 edges (cause, effect) of the network that they were drawn from.
    """

    data: pd.DataFrame
    network: list[tuple[str, str]]


def load_asia() -> Asia:
    """Load the bundled patients of the chest clinic, and the network that they were drawn from.

    Returns
    -------
    Asia

    Examples
    --------
    >>> import orderspn as osp
    >>> asia = osp.load_asia()
    >>> asia.data.shape, len(asia.network)
    ((2000, 8), 8)
    """
    import pandas as pd

    with (files("orderspn.data") / "tables" / "asia.csv").open(encoding="utf-8") as file:
        data = pd.read_csv(file)
    return Asia(data, [(cause, effect) for effect, causes in PARENTS.items() for cause in causes])
