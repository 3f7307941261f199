"""Exact blocks: all orders of a small set of variables, as paths through the lattice of its subsets."""
