"""Amounts of memory, for people."""

from __future__ import annotations

UNITS = ("bytes", "KiB", "MiB", "GiB")


def readable_bytes(size: int) -> str:
    """A number of bytes in a unit that suits it.

    Examples
    --------
    >>> readable_bytes(100), readable_bytes(3 * 2**29)
    ('100 bytes', '1.5 GiB')
    """
    power = min((size.bit_length() - 1) // 10, len(UNITS) - 1) if size else 0
    return f"{size / 2 ** (10 * power):,.{1 if power else 0}f} {UNITS[power]}"
