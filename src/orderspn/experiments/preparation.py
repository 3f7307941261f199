"""What is usually done to a table before a method that wants something else: codes, bins, filled cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from orderspn.core.errors import MissingExtra
from orderspn.experiments.samples import Sample

if TYPE_CHECKING:
    import pandas as pd

BINS = ("low", "middle", "high")

COMPLETIONS = 20
"""Tables that are drawn for several imputations, as many as `learn` has by default."""

FILLING_SWEEPS, DRAWING_SWEEPS = 30, 10
"""Sweeps of chained equations. Ten, the default of scikit-learn, are often too few for it to call the filled cells
converged; cells that are drawn never come to rest."""


def as_it_is(sample: Sample, rng: np.random.SeedSequence) -> list[pd.DataFrame]:  # noqa: ARG001
    """The table itself."""
    return [sample.data]


def before_anything_was_missing(sample: Sample, rng: np.random.SeedSequence) -> list[pd.DataFrame]:  # noqa: ARG001
    """The complete table, which nobody has in practice: a bound for all others."""
    return [sample.complete]


def codes_as_numbers(sample: Sample, rng: np.random.SeedSequence) -> list[pd.DataFrame]:  # noqa: ARG001
    """Categories as the numbers 0, 1, ... in the order of their names."""
    return [sample.data.apply(lambda column: column if _is_number(column) else _codes(column))]


def three_bins(sample: Sample, rng: np.random.SeedSequence) -> list[pd.DataFrame]:  # noqa: ARG001
    """Numbers cut into three bins of as many rows each; categories as they are."""
    return [sample.data.apply(lambda column: _binned(column) if _is_number(column) else column)]


def means(sample: Sample, rng: np.random.SeedSequence) -> list[pd.DataFrame]:  # noqa: ARG001
    """Missing cells filled by the means of their columns."""
    return [sample.data.fillna(sample.data.mean())]


def chained_equations(sample: Sample, rng: np.random.SeedSequence) -> list[pd.DataFrame]:
    """Missing cells predicted by regressions of each column on all others, in turns: one table."""
    return [_chained(sample.data, rng, drawn=False)]


def chained_draws(sample: Sample, rng: np.random.SeedSequence) -> list[pd.DataFrame]:
    """Missing cells drawn from such regressions: several tables."""
    return [_chained(sample.data, one, drawn=True) for one in rng.spawn(COMPLETIONS)]


def require_sklearn(what: str) -> None:
    """Raise an error unless scikit-learn is installed."""
    try:
        import sklearn  # type: ignore[import-untyped, unused-ignore]  # noqa: F401
    except ModuleNotFoundError as problem:
        raise MissingExtra(f"{what} needs scikit-learn: pip install scikit-learn") from problem


def _is_number(column: pd.Series) -> bool:
    return column.dtype.kind == "f"


def _codes(column: pd.Series) -> pd.Series:
    return column.astype("category").cat.codes.astype(float)


def _binned(column: pd.Series) -> pd.Series:
    import pandas as pd

    places = np.digitize(column, np.quantile(column, [1 / 3, 2 / 3]))
    return pd.Series(np.array(BINS, dtype=object)[places], index=column.index)


def _chained(table: pd.DataFrame, rng: np.random.SeedSequence, drawn: bool) -> pd.DataFrame:
    import pandas as pd
    from sklearn.experimental import enable_iterative_imputer  # type: ignore[import-untyped, unused-ignore]  # noqa: F401
    from sklearn.impute import IterativeImputer  # type: ignore[import-untyped, unused-ignore]

    seed = int(np.random.default_rng(rng).integers(2**31))
    sweeps = DRAWING_SWEEPS if drawn else FILLING_SWEEPS
    imputer = IterativeImputer(max_iter=sweeps, sample_posterior=drawn, random_state=seed)
    return pd.DataFrame(imputer.fit_transform(table), columns=table.columns)
