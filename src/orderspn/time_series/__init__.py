"""Time series: the present is explained, the past is context."""

from orderspn.time_series.lagging import Lagged, lagged

__all__ = ["Lagged", "lagged"]


def __dir__() -> list[str]:
    return __all__
