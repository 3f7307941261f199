"""What differs between two posteriors, as people read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from orderspn.display.html import facts, note, table, titled
from orderspn.display.text import listed

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 10
"""Number of edges in a text or in a table of a notebook."""

MOVED = 0.005
"""Smallest change that is shown."""


class VariationBound(NamedTuple):
    """The total variation distance, the largest difference in the probability of any event: at least `lower`.

    It is exactly `lower` if `exact`; otherwise `event` is the pair of variables that the bound comes from.
    """

    lower: float
    exact: bool
    event: str


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two posteriors compared, made by `compare`.

    Attributes
    ----------
    labels : tuple of str
        What the two are called.
    variables : list of str
        Those that both have, in the order of the first.
    only_in_first, only_in_second : list of str
        Variables that only one of them has; edges with them are not compared.
    edges : pandas.DataFrame
        Columns `cause`, `effect`, `first`, `second` (probabilities), `change` and its `standard_error` (0 if both are
        exact, NaN if it is unknown), the largest change first.
    adjacencies : pandas.DataFrame
        Columns `a`, `b`, `first`, `second` and `change`: of edges in either direction, each pair once.
    total_variation : VariationBound
        With `.lower`, `.exact` and `.event`.
    expected_differences : float
        How many pairs of variables a graph of the first and a graph of the second join differently, on average.
    expected_within : tuple of float
        The same for two graphs of the first, and for two of the second: what uncertainty alone makes of it.
    notes : list of str
        What else differs: context variables, evidence, targets.
    """

    labels: tuple[str, str]
    variables: list[str]
    only_in_first: list[str]
    only_in_second: list[str]
    edges: pd.DataFrame
    adjacencies: pd.DataFrame
    total_variation: VariationBound
    expected_differences: float
    expected_within: tuple[float, float]
    notes: list[str]

    def __repr__(self) -> str:
        lines = [f"Comparison: {self.labels[0]}, {self.labels[1]}; {len(self.variables)} variables in common"]
        lines += [f"  {name}: {value}" for name, value in self._lines()]
        moved = self._moved()
        lines += ["", "  largest changes of edges, from the first to the second:"] if moved else []
        lines += [f"    {edge}: {first:.3f} -> {second:.3f} ({change:+.3f})" for edge, first, second, change in moved]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        changes = table(["edge", *self.labels, "change"], self._moved())
        more = int((self.edges["change"].abs() >= MOVED).sum()) - SHOWN
        left = note(f"... and {more:,} more in .edges") if more > 0 else ""
        return titled(f"Comparison: {self.labels[0]}, {self.labels[1]}", facts(self._lines(), {}), changes, left)

    def _moved(self) -> list[tuple[str, float, float, float]]:
        moved = self.edges[self.edges["change"].abs() >= MOVED].head(SHOWN)
        return [
            (f"{row.cause} -> {row.effect}", float(row.first), float(row.second), float(row.change))  # type: ignore[arg-type]
            for row in moved.itertuples()
        ]

    def _lines(self) -> list[tuple[str, str]]:
        bound = self.total_variation
        variation = f"{bound.lower:.3f}" if bound.exact else f"at least {bound.lower:.3f}"
        if not bound.exact and bound.lower > 0.0:
            variation += f" ({bound.event})"
        lines = [
            ("total variation", variation),
            (
                "pairs joined differently",
                f"{self.expected_differences:.2f} expected (two graphs of {self.labels[0]}: "
                f"{self.expected_within[0]:.2f}, of {self.labels[1]}: {self.expected_within[1]:.2f})",
            ),
        ]
        for label, names in zip(self.labels, (self.only_in_first, self.only_in_second), strict=True):
            lines += [(f"only in {label}", listed(names))] if names else []
        return lines + [("note", text) for text in self.notes]
