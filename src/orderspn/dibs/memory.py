"""Memory in bytes of moving particles, computed from sizes; measured with `benchmarks/limits.py`."""

from __future__ import annotations

from orderspn.dibs.particles import DibsSettings

NUMBER = 8
"""Bytes of one float64."""

SOFT_COPIES = 32
"""Bytes of a pair of variables in a sampled graph: random words, soft graphs and their powers."""

POWERS, WORDS, COMPILING = 24, 256, 2**28
"""The same for more variables, for which compiled programs keep less at once: bytes of a pair of variables in a graph
whose powers are taken, of a variable in a graph whose score is looked up, and of the compiler."""


def particle_bytes(settings: DibsSettings, d: int) -> int:
    """Return the bytes for particles of d variables, and the graphs sampled for them in a step.

    Examples
    --------
    >>> particle_bytes(DibsSettings(particles=30), 16) // 2**20
    37
    """
    pairs = settings.particles * d * d
    all_at_once = SOFT_COPIES * pairs * (settings.graph_samples + settings.acyclicity_samples)
    looked_up = WORDS * settings.particles * settings.graph_samples * d
    one_after_the_other = POWERS * pairs * settings.acyclicity_samples + looked_up + COMPILING
    return min(all_at_once, one_after_the_other) + NUMBER * settings.particles**2
