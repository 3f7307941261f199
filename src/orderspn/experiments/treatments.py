"""Treatments of data as it comes: ours, and what is usually done. All then sum over all orders exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from orderspn.experiments import preparation
from orderspn.learning import learn
from orderspn.mixture.mixing import mix
from orderspn.posterior import Posterior
from orderspn.scores import BDeu, BGe

if TYPE_CHECKING:
    import pandas as pd

    from orderspn.experiments.samples import Sample

MOST_FOR_COMPLETE_ROWS = 12
"""Among 200 rows of more variables there may be hardly any without a missing cell."""


@dataclass(frozen=True)
class Treatment:
    """A way to prepare a table, and to score it.

    Attributes
    ----------
    name : str
    what : str
        In a few words.
    colour : str
        Of its marks in all figures.
    score : BGe or BDeu
    prepare : callable
        Maps a sample and a seed sequence to the tables to learn from; the posterior is the mean over them.
    missing : {"error", "impute", "drop"}
        What `learn` does with missing cells that are left.
    needs_sklearn : bool
    most_variables : int, optional
        The largest number of variables that it can handle.
    """

    name: str
    what: str
    colour: str
    score: BGe | BDeu
    prepare: Callable[[Sample, np.random.SeedSequence], list[pd.DataFrame]] = preparation.as_it_is
    missing: Literal["error", "impute", "drop"] = "error"
    needs_sklearn: bool = False
    most_variables: int | None = None

    def recorded(self, d: int, effort: float) -> dict[str, Any]:  # noqa: ARG002
        """The settings as JSON values; none of them depends on the effort."""
        score = {"name": self.score.name, **asdict(self.score)}
        return {"tables": self.prepare.__name__, "score": score, "missing": self.missing}

    def require(self) -> None:
        """Raise an error if a package that it needs is not installed."""
        if self.needs_sklearn:
            preparation.require_sklearn(f"the method {self.name}")

    def posterior(self, run: Sample, effort: float, rng: np.random.SeedSequence) -> Posterior:  # noqa: ARG002
        """Prepare and learn, in one thread."""
        for_tables, for_learning = rng.spawn(2)
        learned = [
            learn(table, rng=for_learning, n_jobs=1, score=self.score, missing=self.missing, check=False)
            for table in self.prepare(run, for_tables)
        ]
        return learned[0] if len(learned) == 1 else mix(learned, weights="equal")


TREATMENTS: dict[str, Treatment] = {
    treatment.name: treatment
    for treatment in [
        Treatment("GROUPS", "`learn`: a category is a group of indicator columns", "#6a1b7a", BGe()),
        Treatment("CUBIC", "`learn` with `scores.BGe(degree=3)`: numbers act by polynomials", "#0072b2", BGe(degree=3)),
        Treatment("AUTO", '`learn` with `scores.BGe(degree="auto")`: degree 1, 2 or 3', "#56b4e9", BGe(degree="auto")),
        Treatment("LINEAR", "BGe of the numbers as they are", "#d55e00", BGe()),
        Treatment(
            "CODES",
            "categories as the numbers 0, 1, ..., and BGe",
            "#d55e00",
            BGe(),
            preparation.codes_as_numbers,
        ),
        Treatment("BINS", "numbers cut into three bins, and BDeu", "#e69f00", BDeu(), preparation.three_bins),
        Treatment(
            "FULL",
            "the table before anything was missing, a bound",
            "#222222",
            BGe(),
            preparation.before_anything_was_missing,
        ),
        Treatment(
            "IMPUTED",
            "`learn`: 20 tables, completed by a chain over graphs, parameters and missing cells",
            "#6a1b7a",
            BGe(),
            missing="impute",
        ),
        Treatment(
            "COMPLETE-ROWS",
            "rows without a missing cell",
            "#e69f00",
            BGe(),
            missing="drop",
            most_variables=MOST_FOR_COMPLETE_ROWS,
        ),
        Treatment("MEANS", "missing cells filled by the mean of their column", "#d55e00", BGe(), preparation.means),
        Treatment(
            "CHAINED",
            "missing cells filled by chained equations (scikit-learn's IterativeImputer)",
            "#009e73",
            BGe(),
            preparation.chained_equations,
            needs_sklearn=True,
        ),
        Treatment(
            "CHAINED-20",
            "20 tables drawn by chained equations (the same with `sample_posterior=True`), and the mean",
            "#7bb661",
            BGe(),
            preparation.chained_draws,
            needs_sklearn=True,
        ),
    ]
}
"""The treatments, by name."""
