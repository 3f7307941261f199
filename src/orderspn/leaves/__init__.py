"""Leaves: the parent sets of one variable, with sums, maxima and draws over them."""

from orderspn.leaves.family import Family

__all__ = ["Family"]
