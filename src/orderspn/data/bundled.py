"""Bundled data: proteins of Sachs et al. (2005), patients of the chest clinic network, penguins, and a time series."""

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

    def __repr__(self) -> str:
        rows, columns = self.data.shape
        conditions = f", {len(self.targets)} conditions" if self.targets else ""
        return (
            f"<Sachs: .data of {rows:,} rows and {columns} columns, {len(self.consensus)} .consensus edges{conditions}>"
        )


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

    def __repr__(self) -> str:
        rows, columns = self.data.shape
        return f"<Asia: .data of {rows:,} rows and {columns} columns, {len(self.network)} edges of the true .network>"


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


MACRO_DESCRIPTIONS = {
    "realgdp": "real gross domestic product",
    "realcons": "real personal consumption expenditures",
    "realinv": "real gross private domestic investment",
    "realgovt": "real federal consumption expenditures and gross investment",
    "realdpi": "real private disposable income",
    "cpi": "consumer price index, end of the quarter",
    "m1": "M1 money stock, end of the quarter",
    "tbilrate": "three-month treasury bill rate",
    "unemp": "unemployment rate",
}
"""Columns of the series of the United States, and what they are."""

MACRO_RATES = ("tbilrate", "unemp")
"""Columns that are percentages, whose changes are differences."""


@dataclass(frozen=True, eq=False)
class Macro:
    """The economy of the United States by quarter, 1959 to 2009.

    From the Federal Reserve Bank of St. Louis and the Bureau of Labor Statistics, compiled by S. Seabold for
    statsmodels; in the public domain.

    Attributes
    ----------
    data : pandas.DataFrame
        A row for each quarter: the column `date`, its first day, and nine columns of numbers.
    descriptions : dict of str to str
        What the columns are.
    """

    data: pd.DataFrame
    descriptions: dict[str, str]

    def __repr__(self) -> str:
        rows, columns = self.data.shape
        return f"<Macro: .data of {rows} quarters and {columns - 1} columns besides the date>"


def load_macro(changes: bool = False) -> Macro:
    """Load the bundled time series: the economy of the United States by quarter.

    Amounts and prices grow over decades, which is no stationary series. Their changes from quarter to quarter are
    more nearly so.

    Parameters
    ----------
    changes : bool, default False
        Growth from the quarter before in percent (100 times the difference of logarithms) in place of amounts and
        prices, and differences in place of rates. There is one row less.

    Returns
    -------
    Macro

    Examples
    --------
    >>> import orderspn as osp
    >>> osp.load_macro().data.shape, osp.load_macro(changes=True).data.shape
    ((203, 10), (202, 10))
    >>> table = osp.time_series.lagged(osp.load_macro(changes=True).data, lags=1, time="date")
    >>> len(table.explained), len(table.context)
    (9, 9)
    """
    import pandas as pd

    if not isinstance(changes, bool):
        raise InvalidType(f"changes must be True or False; got {changes!r}.")
    with (files("orderspn.data") / "tables" / "macro.csv").open(encoding="utf-8") as file:
        table = pd.read_csv(file)
    dates = pd.to_datetime({"year": table["year"], "month": 3 * table["quarter"] - 2, "day": 1})
    values = table[list(MACRO_DESCRIPTIONS)].astype(np.float64)
    if changes:
        values = values.apply(
            lambda column: column.diff() if column.name in MACRO_RATES else 100 * np.log(column).diff()
        )
    data = pd.concat([dates.rename("date"), values], axis=1)
    return Macro(data.iloc[1:].reset_index(drop=True) if changes else data, dict(MACRO_DESCRIPTIONS))


PENGUIN_DESCRIPTIONS = {
    "species": "Adelie, Chinstrap or Gentoo",
    "island": "island of the nest: Biscoe, Dream or Torgersen",
    "bill_length_mm": "length of the bill, in millimetres",
    "bill_depth_mm": "depth of the bill, in millimetres",
    "flipper_length_mm": "length of the flipper, in millimetres",
    "body_mass_g": "body mass, in grams",
    "sex": "female or male, determined from blood samples",
    "year": "year of the study: 2007, 2008 or 2009",
}
"""Columns of the table of penguins, and what they are."""


@dataclass(frozen=True, eq=False)
class Penguins:
    """Adult penguins of three species near Palmer Station, Antarctica, 2007 to 2009.

    K. B. Gorman, T. D. Williams and W. R. Fraser: Ecological sexual dimorphism and environmental variability within a
    community of Antarctic penguins (genus Pygoscelis). PLoS ONE 9(3), e90081, 2014. Compiled by A. M. Horst, A. P. Hill
    and K. B. Gorman as `palmerpenguins`; in the public domain (CC0).

    Attributes
    ----------
    data : pandas.DataFrame
        344 rows of 8 columns: numbers and categories, of which 19 values are missing.
    descriptions : dict of str to str
        What the columns are.
    """

    data: pd.DataFrame
    descriptions: dict[str, str]

    def __repr__(self) -> str:
        rows, columns = self.data.shape
        missing = int(self.data.isna().to_numpy().sum())
        return f"<Penguins: .data of {rows} rows and {columns} columns, {missing} values missing>"


def load_penguins() -> Penguins:
    """Load the bundled table of penguins: numbers and categories, with missing values.

    Returns
    -------
    Penguins

    Examples
    --------
    >>> import orderspn as osp
    >>> penguins = osp.load_penguins().data
    >>> penguins.shape, int(penguins["sex"].isna().sum())
    ((344, 8), 11)
    >>> posterior = osp.learn(penguins, context=["species", "island", "sex", "year"], kinds={"year": "category"})
    >>> posterior.probability("sex -> body_mass_g") > 0.99
    True
    """
    import pandas as pd

    with (files("orderspn.data") / "tables" / "penguins.csv").open(encoding="utf-8") as file:
        return Penguins(pd.read_csv(file), dict(PENGUIN_DESCRIPTIONS))
