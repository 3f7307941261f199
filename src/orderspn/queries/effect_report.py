"""The report on one effect: mean, interval and sign, where its uncertainty comes from, and what flips its sign."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from orderspn.display.html import facts, note, table, titled
from orderspn.display.text import counted, cut
from orderspn.queries.effect_draws import EffectDraws, PairDraws
from orderspn.queries.effect_numbers import EffectNumbers, effect_numbers, share_of, weighted_error

if TYPE_CHECKING:
    import pandas as pd

SETS_SHOWN = 5
"""Number of parent sets in a table of a notebook."""

NO_PARENTS = "none"

ROOM = 110
"""Number of characters for what the effect is, in a short text."""

SURE = 2.0
"""Standard errors that the mean effect given a parent set is away from 0 where its sign is told."""


@dataclass(frozen=True, eq=False)
class Effect:
    """The effect of one variable on another under an intervention, averaged over graphs and parameters.

    Attributes
    ----------
    cause, effect : str
    about : str
        What the effect is, and its units.
    mean : float
        That of `causal_effects` where there is one, else the mean over drawn graphs of the expectation given each.
    low, high : float
        Ends of the central credible interval.
    level : float
        Probability of the interval.
    positive, negative : float
        Probabilities that the effect is above and below 0.
    no_path : float
        Probability that there is no directed path from cause to effect, so that the effect is 0.
    structural : float
        Variance between graphs, of the expected effect given the graph. For a mixture, a graph together with the
        component it came from.
    parametric : float
        Mean variance within graphs, from parameters that the data leave uncertain.
    standard_errors : mapping
        Monte Carlo standard error of each of these numbers and of `variance`; 0 for a mean that is exact. For a
        posterior that is a sample of graphs, the error of the mean is that of the sample (NaN if it is unknown), and
        the others are those of drawing from the sample.
    parent_sets : pandas.DataFrame
        The parent sets of the cause among the drawn graphs, most probable first: `parents` (tuple of names),
        `probability`, `mean` effect given them, its `standard_error` (NaN for a set drawn once), `no_path`, and
        `flips`: whether the mean has the other sign than that of all graphs, by more than two standard errors.
    draws : PairDraws
        The draws that the numbers come from: `.values` (n,), `.means` (n,), `.connected` (n,) and `.graphs`.
    """

    cause: str
    effect: str
    about: str
    mean: float
    low: float
    high: float
    level: float
    positive: float
    negative: float
    no_path: float
    structural: float
    parametric: float
    standard_errors: Mapping[str, float]
    parent_sets: pd.DataFrame
    draws: PairDraws

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the credible interval.

        Examples
        --------
        >>> import orderspn as osp
        >>> effect = osp.learn(osp.load_sachs(log=True).data).effect("Erk", "Akt")
        >>> effect.interval == (effect.low, effect.high)
        True
        """
        return self.low, self.high

    @property
    def variance(self) -> float:
        """The variance of the effect, `structural + parametric`.

        Examples
        --------
        >>> import orderspn as osp
        >>> effect = osp.learn(osp.load_sachs(log=True).data).effect("Erk", "Akt")
        >>> effect.variance == effect.structural + effect.parametric
        True
        """
        return self.structural + self.parametric

    @property
    def flips(self) -> float:
        """The probability of the parent sets of the cause whose mean effect has the other sign.

        Examples
        --------
        >>> import orderspn as osp
        >>> effect = osp.learn(osp.load_sachs(log=True).data).effect("Erk", "Akt")
        >>> 0.0 <= effect.flips < 0.5
        True
        """
        sets = self.parent_sets
        return float(sets.loc[sets["flips"], "probability"].sum())

    def __repr__(self) -> str:
        mean, signs, *doubts = (f"{name} {value}" for name, value in self._lines())
        return f"<Effect: {cut(self.about, ROOM)}\n {mean}, {signs}\n {', '.join(doubts)}>"

    def _repr_html_(self) -> str:
        rows = [
            (", ".join(parents) or NO_PARENTS, float(share), float(mean), "yes" if flips else "")
            for parents, share, mean, flips in zip(
                *(self.parent_sets[name] for name in ("parents", "probability", "mean", "flips")), strict=True
            )
        ]
        sets = table([f"parents of {self.cause}", "probability", "mean effect", "other sign"], rows[:SETS_SHOWN])
        left = len(rows) - SETS_SHOWN
        more = note(f"... and {left:,} less probable ones in .parent_sets") if left > 0 else ""
        return titled(f"Effect: {self.about}", facts(self._lines(), {}), sets + more)

    def _lines(self) -> list[tuple[str, str]]:
        error = self.standard_errors["mean"]
        about_mean = "exact" if error == 0.0 else "of a sample" if np.isnan(error) else f"± {error:.2g}"
        of_graphs = self.structural / self.variance if self.variance > 0.0 else 0.0
        lines = [
            (
                "mean",
                f"{self.mean:.4g} ({about_mean}), {100 * self.level:g}% between {self.low:.4g} and {self.high:.4g}",
            ),
            ("P(> 0)", f"{self.positive:.3f}, P(< 0) {self.negative:.3f}, P(no path) {self.no_path:.3f}"),
            ("variance", f"{self.variance:.3g}, {of_graphs:.1%} of it between graphs"),
        ]
        if self.flips > 0.0:
            n_sets = int(self.parent_sets["flips"].sum())
            lines.append(("other sign", f"given {counted(n_sets, 'parent set')} (P {self.flips:.3f})"))
        return lines


