"""Masks: sets of variables as the bits of one integer, and the number of bits that each kind of set may have.

Compiled kernels index tables by masks. A mask with too many bits overflows silently, and the kernel would read outside
of its table. So the constructors of what kernels are given check the number of bits here, before they allocate anything
of size `2**bits`.
"""

from __future__ import annotations

from orderspn.core.errors import InvalidValue

MOST_BITS = 62
"""Most bits of any mask. With 62 bits `1 << bits` is still a positive signed integer of 64 bits."""

MOST_CANDIDATES = 24
"""Most candidates of one variable: a table of all their subsets takes 128 MiB."""

MOST_ORDERED = 30
"""Most variables of one block: its lattice of all their subsets takes 8 GiB."""

MOST_IN_CIRCUIT_BLOCK = 24
"""Most variables of one block of a circuit, which has many blocks."""


def check_candidates(count: int) -> None:
    """Raise an error for more candidates than a table of all their subsets can hold.

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
    """Raise an error for a block of more variables than a lattice of all their subsets can hold."""
    if count > MOST_ORDERED:
        raise InvalidValue(
            f"all orders of at most {MOST_ORDERED} variables can be summed at once; got a block of {count}. Use "
            "method='trust', which cuts orders into small blocks, or choose fewer columns with variables=[...]."
        )
