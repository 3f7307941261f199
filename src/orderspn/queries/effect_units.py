"""The units of total effects: those of the data, or standard deviations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from orderspn.core.arguments import check_choice
from orderspn.core.errors import InvalidValue

if TYPE_CHECKING:
    from orderspn.data.units import Units

EffectUnits = Literal["data", "sd"]
"""The units of the data, or standard deviations."""

UNIT_NAMES: dict[EffectUnits, str] = {"data": "units of the data", "sd": "standard deviations"}


def effect_scale(standardized_by: Units | None, units: EffectUnits) -> np.ndarray | float:
    """Return the factors, [cause, effect], that convert the effects of a model to `units`."""
    check_choice("units", units, ("data", "sd"))
    if units == "data":
        return 1.0 if standardized_by is None else standardized_by.effect_scale()
    if standardized_by is None:
        raise InvalidValue(
            "units='sd' needs the standard deviations of the columns, which are known if the data were standardized. "
            "Learn with standardize=True, or leave units out for the units of the data."
        )
    return 1.0