def effect_report(
    draws: PairDraws, cause: int, effect: int, about: str, level: float, known: tuple[float, float] | None
) -> Effect:
    """Make the report of one effect from its draws; a known mean and its error replace those of the draws."""
    weights, names = draws.graphs.weights, draws.graphs.variables
    numbers, errors = effect_numbers(draws.means, draws.values, draws.connected, weights, level)
    found = {name: float(value) for name, value in numbers._asdict().items() if name != "variance"}
    uncertain = {name: float(value) for name, value in errors._asdict().items()}
    if known is not None:
        found["mean"], uncertain["mean"] = known
    sets = _parent_sets(draws, cause, found["mean"])
    return Effect(
        names[cause],
        names[effect],
        about,
        level=level,
        standard_errors=uncertain,
        parent_sets=sets,
        draws=draws,
        **found,
    )


def _parent_sets(draws: PairDraws, cause: int, overall: float) -> pd.DataFrame:
    """Return the parent sets of the cause with the mean effect given each, most probable first."""
    import pandas as pd

    names, n = draws.graphs.variables, len(draws.means)
    shares = np.full(n, 1.0 / n) if draws.graphs.weights is None else draws.graphs.weights
    sets, which = np.unique(draws.graphs.adjacency[:, :, cause], axis=0, return_inverse=True)
    rows: list[dict[str, Any]] = []
    for number, members in enumerate(sets):
        own = which.ravel() == number
        probability = float(shares[own].sum())
        if probability == 0.0:  # all weights underflow
            continue
        within = shares[own] / probability
        mean = np.asarray(within @ draws.means[own])
        error = float(weighted_error(draws.means[own], mean, within)) if np.count_nonzero(own) > 1 else np.nan
        rows.append(
            {
                "parents": tuple(names[v] for v in np.flatnonzero(members)),
                "probability": probability,
                "mean": float(mean),
                "standard_error": error,
                "no_path": float(share_of(~draws.connected[own], within)),
                "flips": bool(mean * overall < 0.0 and not abs(mean) <= SURE * error),
            }
        )
    rows.sort(key=lambda row: (-row["probability"], row["parents"]))
    return pd.DataFrame(rows)


def pairs_frame(
    names: Sequence[str], pairs: Sequence[tuple[int, int]], numbers: EffectNumbers, errors: EffectNumbers
) -> pd.DataFrame:
    """Return a table with a row for each pair, from numbers of shape (pairs,)."""
    import pandas as pd

    columns: dict[str, object] = {
        "cause": [names[i] for i, _ in pairs],
        "effect": [names[j] for _, j in pairs],
        **numbers._asdict(),
        **{f"{name}_error": value for name, value in errors._asdict().items()},
    }
    return pd.DataFrame(columns)


def all_pairs(draws: EffectDraws, level: float, known: tuple[np.ndarray, np.ndarray] | None) -> pd.DataFrame:
    """Return the numbers of the effects of all pairs; known means and errors (d, d) replace those of the draws."""
    names = draws.graphs.variables
    d = len(names)
    causes, effects = np.nonzero(~np.eye(d, dtype=bool))
    of_pairs = (slice(None), causes, effects)
    numbers, errors = effect_numbers(
        draws.means[of_pairs], draws.values[of_pairs], draws.connected[of_pairs], draws.graphs.weights, level
    )
    if known is not None:
        numbers = numbers._replace(mean=known[0][causes, effects])
        errors = errors._replace(mean=known[1][causes, effects])
    return pairs_frame(names, list(zip(causes.tolist(), effects.tolist(), strict=True)), numbers, errors)
