"""Bundled data: the proteins of Sachs et al. (2005), and simulated patients of the chest clinic network."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from orderspn.core.errors import InvalidType

if TYPE_CHECKING:
    import pandas as pd

ASIA_PARENTS = {
    "asia": (),
    "smoke": (),
    "tub": ("asia",),
    "lung": ("smoke",),
    "bronc": ("smoke",),
    "either": ("tub", "lung"),
    "xray": ("either",),
    "dysp": ("bronc", "either"),
}
"""Parents of each variable in the chest clinic network, causes before effects."""

SACHS_TARGETS = {
    "cd3cd28": [],
    "cd3cd28_icam2": [],
    "aktinhib": ["Akt"],
    "g0076": ["PKC"],
    "psitect": ["PIP2"],
    "u0126": ["Mek"],
    "ly294002": ["PIP3"],
    "pma": ["PKC"],
    "b2camp": ["PKA"],
}
"""Variables that each condition of the protein data acts on; the first two are general stimulation."""


@dataclass(frozen=True, eq=False)
class Sachs:
    """Protein signalling in single cells (Sachs et al., Science 2005).

    Attributes
    ----------
    data : pandas.DataFrame
        853 observational rows of 11 proteins and phospholipids; or all 7466 rows, with the column `condition` last.
    consensus : list of (str, str)
        The 17 edges (cause, effect) of the consensus network, acyclic. Networks with 18 edges (cyclic) and
        20 edges also circulate; this is neither of them.
    targets : dict of str to list of str
        The variables that each condition intervenes on, as `learn` takes them; empty for observational rows alone.
    """

    data: pd.DataFrame
    consensus: list[tuple[str, str]]
    targets: dict[str, list[str]] = field(default_factory=dict)


def load_sachs(interventions: bool = False, *, log: bool = False) -> Sachs:
    """Load the bundled protein data and its consensus network.

    With interventions, these are all rows of nine experiments. Two are general stimulation. Five inhibit: `aktinhib`
    Akt, `g0076` PKC, `psitect` PIP2, `u0126` Mek, and `ly294002` PI3K, which is not measured but makes PIP3, so that
    PIP3 counts as intervened on. Two activate: `pma` PKC, and `b2camp` PKA. Chemicals change the activity of a protein,
    and not always its measured amount. It is better to replace the values of a protein that was inhibited or activated
    by what they stand for, such as the lowest or the highest of a few classes.

    A few cells have far larger amounts than all others, and such values dominate correlations. BGe is made for
    variables that are about normally distributed, as logarithms of these amounts are.

    Parameters
    ----------
    interventions : bool, default False
        Load all 7466 rows, with the column `condition` and `targets`, instead of the 853 observational ones.
    log : bool, default False
        Take the natural logarithm of all amounts (they are positive). The column `condition` is unchanged.

    Returns
    -------
    Sachs

    Examples
    --------
    >>> import orderspn as osp
    >>> sachs = osp.load_sachs()
    >>> sachs.data.shape, len(sachs.consensus)
    ((853, 11), 17)
    >>> every = osp.load_sachs(interventions=True)
    >>> every.data.shape, every.targets["u0126"]
    ((7466, 12), ['Mek'])

    Logarithms are far less skewed:

    >>> [round(float(data["Erk"].skew()), 1) for data in (sachs.data, osp.load_sachs(log=True).data)]
    [26.9, 0.3]
    """
    import pandas as pd

    for name, given in (("interventions", interventions), ("log", log)):
        if not isinstance(given, bool):
            raise InvalidType(f"{name} must be True or False; got {given!r}.")
    tables = files("orderspn.data") / "tables"
    with (tables / "sachs_consensus_edges.csv").open(encoding="utf-8") as file:
        edges = pd.read_csv(file)
    consensus = list(zip(edges["cause"], edges["effect"], strict=True))
    if not interventions:
        with (tables / "sachs_observational.csv").open(encoding="utf-8") as file:
            return Sachs(_in_logarithms(pd.read_csv(file), log), consensus)
    with (tables / "sachs_all.csv.gz").open("rb") as file:
        data = _in_logarithms(pd.read_csv(file, compression="gzip"), log)
    return Sachs(data, consensus, {condition: list(names) for condition, names in SACHS_TARGETS.items()})


def _in_logarithms(data: pd.DataFrame, log: bool) -> pd.DataFrame:
    """Return the data with logarithms of all amounts if `log`, else unchanged; labels of conditions stay."""
    if not log:
        return data
    return data.apply(lambda column: np.log(column) if column.dtype.kind == "f" else column)


@dataclass(frozen=True, eq=False)
class Asia:
    """Patients of a chest clinic, simulated from the network of Lauritzen and Spiegelhalter (1988).

    S. L. Lauritzen and D. J. Spiegelhalter: Local computations with probabilities on graphical structures and their
    application to expert systems. Journal of the Royal Statistical Society, Series B, 50(2), 157-224, 1988.

    Attributes
    ----------
    data : pandas.DataFrame
        2000 rows of 8 columns with "yes" or "no".
    network : list of (str, str)
        The 8 edges (cause, effect) of the true network.
    """

    data: pd.DataFrame
    network: list[tuple[str, str]]


def load_asia() -> Asia:
    """Load the simulated patients of the chest clinic and their true network.

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
    return Asia(data, [(cause, effect) for effect, causes in ASIA_PARENTS.items() for cause in causes])
