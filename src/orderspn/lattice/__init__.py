"""Blocks: all orders of a set of variables, as paths through the lattice of its subsets."""
