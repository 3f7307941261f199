"""Amounts of memory in readable units, and limits: of a posterior by default, and of one answer."""

from __future__ import annotations

from orderspn.core.errors import InvalidValue

UNITS = ("bytes", "KiB", "MiB", "GiB")

MEMORY_LIMIT = 4 * 2**30
"""Default limit of the memory in bytes of a posterior and its usual queries: exact up to 26 variables."""

ANSWER_LIMIT = 8 * 2**30
"""Most bytes that one answer may take where no `memory_limit` was given."""


def readable_bytes(size: int) -> str:
    """Format a number of bytes in a suitable unit.

    Examples
    --------
    >>> readable_bytes(100), readable_bytes(3 * 2**29)
    ('100 bytes', '1.5 GiB')
    """
    power = min((size.bit_length() - 1) // 10, len(UNITS) - 1) if size else 0
    if not power:
        return f"{size} {UNITS[0]}"
    unit = 2 ** (10 * power)
    tenths = (10 * size + unit // 2) // unit  # in integers, which never overflow
    return f"{tenths // 10:,}.{tenths % 10} {UNITS[power]}"


def check_answer(needed: int, what: str, remedy: str, limit: int = ANSWER_LIMIT) -> None:
    """Raise an error, before any work, if an answer would take more bytes than the limit.

    Examples
    --------
    >>> check_answer(10**12, "a million graphs", "Draw fewer.")
    Traceback (most recent call last):
        ...
    orderspn.core.errors.InvalidValue: a million graphs need about 931.3 GiB; the limit is 8.0 GiB. Draw fewer.
    """
    if needed > limit:
        raise InvalidValue(
            f"{what} need about {readable_bytes(needed)}; the limit is {readable_bytes(limit)}. {remedy}"
        )
