"""Square tables of causes and effects as DataFrames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


def square_frame(matrix: np.ndarray, variables: Sequence[str]) -> pd.DataFrame:
    """A matrix (d, d) with names: row = cause, column = effect."""
    import pandas as pd

    names = list(variables)
    return pd.DataFrame(matrix, index=pd.Index(names, name="cause"), columns=pd.Index(names, name="effect"))
