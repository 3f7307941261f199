"""Masks: sets of numbered things as the bits of one integer, and how many bits each kind of set may have.

Compiled kernels index tables by masks. A mask with more bits than its integer has overflows in silence, and what is
indexed by it lies outside of the table. So whoever makes what kernels are given checks the number of bits here, before
anything of the size `2**bits` is allocated.
"""

from __future__ import annotations

from orderspn.core.errors import InvalidValue

MOST_BITS = 62
"""Bits of any mask: one less than a signed integer of 64 bits has, so that `1 << bits` is positive as well."""

MOST_CANDIDATES = 24
"""Candidates of one variable: a table of all their subsets takes 128 MiB."""

MOST_ORDERED = 30
"""Variables of one block: its lattice of all their subsets takes 8 GiB."""

MOST_IN_CIRCUIT_BLOCK = 24
"""Variables of one block of a circuit, which has many."""


def check_candidates(count: int) -> None:
    """Refuse more candidates than a table of all their subsets can hold.

    Examples
    --------
    >>> check_candidates(25)
    Traceback (most recent call last):
    ...
    orderspn.core.errors.InvalidValue: a variable may have at most 24 candidates (tables of 2**24 parent sets); got 25. Pass fewer with candidates=.
    """  # noqa: E501
    if count > MOST_CANDIDATES:
        raise InvalidValue(
            f"a variable may have at most {MOST_CANDIDATES} candidates (tables of 2**{MOST_CANDIDATES} parent sets); "
            f"got {count}. Pass fewer with candidates=."
        )


def check_ordered(count: int) -> None:
    """Refuse a block of more variables than a lattice of all their subsets can hold."""
    if count > MOST_ORDERED:
        raise InvalidValue(
            f"all orders of at most {MOST_ORDERED} variables can be summed at once; got a block of {count}. Use "
            "method='trust', which cuts orders into small blocks, or choose fewer columns with variables=[...]."
        )
