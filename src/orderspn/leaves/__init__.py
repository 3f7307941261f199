"""The single definition of a leaf: the parent sets of one variable, with sums, maxima and samples of them."""

from orderspn.leaves.family import Family

__all__ = ["Family"]
