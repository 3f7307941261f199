"""What is known about how the data of a variable are distributed: a few numbers, which also files have.

In files they are JSON, possibly from an unknown source: sizes and ranges are checked.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from msgspec import Meta, Struct

from orderspn.core.checked_json import Count, converted, require
from orderspn.data.histograms import MOST_BARS
from orderspn.display.text import listed

DISTRIBUTIONS = "distributions"
"""Where the settings of a posterior have them."""

LARGEST = sys.float_info.max
"""The largest number that there is."""

Limit = Annotated[float, Meta(ge=-LARGEST, le=LARGEST)]
Spread = Annotated[float, Meta(ge=0.0, le=LARGEST)]
Counts = Annotated[tuple[Count, ...], Meta(min_length=1, max_length=MOST_BARS)]
Levels = Annotated[tuple[str, ...], Meta(min_length=1, max_length=MOST_BARS)]


class NumberDistribution(
    Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="number"
):
    """The distribution of a column of numbers: a histogram with bars of equal width, in the units of the data.

    Bars are on the values where these are few, such as 0, 1 and 2.

    Attributes
    ----------
    first : float
        Where the first bar begins.
    last : float
        Where the last bar ends.
    counts : tuple of int
        Number of rows in each bar; at most 24 bars.
    mean : float
    sd : float
        The standard deviation, with the divisor N.
    minimum : float
    maximum : float
    missing : int
        Number of missing values, which are not counted elsewhere.

    Examples
    --------
    >>> import pandas as pd, orderspn as osp
    >>> data = pd.DataFrame({"children": [0.0, 1.0, 1.0, 2.0, 5.0], "income": [2.5, 1.0, 3.5, 2.0, 3.0]})
    >>> children = osp.learn(data, check=False).distributions()["children"]
    >>> children
    <NumberDistribution: 5 values from 0 to 5, mean 1.8, sd 1.72047, 6 bars>
    >>> children.counts
    (1, 2, 1, 0, 0, 1)
    >>> children.edges
    array([-0.5,  0.5,  1.5,  2.5,  3.5,  4.5,  5.5])
    """

    first: Limit
    last: Limit
    counts: Counts
    mean: Limit
    sd: Spread
    minimum: Limit
    maximum: Limit
    missing: Count = 0

    def __post_init__(self) -> None:
        require(self.first < self.last, "a histogram ends where it begins, or before")
        within = self.first <= self.minimum <= self.mean <= self.maximum <= self.last
        require(within, "the mean and the extremes of a histogram are not in their order, or beyond its ends")

    def __repr__(self) -> str:
        about = f"{self.minimum:g} to {self.maximum:g}, mean {self.mean:g}, sd {self.sd:g}, {len(self.counts)} bars"
        return f"<NumberDistribution: {_values(self)} from {about}>"

    @property
    def kind(self) -> str:
        """The text "number"."""
        return "number"

    @property
    def observed(self) -> int:
        """Number of rows in which it is not missing."""
        return sum(self.counts)

    @property
    def edges(self) -> np.ndarray:
        """Where the bars begin and end, shape (bars + 1,)."""
        scale = 1.0 if math.isfinite(self.last - self.first) else 2.0
        return np.linspace(self.first / scale, self.last / scale, len(self.counts) + 1) * scale


class CategoryDistribution(
    Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="category"
):
    """The distribution of a category: how often each level occurs.

    Attributes
    ----------
    levels : tuple of str
        The levels in their order; if there are more than 24, the most frequent ones.
    counts : tuple of int
        Number of rows with each of them.
    others : int
        Number of rows with other levels.
    other_levels : int
        Number of other levels, of which some may not occur.
    missing : int
        Number of missing values, which are not counted elsewhere.

    Examples
    --------
    >>> import orderspn as osp
    >>> osp.learn(osp.load_asia().data[["smoke", "bronc", "dysp"]]).distributions()["smoke"]
    <CategoryDistribution: 2,000 values; no 1039, yes 961>
    """

    levels: Levels
    counts: Counts
    others: Count = 0
    other_levels: Count = 0
    missing: Count = 0

    def __post_init__(self) -> None:
        require(len(self.levels) == len(self.counts), "the numbers of its levels and of their counts differ")
        require(len(set(self.levels)) == len(self.levels), "two of its levels have the same name")

    def __repr__(self) -> str:
        counts = [f"{level} {count}" for level, count in zip(self.levels, self.counts, strict=True)]
        others = [f"{self.others} of {self.other_levels} other levels"] if self.other_levels else []
        return f"<CategoryDistribution: {_values(self)}; {listed([*others, *counts])}>"

    @property
    def kind(self) -> str:
        """The text "category"."""
        return "category"

    @property
    def observed(self) -> int:
        """Number of rows in which it is not missing."""
        return sum(self.counts) + self.others


class GroupDistribution(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag="group"):
    """The distributions of a variable of several columns, each by itself.

    Attributes
    ----------
    columns : dict of str to NumberDistribution
        The distribution of each column.
    """

    columns: Annotated[dict[str, NumberDistribution], Meta(min_length=1)]

    def __repr__(self) -> str:
        return f"<GroupDistribution: {len(self.columns)} columns: {listed(list(self.columns))}>"

    @property
    def kind(self) -> str:
        """The text "group"."""
        return "group"


def _values(distribution: NumberDistribution | CategoryDistribution) -> str:
    """Return how many values there are, and how many are missing."""
    missing = f" ({distribution.missing:,} missing)" if distribution.missing else ""
    return f"{distribution.observed:,} values{missing}"


Distribution = NumberDistribution | CategoryDistribution | GroupDistribution


def restored(values: Mapping[str, Any]) -> dict[str, Distribution]:
    """Return what `described` gave; raise a ValueError for anything else."""
    return converted(values, dict[str, Distribution])


def check_distributions(found: Mapping[str, Distribution], n_rows: int, kinds: Mapping[str, str] | None) -> None:
    """Raise a ValueError unless every column has this number of rows, and every variable its kind, if it is known."""
    for name, distribution in found.items():
        columns = distribution.columns.values() if isinstance(distribution, GroupDistribution) else [distribution]
        same = all(column.observed + column.missing == n_rows for column in columns)
        require(same, f"the number of rows of the distribution of {name[:40]!r} is not that of the data")
        known = kinds is None or kinds.get(name, distribution.kind) == distribution.kind
        require(known, f"the distribution of {name[:40]!r} is not one of its kind")
