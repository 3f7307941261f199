"""The log of the package, `logging.getLogger("orderspn")`: stages of the work at INFO, settings at DEBUG.

Nothing is written unless the user configures logging.
"""

from __future__ import annotations

import logging
import time

logger = logging.getLogger("orderspn")
logger.addHandler(logging.NullHandler())


class Stage:
    """One stage of long work: logged when it is done, with its size and the time that it took."""

    def __init__(self, name: str, logged: bool = True) -> None:
        self._name, self._logged, self._begin = name, logged, time.perf_counter()

    def done(self, about: str, *sizes: object) -> None:
        """Log that the stage is done; `about` has a place for each of `sizes`."""
        if self._logged:
            logger.info(f"%s: {about}, %.2f s", self._name, *sizes, time.perf_counter() - self._begin)
