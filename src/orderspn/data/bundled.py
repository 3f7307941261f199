"""Real data that comes with the package."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

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
